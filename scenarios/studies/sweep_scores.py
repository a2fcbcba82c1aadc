"""The scores of a sweep at every point, and the panels of its picture."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..mean import Estimate
from .sweep_file import SCORES, Line, Point, columns_released, estimates, grouped

if TYPE_CHECKING:
    from ...analysis.figures.sweep import Panel

UNITS = {name: unit for name, unit, _ in SCORES}
Scored = list[tuple[Point, list[Estimate]]]


def scored(lines: Sequence[Line]) -> Scored:
    """The estimates of all scores at each point, in the order of the file."""
    return [(point, list(estimates(each))) for point, each in grouped(lines).items()]


def varying(scores: Scored) -> list[str]:
    """The scores that are not the same at all points and in all runs."""
    means: dict[str, set[float]] = {}
    differ = set[str]()
    for _, each in scores:
        for estimate in each:
            means.setdefault(estimate.score, set()).add(estimate.mean)
            if not estimate.agree:
                differ.add(estimate.score)
    return [score for score in UNITS if score in differ or len(means.get(score, ())) > 1]


def panels_of(lines: Sequence[Line]) -> "list[Panel]":
    """A panel for each score that is not the same everywhere."""
    from ...analysis.figures.sweep import Panel, PointMean

    scores = scored(lines)
    columns = {point: columns_released(each) for point, each in grouped(lines).items()}
    return [
        Panel(
            score,
            UNITS[score],
            [
                PointMean(
                    dict(point),
                    *(estimate.mean, estimate.low, estimate.high),
                    runs=estimate.runs,
                    columns=columns[point],
                )
                for point, each in scores
                for estimate in each
                if estimate.score == score
            ],
        )
        for score in varying(scores)
    ]
