"""The score of a table of one's own, as `veilmix score --save` keeps it and `report` reads it."""

from typing import Annotated

from msgspec import Meta, field

from ..analysis.exposure import Attacker
from ..analysis.release_risks import Rate
from ..analysis.scoring import Missing
from ..scenarios.populations.roles import ColumnRole
from ..scenarios.serialization.record import Record
from .release_record import TableRelease
from .risk_record import RiskPlaces

Positive = Annotated[int, Meta(ge=1)]


class ReadColumn(Record, frozen=True):
    """A column of the file.

    Attributes:
        column: its name.
        role: its role in the score.
        reason: why.
        said: whether the caller gave the role.
        left_out: of the score.
    """

    column: str
    role: ColumnRole
    reason: str
    said: bool
    left_out: bool


class MissingCells(Record, frozen=True):
    """The meaning of missing cells, the texts that stand for them, and their number.

    Attributes:
        meaning: the meaning of a cell without a value.
        texts: that mean that a value is missing.
        cells: how many lack one.
    """

    meaning: Missing
    texts: tuple[str, ...]
    cells: int


class PeopleBelowCurve(Record, frozen=True):
    """People in a crowd smaller than k, for every k from each of `k_from` up.

    Attributes:
        breakpoints: the k at which it changes, ascending.
        people: from each of them on.
    """

    breakpoints: tuple[int, ...] = field(name="k_from")
    people: tuple[int, ...]

    def __post_init__(self) -> None:
        if not len(self.breakpoints) == len(self.people) > 0:
            raise ValueError("k_from and people need the same length, at least 1")


class ScoredColumns(Record, frozen=True):
    """A column, or all of them together.

    Attributes:
        name: of the column.
        values: number of different values, or combinations.
        missing: cells.
        smallest_crowd: people.
        people_below_k: in a crowd smaller than k.
        exposure: their share.
        curve: the same for every k.
    """

    name: str
    values: int
    missing: int
    smallest_crowd: int
    people_below_k: int
    exposure: float
    curve: PeopleBelowCurve


class SampledPopulation(Record, frozen=True):
    """The population of a sample with sampling weights, and the marketer's chance in it.

    Attributes:
        people: of the population: the sum of the weights.
        marketer_low, marketer_high: 95 % interval of the share of people linked correctly, 0 to 1.
        draws: of the crowds in the population, by the negative binomial model.
        seed: of the draws.
    """

    people: float
    marketer_low: float
    marketer_high: float
    draws: int
    seed: int


class TableRisk(Record, frozen=True):
    """Three attackers, and the size of the population relative to the table.

    Attributes:
        population_factor: people of the population for each person of the table.
        prosecutor: knows that its target is in the table.
        journalist: knows the population.
        marketer: links all people; the expected share of correct links, 0 to 1.
        sampled: the population by sampling weights; None: by the factor.
    """

    population_factor: float
    prosecutor: Attacker
    journalist: Attacker
    marketer: float
    sampled: SampledPopulation | None = None


class DroppedColumn(Record, frozen=True):
    """A column that is not kept, and people in a crowd smaller than k with it.

    Attributes:
        column: its name.
        people_with_it: in a crowd smaller than k.
    """

    column: str
    people_with_it: int


class ChosenColumns(Record, frozen=True):
    """The columns to keep.

    Attributes:
        keep: their names.
        people: in a crowd smaller than k.
        largest: whether no safe set has more columns.
        drop: the other columns.
    """

    keep: tuple[str, ...]
    people: int
    largest: bool
    drop: tuple[DroppedColumn, ...]


class ScoredColumnSet(Record, frozen=True):
    """A set of columns: people in a smaller crowd in truth and as promised, and whether few do.

    Attributes:
        columns: their names.
        truth: people in a crowd smaller than k.
        promised: at most so many, by the best bound.
        safe: whether so few are exposed as may be.
        promised_safe: whether that can be promised.
    """

    columns: tuple[str, ...]
    truth: int
    promised: int
    safe: bool
    promised_safe: bool


class ScoredSets(Record, frozen=True):
    """Sets of columns.

    Attributes:
        every: whether all sets are listed.
        counted: number of examined sets.
        finished: whether the search was.
        truth, promised: the columns to keep, by the truth and by the counts.
        promised_by: the bound by which sets are promised.
        maximal_truth, maximal_promised: safe sets that no safe set holds.
        sets: each that is listed.
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
    """The share of attacks that are right, 0 to 1, and its interval (Wilson, 95 %).

    Attributes:
        share: how often.
        low: the lower end.
        high: the upper end.
    """

    share: float
    low: float
    high: float

    @classmethod
    def from_rate(cls, rate: Rate) -> "AttackRate":
        """From the analysis."""
        interval = rate.interval()
        return cls(interval.value, interval.low, interval.high)


class AskedQuestion(Record, frozen=True):
    """A question of the regulators: an attack, its control and its baseline.

    Attributes:
        question: singling out, linkability or inference.
        columns: of a predicate, where it singles out; otherwise 0.
        known: columns that the attacker knows of a person.
        sought: columns that it wants.
        attack: how often it is right about people of the table.
        control: how often about the same people, each left out of the table in turn.
        baseline: how often guessing is right.
        risk: the addition by the release (rates.py).
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
        if self.question == "inference" and not self.sought:
            raise ValueError("an inference has at least one column in sought")


class SensitiveColumn(Record, frozen=True):
    """Diversity and closeness of a sensitive column among people that agree in the known columns.

    Attributes:
        column: its name.
        k: the fewest such people.
        diversity: l, the fewest different values among them.
        entropy_diversity: exp of the least entropy among them.
        closeness: t, the largest distance from the law of all.
        largest_share: of such people, the most that have one value, 0 to 1; None: an older score.
        certain: people that agree with all such people in this column too; None: an older score.
    """

    column: str
    k: int
    diversity: int
    entropy_diversity: float
    closeness: float
    largest_share: float | None = None
    certain: int | None = None


class UnrelatedColumns(Record, frozen=True):
    """An estimate of the people below k if the columns were unrelated; it is no bound.

    Attributes:
        mean: people, over all permutations.
        low, high: people; 95 of 100 permutations lie between them, both included.
        permutations: of every column.
        seed: of the permutations.
    """

    mean: float
    low: int
    high: int
    permutations: int
    seed: int


class ScoredTable(Record, frozen=True):
    """The whole score; curves in full.

    Attributes:
        data: the file.
        read: how it was read.
        roles: of its columns.
        users: people.
        k, max_exposure: the target.
        missing: cells.
        columns: each by itself.
        joint: all together.
        bounds: name -> people exposed at most, by the counts of columns.
        risk: of re-identification.
        sets: of columns.
        sha256: of the file.
        version: of veilmix.
        coarser: the coarser values before the score, a line a column.
        questions: singling out, linkability and inference.
        sensitive: k, l and t of each sensitive column.
        unrelated: an estimate of the exposure if the columns were unrelated.
        rows: of the table: more than `users` where a person has several; 0: as many.
        person: the definition of a person, in words.
        quasi: the quasi-identifiers together; None: all columns may be known.
        release: the released file and its command; None: an older score.
        places: the risk by value, and the best single changes; None: not counted.
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
