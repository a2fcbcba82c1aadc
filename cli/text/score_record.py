"""The function that makes the record of `veilmix score --format json` from a computed score."""

from collections.abc import Sequence
from pathlib import Path

from ...analysis.exposure import Risk
from ...analysis.scoring import TableScore
from ...analysis.scoring.parts import ScoredPart
from ...analysis.scoring.set_scores import PROMISED_BY, PROMISED_BY_PERSONS, SetChoice, Sets
from ...own_data.result_frames import exposure_bounds
from ...own_data.risk_record import RiskPlaces
from ...own_data.score_record import (
    AskedQuestion,
    AttackRate,
    ChosenColumns,
    DroppedColumn,
    MissingCells,
    PeopleBelowCurve,
    ReadColumn,
    SampledPopulation,
    ScoredColumns,
    ScoredColumnSet,
    ScoredSets,
    ScoredTable,
    TableRisk,
    UnrelatedColumns,
)
from ...own_data.table_score import sensitive_records
from ...scenarios.populations.people import SourceTable


def scored_table(
    score: TableScore,
    file: Path,
    lacks: Sequence[str],
    table: SourceTable,
    coarser: Sequence[str] = (),
    places: RiskPlaces | None = None,
) -> ScoredTable:
    """Return the score of a table as the record for JSON.

    Args:
        score: the computed score.
        file: the file of the table.
        lacks: the texts of missing cells.
        table: the scored table.
        coarser: the generalizations made before the score, a line for each column.
        places: the risk of each value; None: not computed.
    """
    from ...version import __version__

    risk = score.risk
    roles = (
        ReadColumn(
            column.column,
            column.role,
            column.reason,
            column.is_stated,
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
        MissingCells(score.missing, tuple(dict.fromkeys(lacks)), score.joint.missing),
        tuple(_columns(score, column) for column in score.columns),
        _columns(score, score.joint),
        exposure_bounds(score),
        _risk(risk),
        _sets(score, score.sets),
        table.source.digest if table.source else "",
        __version__,
        tuple(coarser),
        _questions(score),
        sensitive_records([part.name for part in score.columns], score.questions.diversity),
        _unrelated(score),
        score.rows,
        table.person,
        None if score.quasi is None else _columns(score, score.quasi),
        places=places,
    )


def _risk(risk: Risk) -> TableRisk:
    """Return the re-identification risks (prosecutor, journalist, marketer) as a record."""
    estimate, sampled = risk.estimate, None
    if estimate is not None:
        sampled = SampledPopulation(
            estimate.people, estimate.low, estimate.high, estimate.draws, estimate.seed
        )
    return TableRisk(risk.factor, risk.prosecutor, risk.journalist, risk.marketer, sampled)


def _questions(score: TableScore) -> tuple[AskedQuestion, ...]:
    """Return the records of three attacks with their success rates.

    The attacks are singling out, linkability and inference.
    """
    return tuple(
        AskedQuestion(
            question.question,
            size,
            _names(score, question.known_columns),
            _names(score, question.sought),
            AttackRate.from_rate(question.attack),
            None if question.control is None else AttackRate.from_rate(question.control),
            question.baseline.share,
            AttackRate.from_interval(question.risk()),
        )
        for question, size in zip(score.questions.attacks, score.questions.sizes, strict=True)
    )


def _unrelated(score: TableScore) -> UnrelatedColumns | None:
    """Return the record: people below k expected if the columns were independent; None without it.

    The number is estimated by permuting each column of the table.
    """
    estimate = score.unrelated
    if estimate is None:
        return None
    ends = (estimate.low, estimate.high)
    return UnrelatedColumns(estimate.mean, *ends, estimate.permutations, estimate.seed)


def _names(score: TableScore, columns: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the columns with these indices."""
    return tuple(score.columns[j].name for j in columns)


def _columns(score: TableScore, column: ScoredPart) -> ScoredColumns:
    """Return the exposure by one column, or by several columns together, as a record."""
    curve = column.crowds.curve()
    return ScoredColumns(
        column.name,
        column.values,
        column.missing,
        column.crowds.smallest,
        column.crowds.users_below(score.k),
        column.crowds.exposure(score.k),
        PeopleBelowCurve(tuple(curve.breakpoints), tuple(curve.people)),
    )


def _chosen(score: TableScore, choice: SetChoice) -> ChosenColumns:
    """Return the record of the largest safe set of columns, and of the columns outside it."""
    dropped = (
        DroppedColumn(score.columns[column.column].name, column.people) for column in choice.dropped
    )
    return ChosenColumns(
        _names(score, choice.kept_columns), choice.people, choice.largest, tuple(dropped)
    )


def _sets(score: TableScore, sets: Sets) -> ScoredSets:
    """Return the record of the sets of columns that are safe to release.

    A set is safe by the table itself, or by the certified bound from counts of single columns.
    """
    listed = (
        ScoredColumnSet(
            _names(score, group.columns),
            group.truth,
            group.promised,
            group.truth <= score.people_limit,
            group.promised <= score.people_limit,
        )
        for group in sets.sets
    )
    return ScoredSets(
        sets.every,
        sets.counted,
        sets.finished,
        _chosen(score, sets.truth),
        _chosen(score, sets.promised),
        PROMISED_BY if score.rows == score.n else PROMISED_BY_PERSONS,
        tuple(_names(score, columns) for columns in sets.maximal_truth),
        tuple(_names(score, columns) for columns in sets.maximal_promised),
        tuple(listed),
    )
