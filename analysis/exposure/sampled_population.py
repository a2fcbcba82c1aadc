"""Crowds in a population, estimated from a sample with sampling weights.

A sampling weight is the number of people of the population that a person of the sample stands for.
A cell (people with equal values) has f people in the sample, with weights that add up to s. Its
crowd F, the number of people in the population, is modelled as negative binomial with the parameter
p = f / s (Benedetti and Franconi 1998):

    P(F = h | f) = C(h - 1, f - 1) p^f (1 - p)^(h - f),   h = f, f + 1, ...

An attacker that knows the population, and not that its target is in the sample, names the right
person with probability 1 / F. Its mean is the individual risk r(f) = E(1 / F | f) (Franconi and
Polettini 2004, also in mu-Argus), with a closed form by the hypergeometric function 2F1:

    r(f) = (p / f) 2F1(1, 1; f + 1; q),   q = 1 - p,   x = p / q
    r(1) = x log(1 / p),   r(f + 1) = x (1 / f - r(f))

The recursion in the second line is stable for x < 1, that is q > 1/2. For q <= 1/2, or many people,
the series of 2F1 is summed. If the weights sum to less than f, p = 1 and F = f.

An attacker that links all people of the sample has f / F right matches per cell, added up over the
cells. The mean is exact; the 95 % interval comes from seeded random draws of all F. Both hold under
the model only: it assumes that the people of a cell were sampled independently, with the
probabilities that their weights give.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import whole
from .attacker_risk import Attacker, PopulationEstimate, Risk
from .counts import Integers
from .equivalence_classes import Crowds

Floats = NDArray[np.float64]
SEED = 0
DRAWS, LEAST_DRAWS = 1_000, 200
# limit of the cells times draws of a population, because each draw needs a random number per cell;
# a table with more cells gets fewer draws, but at least LEAST_DRAWS
NUMBERS = 30_000_000
# number of terms of the hypergeometric series for the mean of 1 / F, F the people of a cell in the
# population. The remainder is below 2^-60 for q <= 1/2, or for cells of more than TERMS people in
# the sample; q is one minus the share of the cell's people that is in the sample.
TERMS = 64
# Cells of at most this number of people in the sample get the mean of 1 / F by a recursion instead
# of the series if q is above 1/2; q is one minus the share of the cell's people that is in the
# sample.
RECURSIVE = 64
# weights with a mean below 1 + NORMALIZED are scaled to count the sample, not the population
NORMALIZED = 1e-6


def individual_risk(people: ArrayLike, weights: ArrayLike) -> Floats:
    """Return the mean of 1 / F for each cell of a sample, F its people in the population.

    It is the probability, above 0 and at most 1, with which an attacker that knows the population
    names the right person.

    Args:
        people: for each cell, its people in the sample, at least 1, shape (cells,).
        weights: for each cell, the sum of their sampling weights, above 0, shape (cells,).
    """
    f = np.asarray(people, np.float64)
    s = np.asarray(weights, np.float64)
    if f.shape != s.shape or (f.size and (f.min() < 1 or not s.min() > 0)):
        raise ParameterError(
            "people, weights: at least one person, and weights above 0, for each cell are accepted"
        )
    p = np.minimum(1.0, f / s)
    q = np.maximum(0.0, s - f) / s
    risk = np.empty_like(f)
    recursive = (q > 0.5) & (f <= RECURSIVE)
    risk[recursive] = _by_recursion(f[recursive], p[recursive], q[recursive])
    risk[~recursive] = _by_series(f[~recursive], p[~recursive], q[~recursive])
    return risk


def _by_recursion(f: Floats, p: Floats, q: Floats) -> Floats:
    """Return the mean of 1 / F for each cell, F its people in the population, by recursion in f.

    Args:
        f: for each cell, its people in the sample.
        p: for each cell, the estimated share of its people that is in the sample.
        q: 1 - p for each cell; the recursion is stable for q > 1/2.
    """
    x = p / q
    risk = -x * np.log(p)
    for people in range(1, int(f.max(initial=1))):
        further = f > people
        risk[further] = x[further] * (1 / people - risk[further])
    return risk


def _by_series(f: Floats, p: Floats, q: Floats) -> Floats:
    """Return the mean of 1 / F for each cell, F its people in the population, by summing a series.

    Args:
        f: for each cell, its people in the sample.
        p: for each cell, the estimated share of its people that is in the sample.
        q: 1 - p for each cell; the sum is exact enough for q <= 1/2, or for many people.
    """
    term, total = np.ones_like(f), np.ones_like(f)
    for n in range(TERMS):
        term = term * (q * (n + 1) / (f + n + 1))
        total += term
    return p / f * total


def sampled_risk(cells: Integers, weights: ArrayLike, k: int) -> Risk:
    """Return the re-identification risk of the people of a sample that has sampling weights.

    The risks of the journalist and the marketer are estimated for the population.

    Args:
        cells: for each person, the number of its cell (equal values), from 0 without gaps; shape
            (n,).
        weights: for each person, the number of people of the population that it stands for; shape
            (n,), finite, above 0, and more than 1 on average unless all are 1.
        k: people in the smallest safe crowd, an integer of at least 1.

    Raises:
        ParameterError: the weights are not n such numbers.
    """
    if whole(k, "k") < 1:
        raise ParameterError(f"k: found {k}; an integer of at least 1 is accepted")
    checked_weights = _checked(cells, weights)
    people = np.bincount(cells).astype(np.int64)
    sums = np.bincount(cells, weights=checked_weights)
    risks, n = individual_risk(people, sums), len(cells)
    largest = float(risks.max())
    mean = min(largest, float((risks * people).sum() / n))
    above = float(people[risks * k > 1].sum() / n)
    sample_crowds = Crowds.from_cells(people)
    inverse = Attacker(
        1 / sample_crowds.smallest, len(people) / n, sample_crowds.users_below(k) / n
    )
    low, high, draws = _interval(people, sums)
    total = float(checked_weights.sum())
    estimate = PopulationEstimate(total, low / n, high / n, draws, SEED)
    return Risk(k, total / n, inverse, Attacker(largest, mean, above), estimate)


def _checked(cells: Integers, weights: ArrayLike) -> Floats:
    """Return sampling weights as floats; ParameterError unless they can count the population.

    They must be one finite number above 0 for each person, with a mean above 1 unless all are 1.

    cells: the cell of each person.
    """
    numbers = np.asarray(weights, np.float64)
    if numbers.shape != np.shape(cells) or not numbers.size:
        raise ParameterError(
            f"weights: found shape {numbers.shape} for {len(cells):,} people; one for each is "
            "accepted"
        )
    if not np.isfinite(numbers).all() or numbers.min() <= 0:
        raise ParameterError(
            "weights: found a weight that is not above 0, or infinite; needs finite weights above 0"
        )
    mean = float(numbers.mean())
    if mean < 1 + NORMALIZED and (numbers != 1).any():
        raise ParameterError(
            f"weights: their mean is {mean:.4g}, so they are scaled to the sample and do not count "
            "the population; needs the number of people that each person stands for"
        )
    return numbers


def _interval(people: Integers, sums: NDArray[Any]) -> tuple[float, float, int]:
    """Return the 95 % interval of the people linked correctly, and the number of random draws.

    An attacker links all people of the sample to the population at random within their cells (equal
    values). Each draw gives the people of every cell in the population.

    Args:
        people: for each cell, its people in the sample.
        sums: for each cell, the sum of their sampling weights.
    """
    rng = np.random.default_rng(SEED)
    p = np.minimum(1.0, people / sums)
    is_unique = people == 1
    draws = int(np.clip(NUMBERS // len(people), LEAST_DRAWS, DRAWS))
    matches = np.empty(draws)
    for i in range(draws):
        single = 1 / rng.geometric(p[is_unique])
        crowds = people[~is_unique] + rng.negative_binomial(people[~is_unique], p[~is_unique])
        matches[i] = single.sum() + (people[~is_unique] / crowds).sum()
    low, high = np.quantile(matches, [0.025, 0.975])
    return float(low), float(high), draws
