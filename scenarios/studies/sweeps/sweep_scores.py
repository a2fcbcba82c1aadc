"""The scores of a sweep for each combination of swept values: as rows, as tables, and as panels.

A panel is the part of the sweep's picture that shows one score.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ....analysis.estimation.mean_interval import MeanEstimate
from ....analysis.frames import Cell, Frame, TypedFrame, column_cells, type_of
from .sweep_file import SCORES, Point, SweepLine, columns_released, estimates, grouped

if TYPE_CHECKING:
    from ....analysis.figures.sweep import SweepPanel

UNITS = {name: unit for name, unit, _ in SCORES}
Scored = list[tuple[Point, list[MeanEstimate]]]
POINTS = {"score": str, "unit": str, "runs": int, "mean": float, "low_95": float, "high_95": float}
HEADINGS = tuple(POINTS)
PointFrame = TypedFrame[Literal["runs"], Literal["mean"], Literal["score", "unit"]]


@dataclass(frozen=True, slots=True)
class SweepFrames:
    """The tables of a sweep. Both have a column for each swept scenario key (dotted path).

    Attributes:
        runs: a row per run: swept values, `number` (repetition), `seed`, `digest` of the result,
            then each score; empty where a run lacks the score. The units of scores are in `points`.
        points: the mean of each score over the runs with equal swept values, with its 95 %
            interval; the interval is empty for a single run.
    """

    runs: Frame
    points: PointFrame


def sweep_frames(lines: Sequence[SweepLine], keys: Sequence[str]) -> SweepFrames:
    """Return the tables of a sweep. lines: its runs. keys: the swept scenario keys."""
    run = {"number": int, "seed": int, "digest": str, **dict.fromkeys(UNITS, float)}
    return SweepFrames(
        _table(keys, run, [_run_cells(line, keys) for line in lines]),
        _table(keys, POINTS, list(rows(scored(lines), keys))),
    )


def _table(
    keys: Sequence[str], types: dict[str, type], cells: Sequence[tuple[Cell, ...]]
) -> TypedFrame[Any, Any, Any]:
    """Return a table with the swept keys as first columns.

    types: name of each further column -> its type. cells: the rows of the table.
    """
    columns = column_cells((*keys, *types), cells)
    axis_types = {key: type_of(columns[key]) for key in keys}
    return TypedFrame(columns, {**axis_types, **types})


def _run_cells(line: SweepLine, keys: Sequence[str]) -> tuple[Cell, ...]:
    """Return the table row of one run: swept values, repetition, seed, digest, and each score.

    keys: the swept scenario keys.
    """
    scores = (score(line.result) for _, _, score in SCORES)
    axis_values = (line.key.get(key) for key in keys)
    return *axis_values, line.number, line.seed, line.result["digest"], *scores


def rows(scores: Scored, keys: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each combination of swept values and each score: the values, then `HEADINGS`.

    scores: the estimated means. keys: the swept scenario keys.
    """
    for point, estimates_of_point in scores:
        at = dict(point)
        point_values = tuple(at.get(key) for key in keys)
        yield from (
            (
                *point_values,
                estimate.score,
                UNITS[estimate.score],
                estimate.runs,
                estimate.mean,
                *(estimate.interval or (None, None)),
            )
            for estimate in estimates_of_point
        )


def scored(lines: Sequence[SweepLine]) -> Scored:
    """Return the mean of each score for each combination of swept values, in the file's order."""
    return [(point, list(estimates(point_lines))) for point, point_lines in grouped(lines).items()]


def varying(scores: Scored) -> list[str]:
    """Return the names of the scores that are not the same in all runs of a sweep."""
    means: dict[str, set[float]] = {}
    differ = set[str]()
    for _, estimates_of_point in scores:
        for estimate in estimates_of_point:
            means.setdefault(estimate.score, set()).add(estimate.mean)
            if not estimate.agree:
                differ.add(estimate.score)
    return [score for score in UNITS if score in differ or len(means.get(score, ())) > 1]


def panels_of(lines: Sequence[SweepLine], scores: Scored | None = None) -> "list[SweepPanel]":
    """Return a panel of the sweep's picture for each score that varies between runs.

    scores: the estimated means of the runs, if the caller has them from `scored`.
    """
    from ....analysis.figures.sweep import PointMean, SweepPanel

    scores = scores or scored(lines)
    columns = {
        point: columns_released(point_lines) for point, point_lines in grouped(lines).items()
    }
    return [
        SweepPanel(
            score,
            UNITS[score],
            [
                PointMean(
                    where=dict(point),
                    mean=estimate.mean,
                    low=estimate.low,
                    high=estimate.high,
                    runs=estimate.runs,
                    columns=columns[point],
                )
                for point, point_lines in scores
                for estimate in point_lines
                if estimate.score == score
            ],
        )
        for score in varying(scores)
    ]
