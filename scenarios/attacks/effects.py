"""What every attack of a run has achieved, measured from what its attackers really saw.

One table: attack -> who must be an accomplice, the unit, and how it is measured. Attackers work
from loot (protocol/exploits.py); only the measuring looks at the truth.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from ...analysis.exposure.curves import users_below
from ...errors import Reason
from ...protocol import exploits, parties
from ...protocol.board import Board
from ...protocol.ideal import released
from ...protocol.messages import Counts
from ...protocol.transcript import Transcript
from ...roles.spy import Spy
from ..populations import Population
from ..programs.interface import Effect
from ..schema.model import Fault, Scenario
from .setup import sybils, target

Measured = tuple[float, float]  # value, and the most it could be


@dataclass(frozen=True, slots=True)
class Scene:
    """A session that was attacked: its record, what a spy has, and the truth.

    earlier: the record and the board of the session before it, if there was one.
    """

    scenario: Scenario
    people: Population
    board: Board
    transcript: Transcript
    spy: Spy
    seed: int | None
    earlier: tuple[Transcript, Board] | None = None

    @property
    def n(self) -> int:
        """How many people exist."""
        return self.people.n

    def counts(self, number: int = 1) -> tuple[Counts, ...]:
        """What the reader of a round has counted; () if it did not."""
        return _read(self.transcript, number)

    def truth(self, column: int) -> Counter[tuple[str, ...]]:
        """The people by their value of a column."""
        return Counter((self.people.row(index)[column],) for index in range(self.n))

    def right(self, index: int, row: Mapping[int, str]) -> int:
        """In how many columns a row is that of a person."""
        mine = self.people.row(index) if index < self.n else ()
        return sum(column < len(mine) and mine[column] == value for column, value in row.items())

    def loot(self, accomplices: Sequence[str]) -> exploits.Loot:
        """What these parties have together."""
        return self.spy.loot(self.board, accomplices)


def _read(transcript: Transcript, number: int) -> tuple[Counts, ...]:
    return next((one.counts for one in transcript.reads if one.round == number), ())


def uncounted(scene: Scene, _fault: Fault) -> Measured:
    """People not counted in the last round that was: of all."""
    last = max((one.round for one in scene.transcript.reads), default=0)
    came = max((sum(one.values()) for one in scene.counts(last)), default=0)
    return max(scene.n - came, 0), scene.n


def refused(scene: Scene, fault: Fault) -> Measured:
    """Messages that the first shuffler refused for what is wrong with them, of all that came."""
    first = [one for one in scene.board.mixed if one.hop == 1]
    wrong = (Reason.DOES_NOT_OPEN, Reason.UNREGISTERED)  # a signature is looked at first
    reasons = (Reason.DUPLICATE,) if fault.attack == "duplicate" else wrong
    came = sum(one.received for one in first)
    return sum(one.refused.get(reason, 0) for one in first for reason in reasons), came


def moved(scene: Scene, _fault: Fault) -> Measured:
    """The largest number of people by which a count of round 1 is larger than the truth."""
    more = [
        max((Counter(count) - scene.truth(column)).values(), default=0)
        for column, count in enumerate(scene.counts())
    ]
    return max(more, default=0), scene.n


def answers_lost(scene: Scene, _fault: Fault) -> Measured:
    """Answers of round 1 that were not counted, of all given."""
    given = sum(one.people for one in scene.board.mixed[:1]) * len(scene.people.schema.names)
    counted = sum(sum(count.values()) for count in scene.counts())
    return max(given - counted, 0), given


def replaced(scene: Scene, _fault: Fault) -> Measured:
    """At least so many people are not counted as they are: the largest over the columns."""
    gone = [
        (scene.truth(column) - Counter(count)).total()
        for column, count in enumerate(scene.counts())
    ]
    return max(gone, default=0), scene.n


def bits_taken(scene: Scene, _fault: Fault) -> Measured:
    """Bits of anonymity taken: log2 of the people in the batch, less that of those who exist.

    Nothing is taken where nothing is read.
    """
    first = next((one for one in scene.board.mixed if one.hop == 1), None)
    if first is None or scene.board.burned or not first.people:
        return 0, log2(scene.n)
    own = max(sybils(scene.scenario) - first.refused.get(Reason.UNREGISTERED, 0), 0)
    return log2(first.people) - log2(max(first.people - own, 1)), log2(first.people)


def alone(scene: Scene, fault: Fault) -> Measured:
    """1 if the target was counted by itself, as the person it is."""
    counts = scene.counts(fault.round or 1)
    single = {column: next(iter(one))[0] for column, one in enumerate(counts) if len(one) == 1}
    one = bool(counts) and all(sum(count.values()) == 1 for count in counts)
    who = parties.index(target(fault))
    return float(one and scene.right(who, single) == len(counts)), 1


def above_promise(scene: Scene, _fault: Fault) -> Measured:
    """People exposed in the release beyond the number that the certificate promises."""
    decision = scene.board.decision
    joint = _release(scene.transcript, scene.board)
    if decision is None or joint is None:
        return 0, scene.n
    below = int(users_below(list(joint.values()), decision.certificate.k))
    return max(below - decision.certificate.people, 0), scene.n


def _release(transcript: Transcript, board: Board) -> Counts | None:
    answered = len(board.tallies)
    tallies = tuple(one.counts for one in transcript.reads)[:answered]
    return released(board.calls[:answered], tallies, board.decision)


def picked_out(scene: Scene, fault: Fault) -> Measured:
    """Values of the target that the curator finds in the ballots without salt."""
    row = exploits.unsalted(scene.loot((parties.CURATOR,)), 1)
    return scene.right(parties.index(target(fault)), row), len(scene.people.schema.names)


def subtracted(scene: Scene, fault: Fault) -> Measured:
    """Values of the target that are left when the second session is subtracted from the first."""
    columns = len(scene.people.schema.names)
    if scene.earlier is None:
        return 0, columns
    one, two = _read(scene.earlier[0], 1), scene.counts()
    if not one or not two or scene.board.burned:
        return 0, columns
    gone = exploits.subtract(one, two)
    row = {column: next(iter(left)) for column, left in enumerate(gone) if left.total() == 1}
    return scene.right(parties.index(target(fault)), row), columns


def unique_on_both(scene: Scene, _fault: Fault) -> Measured:
    """People who are alone with their values on the columns of both releases together."""
    if scene.earlier is None:
        return 0, scene.n
    kept: set[int] = set()
    for transcript, board in (scene.earlier, (scene.transcript, scene.board)):
        if _release(transcript, board) is None or board.decision is None:
            return 0, scene.n
        kept |= set(board.decision.kept)
    rows = Counter(
        tuple(scene.people.row(index)[column] for column in sorted(kept))
        for index in range(scene.n)
    )
    return sum(people == 1 for people in rows.values()), scene.n


def left_between(scene: Scene, _fault: Fault) -> Measured:
    """Cells, of those who left after round 1, that are certain from the two rounds' counts."""
    before, decision = scene.counts(1), scene.board.decision
    joint = _release(scene.transcript, scene.board)
    if decision is None or joint is None or not before:
        return 0, 0
    kept = decision.kept
    after = [exploits.sums(joint, kept, column) for column in kept]
    gone = exploits.subtract([before[column] for column in kept], after)
    return exploits.certain_cells(gone), sum(left.total() for left in gone)


