"""The answers of phones, opened at the end of a session with every key that this computer had.

Each party sees one layer, but the computer that runs all parties can open every envelope. In the
program `threshold` a row opens for the reader only if k people submit the same row. This computer
also has the key of the party `randomness`. So it computes the seals of each possible row, and
compares them with the submitted seals (protocol/knowledge/opened_exploits.py). If a phone has
sealed other data than an announced answer, its row is unknown from that column on, unless k people
have sealed the same data, which then open.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..crypto.keys import SecretKey
from ..crypto.threshold import open_groups
from ..crypto.voprf import OprfKey
from ..errors import Refused
from ..protocol.knowledge.opened_exploits import prefixes_of
from ..protocol.knowledge.transcript import SealedAnswers, names_of
from ..protocol.rounds.ballots import Ballot, read_ballot
from ..protocol.rounds.mixing import open_envelope, open_layers
from ..protocol.rounds.opened_prefixes import cell
from ..protocol.rounds.round_context import Round
from ..protocol.rounds.threshold import read_sealed, rows_open
from .session_result import FinishedSession


@dataclass(frozen=True, slots=True)
class _Envelope:
    """A phone's submission, opened with all keys.

    Attributes:
        plan: the round of the submission.
        index: the number of the user that sent it, from 0.
        sealed: the bytes of the submission.
        onions: for each answer the list of its nested ciphertexts, outermost first, and last the
            plaintext for the reader.
    """

    plan: Round
    index: int
    sealed: bytes
    onions: list[list[bytes]]

    def sealed_answers(self, ballots: Sequence[Ballot]) -> SealedAnswers:
        """Return the sender's record of this submission: its user, round, ciphertexts and ballots.

        ballots: the decoded plaintext of each onion.
        """
        both = sorted(zip(ballots, self.onions, strict=True), key=lambda pair: pair[0].ask)
        names = names_of([self.sealed, *(layer for _, layers in both for layer in layers[:-1])])
        return SealedAnswers(
            self.index, self.plan.call.round, names, tuple(ballot for ballot, _ in both)
        )


def opened(finished_session: FinishedSession) -> list[SealedAnswers]:
    """Return the answers in every envelope of a session, opened with all keys.

    Envelopes that do not open are left out. The order is by round and person. The answers of the
    program `threshold`, whose rows open for the reader only if k people share them, come last.
    """
    board = finished_session.board
    calls = {call.round: call for call in board.calls} if board else {}
    secrets = {name: key.secret for name, key in finished_session.keys.items()}
    sealed_answers: list[SealedAnswers] = []
    closed: list[_Envelope] = []
    for (number, index), sealed in sorted(finished_session.room.letters.items()):
        plan = finished_session.network.plan(calls[number])
        try:
            envelope = _Envelope(plan, index, sealed, _onions(plan, secrets, sealed))
            if plan.shape is not None:
                closed.append(envelope)
            else:
                sealed_answers.append(
                    envelope.sealed_answers(
                        [read_ballot(plan, onion[-1]) for onion in envelope.onions]
                    )
                )
        except Refused:
            # leave out an envelope that does not open: only its sender knows what it holds
            continue
    return sealed_answers + _tried(closed, finished_session.functions)


def _onions(plan: Round, secrets: Mapping[str, SecretKey], sealed: bytes) -> list[list[bytes]]:
    """Return the layers of each onion (nested ciphertext) in an envelope, outermost first.

    The last layer is the plaintext for the reader. plan: the round. secrets: the secret key of each
    party, by name. sealed: the envelope. Refused if a layer does not open.
    """
    onions = []
    for onion in open_envelope(plan, secrets[plan.openers[0]], sealed):
        layers = [onion]
        for hop in range(2, len(plan.hops) + 1):
            inside = open_layers(plan, hop, secrets[plan.openers[hop - 1]], layers[-1:])
            for reason in inside.refused:
                raise Refused(reason)
            layers.append(inside.inside[0])
        onions.append(layers)
    return onions


def _tried(envelopes: Sequence[_Envelope], keys: Mapping[int, OprfKey]) -> list[SealedAnswers]:
    """Return the rows of the program `threshold`, found by trying all possible rows with the key.

    A row of this program opens for the reader only if k people share it. With the key of the party
    `randomness` every announced row can be tried. Messages that the reader refuses are left out. If
    a row holds a value that was not announced, it is blank from that column on.

    envelopes: the opened submissions. keys: the key of `randomness` for each round, by number.
    """
    sealed_answers: list[SealedAnswers] = []
    for number, key in keys.items():
        round_envelopes = [envelope for envelope in envelopes if envelope.plan.call.round == number]
        if not round_envelopes or (shape := round_envelopes[0].plan.shape) is None:
            continue
        plan = round_envelopes[0].plan
        read = [read_sealed(plan, [envelope.onions[0][-1]]).sealed for envelope in round_envelopes]
        both = [
            (envelope, sealed[0])
            for envelope, sealed in zip(round_envelopes, read, strict=True)
            if sealed
        ]
        messages = [sealed for _, sealed in both]
        tried = prefixes_of(plan, key, messages)
        for at, row in sorted(rows_open(plan, open_groups(shape, messages)).items()):
            longest = max(row, tried.get(at, ()), key=len)
            sealed_answers.append(
                both[at][0].sealed_answers([Ballot(0, cell(longest, len(plan.domains)))])
            )
    return sealed_answers
