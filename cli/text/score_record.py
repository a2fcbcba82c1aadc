"""What `veilmix score` prints with `--format json`, by definition."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import field

from ...analysis.exposure.attacker_risk import Attacker
from ...analysis.scoring import TableScore
from ...analysis.scoring.set_scores import PROMISED_BY, Choice, Sets
from ...analysis.scoring.table_score import Scored
from ...scenarios.populations.people import Table
from ...scenarios.serialization.record import Record
from .questions import AskedQuestion, SensitiveColumn, question_records, sensitive
from .score import bounded


class ReadColumn(Record, frozen=True):
    """A column of the file.

    Attributes:
        column: its name.
        role: what it is taken for.
        reason: why.
        said: whether the caller said so.
        left_out: of the score.
    """

    column: str
    role: str
    reason: str
    said: bool
    left_out: bool


class MissingCells(Record, frozen=True):
    """What missing cells mean, the texts that stand for them, and how many there are.

    Attributes:
        meaning: what a cell without a value is taken for.
        texts: that mean that a value is missing.
        cells: how many lack one.
    """

    meaning: str
    texts: tuple[str, ...]
    cells: int


class Curve(Record, frozen=True):
    """People in a crowd smaller than k, for every k from each of `k_from` up.

    Attributes:
        breakpoints: the k at which it changes, ascending.
        people: from each of them on.
    """

    breakpoints: tuple[int, ...] = field(name="k_from")
    people: tuple[int, ...]


class ScoredColumns(Record, frozen=True):
    """A column, or all of them together.

    Attributes:
        name: of the column.
        values: different ones, or combinations.
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
    curve: Curve


class TableRisk(Record, frozen=True):
    """Three attackers, and how many people of the population there are for one of the table.

    Attributes:
        population_factor: people of the population for one of the table.
        prosecutor: knows that its target is in the table.
        journalist: knows the population.
        marketer: links everybody; the share expected to be right, 0 to 1.
    """

    population_factor: float
    prosecutor: Attacker
    journalist: Attacker
    marketer: float


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
        drop: the others.
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
        counted: how many were looked at.
        finished: whether the search was.
        truth, promised: the columns to keep, by what is true and by what counts promise.
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


class ScoredTable(Record, frozen=True):
    """All of it; curves in full.

    Attributes:
        data: the file.
        read: how it was read.
        roles: of its columns.
        users: people.
        k, max_exposure: what is wanted.
        missing: cells.
        columns: each by itself.
        joint: all together.
        bounds: name -> people exposed at most, by the counts of columns.
        risk: of re-identification.
        sets: of columns.
        sha256: of the file.
        version: of veilmix.
        coarser: what was made coarser before it was scored, a line a column.
        questions: singling out, linkability and inference.
        sensitive: k, l and t of each sensitive column.
    """

    data: str
    read: str
    roles: tuple[ReadColumn, ...]
    users: int
    k: int
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


def scored_table(
    score: TableScore, file: Path, lacks: Sequence[str], table: Table, coarser: Sequence[str] = ()
) -> ScoredTable:
    """The score of a table that was read from a file. lacks: texts of missing cells.

    coarser: what was made coarser before, a line a column.
    """
    from ... import __version__

    risk = score.risk
    roles = (
        ReadColumn(
            column.column,
            str(column.role),
            column.reason,
            column.said,
            column.column not in table.columns,
        )
        for column in table.judged
    )
    return ScoredTable(
        file.name,
        table.note,
        tuple(roles),
        score.n,
        score.k,
        score.max_exposure,
        MissingCells(str(score.missing), tuple(dict.fromkeys(lacks)), score.joint.missing),
        tuple(_columns(score, column) for column in score.columns),
        _columns(score, score.joint),
        {name: people for name, _, people in bounded(score)},
        TableRisk(risk.factor, risk.prosecutor, risk.journalist, risk.marketer),
        _sets(score, score.sets),
        table.source.digest if table.source else "",
        __version__,
        tuple(coarser),
        question_records(score),
        sensitive(score),
    )


def _names(score: TableScore, columns: Sequence[int]) -> tuple[str, ...]:
    return tuple(score.columns[j].name for j in columns)


def _columns(score: TableScore, column: Scored) -> ScoredColumns:
    curve = column.crowds.curve()
    return ScoredColumns(
        column.name,
        column.values,
        column.missing,
        column.crowds.smallest,
        column.crowds.users_below(score.k),
        column.crowds.exposure(score.k),
        Curve(tuple(curve.breakpoints), tuple(curve.people)),
    )


def _chosen(score: TableScore, choice: Choice) -> ChosenColumns:
    dropped = (
        DroppedColumn(score.columns[column.column].name, column.people) for column in choice.dropped
    )
    return ChosenColumns(_names(score, choice.kept), choice.people, choice.largest, tuple(dropped))


def _sets(score: TableScore, sets: Sets) -> ScoredSets:
    listed = (
        ScoredColumnSet(
            _names(score, group.columns),
            group.truth,
            group.promised,
            group.truth <= score.most,
            group.promised <= score.most,
        )
        for group in sets.sets
    )
    return ScoredSets(
        sets.every,
        sets.counted,
        sets.finished,
        _chosen(score, sets.truth),
        _chosen(score, sets.promised),
        PROMISED_BY,
        tuple(_names(score, columns) for columns in sets.maximal_truth),
        tuple(_names(score, columns) for columns in sets.maximal_promised),
        tuple(listed),
    )
