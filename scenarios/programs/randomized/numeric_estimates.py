"""Numbers that reports estimate besides shares: means, sums, quantiles, people in ranges.

Each is a `Measure` of its randomizer, compared with its true value among the participants.
Intervals are 95 % at least, from the law of the reports; a biased estimate is marked as such.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....analysis.randomizers import Measure
from ....protocol.wire.messages import Counts
from ...serialization.record import Record
from ..noisy_questions import Question
from .encoding import tally
from .share_estimates import ALPHA, ROUNDED


class Measured(Record, frozen=True):
    """A number estimated from reports, with its 95 % limits and its true value.

    Attributes:
        name: the name of the number, such as mean.
        estimate: the estimate from the reports.
        standard_error: the standard error of the estimate.
        low_95: the lower 95 % confidence limit of the number.
        high_95: the upper 95 % confidence limit of the number.
        truth: among the participants.
        biased: whether its expectation differs from the truth.
        nearest: whether every possible truth gives such reports a probability below 2.5 %; both
            limits are then at the nearest end of the range.
    """

    name: str
    estimate: float
    standard_error: float
    low_95: float
    high_95: float
    truth: float
    biased: bool
    nearest: bool = False

    @property
    def is_held(self) -> bool:
        """Whether the truth is within the 95 % confidence limits, up to rounding."""
        rounded = ROUNDED * max(1.0, abs(self.truth))
        return self.low_95 - rounded <= self.truth <= self.high_95 + rounded


class MeasuredFeature(Record, frozen=True):
    """The numbers besides shares that reports about a feature estimate.

    Attributes:
        feature: the name of the feature.
        reports: the number of reports read.
        outside: the number of texts that are no report.
        values: the domain of the feature.
        measures: the numbers, each with its truth.
    """

    feature: str
    reports: int
    outside: int
    values: tuple[str, ...]
    measures: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class UntestedMeasures:
    """The estimated numbers of a feature, before their comparison with the truth.

    Attributes:
        feature: the name of the feature.
        column: the number of the column.
        values: the values of the domain.
        reports: the number of reports read.
        outside: the number of texts that are no report.
        measures: the estimated numbers.
    """

    feature: str
    column: int
    values: tuple[str, ...]
    reports: int
    outside: int
    measures: tuple[Measure, ...]


def measures(question: Question, counts: Counts) -> UntestedMeasures | None:
    """Analyst: estimate the numbers of a question from its reports; None if it has no numbers."""
    symbol_tally = tally(question.randomizer, question.domain, counts)
    if not symbol_tally.people:
        return None
    measures = question.randomizer.measures(symbol_tally.supporting, symbol_tally.people)
    if not measures:
        return None
    column, domain = question.columns[0], question.domain
    return UntestedMeasures(
        question.name, column, domain, symbol_tally.people, symbol_tally.outside, measures
    )


def compare_with_truth(
    untested: UntestedMeasures, truth: Callable[[int, Measure], float]
) -> MeasuredFeature:
    """Return the estimated numbers with their limits and true values.

    truth: returns the true value of a number, by its place and the number itself.
    """
    rows = []
    for place, number in enumerate(untested.measures):
        interval = number.limits(ALPHA)
        rows.append(
            Measured(
                number.name,
                number.value,
                number.error,
                float(interval.low[0]),
                float(interval.high[0]),
                truth(place, number),
                number.biased,
                bool(interval.nearest[0]),
            )
        )
    return MeasuredFeature(
        untested.feature, untested.reports, untested.outside, untested.values, tuple(rows)
    )


def against(untested: UntestedMeasures, codes: Any) -> MeasuredFeature:
    """Compare the estimated numbers with the true values of the participants.

    codes: the places of their values in the domains, shape (people, features).
    """
    count = np.bincount(codes[:, untested.column], minlength=len(untested.values))
    shares = count / max(1, len(codes))
    return compare_with_truth(untested, lambda _, number: number.truth(shares))
