"""The score of a user's table, as `veilmix score --save` stores it for `veilmix report`."""

from bisect import bisect_right
from typing import Annotated

from msgspec import Meta, field

from ..analysis.exposure import Attacker
from ..analysis.release_risks import Rate, ShareInterval
from ..analysis.scoring import Missing
from ..scenarios.populations.roles import ColumnRole
from ..scenarios.serialization.record import Record
from .release_record import TableRelease
from .risk_record import RiskPlaces

Positive = Annotated[int, Meta(ge=1)]


class ReadColumn(Record, frozen=True):
    """A column of the file, and its role in the score.

    Attributes:
        column: name of the column.
        role: its role in the score, such as quasi-identifier.
        reason: the reason for the role.
        said: whether the user gave the role.
        left_out: whether the column is left out of the score.
    """

    column: str
    role: ColumnRole
    reason: str
    said: bool
    left_out: bool


class MissingCells(Record, frozen=True):
    """The treatment of missing cells in a score, and their number.

    Attributes:
        meaning: how a missing cell counts: as a value of its own (`category`), or as
            possibly any value (`wildcard`).
        texts: texts that mean that a value is missing.
        cells: number of missing cells.
    """

    meaning: Missing
    texts: tuple[str, ...]
    cells: int


class PeopleBelowCurve(Record, frozen=True):
    """The number of people in an equivalence class smaller than k, as a step function of k.

    Attributes:
        breakpoints: the k at which the number changes, ascending.
        people: the number from each breakpoint on.
    """

    breakpoints: tuple[int, ...] = field(name="k_from")
    people: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check that `breakpoints` and `people` have the same length, at least 1."""
        if not len(self.breakpoints) == len(self.people) > 0:
            raise ValueError("k_from and people need the same length, at least 1")

    def people_below(self, k: int) -> int:
        """Return the number of people in an equivalence class smaller than k."""
        place = bisect_right(self.breakpoints, k) - 1
        return self.people[place] if place >= 0 else 0


class ScoredColumns(Record, frozen=True):
    """The exposure by a single column, or by all columns together.

    Attributes:
        name: name of the column.
        values: number of different values, or combinations.
        missing: number of missing cells.
        smallest_crowd: people in the smallest equivalence class.
        people_below_k: people in a class smaller than k.
        exposure: the share of these people, 0 to 1.
        curve: the number of these people for every k.
    """

    name: str
    values: int
    missing: int
    smallest_crowd: int
    people_below_k: int
    exposure: float
    curve: PeopleBelowCurve


class SampledPopulation(Record, frozen=True):
    """The population of a sample with sampling weights, and the marketer risk in it.

    Attributes:
        people: people of the population: the sum of the weights.
        marketer_low, marketer_high: 95 % interval of the share of people linked correctly, 0 to 1.
        draws: random draws of the equivalence classes in the population, by the negative binomial
            model.
        seed: seed of the draws.
    """

    people: float
    marketer_low: float
    marketer_high: float
    draws: int
    seed: int


class TableRisk(Record, frozen=True):
    """The risks by three attackers, and the size of the population relative to the table.

    Attributes:
        population_factor: people of the population for each person of the table.
        prosecutor: risk by an attacker that knows that its target is in the table.
        journalist: risk by an attacker that knows only that its target is in the
            population.
        marketer: expected share of correct links if an attacker links all people, 0 to 1.
        sampled: the population by sampling weights; None: by the factor.
    """

    population_factor: float
    prosecutor: Attacker
    journalist: Attacker
    marketer: float
    sampled: SampledPopulation | None = None


class DroppedColumn(Record, frozen=True):
    """A column that is not in the largest safe set of columns to release.

    Attributes:
        column: name of the column.
        people_with_it: people in an equivalence class smaller than k if the column were
            released with that set.
    """

    column: str
    people_with_it: int


class ChosenColumns(Record, frozen=True):
    """The largest set of columns that is safe to release.

    A set is safe if few enough people are in equivalence classes smaller than k.

    Attributes:
        keep: names of the set's columns.
        people: people in an equivalence class smaller than k, counted or bounded.
        largest: whether it is proved that no safe set has more columns.
        drop: the columns that are not in the set.
    """

    keep: tuple[str, ...]
    people: int
    largest: bool
    drop: tuple[DroppedColumn, ...]


class ScoredColumnSet(Record, frozen=True):
    """The people below k in a set of columns, counted, and bounded from the columns' counts.

    Attributes:
        columns: names of the columns.
        truth: people in an equivalence class smaller than k.
        promised: upper bound on these people, proved from the counts of single columns.
        safe: whether `truth` is within the accepted number of people.
        promised_safe: whether `promised` is within the accepted number of people.
    """

    columns: tuple[str, ...]
    truth: int
    promised: int
    safe: bool
    promised_safe: bool


class ScoredSets(Record, frozen=True):
    """The sets of columns that a score examined, and the largest that is safe to release.

    A set is safe if few enough people are in equivalence classes smaller than k. By the
    truth, these people are counted in the table; by the counts, they are bounded by the
    counts of single columns.

    Attributes:
        every: whether all sets are listed.
        counted: number of examined sets.
        finished: whether the search was finished.
        truth, promised: the largest safe set, by the truth and by the counts.
        promised_by: the name of the bound that decides by the counts, such as coverage.
        maximal_truth, maximal_promised: safe sets that are part of no larger safe set, by
            the truth and by the counts.
        sets: the listed sets.
    """

    every: bool
    counted: int
    finished: bool
    truth: ChosenColumns
    promised: ChosenColumns
    promised_by: str
    maximal_truth: tuple[tuple[str, ...], ...]
    maximal_promised: tuple[tuple[str, ...], ...]
    sets: tuple[ScoredColumnSet, ...]


class AttackRate(Record, frozen=True):
    """The success rate of an attack, 0 to 1, with its 95 % interval (Wilson).

    Attributes:
        share: the success rate.
        low: the lower end of the interval.
        high: the upper end of the interval.
    """

    share: float
    low: float
    high: float

    @classmethod
    def from_rate(cls, rate: Rate) -> "AttackRate":
        """Return the record of a success rate that `analysis` computed."""
        return cls.from_interval(rate.interval())

    @classmethod
    def from_interval(cls, interval: ShareInterval) -> "AttackRate":
        """Return the record of a rate with its confidence interval."""
        return cls(interval.value, interval.low, interval.high)


class AskedQuestion(Record, frozen=True):
    """An attack on a table that regulators name: singling out, linkability or inference.

    Attributes:
        question: singling out, linkability or inference.
        columns: number of columns of a predicate that singles out; otherwise 0.
        known: columns that the attacker knows of a person.
        sought: columns that the attacker wants to learn.
        attack: the success rate about people of the table.
        control: the success rate about the same people, each left out of the table in turn; of
            a release, about people of a control table; None without such a table.
        baseline: the success rate of guessing.
        risk: the success rate that the release adds: (attack - control) / (1 - control).
    """

    question: str
    columns: int
    known: tuple[str, ...]
    sought: tuple[str, ...]
    attack: AttackRate
    control: AttackRate | None
    baseline: float
    risk: AttackRate

    def __post_init__(self) -> None:
        """Check that an inference names the columns that are sought."""
        if self.question == "inference" and not self.sought:
            raise ValueError("an inference attack needs at least one column in sought")


class SensitiveColumn(Record, frozen=True):
    """Diversity and closeness of a sensitive column within equivalence classes.

    A class is the people that agree in the columns that an attacker may know.

    Attributes:
        column: name of the column.
        k: people in the smallest class.
        diversity: l, the fewest different values in a class.
        entropy_diversity: exp of the least entropy of the values in a class.
        closeness: t, the largest distance of a class's distribution of values from that of
            all people.
        largest_share: the largest share of a class's people that have the same value, 0 to
            1; None: an older score.
        certain: people in classes in which all people have the same value; None: an older
            score.
    """

    column: str
    k: int
    diversity: int
    entropy_diversity: float
    closeness: float
    largest_share: float | None = None
    certain: int | None = None


class UnrelatedColumns(Record, frozen=True):
    """An estimate of the people below k if the columns were independent; it is no bound.

    The estimate comes from random permutations of every column.

    Attributes:
        mean: people below k, averaged over all permutations.
        low, high: number of people; 95 of 100 permutations lie between them, both included.
        permutations: number of random permutations.
        seed: seed of the permutations.
    """

    mean: float
    low: int
    high: int
    permutations: int
    seed: int


class ScoredTable(Record, frozen=True):
    """The whole score of a table, with curves in full.

    Attributes:
        data: name of the file.
        read: how it was read, in words.
        roles: the roles of its columns.
        users: number of people.
        k, max_exposure: the target: at most this share of people may be in an equivalence
            class smaller than k.
        missing: missing cells and their meaning.
        columns: the exposure by each column alone.
        joint: the exposure by all columns together.
        bounds: by name of a bound, the most people in a class smaller than k by the counts
            of columns.
        risk: risks of re-identification.
        sets: the sets of columns that were examined.
        sha256: digest of the file.
        version: version of veilmix.
        coarser: the rules that made columns coarser before the score, a line a column.
        questions: the attacks of singling out, linkability and inference.
        sensitive: k, l and t of each sensitive column.
        unrelated: an estimate of the exposure if the columns were independent.
        rows: rows of the table: more than `users` if a person has several; 0: as many.
        person: the definition of a person, in words.
        quasi: the exposure by the quasi-identifiers together; None: all columns may be
            known.
        release: the released file and its command; None: an older score.
        places: the risk by value, and the best single changes of the table; None: not
            counted.
    """

    data: str
    read: str
    roles: tuple[ReadColumn, ...]
    users: Positive
    k: Positive
    max_exposure: float
    missing: MissingCells
    columns: tuple[ScoredColumns, ...]
    joint: ScoredColumns
    bounds: dict[str, int]
    risk: TableRisk
    sets: ScoredSets
    sha256: str = ""
    version: str = ""
    coarser: tuple[str, ...] = ()
    questions: tuple[AskedQuestion, ...] = ()
    sensitive: tuple[SensitiveColumn, ...] = ()
    unrelated: UnrelatedColumns | None = None
    rows: int = 0
    person: str = "each row"
    quasi: ScoredColumns | None = None
    release: TableRelease | None = None
    places: RiskPlaces | None = None
