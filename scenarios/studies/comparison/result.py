"""The results of a comparison as plain data: an entry for each release program.

    trust      leakage to each single party and coalition: bits a person, cells and people
    privacy    true and promised exposure (shares of people); epsilon if reports are noisy
    utility    columns, cells (share of the people times columns), entropy kept (bits a person),
               two-way tables (total variation distance, 0 to 1)
    cost       seconds of CPU for all parties together, bytes that a person sends, rounds

`Comparison` is the content of `comparison.json`, schema 1. `read` reads it, and accepts no other
keys or types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ....analysis.trust import Received, minimal
from ....analysis.trust.side import Side
from ....deprecated import Replaced, find, keeps_old
from ....errors import StorageError
from ....strict_text import Unreadable, from_json
from ..cheating.cheating_result import CheatingStudy

if TYPE_CHECKING:
    from .frames import ComparisonFrames

SCHEMA = 1
# old name of a release program, new name, version of the change, and version that ends the old name
REPLACED = (
    Replaced("two-round", "exposure", "0.2.0", "0.4.0"),
    Replaced("randomized", "histogram", "0.2.0", "0.4.0"),
)
COMPARISON = "comparison.json"
READERS = ("curator", "analyst")
NAMED = 4  # peers; the name of a larger coalition gives only their number

Limits = tuple[float, float]  # the ends of a 95 % interval


@dataclass(frozen=True, slots=True)
class Learnt:
    """The leakage of a release program to a coalition, as in `analysis.trust.Received`.

    Attributes:
        parties: the names of the parties in the coalition.
        linked: the number of people linked to a value.
        cells_certain: (person, column) pairs with a value that the coalition knows for certain.
        bits_per_person: leakage in bits, divided by the number of people.
        bits_are: whether the bits are exact, a lower or an upper bound.
        reports: whether the linked values are reports with noise.
        verdict: the verdict in words.
        rows_guessed: expected share of people with a whole row that the best guess gets right; None
            if it was not computed.
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
    def from_received(cls, received: Received) -> Learnt:
        """Return the leakage to a coalition in the form of a comparison."""
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
    """Return the name of a coalition in words: its parties, or if many peers, their number."""
    is_short = len(parties) <= NAMED or not parties[0].startswith("peer-")
    return " + ".join(parties) if is_short else f"{len(parties):,} peers"


@keeps_old(most_trusted="largest_party_leakage")
@dataclass(frozen=True, slots=True)
class Trust:
    """The trust that a release program needs: leakage, and smallest coalitions that link.

    Attributes:
        coalitions: the leakage to every coalition that was scored.
        smallest: the members of each smallest coalition that links people.
        cheating: the success of known attacks by malicious coalitions; None if that is not
            measured.
        proof: the largest malicious coalition that a proof sketch covers; None without a proof.
    """

    coalitions: tuple[Learnt, ...]
    smallest: tuple[tuple[str, ...], ...]
    cheating: CheatingStudy | None = None
    proof: str | None = None

    @classmethod
    def from_received(
        cls, received: Sequence[Received], cheating: CheatingStudy | None = None
    ) -> Trust:
        """Return the trust that a release program needs.

        received: the leakage to each coalition. cheating: the study of attacks by malicious
        coalitions; None: not made.
        """
        linked = {view.parties: view.linked for view in received}
        return cls(
            tuple(Learnt.from_received(view) for view in received), tuple(minimal(linked)), cheating
        )

    @property
    def largest_party_leakage(self) -> Learnt:
        """The leakage to the single party that receives most bits; in a tie, most linked people.

        `bits_are` is about the largest leakage to a single party. It is a lower bound if any of
        these leakages is only bounded from below. Then the largest exact figure or lower bound is
        returned. Otherwise no single party receives more than the figure.
        """
        single_parties = [learnt for learnt in self.coalitions if len(learnt.parties) == 1]
        single_parties.sort(key=lambda learnt: (*READERS, *learnt.parties).index(learnt.parties[0]))
        if any(learnt.bits_are is Side.AT_LEAST for learnt in single_parties):
            single_parties = [
                replace(learnt, bits_are=Side.AT_LEAST)
                for learnt in single_parties
                if learnt.bits_are is not Side.AT_MOST
            ]
        return max(
            single_parties, key=lambda learnt: (round(learnt.bits_per_person, 9), learnt.linked)
        )


