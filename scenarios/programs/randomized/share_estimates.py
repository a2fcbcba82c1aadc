"""Estimated shares with their limits, compared with the truth if it is known.

Intervals cover the true share among the participants with 95 % at least, from the distribution of
the reports.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from msgspec import field

from ....analysis.randomizers import Estimate
from ...serialization.record import Record

ALPHA = 0.05  # probability with which confidence limits may miss the true share
ROUNDED = 1e-9  # limits and shares that differ by less count as equal


class ShareErrors(Record, frozen=True):
    """The errors of several estimated shares, as shares of people, >= 0.

    Attributes:
        largest, mean: the largest and the mean error, over the shares of all values.
    """

    largest: float
    mean: float


class EstimateErrors(ShareErrors, frozen=True):
    """The errors of the estimated shares of one feature.

    Attributes:
        in_errors: the largest ratio of an error to its standard error; estimates with standard
            error 0 are omitted.
        covered: the number of true shares that lie within the 95 % confidence intervals of their
            estimates.
    """

    in_errors: float = field(name="largest_in_standard_errors")
    covered: int = field(name="intervals_that_hold_the_truth")


class Estimated(Record, frozen=True):
    """The share of people with each value: the estimate from reports, and the truth.

    Attributes:
        feature: the name of the feature, or names joined by ` x `.
        reports: the number of reports read.
        outside: the number of texts that do not have the format of a report; they are left out.
        values: the value of each share.
        shares: unbiased estimates.
        errors: standard errors of the estimates.
        low, high: 95 % confidence limits of each share, within 0 to 1.
        projected: the distribution nearest to the estimates, which is biased.
        truth: true shares among the participants; () if they are unknown.
        error: the errors of the shares; None if the truth is unknown.
        nearest: values with reports that have a probability below 2.5 % under every share; both
            limits are then at the nearest end of 0 to 1.
    """

    feature: str
    reports: int
    outside: int
    values: tuple[str, ...]
    shares: tuple[float, ...] = field(name="unbiased")
    errors: tuple[float, ...] = field(name="standard_error")
    low: tuple[float, ...] = field(name="low_95")
    high: tuple[float, ...] = field(name="high_95")
    projected: tuple[float, ...]
    truth: tuple[float, ...]
    error: EstimateErrors | None
    nearest: tuple[str, ...] = ()

    @property
    def missed(self) -> tuple[float, ...]:
        """The absolute error of each estimated share of people; () if the truth is unknown."""
        return missed(self.shares, self.truth) if self.truth else ()

    @property
    def largest_error(self) -> float:
        """The largest absolute error of a share of this feature; nan if the truth is unknown."""
        return self.error.largest if self.error else nan

    @property
    def mean_error(self) -> float:
        """The mean absolute error of the shares of this feature; nan if the truth is unknown."""
        return self.error.mean if self.error else nan

    @property
    def worst_in_errors(self) -> float:
        """The largest ratio of an error to its standard error; nan if the truth is unknown.

        Estimates with standard error 0 are omitted.
        """
        return self.error.in_errors if self.error else nan

    @property
    def covered(self) -> int:
        """The number of true shares within their 95 % intervals; 0 if the truth is unknown."""
        return self.error.covered if self.error else 0


@dataclass(frozen=True, slots=True)
class UntestedEstimate:
    """The estimated shares of a feature, before their comparison with the truth.

    Attributes:
        feature: the name of the feature.
        columns: the indices of its columns.
        values: the domain of the feature.
        reports: the number of reports read.
        outside: the number of texts that do not have the format of a report.
        estimate: the estimated shares, with the variance of each.
    """

    feature: str
    columns: tuple[int, ...]
    values: tuple[str, ...]
    reports: int
    outside: int
    estimate: Estimate


def missed(shares: Sequence[float], truth: Sequence[float]) -> tuple[float, ...]:
    """Return the distance of each share from the true share, >= 0."""
    return tuple(abs(a - b) for a, b in zip(shares, truth, strict=True))


def worst(features: Sequence[Estimated]) -> ShareErrors | None:
    """Return the largest and the mean error over all estimated shares of several features.

    None if the true shares of a feature are unknown.
    """
    if any(not feature.truth for feature in features):
        return None
    every = [miss for feature in features for miss in feature.missed] or [0.0]
    return ShareErrors(max(every), sum(every) / len(every))


def compare(untested: UntestedEstimate, codes: Any, values: Sequence[tuple[str, ...]]) -> Estimated:
    """Compare the estimated shares of a feature with the true shares of the participants.

    codes: indices of the participants' values in the domains, shape (people, features). values: the
    domains.
    """
    sizes = tuple(len(values[column]) for column in untested.columns)
    cells = np.ravel_multi_index(tuple(codes[:, list(untested.columns)].T), sizes)
    truth: Any = np.bincount(cells, minlength=len(untested.values)) / max(1, len(codes))
    return limits(untested, tuple(truth.tolist()))


def limits(untested: UntestedEstimate, truth: tuple[float, ...]) -> Estimated:
    """Return an estimate with 95 % confidence limits of each share, and the nearest distribution.

    truth: the true shares; () if they are unknown.
    """
    estimate = untested.estimate
    interval = estimate.limits(ALPHA)
    low, high = tuple(interval.low.tolist()), tuple(interval.high.tolist())
    shares, errors = tuple(estimate.shares.tolist()), tuple(estimate.errors.tolist())
    return Estimated(
        untested.feature,
        untested.reports,
        untested.outside,
        untested.values,
        shares,
        errors,
        low,
        high,
        tuple(estimate.projected().tolist()),
        truth,
        _errors(shares, errors, truth, (low, high)) if truth else None,
        tuple(untested.values[place] for place in np.flatnonzero(interval.nearest).tolist()),
    )


def _errors(
    shares: Sequence[float],
    errors: Sequence[float],
    truth: Sequence[float],
    ends: tuple[Sequence[float], Sequence[float]],
) -> EstimateErrors:
    """Return the errors of estimated shares, given the true shares.

    errors: standard errors of the shares. ends: their lower and their upper confidence limits.
    """
    misses = missed(shares, truth)
    far = (miss / error for miss, error in zip(misses, errors, strict=True) if error)
    inside = sum(
        a - ROUNDED <= true <= b + ROUNDED
        for a, true, b in zip(ends[0], truth, ends[1], strict=True)
    )
    return EstimateErrors(max(misses), sum(misses) / len(misses), max(far, default=0.0), inside)
