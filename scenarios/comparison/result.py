"""What a comparison gives back, as plain data: one entry per program, all in the same units.

    trust      bits a person, cells and people that each single party and coalition received
    privacy    true and promised exposure (shares of people); epsilon where reports are noise
    utility    columns, cells (share of n d), entropy kept (bits a person), two-way tables (total
               variation distance, 0 to 1)
    cost       seconds of CPU for everybody together, bytes that one person sends, rounds

`Comparison` is the content of `comparison.json`, schema 1; `read` takes it back, strictly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ...analysis.trust import Received, minimal
from ...analysis.trust.side import Side
from ...errors import StorageError
from ...strict_text import Unreadable, from_json
from ..studies.cheating_result import CheatingStudy

if TYPE_CHECKING:
    from .frames import ComparisonFrames

SCHEMA = 1
COMPARISON = "comparison.json"
READERS = ("curator", "analyst")
NAMED = 4  # peers of a coalition that are named one by one

Limits = tuple[float, float]  # a 95 % interval


@dataclass(frozen=True, slots=True)
class Learnt:
    """What one set of parties received; the fields of `analysis.trust.Received`.

    Attributes:
        parties: its members.
        linked: people of whom a value is pinned.
        cells_certain: cells of the table that it knows for certain.
        bits_per_person: received.
        bits_are: exact, at least or at most so many.
        reports: whether what is pinned is a report with noise.
        verdict: in words.
        rows_guessed: share of the people whose whole row its best guess gets right, in expectation;
            None where that was not worked out.
    """

    parties: tuple[str, ...]
    linked: int
    cells_certain: int
    bits_per_person: float
    bits_are: Side
    reports: bool
    verdict: str
    rows_guessed: float | None = None

    @classmethod
    def of(cls, received: Received) -> "Learnt":
        """From the analysis."""
        return cls(
            received.parties,
            received.linked,
            received.cells_certain,
            received.bits_per_person,
            received.bits_are,
            received.reports,
            received.verdict,
            None if received.rows_guessed is None else received.rows_guessed / received.users,
        )


def name_coalition(parties: Sequence[str]) -> str:
    """A coalition in words: its parties, or of many peers how many they are."""
    few = len(parties) <= NAMED or not parties[0].startswith("peer-")
    return " + ".join(parties) if few else f"{len(parties):,} peers"


@dataclass(frozen=True, slots=True)
class Trust:
    """Every coalition, and the smallest that pin anything on anybody while they keep to the rules.

    Attributes:
        coalitions: every one that was scored.
        smallest: the parties of each smallest one that links anybody.
        cheating: what known attacks achieve of those that do not; None where that is not measured.
    """

    coalitions: tuple[Learnt, ...]
    smallest: tuple[tuple[str, ...], ...]
    cheating: CheatingStudy | None = None

    @classmethod
    def of(cls, received: Sequence[Received], cheating: CheatingStudy | None = None) -> "Trust":
        """From the analysis of every coalition, and what was measured of those that cheat."""
        linked = {view.parties: view.linked for view in received}
        return cls(tuple(Learnt.of(view) for view in received), tuple(minimal(linked)), cheating)

    @property
    def most_trusted(self) -> Learnt:
        """The single party that receives most: bits, then people linked; of equals, a reader.

        Its `bits_are` speaks of all single parties. Where one of them is known from below alone,
        nobody knows who receives most, and the largest figure that is known from below is at most
        what the unknown one receives: "at least". Otherwise the largest figure bounds them all.
        """
        alone = [learnt for learnt in self.coalitions if len(learnt.parties) == 1]
        alone.sort(key=lambda learnt: (*READERS, *learnt.parties).index(learnt.parties[0]))
        if any(learnt.bits_are is Side.AT_LEAST for learnt in alone):
            alone = [
                replace(learnt, bits_are=Side.AT_LEAST)
                for learnt in alone
                if learnt.bits_are is not Side.AT_MOST
            ]
        return max(alone, key=lambda learnt: (round(learnt.bits_per_person, 9), learnt.linked))


@dataclass(frozen=True, slots=True)
class Privacy:
    """Shares of people in a crowd smaller than k in the release: as it is, and as promised.

    Attributes:
        true: the share of people; 0 where no rows are released.
        promised: None where nothing is promised about crowds.
        epsilon: local, of a person's whole answer, nats; None where nobody adds noise.
        adjacency: how neighbouring collections differ, of epsilon; None where there is none.
        excluded: people of whom nothing is released and whose small crowd everybody knows by
            exclusion; they count in `true`. None where no value stays closed for certain.
        reader_excluded: the same for the party that reads, which may have seen more than it
            publishes.
    """

    true: float
    promised: float | None
    epsilon: float | None = None
    excluded: int | None = None
    reader_excluded: int | None = None
    adjacency: str | None = None

    @property
    def exclusion(self) -> str:
        """Users known by exclusion to all and, if more, to the reader: a cell of a table."""
        if self.excluded is None:
            return "-"
        more = self.reader_excluded or 0
        reader = f" (reader {more:,})" if more > self.excluded else ""
        return f"{self.excluded:,}{reader}"


@dataclass(frozen=True, slots=True)
class Utility:
    """What the analyst can do with the release.

    The limits hold 95 % of `draws` repetitions of the noise; None where there is no noise.

    Attributes:
        columns: those that are released, by name.
        cells: share of (person, column) pairs shown.
        entropy: bits a person that are kept, of `entropy_of_all`; for noise, what a report tells of
            its row.
        entropy_of_all: bits a person in all columns.
        pairs: two-way tables there are.
        answered: those of which something of both columns is released.
        mean, largest: of the total variation distances of all of them, a column that is not
            released being guessed uniform.
        mean_limits: 95 %, over draws of noise; None where there is none.
        largest_limits: 95 %, over draws of noise; None where there is none.
        draws: of noise, over which distances are averaged.
    """

    columns: tuple[str, ...]
    cells: float
    entropy: float
    entropy_of_all: float
    pairs: int
    answered: int
    mean: float
    largest: float
    mean_limits: Limits | None = None
    largest_limits: Limits | None = None
    draws: int = 1


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took.

    Attributes:
        cpu: seconds of all parties together.
        cpu_limits: 95 %; None where cpu was measured of everybody.
        people, samples: measured on so many people, so many times; where these are not everybody,
            cpu is scaled up and cpu_limits is its 95 % interval.
        bytes: that one person sends, on average.
        rounds: in which people answer.
    """

    cpu: float
    cpu_limits: Limits | None
    people: int
    samples: int
    bytes: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Compared:
    """One program on the scenario.

    Attributes:
        program: its name.
        family: `mix`, `central`, `shares` or `local`.
        note: what to know of it, in words.
        burned: why nothing was released; None: something was.
        refused: messages, by reason.
        trust: what coalitions receive.
        privacy: how exposed people are.
        utility: what the release is good for.
        cost: what it took.
    """

    program: str
    family: str
    note: str
    burned: str | None
    refused: Mapping[str, int]
    trust: Trust
    privacy: Privacy
    utility: Utility
    cost: Cost


