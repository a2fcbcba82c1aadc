"""Upper bound of delta after shuffling, if two values among other people matter most.

Bound (2) of `any_others.py` is (1/n) E[(sum of n independent summands, plus G)_+]. Each of n people
has a summand, whose distribution depends on the person's value, and G is a Laplace variable that
smooths the sum. That bound replaces every summand by one common summand X*, of a spread at least
that of any value. It is not sharp if the summands of two values are about equally wide and skewed
to opposite sides.

Here the data sets of the n people are divided into parts: ranges of the number of people with the
first of the two values. Let X be a summand of the first value, Y of the second. In a part at least
i summands are X and at least j are Y. Only the other n - i - j are replaced by X*:

    delta <= (1/n) max over parts of E[(X_1 + .. (i) + Y_1 + .. (j) + X*_1 + .. (n - i - j) + G)_+]

The part with the largest bound is halved repeatedly. X* must be widened and G added only for the
few summands that are replaced, so their cost falls with the size of the part.

Summands of a third value are replaced first. The replacement is a summand of one of the two values,
or of a mixture of both, slightly widened and of equal skewness. A sum of mixture summands is a
mixture of sums, so its bound is at most that of the worst data set of the two values.

With probability s a person reports by a common distribution, regardless of the value; these people
are the pool. The pool has at most J people, except with probability e^(J - t - J log(J/t)), t = n s
(Chernoff), which is added to the bound. Their summands are replaced by X*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, inf, log, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours
from ..validation import Floats
from .any_others import (
    RARE,
    BoundTerms,
    Law,
    labelled,
    largest_sharpness,
    mixed_with,
    spread_by,
    variance_of,
)
from .group_sums import groups_at_most
from .iid_sums import at_most
from .pair_bounds import FINE
from .parts import largest_of_parts

# In a bound on delta, each person adds a random summand to a sum. A common summand X* replaces
# other people's summands, and summands of two values replace summands of a third value. A replacing
# summand must be wide enough. WIDER: shares by which X* may be widened. A_LITTLE: shares by which
# summands of the two values may be widened.
WIDER = (0.0, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.4, 0.8)
A_LITTLE = (0.0, 0.001, 0.002, 0.003, 0.005, 0.008)
# The bound on delta is an expectation of a sum of one random summand per person. Summands of a
# third value may be replaced by summands of two values only if the Laplace variable that this needs
# widens the sum's standard deviation by at most this share.
CHEAP = 5e-3
# Most ranges of the number of people with the first of two values. The search bounds delta in each
# range, and ends after so many.
PARTS = 160


@dataclass(frozen=True, slots=True, eq=False)
class Star:
    """A common random summand X* that may replace the summand of any person in a bound on delta.

    Attributes:
        law: the distribution of X*.
        wider: share by which X* is wider than the widest summand of a value.
        sharp: rate of the Laplace variable that must be added to the sum; its scale is 1 / sharp.
    """

    law: Law
    wider: float
    sharp: float


@dataclass(frozen=True, slots=True, eq=False)
class PopulationParts:
    """Bounds of delta for data sets divided by the number of people with the first of two values.

    The bound is an expectation of a sum with one random summand for each person; the distribution
    of the summand depends on the person's value.

    Attributes:
        n: people.
        two: distributions of the summands of one or two values; summands of other values are
            replaced by these.
        stars: common summands that may replace the summand of any person.
        pooled: largest number of people in the pool, which report independently of their value.
        rest: the part of delta from an empty pool or a pool of more than `pooled` people.
        variance: the larger variance of the distributions in `two`.
    """

    n: int
    two: Sequence[Law]
    stars: Sequence[Star]
    pooled: int
    rest: float
    variance: float = field(init=False)

    def __post_init__(self) -> None:
        """Set `variance`, the larger variance of the two values' summands."""
        object.__setattr__(self, "variance", max(variance_of(law) for law in self.two))

    def bound(self, low: int, high: int) -> float:
        """Return an upper bound of delta if `low` to `high` people have the first of two values."""
        second = max(0, self.n - self.pooled - high) if len(self.two) > 1 else 0
        counts = [max(0, low - (0 if second else self.pooled)), second]
        free = self.n - sum(counts)

        def cost(star: Star) -> float:
            """Return the relative increase of the sum's standard deviation by a common summand.

            The sum has a random summand for each person. `star`, the common summand, replaces the
            summands of `free` people, and is wider. A Laplace variable also widens the sum.
            """
            return star.wider * free / self.n + 1 / (star.sharp**2 * self.n * self.variance)

        star = min(self.stars, key=cost)
        groups = [(*law, people) for law, people in zip(self.two, counts, strict=False)]
        return groups_at_most([*groups, (*star.law, free)], star.sharp) / self.n + self.rest

    def largest(self, goal: float) -> float:
        """Return an upper bound of delta for any number of people with the first of two values.

        The range of this number with the largest bound is halved repeatedly. The search ends if the
        bound is at most `goal`, or if `PARTS` ranges are bounded.
        """
        lowest = 0 if len(self.two) > 1 else self.n
        return largest_of_parts(self.bound, lowest, self.n, goal, PARTS)