def linked(
    accomplices: Sequence[str], exploit: Callable[[exploits.Loot, int], exploits.People]
) -> Callable[[Scene, Fault], Measured]:
    """Measure how many people's rows of round 1 an exploit finds, wholly and rightly."""

    def measure(scene: Scene, _fault: Fault) -> Measured:
        people = exploit(scene.loot(accomplices), 1)
        columns = len(scene.people.schema.names)
        whole = [i for i, row in people.items() if scene.right(i, row) == columns]
        return len(whole), scene.n

    return measure


def cells(scene: Scene, _fault: Fault) -> Measured:
    """Cells that the first shuffler alone is certain of, by the lengths of answers."""
    people = exploits.by_length(scene.loot((parties.shuffler(1),)), 1)
    right = sum(scene.right(index, row) for index, row in people.items())
    return right, scene.n * len(scene.people.schema.names)


def whole(scene: Scene, _fault: Fault) -> Measured:
    """Rows that the curator alone reads with all their columns, and that somebody has."""
    rows = exploits.whole_rows(scene.loot((parties.CURATOR,)), 1)
    columns = range(len(scene.people.schema.names))
    read = Counter(tuple(row[column] for column in columns) for row in rows)
    true = Counter(tuple(scene.people.row(index)) for index in range(scene.n))
    return (read & true).total(), scene.n


def derived(scene: Scene, _fault: Fault) -> Measured:
    """People's rows that a listener reads with keys that it has derived from the seed."""
    loot = scene.loot((parties.NETWORK,))
    if scene.seed is None:
        return 0, scene.n
    people = exploits.everybody(exploits.rederived(loot, scene.seed), 1)
    columns = len(scene.people.schema.names)
    return sum(scene.right(i, row) == columns for i, row in people.items()), scene.n


BY_ORDER = (parties.NETWORK, parties.CURATOR)
EFFECTS: Mapping[str, tuple[str, Callable[[Scene, Fault], Measured]]] = {
    "absent": ("people not counted", uncounted),
    "late": ("people not counted", uncounted),
    "malformed": ("messages refused", refused),
    "duplicate": ("messages refused", refused),
    "poison": ("people by whom a count is moved", moved),
    "stuff": ("people by whom a count is moved", moved),
    "drop": ("answers lost", answers_lost),
    "drop-people": ("people not counted", uncounted),
    "substitute": ("people not counted as they are", replaced),
    "copy": ("people by whom a count is moved", moved),
    "tag": ("answers lost", answers_lost),
    "forward": ("people linked", linked(BY_ORDER, exploits.by_order)),
    "replay": ("people by whom a count is moved", moved),
    "block": ("people not counted", uncounted),
    "isolate": ("bits of anonymity taken", bits_taken),
    "flood": ("bits of anonymity taken", bits_taken),
    "delay": ("people linked", alone),
    "lie": ("people exposed above the promise", above_promise),
    "equivocate": ("values of the target read", picked_out),
    "rerun": ("values of the target read", subtracted),
    "overlap": ("people unique on both releases", unique_on_both),
    "dropout": ("cells certain of who left", left_between),
    "order": ("people linked", linked(BY_ORDER, exploits.by_order)),
    "size": ("cells certain", cells),
    "dictionary": (
        "people linked",
        linked((parties.shuffler(1),), exploits.by_dictionary),
    ),
    "bundle": ("rows read whole", whole),
    "one-salt": ("rows read whole", whole),
    "one-key": ("rows read whole", whole),
    "predictable": ("people linked", derived),
}


def measure(scene: Scene) -> tuple[Effect, ...]:
    """Measure every attack of a scenario, in its order."""
    found = []
    for fault in scene.scenario.fault:
        unit, how = EFFECTS[fault.attack]
        value, most = how(scene, fault)
        who = (fault.by,) if fault.by is not None else ()
        found.append(Effect(fault.attack, who, unit, float(value), float(most)))
    return tuple(found)
