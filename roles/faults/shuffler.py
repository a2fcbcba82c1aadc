"""What a shuffler may do wrong: it handles honestly opened layers dishonestly.

It keeps its books so that they add up: what it loses it claims not to have opened.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice, product

from ...crypto.entropy import Entropy
from ...errors import Reason, Refused
from ...protocol.ballots import answers, enclose
from ...protocol.messages import Batch as Handed
from ...protocol.messages import Body, Mixed, Submission
from ...protocol.parties import Role
from ...protocol.session import Round, sealing
from ..network import EVERY_ROUND, Endpoint, Fault, Letter, Network

Layers = list[bytes]
Batch = tuple[bytes, ...]
Row = tuple[str, ...]

TOP_BIT = 8 * 32 + 7  # of a layer: the bit of its X25519 point that X25519 itself ignores


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that a shuffler does wrong.

    Attributes:
        attack: which one, by its name.
        entropy: what it draws and seals with.
        rounds: in which rounds.
        rate: to which share of the messages (or people), from 0 to 1.
        users: to how many instead.
        target: to this user's only, where the shuffler knows whose is whose.
        bit: which bit of a layer it turns over (`tag`).
        row: what its own answers say; None: the forged row.
    """

    attack: str
    entropy: Entropy
    rounds: Collection[int] = EVERY_ROUND
    rate: float = 1.0
    users: int | None = None
    target: str | None = None
    bit: int = TOP_BIT
    row: Row | None = None

    def chosen(self, many: int) -> set[int]:
        """Draw which of so many are struck."""
        count = round(self.rate * many) if self.users is None else min(self.users, many)
        lots = self.entropy.random(16 * many)
        ranked = sorted(range(many), key=lambda i: lots[16 * i : 16 * i + 16])
        return set(ranked[:count])

    def people(self, senders: Sequence[str]) -> list[int]:
        """The places of the people who are struck; who arrived when makes no difference to it."""
        if self.target is not None:
            return [i for i, sender in enumerate(senders) if sender == self.target]
        by_name = sorted(range(len(senders)), key=lambda i: senders[i])
        return [by_name[i] for i in sorted(self.chosen(len(senders)))]

    def seals(self, plan: Round) -> Entropy:
        """What it seals its own answers of a round with, from the first one on."""
        return sealing(self.entropy.fork(f"round-{plan.call.round}"), plan.session)


def drop(
    deed: Deed, _plan: Round, layers: Layers, refused: Counter[Reason], _who: Sequence[str]
) -> Layers:
    """Lose single layers."""
    by_bytes = sorted(layers)  # as they come, they come in an order that nobody chooses
    struck = {by_bytes[i] for i in deed.chosen(len(layers))}
    refused[Reason.DOES_NOT_OPEN] += len(struck)
    return [layer for layer in layers if layer not in struck]


