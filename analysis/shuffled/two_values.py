"""The exchange of terms in parts: populations by how many people have each of two values.

Where two values are about as wide and lean to opposite sides, one term that stands for both must be
wider than either (`any_others.py`). But the sum of a population is known as soon as one knows how
many terms are of which: so all populations are cut into parts. In a part at least i terms are the
first's and at least j the second's, and only the n - i - j others are exchanged for X*:

    delta <= (1/n) max over parts of E[(X_1 + .. (i) + Y_1 + .. (j) + X*_1 + .. (n - i - j) + G)_+]

The part with the largest bound is halved, again and again. X* is widened for few terms, and G may
be narrow: both vanish with the parts.

Terms of other values are exchanged first: for those of one of the two, or for a mixture of theirs,
a little widened, whose share is such that it leans as much. A sum of terms of a mixture is a
mixture of sums, so it is not above the largest population of the two. Of the pool at most J terms
are there, but for a part e^(J - t - J log(J/t)) of all labels, t = n s (Chernoff); they are
exchanged for X*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, inf, log, sqrt

import numpy as np

from ..randomizers.neighbour_laws import Neighbours
from ..validation import Floats
from .any_others import (
    RARE,
    Labels,
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

# How much wider X* may be made; how much the two values to stand for a third one.
WIDER = (0.0, 0.001, 0.002, 0.004, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.4, 0.8)
A_LITTLE = (0.0, 0.001, 0.002, 0.003, 0.005, 0.008)
# What the exchange of a third value may cost of the deviation.
CHEAP = 5e-3
# Parts that are looked at, at most.
PARTS = 160


@dataclass(frozen=True, slots=True, eq=False)
class Star:
    """A term that stands for all others beside a G of scale 1 / sharp.

    Attributes:
        law: X*.
        wider: how much wider than the widest.
        sharp: L.
    """

    law: Law
    wider: float
    sharp: float


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """All populations of n people, up to exchanges that cost little.

    Attributes:
        n: people.
        two: the laws of one or two values.
        stars: laws that stand for all.
        pooled: people in the pool at most.
        rest: the part of delta of all other labels.
        variance: of the wider law of `two`.
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
        """For populations of low .. high people with the first value."""
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


def parted_delta(case: Neighbours, n: int, epsilon: float, known: float, goal: float) -> float:
    """An upper bound of delta for a pair of values among n reports, others of any values.

    Args:
        case: the blanket and the pairs of all values of the others; u and v may be exchanged.
        n: reports, >= 1.
        epsilon: nats, > 0.
        known: an upper bound of delta, > 0.
        goal: > 0; below it no better bound is looked for.

    Returns:
        The bound; infinite where the values of the others are not all known, or more than two of
        them matter.
    """
    labels = labelled(case, n, epsilon, min(known, goal))
    if labels is None or (parts := _parts(labels, n, goal)) is None:
        return inf
    return parts.largest(goal)


def _parts(labels: Labels, n: int, goal: float) -> Parts | None:
    laws: list[Law] = []
    for law in labels.values:
        if not any(_one(law, other) for other in laws):
            laws.append(law)
    laws.sort(key=lambda law: -at_most(law[0], law[1], n, FINE))
    if (parts := _two_of(laws, n)) is None:
        return None
    two, sharp = parts
    pooled, beyond = _most_pooled(n * labels.share, RARE * goal)
    stars = _stars(two, [*two, *labels.values, *labels.pool], n, sharp)
    if not stars or pooled >= n:
        return None
    return Parts(n, two, stars, pooled, labels.rare + beyond)


def _one(law: Law, other: Law) -> bool:
    """Whether two laws are one, but for rounding."""
    if len(law[0]) != len(other[0]):
        return False
    order = [np.lexsort((weights, atoms.round(9))) for atoms, weights in (law, other)]
    return all(
        np.allclose(mine[order[0]], its[order[1]], rtol=1e-9, atol=1e-12)
        for mine, its in zip(law, other, strict=True)
    )


def _two_of(laws: Sequence[Law], n: int) -> tuple[list[Law], float] | None:
    """One or two values that stand for all, and the largest L of it; None: there are none."""
    kept, sharp = [laws[0]], inf
    least = 1 / sqrt(CHEAP * n * max(variance_of(law) for law in laws))
    for law in laws[1:]:
        known = [
            sharpness
            for triple in kept
            if (sharpness := largest_sharpness(triple, [law], n)) is not None
        ]
        if known and max(known) >= least:
            sharp = min(sharp, max(known))
        else:
            kept.append(law)
    if len(kept) < 3:
        return kept, sharp
    mixed = None if len(kept) > 3 else _mixed(kept, n)
    if mixed is None or mixed[1] < least:
        return None
    return mixed[0], min(sharp, mixed[1])


def _mixed(three: Sequence[Law], n: int) -> tuple[list[Law], float] | None:
    """Two values, a little widened, of which a mixture stands for the third; and L."""
    best: tuple[list[Law], float] | None = None
    third = [_third(law) for law in three]
    for i in range(3):
        first, other = (j for j in range(3) if j != i)
        share = (third[i] - third[other]) / (third[first] - third[other])
        if not 0 <= share <= 1:
            continue
        for wider in A_LITTLE:
            two = [spread_by(three[first], wider), spread_by(three[other], wider)]
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


def _most_pooled(mean: float, part: float) -> tuple[int, float]:
    """J, and a bound, at most `part`, of the probability that more are in the pool."""
    most = int(np.ceil(mean)) + 1
    while (chance := exp(most - mean - most * log(most / mean))) > part:
        most += 1
    return most, chance


def widest_end(case: Neighbours, n: int, epsilon: float) -> float:
    """About the delta of others of one value, of the worst one: what a bound may come down to."""
    _, pairs = case
    atoms: list[tuple[Floats, Floats]] = [
        (own - exp(epsilon) * other, pair.law)
        for pair in pairs
        for own, other in ((pair.own, pair.other), (pair.other, pair.own))
    ]
    return max(at_most(law, weights, n, FINE) for law, weights in atoms) / n
