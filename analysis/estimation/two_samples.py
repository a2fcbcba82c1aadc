"""Bounds on a joint exposure for people or populations that were not counted.

Exposed people are in a cell of fewer than k people. The coverage bound needs no thresholds. For ANY
choice of "common" values A_j in every column,

    exposed <= R + (k - 1) (P - max_j H_j),   R = sum_j R_j,  P = prod_j |A_j|,

R_j = people whose value in column j is not in A_j, H_j = common values v of column j with
count_j(v) - (R - R_j) > (k - 1) P / |A_j|. Proof: an exposed person either has a value outside some
A_j (at most R people) or sits in one of the P cells of common values, with at most k - 2 others.
The people of a value v in H_j cannot all be of the second kind in exposed cells: at most R - R_j of
them have a value outside A_i for another column i, the rest sit in P / |A_j| cells and are more
than (k - 1) each; so some cell with v is not exposed, and different v give different cells.

The right side grows in R_j and shrinks in count_j(v). So if the counts of the table in question are
unknown, certified upper ends of R_j and lower ends of count_j(v) suffice, all holding at once with
probability 1 - delta, for any A_j chosen afterwards:

* sets: R_j must hold for a set chosen after looking, so every set A gets its own failure
  probability, in advance, with sum delta/(2 d) per column. In a public domain of V values a set of
  a values gets 1/((V - 1) C(V, a)), in an open domain a! prod_{v in A} m(v)/N / (a (a + 1)) with
  m(v) the people with v among the N pooled ones: sum over all sets of size a of a! prod m(v)/N is
  at most (sum_v m(v)/N)^a = 1, and sum_a 1/(a (a + 1)) = 1. The test is run with the smaller counts
  of round 1 in place of m(v), which only makes it more cautious. Values never seen in round 1 are
  in the complement of A like any other rare value: unseen mass needs no separate treatment.
* values: count_j(v) gets delta/(2 d) times 1/V, or m(v)/N in an open domain.
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

# Most combinations that are all tried of how many frequent values of each column count as "common".
# If there are more, one column at a time is improved; every combination gives a valid bound.
EXHAUSTIVE = 20_000


@dataclass(frozen=True, slots=True)
class StatisticalBound:
    """An upper bound, with a confidence, on the exposure of people that were not counted.

    Attributes:
        value: upper bound on the share of released people that are exposed; in [0, 1].
        people: the bound in whole people.
        released: people in round 2.
        confidence: the probability, over both rounds, that the bound holds.
        rule: the composition rule.
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
    """Certified bounds on the unknown counts of one column, or on its probabilities.

    Attributes:
        sizes: numbers of most frequent values that may be taken as common.
        rare: for each size, the most people (or probability) outside these values.
        lower_ends: for each value, most frequent first, the least people (or probability).
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
    """Bound round 2's joint exposure from round 1's marginals, if the people differ.

    Paper 000, section 7 gives intervals for single columns; this goes through composition (the
    module's docstring has the proof). Assumption: the people of both rounds together are
    exchangeable, as two samples of one population are, with or without replacement. Then given all
    of them, the count of a set of values in round 1 is hypergeometric whatever the population.

    Args:
        marginals: counts of round 1, one array per released column, all with the same total n1.
        k: crowd size, a whole number.
        released: people of round 2, n2 >= 1.
        delta: allowed failure probability, 0 < delta < 1.
        rule: "coverage", or "refined" (k P in place of (k - 1)(P - max H)).
        open_columns: indices of the columns with an open domain: round 2 may hold values that
            `marginals` does not list. None, the safe reading, takes all columns as open; () means
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
    """Return an interval for the joint exposure Q_J(t), t = k/n, of a POPULATION, from n people.

    Q_J(t) is the share of people in a cell of all columns with a smaller share than t. Upper end:
    the
    coverage bound holds for shares as for people, Q_J(t) <= r + t (P - max_j H_j). A_j are the
    values
    of column j taken as common, P is the product of their numbers |A_j|, r the sum of r_j, the
    probability of a value outside A_j, and H_j the number of values with p_j(v) - (r - r_j) >= t P
    /
    |A_j| (an exposed cell holds strictly less than t). The r_j get exact binomial upper limits for
    all
    sets at once and the p_j(v) lower limits, as in the module's docstring. Lower end: Q_J(t) >=
    max_j
    Q_j(t) (the true and trivial lower bound that paper 000, section 6.1 promises) with Theorem 5
    per
    column. Each end may fail with probability delta/2.

    >>> from veilmix.analysis.estimation import joint_exposure_interval
    >>> interval = joint_exposure_interval([[90, 10], [70, 30]], k=15, delta=0.1)
    >>> 0 <= interval.low < interval.estimate < interval.high <= 1
    True

    Args:
        marginals: counts of the sample, one array per column. Domains are listed completely: a
            value that does not occur has 0.
        k: crowd size in the sample's scale; the threshold is t = k/n.
        delta: allowed failure probability, 0 < delta < 1.
        rule: "coverage" or "refined" (H left out).

    Returns:
        The interval; its estimate is the bound at the empirical marginals, without confidence.
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
    """Return certified bounds on round 2's counts of a column, from its counts in round 1.

    Args:
        counts: counts of round 1.
        n2: people of round 2.
        log_share: logarithm of the failure probability of the column.
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
    """Return certified bounds on the probabilities of a column's values in the population.

    counts: counts of the sample. alpha: failure probability of either kind of bound; None: the
    empirical shares, without confidence.
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
    """Return sizes of common sets to try: the ends of runs of equal counts, at most 256.

    ordered: the counts of a column in descending order.
    """
    ends = np.flatnonzero(np.diff(ordered, append=-1)) + 1
    if len(ends) > 256:
        ends = np.unique(ends[np.geomspace(1, len(ends), 256).astype(int) - 1])
    return tuple(int(end) for end in ends)


def _public_weights(ordered: Counts, sizes: tuple[int, ...], _pooled: int) -> Floats:
    """Return the log of 1/((V - 1) C(V, a)) for each size a of a set of common values.

    It is the share of the failure probability that each proper subset of the V values of a public
    domain gets in advance.
    """
    from scipy.special import gammaln

    V, a = len(ordered), np.array(sizes)
    choices: Floats = gammaln(V + 1) - gammaln(a + 1) - gammaln(V - a + 1)
    return -choices - log(max(V - 1, 1))


def _open_weights(ordered: Counts, sizes: tuple[int, ...], pooled: int) -> Floats:
    """Return the log of a! prod m(v)/N / (a (a + 1)) for each size a of a set of common values.

    It is the set's share of the failure probability in an open domain. Round 1's counts, `ordered`,
    stand for m(v), and `pooled` is N.
    """
    from scipy.special import gammaln

    a = np.array(sizes)
    shares = np.cumsum(np.log(ordered / pooled))[a - 1]
    weights: Floats = gammaln(a + 1) + shares - np.log(a) - np.log(a + 1)
    return weights


def _minimum_bound(
    columns: Sequence[_CertifiedColumn], cell: float, rule: Rule, refined_cell: float
) -> tuple[float, tuple[int, ...]]:
    """Return the least bound over the choices of common values, and the choice.

    Args:
        columns: certified bounds on each column.
        cell: the most people (or probability) of an exposed cell, k - 1 or t.
        rule: "coverage" or "refined".
        refined_cell: the factor of P under the refined rule, k or t.
    """

    def bound(choice: tuple[int, ...]) -> float:
        """Return the bound on exposed people for a choice of each column's common values.

        choice: for each column, the index of the number of its common values in `sizes`.
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
    """Yield every choice if they are few; else local minima of `bound` from a few starts.

    A choice is a number below lengths[j] for each column j.
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
