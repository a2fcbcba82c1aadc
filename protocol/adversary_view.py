"""What accomplices have together, and what can be seen in it without working anything out.

AdversaryView is the board, the letters that some accomplice saw, in the order in which they
passed, and the keys that accomplices hold. Nothing here looks at anything else. Who must be an
accomplice is in the first line of each step; a step finds nothing in what others saw.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..crypto.entropy import Entropy
from ..crypto.keys import SecretKey
from ..crypto.layer import open_layer
from ..crypto.signing import Signer
from ..crypto.tokens import TokenKey
from ..crypto.voprf import OprfKey
from ..errors import ParameterError, Refused
from .announcement import Announcement
from .audit_messages import Toss
from .board import Board
from .frames import decode_message
from .locks import locked, unlock
from .messages import Batch, Submission
from .mixing import piece_size
from .session import Round, open_round
from .transcript import SealedAnswers

Row = dict[int, str]  # column -> value
People = dict[int, Row]  # user, by index -> what is known of that user


class Letter(NamedTuple):
    """Bytes that passed from one party to another.

    Attributes:
        sender: who sent it, in whose name it came.
        receiver: the party that it went to.
        data: the bytes of a message.
    """

    sender: str
    receiver: str
    data: bytes


@dataclass(frozen=True, slots=True)
class AdversaryView:
    """What accomplices have together.

    Attributes:
        board: as it stands.
        letters: that passed by them, in order.
        keys: of the accomplices, by party.
        forged: another board that they have shown somebody.
        told: another announcement that they have told somebody, with the same board.
        shares: of the locks of rounds, by party.
        functions: keys by which `randomness` answers, by round, where it is in it.
        outputs: what `randomness` answered accomplices in a round, by what they asked for.
        times: of the letters, in seconds of the session, in the same order.
        post_times: of the posts on the board, likewise.
        minting: the keys of tokens that a reader gave, by party and round.
        coins: the parts of an audit's coins, by party and round.
        signers: the keys that accomplices sign with, by party.
        entropies: the sources of all that people among the accomplices draw, by party.
        sealed: what these people sealed.
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
    told: Announcement | None = None

    def plan(self, number: int) -> Round | None:
        """The round with this number; None if it was not called, or the told session has none."""
        announced = self.told or self.board.announcement
        if not 1 <= number <= len(self.board.calls) or announced is None:
            return None
        call = self.board.calls[number - 1]
        session = self.told.digest() if self.told else self.board.session
        try:
            plan = open_round(announced, session, call)
        except ParameterError:
            return None
        return locked(plan, self.board.challenged.shares.get(number, {})) or plan

    def inside(self, plan: Round, plain: bytes) -> bytes | None:
        """What the innermost layer held: a ballot, once its lock can be opened, if it has one."""
        if not plan.announcement.rules.challenge:
            return plain
        number = plan.call.round
        shown = self.board.challenged.shown.get(number, {})
        own = {party: secret for (party, at), secret in self.shares.items() if at == number}
        known = {**shown, **own}
        if not plan.lock or not set(plan.openers) <= known.keys():
            return None
        return unlock(plan, [known[party] for party in plan.openers], [plain])[0]


def envelopes(loot: AdversaryView, plan: Round) -> Iterator[tuple[str, bytes]]:
    """Network or first shuffler: the first envelope of every sender of a round, as they came."""
    seen: set[str] = set()
    for sender, envelope in _submitted(loot, plan):
        if sender not in seen:
            seen.add(sender)
            yield sender, envelope


def _submitted(loot: AdversaryView, plan: Round) -> Iterator[tuple[str, bytes]]:
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
    """Network or first shuffler: in whose name something was sent in a round, each time it was."""
    plan = loot.plan(number)
    return [sender for sender, _ in _submitted(loot, plan)] if plan is not None else []


def senders(loot: AdversaryView, number: int) -> list[str]:
    """Network or first shuffler: who sent something in a round, as they came."""
    plan = loot.plan(number)
    return [sender for sender, _ in envelopes(loot, plan)] if plan is not None else []


def batch(loot: AdversaryView, plan: Round, hop: int) -> tuple[bytes, ...]:
    """Network or the party at `hop`: the batch that this party was sent; () if none was seen."""
    layers: list[bytes] = []
    for piece in batches(loot, plan, plan.openers[hop - 2], plan.openers[hop - 1]):
        layers += piece
        if len(piece) < piece_size(plan, hop):
            break
    return tuple(layers)


def batches(
    loot: AdversaryView, plan: Round, sender: str, receiver: str
) -> Iterator[tuple[bytes, ...]]:
    """Network or one of both: the batches of a round that one party has sent another, in pieces."""
    for letter in loot.letters:
        if (letter.sender, letter.receiver) == (sender, receiver):
            message = decode_message(letter.data)
            if message.round == plan.call.round and isinstance(message.body, Batch):
                yield message.body.layers


def opened_last(loot: AdversaryView, plan: Round) -> list[tuple[bytes, bytes]]:
    """Reader: its layers and what was in each, in the order of the batch; failures left out."""
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