def drop_people(
    deed: Deed, plan: Round, layers: Layers, refused: Counter[Reason], who: Sequence[str]
) -> Layers:
    """Lose all layers of some people (only the first shuffler knows which belong together)."""
    struck = set(deed.people(who))
    refused[Reason.DOES_NOT_OPEN] += len(struck) * plan.slots
    return [layer for i, layer in enumerate(layers) if i // plan.slots not in struck]


def substitute(
    deed: Deed, plan: Round, layers: Layers, _refused: Counter[Reason], who: Sequence[str]
) -> Layers:
    """Put own answers in the place of those of some people: n stays what it was."""
    places = deed.people(who)
    return _with_own(deed, plan, layers, places, [deed.row or forged_row(plan)] * len(places))


def _with_own(
    deed: Deed, plan: Round, layers: Layers, places: Sequence[int], rows: Sequence[Row]
) -> Layers:
    """The layers, with own answers at these people's places: a row for each."""
    made, fresh = list(layers), deed.seals(plan)
    for i, row in zip(places, rows, strict=True):
        own = enclose(plan, answers(plan, row), fresh)
        made[i * plan.slots : (i + 1) * plan.slots] = [onion[0] for onion in own.onions]
    return made


def subtract(
    deed: Deed, plan: Round, layers: Layers, refused: Counter[Reason], who: Sequence[str]
) -> Layers:
    """Put one known row in the place of the target's, in the round of the release."""
    return substitute(deed, plan, layers, refused, who) if _releases(plan) else layers


def surround(
    deed: Deed, plan: Round, layers: Layers, refused: Counter[Reason], who: Sequence[str]
) -> Layers:
    """Put known rows in the place of everybody's but the target's, in the round of the release."""
    return single_out(deed, plan, layers, refused, who) if _releases(plan) else layers


def single_out(
    deed: Deed, plan: Round, layers: Layers, _refused: Counter[Reason], who: Sequence[str]
) -> Layers:
    """Put known rows in the place of everybody's but the target's."""
    others = [i for i, sender in enumerate(who) if sender != deed.target]
    return _with_own(deed, plan, layers, others, covering_rows(plan, len(others)))


def _releases(plan: Round) -> bool:
    """Whether what is said in a round is released."""
    return plan.call.reader is Role.ANALYST


def forged_row(plan: Round) -> tuple[str, ...]:
    """The row of a person who does not exist: the last value of every domain."""
    features = plan.announcement.schema.features
    return tuple(feature.values[-1] if feature.values else "x" for feature in features)


def covering_rows(plan: Round, many: int) -> list[Row]:
    """So many rows of people who do not exist, all that can be said in turn: a crowd for anybody.

    Whoever is put among them is alike with as many as can be, and no rule on crowds stands up.
    """
    features = plan.announcement.schema.features
    asked = {column for ask in plan.call.asks for column in ask}
    said = [feature.values or ("x",) for feature in features]
    every = product(
        *(values if column in asked else values[-1:] for column, values in enumerate(said))
    )
    return list(islice(cycle(islice(every, many)), many))


def copy(deed: Deed, _plan: Round, batch: Batch, _layers: Layers) -> Batch:
    """Send some layers twice."""
    return tuple(sorted([*batch, *(batch[i] for i in deed.chosen(len(batch)))]))


def tag(deed: Deed, _plan: Round, batch: Batch, _layers: Layers) -> Batch:
    """Turn over one bit of some layers."""
    struck = deed.chosen(len(batch))
    return tuple(
        sorted(flip(onion, deed.bit) if i in struck else onion for i, onion in enumerate(batch))
    )


def flip(layer: bytes, bit: int) -> bytes:
    """Turn over one bit, counted from the lowest of the first byte."""
    at = bit // 8 % len(layer)
    return layer[:at] + bytes([layer[at] ^ 1 << bit % 8]) + layer[at + 1 :]


def preempt(deed: Deed, plan: Round, batch: Batch) -> Batch:
    """Ballots of its own, as many as in its batch, as the reader would get them from the last."""
    many, fresh = len(batch) // plan.slots, deed.seals(plan)
    own = [enclose(plan, answers(plan, forged_row(plan)), fresh) for _ in range(many)]
    return tuple(sorted(onion[-1] for ballots in own for onion in ballots.onions))


def forward(_deed: Deed, _plan: Round, _batch: Batch, layers: Layers) -> Batch:
    """Keep the order of arrival."""
    return tuple(dict.fromkeys(layers))


OPENED: Mapping[str, Callable[[Deed, Round, Layers, Counter[Reason], Sequence[str]], Layers]] = {
    "drop": drop,
    "drop-people": drop_people,
    "substitute": substitute,
    "subtract": subtract,
    "surround": surround,
    "single-out": single_out,
    "swap": subtract,
}
UNHEARD = ("thin-out",)  # the target is not even heard
ARRANGED: Mapping[str, Callable[[Deed, Round, Batch, Layers], Batch]] = {
    "copy": copy,
    "tag": tag,
    "forward": forward,
}
KEEPS_ORDER = ("forward",)  # the order of arrival

WRONG_DIGEST, PRE_EMPT = "wrong-digest", "pre-empt"


class Cheat(Endpoint):
    """A shuffler's place from which it does what its deeds say."""

    def __init__(self, network: Network, party: str, deeds: Sequence[Deed]) -> None:
        super().__init__(network, party)
        self.deeds = deeds

    def envelope(self, plan: Round, letter: Letter) -> bytes:
        """Hear whom it wants to hear."""
        self._hear(plan, letter)
        return super().envelope(plan, letter)

    def submission(self, plan: Round, letter: Letter) -> Submission:
        """Hear whom it wants to hear."""
        self._hear(plan, letter)
        return super().submission(plan, letter)

    def _hear(self, plan: Round, letter: Letter) -> None:
        """Refused (LATE), as it says, if this is a target that is not to have been there."""
        for deed in self.deeds:
            struck = deed.attack in UNHEARD and deed.target == letter[0] and _releases(plan)
            if struck and plan.call.round in deed.rounds:
                raise Refused(Reason.LATE, "said to have come too late")

    def opened(
        self, plan: Round, layers: Layers, refused: Counter[Reason], senders: Sequence[str]
    ) -> Layers:
        """Lose or replace some of what was opened."""
        for deed in self.deeds:
            if plan.call.round in deed.rounds and deed.attack in OPENED:
                layers = OPENED[deed.attack](deed, plan, layers, refused, senders)
        return layers

    def arranged(self, plan: Round, batch: Batch, layers: Layers) -> Batch:
        """Repeat, mark or leave in their order some of what is sent."""
        for deed in self.deeds:
            if plan.call.round in deed.rounds and deed.attack in ARRANGED:
                batch = ARRANGED[deed.attack](deed, plan, batch, layers)
        return batch

    def _commits(self, attack: str, number: int) -> Deed | None:
        """What it does of an attack in a round, if anything."""
        mine = (deed for deed in self.deeds if deed.attack == attack and number in deed.rounds)
        return next(mine, None)

    async def post(self, body: Body) -> None:
        """Account for a batch that is not the one it sends."""
        if isinstance(body, Mixed) and self._commits(WRONG_DIGEST, len(self.board.calls)):
            body = replace(body, digest=bytes(len(body.digest)))
        await super().post(body)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Hand the reader a batch of its own before the last shuffler has one."""
        deed = self._commits(PRE_EMPT, plan.call.round)
        if deed is not None and isinstance(body, Handed) and receiver != plan.reader:
            own = preempt(deed, plan, body.layers)
            await super().send(plan, plan.reader, Handed(own))
        await super().send(plan, receiver, body)


def cheat(*deeds: Deed) -> Fault:
    """Give the fault of a shuffler that commits these deeds."""
    return lambda network, party: Cheat(network, party, deeds)
