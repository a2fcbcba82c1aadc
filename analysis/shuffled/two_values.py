"""The exchange of terms in parts: populations by the numbers of people with each of two values.

If two values are about equally wide and lean to opposite sides, one term that stands for both must
be wider than either (`any_others.py`). But the sum of a population is determined by the number of
terms of each kind: so all populations are cut into parts. In a part at least i terms are the
first's and at least j the second's, and only the other n - i - j are exchanged for X*:
first's and at least j the second's, and only the n - i - j others are exchanged for X*:

    delta <= (1/n) max over parts of E[(X_1 + .. (i) + Y_1 + .. (j) + X*_1 + .. (n - i - j) + G)_+]

The part with the largest bound is halved repeatedly. X* is widened for few terms, and G may be
narrow: both vanish with the parts.

Terms of other values are exchanged first: for those of one of the two, or for a mixture of theirs,
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

# Factors by which X* may be widened; and the two values that stand for a third.
WIDER = (0.0, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.4, 0.8)
A_LITTLE = (0.0, 0.001, 0.002, 0.003, 0.005, 0.008)
# Largest share of the deviation that the exchange of a third value may cost.
CHEAP = 5e-3
# Limit of the parts examined.
PARTS = 160


@dataclass(frozen=True, slots=True, eq=False)
class Star:
    """A term that stands for all the rest, beside a G of scale 1 / sharp.

    Attributes:
        law: X*.
        wider: its widening above the widest law.
        sharp: L.
    """

    law: Law
    wider: float
    sharp: float


@dataclass(frozen=True, slots=True, eq=False)
class PopulationParts:
    """All populations of n people, up to exchanges that cost little.

    Attributes:
        n: people.
        two: the laws of one value or of two values.
        stars: laws that stand for all.
        pooled: largest number of people in the pool.
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
        object.__setattr__(self, "variance", max(variance_of(law) for law in self.two))

    def bound(self, low: int, high: int) -> float:
        """Return a bound for populations of low .. high people with the first value."""
        second = max(0, self.n - self.pooled - high) if len(self.two) > 1 else 0
        counts = [max(0, low - (0 if second else self.pooled)), second]
        free = self.n - sum(counts)

        def cost(star: Star) -> float:
            return star.wider * free / self.n + 1 / (star.sharp**2 * self.n * self.variance)

        star = min(self.stars, key=cost)
        groups = [(*law, people) for law, people in zip(self.two, counts, strict=False)]
        return groups_at_most([*groups, (*star.law, free)], star.sharp) / self.n + self.rest

    def largest(self, goal: float) -> float:
        """An upper bound of all; parts are halved until it is at most `goal`, or there are many."""
        lowest = 0 if len(self.two) > 1 else self.n
        return largest_of_parts(self.bound, lowest, self.n, goal, PARTS)


def parted_delta(
    case: Neighbours, n: int, epsilon: float, upper_bound: float, goal: float
) -> float:
    """Return an upper bound of delta for a pair of values among n reports, other values unknown.

    Args:
        case: the blanket and the pairs of all other people's values; u and v may be exchanged.
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
    """Return one or two values that stand for all, and their largest L; else None."""
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
    """Return two values, a little widened, with a mixture that stands for the third; and L."""
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
    atoms, weights = law
    return float(weights @ (atoms - weights @ atoms) ** 3)


def _stars(two: Sequence[Law], laws: Sequence[Law], n: int, sharpest: float) -> list[Star]:
    """Laws that stand for all, wider and wider; from the widest, or a mixture that leans less."""
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
    """J, and a bound, at most `part`, of the probability that more are in the pool."""
    most_pooled = int(np.ceil(mean)) + 1
    while (chance := exp(most_pooled - mean - most_pooled * log(most_pooled / mean))) > part:
        most_pooled += 1
    return most_pooled, chance


def widest_end(case: Neighbours, n: int, epsilon: float) -> float:
    """Return about the delta of the worst crowd of one value: a limit for upper bounds."""
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