@dataclass(frozen=True, slots=True)
class Comparison:
    """All programs side by side.

    Attributes:
        scenario: its name.
        title: what it shows.
        seed: of all randomness; None: the system's.
        users: people who take part.
        features: names of columns.
        k: people in the smallest crowd wanted.
        max_exposure: the share of people who may be in a smaller one.
        messages: whether all of them were really sent.
        programs: in the order of the table.
        skipped: those that cannot answer this scenario, and why.
        schema: the number of this format.
    """

    scenario: str
    title: str
    seed: int | None
    users: int
    features: tuple[str, ...]
    k: int
    max_exposure: float
    messages: bool
    programs: tuple[Compared, ...]
    skipped: Mapping[str, str]
    schema: int = SCHEMA

    @property
    def frames(self) -> "ComparisonFrames":
        """The programs, and the coalitions of each, as tables of plain columns."""
        from .frames import comparison_frames

        return comparison_frames(self)

    def program(self, name: str) -> Compared:
        """Give a program by its name; KeyError if it was not compared."""
        for compared in self.programs:
            if compared.program == name:
                return compared
        raise KeyError(name)


def read(folder: str | PathLike[str]) -> Comparison:
    """Read a comparison back. Raises StorageError for anything that is not one of this schema."""
    folder = Path(folder)
    path = folder / COMPARISON
    try:
        comparison = from_json(path.read_bytes(), Comparison)
    except OSError as bad:
        why = bad.strerror or str(bad)
        raise StorageError(f"{path}: {why}; `veilmix compare` makes one with --out") from None
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: not a comparison: {bad.why}") from None
    if comparison.schema != SCHEMA:
        raise StorageError(
            f"{path}: schema {comparison.schema}; this version reads schema {SCHEMA}"
        )
    if not comparison.programs:
        raise StorageError(f"{path}: not a comparison: programs: at least one is needed")
    for program in comparison.programs:
        if all(len(coalition.parties) != 1 for coalition in program.trust.coalitions):
            why = f"not a comparison: {program.program}: no party alone is among its coalitions"
            raise StorageError(f"{path}: {why}")
    return comparison
