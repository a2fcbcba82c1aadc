"""The joint view of colluding attackers, and direct observations in it, without any inference.

An AdversaryView is the board, the messages that an accomplice saw, in order, and the keys of the
accomplices. This module uses no other data. The first line of each function names the parties of
which an accomplice is needed; the function ignores messages that no accomplice saw.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ...crypto.entropy import Entropy
from ...crypto.keys import SecretKey
from ...crypto.layer import open_layer
from ...crypto.signing import Signer
from ...crypto.tokens import TokenKey
from ...crypto.voprf import OprfKey
from ...errors import ParameterError, Refused
from ..board.board import Board
from ..rounds.locks import locked, unlock
from ..rounds.mixing import piece_size
from ..rounds.round_context import Round, open_round
from ..wire.announcement import Announcement
from ..wire.audit_messages import Toss
from ..wire.frames import decode_message
from ..wire.messages import Batch, Submission
from .transcript import SealedAnswers

Row = dict[int, str]  # column -> value
People = dict[int, Row]  # user, by index -> its known values


class Letter(NamedTuple):
    """A message from one party to another, as bytes.

    Attributes:
        sender: the party that is named as its sender.
        receiver: the party that received it.
        data: the bytes of the message.
    """

    sender: str
    receiver: str
    data: bytes


@dataclass(frozen=True, slots=True)
class AdversaryView:
    """The joint view of colluding attackers: the input of all exploits.

    Attributes:
        board: the board at this time.
        letters: the messages that an accomplice saw, in order.
        keys: private keys of the accomplices, by party.
        forged: another board that the attackers showed to a party; None: no other board.
        shown_announcement: another announcement that the attackers showed to a user, with the same
            board; None: no other announcement.
        shares: secret shares of the joint keys to which ballots are sealed, by party and round.
        functions: keys of the oblivious function (OPRF) by round, if the party `randomness` is an
            accomplice.
        outputs: answers of `randomness` to accomplices, by round and request.
        times: the time of each letter, in seconds of the session, in the same order.
        post_times: the time of each post on the board, in seconds of the session, in order.
        minting: the keys that issue tokens, by party and round.
        coins: the secret random bytes for audits, by party and round.
        signers: signing keys of accomplices, by party.
        entropies: the sources of randomness of users among the accomplices, by party.
        sealed: the sealed answers of the users among the accomplices.
    """

    board: Board
    letters: tuple[Letter, ...]
    keys: Mapping[str, SecretKey]
    forged: Board | None = None
    shares: Mapping[tuple[str, int], bytes] = field(default_factory=dict)
    functions: Mapping[int, OprfKey] = field(default_factory=dict)
    times: tuple[float, ...] = ()
    post_times: tuple[float, ...] = ()
    minting: Mapping[tuple[str, int], TokenKey] = field(default_factory=dict)
    coins: Mapping[tuple[str, int], Toss] = field(default_factory=dict)
    signers: Mapping[str, Signer] = field(default_factory=dict)
    entropies: Mapping[str, Entropy] = field(default_factory=dict)
    sealed: tuple[SealedAnswers, ...] = ()
    outputs: Mapping[int, Mapping[bytes, bytes]] = field(default_factory=dict)
    shown_announcement: Announcement | None = None

    def plan(self, number: int) -> Round | None:
        """Return the round with this number (its query, sizes and keys), derived from public data.

        None if the announced session has no such round.
        """
        announced = self.shown_announcement or self.board.announcement
        if not 1 <= number <= len(self.board.calls) or announced is None:
            return None
        call = self.board.calls[number - 1]
        session = (
            self.shown_announcement.digest() if self.shown_announcement else self.board.session
        )
        try:
            plan = open_round(announced, session, call)
        except ParameterError:
            return None
        return locked(plan, self.board.challenged.shares.get(number, {})) or plan

    def inside(self, plan: Round, plain: bytes) -> bytes | None:
        """Return the ballot in a decrypted innermost layer.

        None if the ballot is locked (sealed to a joint key of all shufflers and the curator or
        analyst), and the attackers lack a secret share of the key. plain: the decrypted layer.
        """
        if not plan.announcement.rules.challenge:
            return plain
        number = plan.call.round
        posted_secrets = self.board.challenged.share_secrets.get(number, {})
        own_secrets = {party: secret for (party, at), secret in self.shares.items() if at == number}
        secrets = {**posted_secrets, **own_secrets}
        if not plan.lock or not set(plan.openers) <= secrets.keys():
            return None
        return unlock(plan, [secrets[party] for party in plan.openers], [plain])[0]


def envelopes(loot: AdversaryView, plan: Round) -> Iterator[tuple[str, bytes]]:
    """Network or first shuffler: yield the first envelope of every sender, in order of arrival."""
    senders: set[str] = set()
    for sender, envelope in _submitted(loot, plan):
        if sender not in senders:
            senders.add(sender)
            yield sender, envelope


def _submitted(loot: AdversaryView, plan: Round) -> Iterator[tuple[str, bytes]]:
    """Yield sender and envelope of each submission that an accomplice saw in a round."""
    for sender, receiver, data in loot.letters:
        if receiver != plan.openers[0]:
            continue
        try:
            message = decode_message(data)
        except Refused:
            continue
        if message.round == plan.call.round and isinstance(message.body, Submission):
            yield sender, message.body.envelope


def submissions(loot: AdversaryView, number: int) -> list[str]:
    """Network or first shuffler: return the sender of each submission of a round, with repeats."""
    plan = loot.plan(number)
    return [sender for sender, _ in _submitted(loot, plan)] if plan is not None else []


def senders(loot: AdversaryView, number: int) -> list[str]:
    """Network or first shuffler: return the users that submitted in a round, in order of arrival.

    loot: the attackers' joint view. number: the round.
    """
    plan = loot.plan(number)
    return [sender for sender, _ in envelopes(loot, plan)] if plan is not None else []


def batch(loot: AdversaryView, plan: Round, hop: int) -> tuple[bytes, ...]:
    """Network or receiver: return the layers that a party received from the party before it.

    The parties are the shufflers, and then the curator or analyst. Empty if no batch was sent.
    loot: the attackers' joint view. hop: the receiver's index among the parties, from 2.
    """
    layers: list[bytes] = []
    for piece in batches(loot, plan, plan.openers[hop - 2], plan.openers[hop - 1]):
        layers += piece
        if len(piece) < piece_size(plan, hop):
            break
    return tuple(layers)


def batches(
    loot: AdversaryView, plan: Round, sender: str, receiver: str
) -> Iterator[tuple[bytes, ...]]:
    """Network, sender or receiver: yield the messages of a round's batches between two parties.

    A long batch is split over several messages; each item holds the layers of a message.
    """
    for letter in loot.letters:
        if (letter.sender, letter.receiver) == (sender, receiver):
            message = decode_message(letter.data)
            if message.round == plan.call.round and isinstance(message.body, Batch):
                yield message.body.layers


def opened_last(loot: AdversaryView, plan: Round) -> list[tuple[bytes, bytes]]:
    """Curator or analyst: return the layers that it received, with plaintexts, in batch order.

    Invalid layers, and ballots that the attackers cannot unlock, are left out. loot: the attackers'
    joint view.
    """
    if plan.reader not in loot.keys:
        return []
    secret, context = loot.keys[plan.reader], plan.hops[-1].context
    opened = []
    for layer in batch(loot, plan, len(plan.hops)):
        try:
            plain = loot.inside(plan, open_layer(secret, layer, context))
        except Refused:
            continue
        if plain is not None:
            opened.append((layer, plain))
    return opened
