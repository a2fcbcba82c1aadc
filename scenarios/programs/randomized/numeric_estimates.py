"""Numbers other than shares that reports estimate: means, sums, quantiles, people in ranges.

Each is a `Measure` of the randomizer, compared with the true value among the participants.
Intervals cover the truth with 95 % at least, from the distribution of the reports. A biased
estimate is marked as biased.
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
        truth: the true number among the participants.
        biased: whether the expectation of the estimate differs from the truth.
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
    """The numbers of a feature, such as its mean, estimated from reports, with their true values.

    Shares of people with each value are in other records.

    Attributes:
        feature: the name of the feature.
        reports: the number of reports read.
        outside: the number of texts that do not have the format of a report.
        values: the domain of the feature.
        measures: the estimated numbers, each with its true value.
    """

    feature: str
    reports: int
    outside: int
    values: tuple[str, ...]
    measures: tuple[Measured, ...]


@dataclass(frozen=True, slots=True)
class UntestedMeasures:
    """The estimated numbers of a feature, such as its mean, before comparison with the truth.

    Attributes:
        feature: the name of the feature.
        column: the index of the column.
        values: the values of the domain.
        reports: the number of reports read.
        outside: the number of texts that do not have the format of a report.
        measures: the estimated numbers.
    """

    feature: str
    column: int
    values: tuple[str, ...]
    reports: int
    outside: int
    measures: tuple[Measure, ...]


def measures(question: Question, counts: Counts) -> UntestedMeasures | None:
    """Analyst: estimate numbers such as the mean of a feature from the reports to a question.

    The result is not yet compared with the true numbers. None without readable reports, or if the
    mechanism estimates no numbers other than shares. counts: how often each text was received.
    """
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
    """Return the estimated numbers of a feature with their limits and true values.

    truth: returns the true value of an estimated number, from its index and its `Measure`.
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
    """Compare the estimated numbers of a feature with the true numbers of the participants.

    codes: indices of the participants' values in the domains, shape (people, features).
    """
    count = np.bincount(codes[:, untested.column], minlength=len(untested.values))
    shares = count / max(1, len(codes))
    return compare_with_truth(untested, lambda _, number: number.truth(shares))