def parted_delta(
    case: Neighbours, n: int, epsilon: float, upper_bound: float, goal: float
) -> float:
    """Return an upper bound of delta for two values u and v of one person among n reports.

    The bound holds for all values of other people. The possible data sets of other people are
    divided by the number of people with each of the two values that matter most.

    Args:
        case: report distributions relative to the privacy blanket (the distribution that a report
            has with some probability, for any value), and relative to each value of other people; u
            and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        upper_bound: an upper bound of delta, > 0.
        goal: > 0; below it no sharper bound is searched.

    Returns:
        The bound; infinite if other people's values are not all known, or if more than two matter.
    """
    labels = labelled(case, n, epsilon, min(upper_bound, goal))
    if labels is None or (parts := _parts(labels, n, goal)) is None:
        return inf
    return parts.largest(goal)


def _parts(labels: BoundTerms, n: int, goal: float) -> PopulationParts | None:
    """Return the division of all data sets by the number of people with the first of two values.

    None if more than two values matter, or if no common summand can replace all.

    Args:
        labels: the random summands of a bound on delta: for each value, and for reports that do not
            depend on the value.
        n: people.
        goal: the delta at which the search may end.
    """
    laws: list[Law] = []
    for law in labels.values:
        if not any(_are_equal_laws(law, second) for second in laws):
            laws.append(law)
    laws.sort(key=lambda law: -at_most(law[0], law[1], n, FINE))
    if (parts := _extreme_values(laws, n)) is None:
        return None
    two, sharp = parts
    pooled, beyond = _pool_limit(n * labels.share, RARE * goal)
    stars = _stars(two, [*two, *labels.values, *labels.pool], n, sharp)
    if not stars or pooled >= n:
        return None
    return PopulationParts(n, two, stars, pooled, labels.rare + beyond)


def _are_equal_laws(law: Law, second_law: Law) -> bool:
    """Whether two distributions are equal, up to rounding and the order of their values.

    A distribution is given as an array of values and an array of their probabilities.
    """
    if len(law[0]) != len(second_law[0]):
        return False
    order = [np.lexsort((weights, atoms.round(9))) for atoms, weights in (law, second_law)]
    return all(
        np.allclose(mine[order[0]], its[order[1]], rtol=1e-9, atol=1e-12)
        for mine, its in zip(law, second_law, strict=True)
    )


def _extreme_values(laws: Sequence[Law], n: int) -> tuple[list[Law], float] | None:
    """Return one or two summand distributions that can replace all distributions, and a rate.

    In a bound on delta, each of n people adds a random summand, whose distribution depends on the
    person's value. A replacement is valid if a Laplace variable of at most this rate is added to
    the sum. None if more than two distributions are needed.

    Args:
        laws: the different distributions of summands.
        n: number of summands.
    """
    kept_laws, sharp = [laws[0]], inf
    least_sharpness = 1 / sqrt(CHEAP * n * max(variance_of(law) for law in laws))
    for law in laws[1:]:
        sharpness_values = [
            sharpness
            for triple in kept_laws
            if (sharpness := largest_sharpness(triple, [law], n)) is not None
        ]
        if sharpness_values and max(sharpness_values) >= least_sharpness:
            sharp = min(sharp, max(sharpness_values))
        else:
            kept_laws.append(law)
    if len(kept_laws) < 3:
        return kept_laws, sharp
    mixed = None if len(kept_laws) > 3 else _mixed(kept_laws, n)
    if mixed is None or mixed[1] < least_sharpness:
        return None
    return mixed[0], min(sharp, mixed[1])