@dataclass(frozen=True, slots=True)
class Privacy:
    """The privacy of a release program's release: true and promised exposure, and epsilon.

    Exposure is the share of people in an equivalence class smaller than k.

    Attributes:
        true: the true exposure; 0 if no rows are released.
        promised: the certified bound on exposure; None if the program certifies no bound.
        epsilon: the local epsilon of a person's whole answer, in nats; None without noise.
        adjacency: the definition of neighbouring data sets for epsilon; None without epsilon.
        excluded: the number of people without a released row in a small class that all parties know
            by exclusion; they count in `true`. None if no value stays closed for certain.
        reader_excluded: as `excluded`, but for the reader alone, which may have seen more than it
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
        """The numbers `excluded` and, if larger, `reader_excluded`, as text.

        Both numbers count people that must be in a small equivalence class, because the release
        excludes all other classes for these people.
        """
        if self.excluded is None:
            return "-"
        more = self.reader_excluded or 0
        reader = f" (reader {more:,})" if more > self.excluded else ""
        return f"{self.excluded:,}{reader}"


@dataclass(frozen=True, slots=True)
class Utility:
    """The utility of the release for the analyst.

    Distances of tables are total variation distances, from 0 to 1.

    Attributes:
        columns: the names of the released columns.
        cells: the share of (person, column) pairs with a value in the release.
        entropy: bits a person in the release, of `entropy_of_all`; with noise, bits of a person's
            reports about its row.
        entropy_of_all: bits a person in all columns.
        pairs: the number of pairs of columns (two-way tables).
        answered: the number of two-way tables with data of both columns in the release.
        mean, largest: the mean and the largest distance of the analyst's two-way tables from the
            true tables; a column that is not released is guessed uniform.
        mean_limits: interval that holds `mean` in 95 % of the draws of noise; None without noise.
        largest_limits: interval that holds `largest` in 95 % of the draws of noise; None without
            noise.
        draws: number of draws of noise over which distances are averaged.
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
class ProgramCost:
    """The cost of a program: CPU time, bytes and rounds.

    Attributes:
        cpu: seconds of CPU for all people and parties together.
        cpu_limits: 95 % confidence interval of `cpu`; None if all people were measured.
        people, samples: the number of people in each measured sample, and the number of samples. If
            a sample is smaller than the whole, `cpu` is scaled up.
        bytes: mean bytes that a person sends.
        rounds: the number of rounds in which people answer.
        total: bytes that all parties send, divided by the number of people, a post counted once;
            None if that is not measured.
    """

    cpu: float
    cpu_limits: Limits | None
    people: int
    samples: int
    bytes: float
    rounds: int
    total: float | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """The results of a release program on the scenario.

    Attributes:
        program: the name of the program.
        family: `mix`, `central`, `shares` or `local`.
        note: a remark on the program, in words.
        burned: the reason of an abort, so that there is no release; None: no abort.
        refused: reason -> number of refused messages.
        trust: the leakage to coalitions.
        privacy: the exposure of people.
        utility: the utility of the release for the analyst.
        cost: the cost of the program.
    """

    program: str
    family: str
    note: str
    burned: str | None
    refused: Mapping[str, int]
    trust: Trust
    privacy: Privacy
    utility: Utility
    cost: ProgramCost


@dataclass(frozen=True, slots=True)
class Comparison:
    """The results of all release programs on a scenario, side by side.

    Attributes:
        scenario: the name of the scenario.
        title: the title of the scenario.
        seed: the seed of all randomness; None: system randomness.
        users: the number of people who take part.
        features: names of columns.
        k: people in the smallest equivalence class that counts as safe.
        max_exposure: the share of people that may be in a smaller class.
        messages: whether the messages of all people were sent.
        programs: the results of each program, in the order of the table.
        skipped: program that cannot answer this scenario -> the reason.
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
    def frames(self) -> ComparisonFrames:
        """The release programs, and the coalitions of each program, as tables of plain columns."""
        from .frames import comparison_frames

        return comparison_frames(self)

    def program(self, name: str) -> Compared:
        """Return a release program's results by its name; KeyError if it was not compared.

        A name of an earlier version gives the program that has taken its place, with a
        DeprecationWarning. A comparison that an earlier version saved accepts present names, too.
        """
        if old := find(name.partition(" ")[0], REPLACED):
            old.warn()
        for compared in self.programs:
            if today(compared.program) == today(name):
                return compared
        raise KeyError(name)


def today(name: str) -> str:
    """Return a release program's present name, from a present or an earlier name.

    Only the first word of the name is replaced.
    """
    first, space, more = name.partition(" ")
    old = find(first, REPLACED)
    return f"{old.new if old else first}{space}{more}"


def read(folder: str | PathLike[str]) -> Comparison:
    """Return a comparison from its folder.

    Raises StorageError for a file that is damaged, or not of this schema.
    """
    folder = Path(folder)
    path = folder / COMPARISON
    try:
        comparison = from_json(path.read_bytes(), Comparison)
    except OSError as bad:
        reason = bad.strerror or str(bad)
        raise StorageError(f"{path}: {reason}; `veilmix compare` makes one with --out") from None
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
            reason = f"not a comparison: {program.program}: no single party is among its coalitions"
            raise StorageError(f"{path}: {reason}")
    return comparison
