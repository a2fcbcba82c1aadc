"""Upper bound of delta by parts: populations by the numbers of people with each of two values.

The exchange of terms (`any_others.py`) replaces each person's term by a common one. If two values
are about equally wide and lean to opposite sides, one term that stands for both must be wider than
either. But the sum of a population is determined by the number of terms of each kind: so all
populations are cut into parts. In a part at least i terms are the first's and at least j the
second's, and only the other n - i - j are exchanged for X*:

    delta <= (1/n) max over parts of E[(X_1 + .. (i) + Y_1 + .. (j) + X*_1 + .. (n - i - j) + G)_+]

The part with the largest bound is halved repeatedly. X* is widened for few terms, and G may be
narrow: both vanish with the parts.

Terms of other values are exchanged first: for terms of one of the two, or for a mixture of theirs,
a little widened, with a share such that it leans equally. A sum of terms of a mixture is a mixture
of sums, so it is not above the largest population of the two. The pool has at most J terms, except
for a part e^(J - t - J log(J/t)) of all labels, t = n s (Chernoff); they are exchanged for X*.
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

# Shares by which the common term X*, which replaces other people's terms, may be widened, and by
# which the terms of two values that stand for a third value may.
WIDER = (0.0, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.4, 0.8)
A_LITTLE = (0.0, 0.001, 0.002, 0.003, 0.005, 0.008)
# Largest share by which the sum's standard deviation may grow when terms of a third value are
# replaced by terms of two values.
CHEAP = 5e-3
# Most parts into which the populations (people with the first of two values) are divided.
PARTS = 160


@dataclass(frozen=True, slots=True, eq=False)
class Star:
    """A common term X* that may replace other people's terms, beside a smoothing variable G.

    Attributes:
        law: the law of X*.
        wider: share by which it is wider than the widest law of a term.
        sharp: the rate of the Laplace variable G; its scale is 1 / sharp.
    """

    law: Law
    wider: float
    sharp: float


@dataclass(frozen=True, slots=True, eq=False)
class PopulationParts:
    """A bound of delta for each part of all populations: a range of people with the first value.

    Attributes:
        n: people.
        two: the laws of the terms of one value or of two values that stand for all values.
        stars: common terms that may replace any term.
        pooled: largest number of people in the pool, which report by the common law.
        rest: the part of delta of all other labels.
        variance: variance of the wider law of `two`.
    """

    n: int
    two: Sequence[Law]
    stars: Sequence[Star]
    pooled: int
    rest: float
    variance: float = field(init=False)

    def __post_init__(self) -> None:
        """Set the variance of the wider law."""
        object.__setattr__(self, "variance", max(variance_of(law) for law in self.two))

    def bound(self, low: int, high: int) -> float:
        """Return an upper bound of delta for populations with `low` to `high` people.

        These are the people with the first value.
        """
        second = max(0, self.n - self.pooled - high) if len(self.two) > 1 else 0
        counts = [max(0, low - (0 if second else self.pooled)), second]
        free = self.n - sum(counts)

        def cost(star: Star) -> float:
            """Return the relative widening of the sum's deviation that a star costs."""
            return star.wider * free / self.n + 1 / (star.sharp**2 * self.n * self.variance)

        star = min(self.stars, key=cost)
        groups = [(*law, people) for law, people in zip(self.two, counts, strict=False)]
        return groups_at_most([*groups, (*star.law, free)], star.sharp) / self.n + self.rest

    def largest(self, goal: float) -> float:
        """Return an upper bound of delta over all populations, by halving the worst part.

        Parts are halved until the bound is at most `goal`, or there are `PARTS`.
        """
        lowest = 0 if len(self.two) > 1 else self.n
        return largest_of_parts(self.bound, lowest, self.n, goal, PARTS)


def parted_delta(
    case: Neighbours, n: int, epsilon: float, upper_bound: float, goal: float
) -> float:
    """Return an upper bound of delta for two values u and v among n reports; populations unknown.

    The populations of other people are divided into parts by the numbers of people with two values.

    Args:
        case: the privacy blanket (the known part of other people's reports), and the pairs of all
            other people's values; u and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        upper_bound: an upper bound of delta, > 0.
        goal: > 0; below it no sharper bound is searched.

    Returns:
        The bound; infinite if other people's values are not all known, or more than two matter.
    """
    labels = labelled(case, n, epsilon, min(upper_bound, goal))
    if labels is None or (parts := _parts(labels, n, goal)) is None:
        return inf
    return parts.largest(goal)


def _parts(labels: BoundTerms, n: int, goal: float) -> PopulationParts | None:
    """Return the parts for these terms.

    None if more than two values matter, or no star is found.
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
    """Whether two laws are equal, up to rounding."""
    if len(law[0]) != len(second_law[0]):
        return False
    order = [np.lexsort((weights, atoms.round(9))) for atoms, weights in (law, second_law)]
    return all(
        np.allclose(mine[order[0]], its[order[1]], rtol=1e-9, atol=1e-12)
        for mine, its in zip(law, second_law, strict=True)
    )


def _extreme_values(laws: Sequence[Law], n: int) -> tuple[list[Law], float] | None:
    """Return one or two values with terms that stand for all values, and their largest rate L.

    None if more are needed. L is the rate of the Laplace variable that smooths the sum of terms.
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
    """Return two values, a little widened, with a mixture that stands for the third; and their L.

    None if no mixture is found; L is the rate of the Laplace variable that smooths the sum of
    terms.
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
    """Return the third central moment of a law: its lean."""
    atoms, weights = law
    return float(weights @ (atoms - weights @ atoms) ** 3)


def _stars(two: Sequence[Law], laws: Sequence[Law], n: int, sharpest: float) -> list[Star]:
    """Return common terms that may replace all terms: the widest law, widened more and more.

    With two values also a mixture of both laws that leans less, made equally wide.
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
    """Return a limit J of the people in the pool, and a bound, at most `part`, of exceeding it.

    `mean` is the expected number of people in the pool.
    """
    most_pooled = int(np.ceil(mean)) + 1
    while (chance := exp(most_pooled - mean - most_pooled * log(most_pooled / mean))) > part:
        most_pooled += 1
    return most_pooled, chance


def widest_end(case: Neighbours, n: int, epsilon: float) -> float:
    """Return an upper bound of delta if all other people have one value, the worst of them.

    No upper bound over all populations can be far below it.
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
