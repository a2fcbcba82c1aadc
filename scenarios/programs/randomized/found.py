"""Values that reports find in an open domain, held against what people have.

What is found comes from the reports alone; nobody lists values. Intervals are 95 % at least, of a
value that was not chosen by its estimate: those that were just found are overestimated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from ....analysis.randomizers import FoundValues, PrefixReports
from ....protocol.messages import Counts
from ...serialization.record import Record
from ...wording import Grid
from .encoding import read
from .questions import Question

ROWS = 24  # of a table


class FoundShare(Record, frozen=True):
    """A value that was found.

    Attributes:
        value: the text.
        unbiased: share of people, were it not chosen by its estimate.
        standard_error: its standard error.
        low_95, high_95: 95 % limits.
        truth: among the people who took part; 0 where nobody has it.
    """

    value: str
    unbiased: float
    standard_error: float
    low_95: float
    high_95: float
    truth: float


class FoundFeature(Record, frozen=True):
    """What the reports about an open feature find.

    Attributes:
        feature: its name.
        reports: those that were read.
        outside: texts that are no report.
        values: what people have, which no analyst knows.
        found: the largest estimate first.
        tested: texts that were tested.
        false_at_most: expected number of values found that nobody has, at most.
        least_share: a value of at least this share of people is missed with probability 5 % at
            most; None where nothing is promised.
        false: values found that nobody who took part has.
        missed: values of at least the least share that were not found.
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
    """The same before anybody compares it with the truth.

    Attributes:
        feature: its name.
        column: its number.
        values: that people have, as their codes are.
        reports: those that were read.
        outside: texts that are no report.
        found: values that nobody listed, with their shares.
    """

    feature: str
    column: int
    values: tuple[str, ...]
    reports: int
    outside: int
    found: FoundValues


def searched(question: Question, counts: Counts) -> UntestedFound | None:
    """Analyst: the values that the reports to one question find; None where they find none."""
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
    """Hold what was found against the people who took part. codes: theirs, n x d."""
    count = np.bincount(codes[:, untested.column], minlength=len(untested.values))
    shares = (count / max(1, len(codes))).tolist()
    truth = {text: share for text, share in zip(untested.values, shares, strict=True) if share > 0}
    least = untested.found.least_share
    known = {value.text for value in untested.found.values}
    missed = sum(share >= least and text not in known for text, share in truth.items())
    return held(untested, [truth.get(value.text, 0.0) for value in untested.found.values], missed)


def held(untested: UntestedFound, truth: Sequence[float], missed: int) -> FoundFeature:
    """Put the truth beside what was found. truth: of each value found."""
    values = untested.found
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


def grid(shown: Sequence[FoundFeature]) -> Grid:
    """All values that were found, with their limits."""
    rows = [
        (feature.feature if place == 0 else "", *row)
        for feature in shown
        for place, row in enumerate(rows_of(feature)[:ROWS])
    ]
    headings = ("feature", "found", "estimate", "95 % from", "to", "truth")
    return Grid(headings, rows, (2, 3, 4, 5))


def rows_of(feature: FoundFeature) -> list[tuple[str, ...]]:
    """A row for each value found; one that says so where none was."""
    rows = [
        (
            value.value,
            *(
                f"{100 * share:.1f} %"
                for share in (value.unbiased, value.low_95, value.high_95, value.truth)
            ),
        )
        for value in feature.found
    ]
    return rows or [("nothing", "", "", "", "")]


def promised(feature: FoundFeature) -> str:
    """What may have been missed, and what may be false, in a sentence."""
    false = f"at most {feature.false_at_most:.2g} values are expected that nobody has"
    if feature.least_share is None:
        return f"no value is certain to be found, however many have it; {false}"
    least = f"{100 * feature.least_share:.3g} %"
    return f"a value of {least} of people or more is missed with probability 5 % at most; {false}"
