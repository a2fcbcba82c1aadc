"""Values found from reports about a feature without a list of values, and their true shares.

Intervals cover a share with 95 % at least, if the value is not chosen by its estimate: values that
are just frequent enough to be found are overestimated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ....analysis.randomizers import FoundValues, PrefixReports
from ....protocol.wire.messages import Counts
from ...serialization.record import Record
from ..noisy_questions import Question
from .encoding import read


class FoundShare(Record, frozen=True):
    """A value that reports reveal, with its estimated share.

    Attributes:
        value: the text.
        unbiased: estimated share of people, unbiased for a value not chosen by its estimate.
        standard_error: the standard error of the estimate.
        low_95, high_95: 95 % confidence limits of the share.
        truth: share among the participants; 0 if no participant has the value.
    """

    value: str
    unbiased: float
    standard_error: float
    low_95: float
    high_95: float
    truth: float


class FoundFeature(Record, frozen=True):
    """The values of an open feature (a feature without a list of values) that reports reveal.

    Attributes:
        feature: the name of the feature.
        reports: the number of reports read.
        outside: the number of texts that do not have the format of a report.
        values: the true values, which no analyst knows.
        found: the revealed values, the largest estimate first.
        tested: the number of texts that were tested.
        false_at_most: upper bound on the expected number of found values that no person has.
        least_share: a value of at least this share of people is missed with probability 5 % at
            most; None if there is no such bound.
        false: the number of found values that no participant has.
        missed: the number of values of at least the least share that were not found.
    """

    feature: str
    reports: int
    outside: int
    values: tuple[str, ...]
    found: tuple[FoundShare, ...]
    tested: int
    false_at_most: float
    least_share: float | None
    false: int
    missed: int


@dataclass(frozen=True, slots=True)
class UntestedFound:
    """The values found for a feature without a list of values, before comparison with the truth.

    Attributes:
        feature: the name of the feature.
        column: the index of the column.
        values: the true values, in the order of their codes.
        reports: the number of reports read.
        outside: the number of texts that do not have the format of a report.
        found_values: the found values with their estimated shares.
    """

    feature: str
    column: int
    values: tuple[str, ...]
    reports: int
    outside: int
    found_values: FoundValues


def searched(question: Question, counts: Counts) -> UntestedFound | None:
    """Analyst: find the frequent values in the reports to a question without a list of values.

    None if the question's mechanism finds no values, or no report was readable. counts: how often
    each text was received.
    """
    if not question.randomizer.finds:
        return None
    parts = list(read(question.randomizer, counts))
    if not parts:
        return None
    reports = PrefixReports.joined(parts)
    values = question.randomizer.find(reports)
    outside = sum(counts.values()) - len(reports)
    name, column = question.name, question.columns[0]
    return UntestedFound(name, column, question.domain, len(reports), outside, values)


def against(untested: UntestedFound, codes: Any) -> FoundFeature:
    """Compare found values with the true values of the participants.

    codes: indices of the participants' values in the domains, shape (people, features).
    """
    count = np.bincount(codes[:, untested.column], minlength=len(untested.values))
    shares = (count / max(1, len(codes))).tolist()
    truth = {text: share for text, share in zip(untested.values, shares, strict=True) if share > 0}
    min_share = untested.found_values.least_share
    found_texts = {value.text for value in untested.found_values.values}
    missed = sum(share >= min_share and text not in found_texts for text, share in truth.items())
    return compare_with_truth(
        untested, [truth.get(value.text, 0.0) for value in untested.found_values.values], missed
    )


def compare_with_truth(
    untested: UntestedFound, truth: Sequence[float], missed: int
) -> FoundFeature:
    """Return the found values with their true shares.

    truth: the true share of each found value. missed: the number of frequent values not found.
    """
    values = untested.found_values
    shares = tuple(
        FoundShare(value.text, value.share, value.error, value.low, value.high, true)
        for value, true in zip(values.values, truth, strict=True)
    )
    return FoundFeature(
        untested.feature,
        untested.reports,
        untested.outside,
        untested.values,
        shares,
        values.tested,
        values.false_finds,
        values.least_share if isfinite(values.least_share) else None,
        sum(not true for true in truth),
        missed,
    )
