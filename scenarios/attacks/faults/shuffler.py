"""The misbehaviour of a shuffler: it changes the layers that it opened honestly.

Each attack has a function. The public numbers of received, refused and forwarded layers still add
up, because the shuffler claims that the layers which it drops did not open.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, product

from ....crypto.entropy import Entropy
from ....errors import Reason
from ....protocol.rounds.ballots import answers, enclose
from ....protocol.rounds.round_context import Round, sealing
from ....protocol.wire.messages import Batch
from ....protocol.wire.parties import Role
from ....roles.network.memory_network import EVERY_ROUND, Fault, Letter, Network
from ....roles.occasions import Note, no_note
from .batch_door import BatchDoor, Layers, Leaving, Turn

Row = tuple[str, ...]

# Position of a bit in a layer, from the lowest bit of byte 0. Byte 0 is the suite, and bytes 1 to
# 32 are an X25519 key. X25519 ignores the key's top bit, so only the layer's authentication detects
# a flip of this bit.
TOP_BIT = 8 * 32 + 7


Act = Callable[["Deed", Turn], bool]  # returns whether the batch changed
Ignoring = Callable[["Deed", Round, Letter], bool]


def hears_all(_deed: "Deed", _plan: Round, _letter: Letter) -> bool:
    """Return False: the shuffler ignores no message. This is the default of `Deed.ignores`."""
    return False


@dataclass(frozen=True, slots=True)
class Deed:
    """A misdeed of a shuffler: the change, its rounds, and the messages that it affects.

    Attributes:
        act: changes a batch that is about to leave; returns whether the batch was changed.
        entropy: the source of the shuffler's random choices and of its sealing randomness.
        rounds: the rounds of the misdeed.
        rate: the share of the messages (or people) that the misdeed affects, from 0 to 1.
        users: the number of affected people, in place of `rate`; None: `rate` applies.
        target: the only affected user, if the shuffler knows the senders; None: users are drawn.
        bit: the position of the bit of a layer that the misdeed `tag` flips.
        row: the row of the shuffler's own answers; None: the forged row (`forged_row`).
        ignores: whether the shuffler pretends not to have received a message, in a round of the
            misdeed.
        note: function that records that the misdeed was done.
    """

    act: Act
    entropy: Entropy
    rounds: Collection[int] = EVERY_ROUND
    rate: float = 1.0
    users: int | None = None
    target: str | None = None
    bit: int = TOP_BIT
    row: Row | None = None
    ignores: Ignoring = hears_all
    note: Note = no_note

    def count(self, total: int) -> int:
        """Return the number of affected messages among `total`."""
        return round(self.rate * total) if self.users is None else min(self.users, total)

    def chosen(self, total: int) -> set[int]:
        """Draw the places of the affected messages among `total` messages at random."""
        count = self.count(total)
        lots = self.entropy.random(16 * total)
        ranked = sorted(range(total), key=lambda i: lots[16 * i : 16 * i + 16])
        return set(ranked[:count])

    def people(self, senders: Sequence[str]) -> list[int]:
        """Return the places of the affected people in `senders`.

        The same people are affected in any order of arrival.
        """
        if self.target is not None:
            return [i for i, sender in enumerate(senders) if sender == self.target]
        by_name = sorted(range(len(senders)), key=lambda i: senders[i])
        return [by_name[i] for i in sorted(self.chosen(len(senders)))]

    def seals(self, plan: Round) -> Entropy:
        """Return the sealing randomness for the shuffler's own answers in a round."""
        return sealing(self.entropy.fork(f"round-{plan.call.round}"), plan.session)


def drop(deed: Deed, turn: Turn) -> bool:
    """Drop single layers, drawn at random. Returns whether a layer was dropped."""
    by_bytes = sorted(turn.layers)  # sorted, because the order of arrival is not reproducible
    struck = {by_bytes[i] for i in deed.chosen(len(turn.layers))}
    turn.refused[Reason.DOES_NOT_OPEN] += len(struck)
    turn.layers = [layer for layer in turn.layers if layer not in struck]
    return bool(struck)