def _mixed(three: Sequence[Law], n: int) -> tuple[list[Law], float] | None:
    """Return two of three distributions, slightly widened, whose mixture can replace the third.

    In a bound on delta, each of n people adds a random summand from one of these distributions. The
    second result is the largest rate of a Laplace variable, added to the sum, at which the
    replacement is valid. None if no mixture is found.
    """
    best: tuple[list[Law], float] | None = None
    third = [_third(law) for law in three]
    for i in range(3):
        first, last_place = (j for j in range(3) if j != i)
        share = (third[i] - third[last_place]) / (third[first] - third[last_place])
        if not 0 <= share <= 1:
            continue
        for wider in A_LITTLE:
            two = [spread_by(three[first], wider), spread_by(three[last_place], wider)]
            atoms = np.concatenate([two[0][0], two[1][0]])
            weights = np.concatenate([share * two[0][1], (1 - share) * two[1][1]])
            sharp = largest_sharpness((atoms, weights), [three[i]], n)
            if sharp is not None and (best is None or sharp > best[1]):
                best = two, sharp
    return best


def _third(law: Law) -> float:
    """Return the third central moment of a distribution, a measure of skewness."""
    atoms, weights = law
    return float(weights @ (atoms - weights @ atoms) ** 3)


def _stars(two: Sequence[Law], laws: Sequence[Law], n: int, sharpest: float) -> list[Star]:
    """Return common distributions that may replace the distribution of every summand.

    In a bound on delta, each of n people adds a random summand. The results are the widest
    distribution, widened by several shares. With two values, a mixture of both with less skewness,
    made equally wide, is widened too.

    Args:
        two: distributions of the summands of one or two values.
        laws: all distributions that are to be replaced.
        n: number of summands.
        sharpest: largest rate of the Laplace variable added to the sum.
    """
    widest = max(laws, key=variance_of)
    forms = [widest]
    if len(two) > 1:
        mixed = mixed_with(two[0], two[1], 0.5)
        forms.append(spread_by(mixed, sqrt(variance_of(widest) / variance_of(mixed)) - 1))
    stars = []
    for form in forms:
        for wider in WIDER:
            law = spread_by(form, wider)
            sharp = largest_sharpness(law, list(laws), n)
            if sharp is not None:
                stars.append(Star(law, wider, min(sharp, sharpest)))
    return stars


def _pool_limit(mean: float, part: float) -> tuple[int, float]:
    """Return a limit J of the people in the pool, and a bound of the probability of exceeding J.

    People in the pool report independently of their value. `mean` is their expected number, `part`
    the largest probability accepted.
    """
    most_pooled = int(np.ceil(mean)) + 1
    while (chance := exp(most_pooled - mean - most_pooled * log(most_pooled / mean))) > part:
        most_pooled += 1
    return most_pooled, chance


def widest_end(case: Neighbours, n: int, epsilon: float) -> float:
    """Return an upper bound of delta if all other people have one value, the worst of their values.

    No upper bound that holds for all values of other people can be far below this.

    Args:
        case: report distributions of the doubted person's two values, relative to the privacy
            blanket and to each value of other people.
        n: reports.
        epsilon: nats.
    """
    _, pairs = case
    atoms: list[tuple[Floats, Floats]] = [
        (own_ratio - exp(epsilon) * other_ratio, pair.law)
        for pair in pairs
        for own_ratio, other_ratio in (
            (pair.u_ratios, pair.v_ratios),
            (pair.v_ratios, pair.u_ratios),
        )
    ]
    return max(at_most(law, weights, n, FINE) for law, weights in atoms) / n
