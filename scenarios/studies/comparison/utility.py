"""The utility of a release for the analyst, computed alike for every release program.

The analyst knows the schema, the release, and the marginals if the scenario publishes them.
"""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any

import numpy as np

from ....analysis.scoring.release_utility import PairErrors, ReleasedRows, entropy_of, pair_errors
from ....analysis.suppression.cell_patterns import BLANK, Pattern
from ....protocol.wire.hiding_rules import Hiding, Mask, Redact
from ....protocol.wire.messages import Counts
from .case import Case
from .result import Utility


def released(case: Case, counts: Counts | None, columns: Sequence[int]) -> ReleasedRows:
    """Return a release with values as codes, from a release with values as texts.

    counts: combination of values -> people. columns: the released columns. A text outside the
    domain is a suppressed value.
    """
    places = [{text: code for code, text in enumerate(case.people.values[j])} for j in columns]
    width = len(case.sizes)
    patterns: dict[Pattern, int] = {}
    for texts, people in (counts or {}).items():
        row = [BLANK] * width
        for column, place, text in zip(columns, places, texts, strict=True):
            row[column] = place.get(text, BLANK)
        patterns[tuple(row)] = patterns.get(tuple(row), 0) + people
    return ReleasedRows.from_counts(patterns, width)


def utility(case: Case, release: ReleasedRows, hidden: Sequence[Hiding] = ()) -> Utility:
    """Return the utility of a release of rows.

    hidden: the rules by which people suppress values.
    """
    codes = case.codes()
    errors = pair_errors(
        codes, case.sizes, release, _published_marginals(case), left_blank(case, hidden)
    )
    return Utility(
        names(case, release.columns),
        release.cells / (case.n * len(case.sizes)),
        release.entropy,
        entropy_of(codes) if len(codes) else 0.0,
        len(errors.pairs),
        comb(len(release.columns), 2),
        errors.mean,
        errors.largest,
    )


def left_blank(case: Case, hidden: Sequence[Hiding]) -> dict[int, list[float]]:
    """Return, for each column with a suppression rule, each value's probability of suppression.

    hidden: the rules by which people suppress values.
    """
    chances = {}
    for rule in hidden:
        texts = case.people.values[rule.column]
        match rule:
            case Redact(values=values, rate=rate):
                chances[rule.column] = [1.0 if text in values else rate for text in texts]
            case Mask(named_values=named_values):
                chances[rule.column] = [float(text not in named_values) for text in texts]
    return chances


def empty_utility(case: Case) -> Utility:
    """Return the utility of an empty release."""
    return utility(case, ReleasedRows.from_counts({}, len(case.sizes)))


def estimated(
    case: Case, draws: Sequence[PairErrors], leakage: float, columns: Sequence[int]
) -> Utility:
    """Return the utility of noisy estimates, averaged over draws of the noise.

    draws: the errors of the two-way tables, by draw. leakage: bits of a person's reports about its
    row. columns: the columns that the reports are about.
    """
    means = np.array([draw.mean for draw in draws])
    largest = np.array([draw.largest for draw in draws])
    return Utility(
        names(case, columns),
        0.0,
        leakage,
        entropy_of(case.codes()),
        len(draws[0].pairs),
        len(draws[0].pairs),
        float(means.mean()),
        float(largest.mean()),
        _limits(means),
        _limits(largest),
        len(draws),
    )


def names(case: Case, columns: Sequence[int]) -> tuple[str, ...]:
    """Return the names of some columns of the people's table. columns: the indices, from 0."""
    return tuple(case.people.schema.names[column] for column in columns)


def _limits(values: Any) -> tuple[float, float]:
    """Return the 2.5 % and 97.5 % quantiles of values, the limits of an interval of 95 %."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def _published_marginals(case: Case) -> Mapping[int, Sequence[float]]:
    """Return the share of each value, by column; {} if the scenario does not publish counts."""
    if not case.scenario.policy.publish_marginals or not len(case.codes()):
        return {}
    codes = case.codes()
    return {
        column: (np.bincount(codes[:, column], minlength=size) / len(codes)).tolist()
        for column, size in enumerate(case.sizes)
    }
