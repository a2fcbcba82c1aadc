"""Bounds on the exposure of all columns together, for people or populations that were not counted.

Exposed people are in a cell of fewer than k people. The coverage bound holds for ANY choice of a
set A_j of "common" values in every column j:

    exposed <= R + (k - 1) (P - max_j H_j),   R = sum_j R_j,  P = prod_j |A_j|.

R_j is the number of people without a common value in column j. H_j is the number of common
values v of column j with count_j(v) - (R - R_j) > (k - 1) P / |A_j|.

Proof: an exposed person either has a value outside some A_j (at most R people), or is in one of the
P cells of common values, with at most k - 2 other people. Take a value v counted in H_j. At most R
- R_j of its people have an uncommon value in another column. The rest are in P / |A_j| cells, and
are more than k - 1 people per cell. So some cell with v is not exposed, and different v give
different cells.

The right side grows with R_j and falls with count_j(v). So if the counts of the table are unknown,
upper limits of R_j and lower limits of count_j(v) suffice. All limits hold at once with probability
1 - delta, for d columns and for any A_j chosen after round 1:

* Limits of R_j. The set A_j is chosen after looking at the data, so every set gets its own failure
  probability in advance. They add up to delta/(2 d) per column. In a public domain of V values a
  set of a values gets the share 1/((V - 1) C(V, a)). In an open domain, a set A of a values gets a!
  prod_{v in A} m(v)/N / (a (a + 1)), with m(v) the people with v among the N people of both rounds.
  Over all sets of size a, a! prod m(v)/N adds up to at most (sum_v m(v)/N)^a = 1, and sum_a 1/(a (a
  + 1)) = 1. The smaller counts of round 1 are used in place of m(v), which makes the limits only
  more cautious. Values that round 1 did not see are outside A like any rare value, so they need no
  separate treatment.
* Limits of count_j(v). Each gets delta/(2 d) times 1/V, or times m(v)/N in an open domain.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, log, prod
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, as_marginals, open_unit, whole
from .confidence import Interval, clopper_pearson, exposure_interval
from .hypergeometric import max_unseen, min_certain

Rule = Literal["coverage", "refined"]

# A choice says, for each column, how many of its most frequent values count as "common". Up to this
# number of choices all are tried; if there are more, one column at a time is improved. Every choice
# gives a valid bound, so a search that misses the best choice makes the bound only larger.
EXHAUSTIVE = 20_000


@dataclass(frozen=True, slots=True)
class StatisticalBound:
    """An upper bound, with a confidence, on the exposure of people that were not counted.

    The people of round 1 were counted, and the bound is about other people, in round 2. A person is
    exposed if fewer than k people share its values.

    Attributes:
        value: upper bound on the share of released people that are exposed; in [0, 1].
        people: the bound in whole people.
        released: people in round 2.
        confidence: the probability, over both rounds, that the bound holds.
        rule: the formula of the bound, "coverage" or "refined".
        common: per column, the number of its most frequent values taken as common (not rare).
        rare: per column, upper bound on the people of round 2 with any other value.
    """

    value: float
    people: int
    released: int
    confidence: float
    rule: str
    common: tuple[int, ...]
    rare: tuple[int, ...]

    def __str__(self) -> str:
        """Return the bound on exposed people and its confidence in a sentence."""
        return (
            f"at most {self.people} of {self.released} people exposed ({self.value:.4f}) "
            f"with confidence {self.confidence:g} ({self.rule}, statistical setting)"
        )


@dataclass(frozen=True, slots=True)
class _CertifiedColumn:
    """Bounds, with a confidence, on the unknown counts of one column, or on its probabilities.

    Attributes:
        sizes: possible numbers of most frequent values that count as common (not rare).
        rare: for each size, upper bound on the people (or probability) outside the common values.
        lower_ends: for each value, most frequent first, lower bound on its people (or probability).
    """

    sizes: tuple[int, ...]
    rare: Floats
    lower_ends: Floats


def statistical_bound(
    marginals: Sequence[npt.ArrayLike],
    k: int,
    released: int,
    delta: float,
    rule: Rule = "coverage",
    *,
    open_columns: Collection[int] | None = None,
) -> StatisticalBound:
    """Bound the exposure of other people in round 2 from the column counts of round 1.

    The exposure is that of all columns together. Paper 000, section 7, gives intervals for single
    columns; here limits for every column are put into a bound for the combination (the module's
    docstring has the proof). Assumption: the people of both rounds together are exchangeable, as
    two samples of one population are, with or without replacement. Then, given all these people,
    the count of a set of values in round 1 is hypergeometric, whatever the population.

    Args:
        marginals: counts of round 1, one array per released column, all with the same total n1.
        k: people in the smallest safe crowd, a whole number.
        released: people of round 2, n2 >= 1.
        delta: allowed failure probability, 0 < delta < 1.
        rule: "coverage", or "refined", a simpler bound: the people with a rare value in some
            column, plus k times the number of cells of common values.
        open_columns: indices of the columns with an open domain: round 2 may hold values that
            `marginals` does not list. None, the safe choice, takes all columns as open; () means
            that every domain is public and listed completely, zeros included.

    Raises:
        ParameterError: an argument out of range.
    """
    columns, delta = as_marginals(marginals), open_unit(delta, "delta")
    k, released = whole(k, "k", 0), whole(released, "released", 1)
    _check_rule(rule)
    opened = set(range(len(columns)) if open_columns is None else open_columns)
    if not opened <= set(range(len(columns))):
        raise ParameterError(
            f"open_columns: found {sorted(opened)}; needs column numbers of 0 to {len(columns) - 1}"
        )
    share = log(delta / (2 * len(columns)))
    certified = [
        _certify_people(counts, released, share, is_open=j in opened)
        for j, counts in enumerate(columns)
    ]
    best, choice = _minimum_bound(certified, max(k - 1, 0), rule, k)
    people = min(released, floor(best)) if k >= 2 else 0
    common = tuple(column.sizes[i] for column, i in zip(certified, choice, strict=True))
    rare = tuple(int(column.rare[i]) for column, i in zip(certified, choice, strict=True))
    return StatisticalBound(people / released, people, released, 1 - delta, rule, common, rare)


def joint_exposure_interval(
    marginals: Sequence[npt.ArrayLike], k: int, delta: float, rule: Rule = "coverage"
) -> Interval:
    """Return an interval for the joint exposure of a POPULATION, from column counts of n people.

    The joint exposure Q_J(t) is the share of the population in cells of all columns with a share
    below t = k/n. Each end of the interval may fail with probability delta/2.

    Upper end: in each column j some values are common, the set A_j. Let r_j be the probability of
    all other values, r the sum of all r_j, and P the product of the numbers |A_j|. H_j is the
    number of common values with probability above r - r_j + t P / |A_j|. Then Q_J(t) <= r + t (P -
    max_j H_j). The proof is that of the coverage bound for people. Exact binomial limits replace
    the unknown r_j and probabilities of values.

    Lower end: the joint exposes at least the people that any single column exposes (paper 000,
    section 6.1). Theorem 5 of paper 000 gives a lower limit for each column; the largest is taken.

    >>> from veilmix.analysis.estimation import joint_exposure_interval
    >>> interval = joint_exposure_interval([[90, 10], [70, 30]], k=15, delta=0.1)
    >>> 0 <= interval.low < interval.estimate < interval.high <= 1
    True

    Args:
        marginals: counts of the sample, one array per column. Domains are listed completely: a
            value that does not occur has 0.
        k: people in the smallest safe crowd of the sample; the threshold is t = k/n.
        delta: allowed failure probability, 0 < delta < 1.
        rule: "coverage" or "refined" (every H_j is taken as 0).

    Returns:
        The interval. Its estimate is the upper bound computed with the sample's shares, without
        confidence.
    """
    columns, delta = as_marginals(marginals), open_unit(delta, "delta")
    k, d = whole(k, "k", 0), len(columns)
    _check_rule(rule)
    n = int(columns[0].sum())
    t = k / n
    ends = [exposure_interval(counts, k, delta / (2 * d), "counted") for counts in columns]
    sure = [_certify_shares(counts, delta / (4 * d)) for counts in columns]
    shares = [_certify_shares(counts, None) for counts in columns]
    high, plug_in = (min(1.0, _minimum_bound(c, t, rule, t)[0]) for c in (sure, shares))
    low = max(end.low for end in ends)
    if k == 0:
        high = plug_in = 0.0
    elif k > n:
        low = high = plug_in = 1.0
    return Interval(f"Q_J({k}/{n}), {d} columns", plug_in, low, high, 1 - delta, rule)


def _certify_people(
    counts: Counts, n2: int, log_share: float, *, is_open: bool
) -> _CertifiedColumn:
    """Return bounds, with a confidence, on round 2's counts of a column, from round 1's counts.

    Args:
        counts: counts of round 1.
        n2: people of round 2.
        log_share: logarithm of the failure probability of each kind of bound: of the people with
            rare values, and of the people of each value.
        is_open: whether round 2 may hold values that round 1 does not list.
    """
    ordered = -np.sort(-counts[counts > 0] if is_open else -counts)
    n1, V = int(counts.sum()), len(ordered)
    sizes = _breakpoints(ordered)
    weigh = _open_weights if is_open else _public_weights
    log_alpha = log_share + weigh(ordered, sizes, n1 + n2)
    outside = np.array([int(ordered[a:].sum()) for a in sizes])
    rare = max_unseen(outside, n1, n2, log_alpha)
    if not is_open:
        rare[np.array(sizes) == V] = 0
    per_value = np.log(np.maximum(ordered, 1) / (n1 + n2)) if is_open else np.full(V, -log(V))
    certain_counts = min_certain(ordered, n1, n2, log_share + per_value)
    return _CertifiedColumn((0, *sizes), np.r_[float(n2), rare], certain_counts.astype(np.float64))


def _certify_shares(counts: Counts, alpha: float | None) -> _CertifiedColumn:
    """Return bounds, with a confidence, on the probabilities of a column's values.

    Args:
        counts: counts of the sample.
        alpha: failure probability of each kind of bound: of the probability of all rare values, and
            of each value's probability. None: the sample's shares, without confidence.
    """
    ordered = -np.sort(-counts)
    n, V = int(counts.sum()), len(ordered)
    sizes = _breakpoints(ordered)
    outside = np.array([int(ordered[a:].sum()) for a in sizes])
    if alpha is None:
        rare, shares = outside / n, ordered / n
    else:
        weights = np.exp(_public_weights(ordered, sizes, n))
        rare = np.array(
            [clopper_pearson(b, n, alpha * w)[1] for b, w in zip(outside, weights, strict=True)]
        )
        rare[np.array(sizes) == V] = 0.0
        shares = clopper_pearson(ordered, n, alpha / V)[0]
    return _CertifiedColumn((0, *sizes), np.r_[1.0, rare], shares)


def _breakpoints(ordered: Counts) -> tuple[int, ...]:
    """Return the numbers of most frequent values that are tried as a column's common values.

    Values with equal counts are common together or not at all. At most 256 numbers are returned,
    evenly spread in their logarithm.

    ordered: the counts of a column in descending order.
    """
    ends = np.flatnonzero(np.diff(ordered, append=-1)) + 1
    if len(ends) > 256:
        ends = np.unique(ends[np.geomspace(1, len(ends), 256).astype(int) - 1])
    return tuple(int(end) for end in ends)


def _public_weights(ordered: Counts, sizes: tuple[int, ...], _pooled: int) -> Floats:
    """Return the log of each value set's share of the failure probability, in a public domain.

    The set of common values is chosen after looking at the data, so every proper subset of the V
    values gets a share in advance: 1/((V - 1) C(V, a)) for a subset of a values.

    Args:
        ordered: the counts of the V values, zeros included.
        sizes: the sizes a.
        _pooled: not used; `_open_weights` has the same parameter.
    """
    from scipy.special import gammaln

    V, a = len(ordered), np.array(sizes)
    choices: Floats = gammaln(V + 1) - gammaln(a + 1) - gammaln(V - a + 1)
    return -choices - log(max(V - 1, 1))


def _open_weights(ordered: Counts, sizes: tuple[int, ...], pooled: int) -> Floats:
    """Return the log of each value set's share of the failure probability, in an open domain.

    The set of common values is chosen after looking at the data, so every set A gets a share in
    advance: a! prod_{v in A} m(v)/N / (a (a + 1)) for a values. m(v) are the people with value v
    among the N people of both rounds.

    Args:
        ordered: round 1's counts in descending order; the smaller counts stand for m(v). The set of
            each size has the most frequent values.
        sizes: the sizes a.
        pooled: N.
    """
    from scipy.special import gammaln

    a = np.array(sizes)
    shares = np.cumsum(np.log(ordered / pooled))[a - 1]
    weights: Floats = gammaln(a + 1) + shares - np.log(a) - np.log(a + 1)
    return weights


def _minimum_bound(
    columns: Sequence[_CertifiedColumn], cell: float, rule: Rule, refined_cell: float
) -> tuple[float, tuple[int, ...]]:
    """Return the least bound on exposed people over choices of each column's common values.

    With the choice it returns, for each column, the index of the chosen number of common values.

    Args:
        columns: bounds on the counts (or probabilities) of each column.
        cell: the most people (or probability) of an exposed cell, k - 1 or t.
        rule: "coverage" or "refined".
        refined_cell: the people (or probability) added for each cell of common values under the
            rule "refined", k or t.
    """

    def bound(choice: tuple[int, ...]) -> float:
        """Return the bound on exposed people (or probability) for a choice of common values.

        choice: for each column, the index of its number of common values in `sizes`.
        """
        rare = [float(c.rare[i]) for c, i in zip(columns, choice, strict=True)]
        sizes = [c.sizes[i] for c, i in zip(columns, choice, strict=True)]
        cells = prod(sizes)
        if rule == "refined" or cells == 0:
            return sum(rare) + refined_cell * cells
        forced = (
            int((c.lower_ends[:a] - (sum(rare) - r) > cell * cells / a).sum())
            for c, r, a in zip(columns, rare, sizes, strict=True)
        )
        return sum(rare) + cell * (cells - max(forced))

    choices = _choices([len(c.sizes) for c in columns], bound)
    return min((bound(choice), choice) for choice in choices)


def _choices(
    lengths: Sequence[int], bound: Callable[[tuple[int, ...]], float]
) -> Iterator[tuple[int, ...]]:
    """Yield every choice of common values if there are few; else local minima of `bound`.

    A choice says, for each column, how many of its most frequent values are common. The local
    minima are searched from a few starts, by changes of a single column.

    Args:
        lengths: for each column, the number of its options; a choice is an option's index per
            column.
        bound: the bound on exposed people for a choice.
    """
    if prod(lengths) <= EXHAUSTIVE:
        yield from product(*map(range, lengths))
        return
    for start in (0.25, 0.5, 0.75, 1.0):
        choice = tuple(ceil(start * (length - 1)) for length in lengths)
        previous = None
        while choice != previous:
            previous = choice
            for j, length in enumerate(lengths):
                moves = [(*choice[:j], i, *choice[j + 1 :]) for i in range(length)]
                choice = min(moves, key=bound)
        yield choice


def _check_rule(rule: str) -> None:
    """Raise ParameterError unless the rule is "coverage" or "refined"."""
    if rule not in ("coverage", "refined"):
        raise ParameterError(f"rule: found {rule!r}; needs 'coverage' or 'refined'")