def drop_people(deed: Deed, turn: Turn) -> bool:
    """Drop all layers of some people. Returns whether a person was affected.

    Only the first shuffler knows which layers are of the same person.
    """
    struck, slots = set(deed.people(turn.senders)), turn.plan.slots
    turn.refused[Reason.DOES_NOT_OPEN] += len(struck) * slots
    turn.layers = [layer for i, layer in enumerate(turn.layers) if i // slots not in struck]
    return bool(struck)


def substitute(deed: Deed, turn: Turn) -> bool:
    """Replace the answers of some people by the shuffler's own. Returns whether any were replaced.

    The number of answers is unchanged.
    """
    places = deed.people(turn.senders)
    rows = [deed.row or forged_row(turn.plan)] * len(places)
    turn.layers = _with_own(deed, turn, places, rows)
    return bool(places)


def _with_own(deed: Deed, turn: Turn, places: Sequence[int], rows: Sequence[Row]) -> Layers:
    """Return the batch's layers with the shuffler's answers in place of some people's.

    places: the positions of these people among the senders. rows: for each of these people, the row
    that replaces the answers.
    """
    plan, layers, fresh = turn.plan, list(turn.layers), deed.seals(turn.plan)
    for i, row in zip(places, rows, strict=True):
        own_answer = enclose(plan, answers(plan, row), fresh)
        layers[i * plan.slots : (i + 1) * plan.slots] = [onion[0] for onion in own_answer.onions]
    return layers


def subtract(deed: Deed, turn: Turn) -> bool:
    """Replace the target's answers by a row that the shuffler knows, in the round of the release.

    The difference between the counts of round 1 and of the release then shows the target's row.
    Returns whether the answers were replaced.
    """
    return _releases(turn.plan) and substitute(deed, turn)


def surround(deed: Deed, turn: Turn) -> bool:
    """Replace all people's answers but the target's by known rows, in the round of the release.

    Returns whether the answers were replaced.
    """
    return _releases(turn.plan) and single_out(deed, turn)


def single_out(deed: Deed, turn: Turn) -> bool:
    """Replace the answers of all people but the target by rows that the shuffler knows.

    Returns whether the batch holds any answer.
    """
    other_places = [i for i, sender in enumerate(turn.senders) if sender != deed.target]
    turn.layers = _with_own(deed, turn, other_places, covering_rows(turn.plan, len(other_places)))
    return bool(turn.senders)


def _releases(plan: Round) -> bool:
    """Whether the analyst reads this round; its counts are then the release."""
    return plan.call.reader is Role.ANALYST


def forged_row(plan: Round) -> tuple[str, ...]:
    """Return an invented person's row: the last value of each column.

    A column without a list of values has the value "x".
    """
    features = plan.announcement.schema.features
    return tuple(feature.values[-1] if feature.values else "x" for feature in features)


def covering_rows(plan: Round, row_count: int) -> list[Row]:
    """Return `row_count` rows of invented people, which cycle through all possible rows.

    The rows replace the answers of all users but the target. They are spread evenly over the
    possible rows, so the target's equivalence class is as large as possible. Then no rule on class
    sizes stops the release.
    """
    features = plan.announcement.schema.features
    queried_columns = {column for ask in plan.call.asks for column in ask}
    column_values = [feature.values or ("x",) for feature in features]
    every = product(
        *(
            values if column in queried_columns else values[-1:]
            for column, values in enumerate(column_values)
        )
    )
    return list(islice(cycle(islice(every, row_count)), row_count))


def without_target(deed: Deed, plan: Round, letter: Letter) -> bool:
    """Whether the target sent a message in the round of the release; such a message is ignored."""
    return letter[0] == deed.target and _releases(plan)


def thin_out(_deed: Deed, turn: Turn) -> bool:
    """Claim that the ignored messages came too late. Returns whether messages were ignored."""
    turn.refused[Reason.LATE] += turn.unheard
    return turn.unheard > 0


def copy(deed: Deed, turn: Turn) -> bool:
    """Forward some layers twice. Returns whether a layer is affected."""
    turn.last.append(
        lambda batch: tuple(sorted([*batch, *(batch[i] for i in deed.chosen(len(batch)))]))
    )
    return deed.count(len(turn.layers)) > 0


def tag(deed: Deed, turn: Turn) -> bool:
    """Flip one bit of some layers, to recognize them later. Returns whether a layer is affected."""

    def tagged(batch: Leaving) -> Leaving:
        """Return the sorted batch in which the chosen layers have a flipped bit."""
        struck = deed.chosen(len(batch))
        layers = (flip(at, deed.bit) if i in struck else at for i, at in enumerate(batch))
        return tuple(sorted(layers))

    turn.last.append(tagged)
    return deed.count(len(turn.layers)) > 0


def flip(layer: bytes, bit: int) -> bytes:
    """Return a layer with one bit flipped.

    bit: the position of the bit, from the lowest bit of the first byte. A position beyond the end
    of the layer starts again at its first byte.
    """
    at = bit // 8 % len(layer)
    return layer[:at] + bytes([layer[at] ^ 1 << bit % 8]) + layer[at + 1 :]


def forward(_deed: Deed, turn: Turn) -> bool:
    """Leave the batch in the order of arrival, unsorted. Returns whether the batch holds layers."""
    turn.last.append(lambda _batch: tuple(dict.fromkeys(turn.layers)))
    return bool(turn.layers)


def wrong_digest(_deed: Deed, turn: Turn) -> bool:
    """Post a digest of zeros in place of the digest of the batch. Returns True."""
    turn.digest = bytes(len(turn.honest_account.digest))
    return True


def pre_empt(deed: Deed, turn: Turn) -> bool:
    """Send the reader a batch of forged ballots before the last shuffler sends its batch.

    The forged ballots are sealed like the last shuffler's output. Returns whether any ballot was
    sent.
    """
    plan, fresh = turn.plan, deed.seals(turn.plan)
    if turn.hop == len(plan.hops) - 1:
        return False  # the attacker is the last shuffler, so there is no later batch to pre-empt
    row_count = len(turn.layers) // plan.slots
    own_answers = [enclose(plan, answers(plan, forged_row(plan)), fresh) for _ in range(row_count)]
    layers = sorted(onion[-1] for ballots in own_answers for onion in ballots.onions)
    turn.early.append((plan.reader, Batch(tuple(layers))))
    return bool(layers)


class DeviatingShuffler(BatchDoor):
    """The network access of a shuffler that carries out its misdeeds on each batch."""

    def __init__(self, network: Network, party: str, deeds: Sequence[Deed]) -> None:
        """Join the network as a shuffler that carries out misdeeds. deeds: the misdeeds."""
        super().__init__(network, party)
        self.deeds = deeds

    def strikes(self, number: int) -> bool:
        """Whether any misdeed is for a round, by its number."""
        return any(number in deed.rounds for deed in self.deeds)

    def ignores(self, plan: Round, letter: Letter) -> bool:
        """Whether a misdeed of this round hides a message from the honest role.

        A misdeed that hides the message is recorded as carried out.
        """
        due = [deed for deed in self.deeds if plan.call.round in deed.rounds]
        ignoring = [deed for deed in due if deed.ignores(deed, plan, letter)]
        for deed in ignoring:
            deed.note(self.network.instruments)
        return bool(ignoring)

    def change(self, turn: Turn) -> None:
        """Carry out every misdeed of this round on a batch, and record each that changed it."""
        for deed in self.deeds:
            if turn.plan.call.round in deed.rounds and deed.act(deed, turn):
                deed.note(self.network.instruments)


def cheat(*deeds: Deed) -> Fault:
    """Return the fault of a shuffler that commits these misdeeds."""
    return lambda network, party: DeviatingShuffler(network, party, deeds)
