"""The answers of phones, opened at the end of a session with every key that this computer had.

Each party sees one layer, but the computer that runs all parties can open an envelope. It reads
even rows that only k equal rows would open: with the key of `randomness` it computes the seals of
each possible row, and compares (protocol/knowledge/opened_exploits.py). If a phone has sealed other
data, its row is unknown from there on, unless k people have sealed the same and so open it.
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
    """An envelope that was opened with all keys.

    Attributes:
        plan: the round of the envelope.
        index: the index of the user that sent it.
        sealed: the bytes of the envelope.
        onions: for each answer its layers, outermost first, and last the content.
    """

    plan: Round
    index: int
    sealed: bytes
    onions: list[list[bytes]]

    def sealed_answers(self, ballots: Sequence[Ballot]) -> SealedAnswers:
        """Return the record of the sealed answers, as the sender knows them.

        ballots: the content of each onion.
        """
        both = sorted(zip(ballots, self.onions, strict=True), key=lambda pair: pair[0].ask)
        names = names_of([self.sealed, *(layer for _, layers in both for layer in layers[:-1])])
        return SealedAnswers(
            self.index, self.plan.call.round, names, tuple(ballot for ballot, _ in both)
        )


def opened(finished_session: FinishedSession) -> list[SealedAnswers]:
    """Return the answers in every envelope of a session, opened with all keys.

    Envelopes that do not open are left out. In the order of rounds and people; the rows that only k
    people open come last.
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
            continue  # an envelope that does not open is known only to its sender
    return sealed_answers + _tried(closed, finished_session.functions)


def _onions(plan: Round, secrets: Mapping[str, SecretKey], sealed: bytes) -> list[list[bytes]]:
    """Return the layers of each answer in an envelope, and last the reader's content."""
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
    """Return the rows that only k people open, found by trying every row with the function's key.

    Messages that the reader refuses are left out. Of the others, a row is blank from the first
    column without an announced value on. keys: of `randomness`, by round.
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
