"""The divergence of genuine from impostor scores, estimated by nearest neighbours.

A score compares a released sequence with a person. It is genuine if the person is the owner of the
sequence, otherwise impostor. The estimate uses n genuine scores x_i, m impostor scores and k
neighbours (Q. Wang, S. Kulkarni and S. Verdu, 2009; paper 003 uses it, Section 5.1):

    D = (1/n) sum over i of log( v_k(i) / r_k(i) ) + log( m / (n - 1) )

r_k(i) is the distance from x_i to its k-th nearest other genuine score, v_k(i) to its k-th nearest
impostor score. Scores are numbers, so the k nearest are found among neighbours in sorted order.

Ties. Scores of few events repeat, and then the distances reflect rounding instead of density;
adding noise would hide that. If any x_i has a neighbour at distance 0 (up to rounding), all terms
are those of the generalized estimator. It draws an interval of radius max(r_j, v_k), j =
max(k, 10), around x_i. The interval holds a other genuine scores, the farthest at distance r, and
b impostor scores, the farthest at distance v. With the digamma function psi the term is

    psi(a) - psi(b) + log( v / r )        without the last summand if v or r is 0

It has the same expectation if there are densities, and is the ratio of frequencies where single
scores have positive probability. (With j = 1 the estimate of rounded scores was 0.4 bits too low,
because the rounding, not the density, set the radius. With j = 10 it is within 0.1 bits.)

If genuine scores lie beyond all impostor scores, no impostor score is near them, and the estimate
is too low: by 1.5 of 11.5 bits for Gaussian scores four deviations apart, 1,000 genuine and 20,000
impostor scores. It has no interval; `divergence_bound.py` bounds D from below.

D is the attacker's information if there were infinitely many people (Theorem 3.2). For n people the
scores have at most log n about the person, and D may be far above: `system_entropy.py` estimates
the information for n people.
"""

from __future__ import annotations

from math import log

import numpy as np
import numpy.typing as npt

from ...validation import Floats, whole
from .error_tradeoff import as_scores

# Scores that differ by less than this, relative to the largest score, are equal up to rounding.
ROUNDING = 1e-12
# If scores tie, the distances of the nearest scores are 0 up to rounding. So the interval in which
# scores are counted then reaches at least to the genuine neighbour of this rank.
TIED = 10


def score_divergence(genuine: npt.ArrayLike, impostor: npt.ArrayLike, neighbours: int = 1) -> float:
    """Return the nearest-neighbour estimate of D(genuine || impostor), in bits.

    Takes two sorts and O((n + m) + n k) more.

    Args:
        genuine: scores of sequences against their own person, shape (n,), n > neighbours.
        impostor: scores of sequences against other people, shape (m,), m >= neighbours.
        neighbours: k >= 1, the rank of the neighbour that gives the distance, 1 for the nearest.

    Returns:
        Bits; asymptotically unbiased where both have densities or atoms. Not a lower bound on the
        information about one of finitely many people (PIE).
    """
    k = whole(neighbours, "neighbours", 1)
    genuine_scores = np.sort(as_scores(genuine, "genuine", k + 1))
    impostor_scores = np.sort(as_scores(impostor, "impostor", k))
    return sorted_divergence(genuine_scores, impostor_scores, k)[0] / log(2)


def sorted_divergence(genuine: Floats, impostor: Floats, k: int) -> tuple[float, int]:
    """Return an estimate of D(genuine || impostor), and the number of genuine scores with a tie.

    D is the Kullback-Leibler divergence of the scores' distributions; the estimate is in nats.

    genuine, impostor: sorted scores of sequences against their own person and against other people.
    k: the rank of the neighbour that gives the distance, 1 for the nearest.
    """
    n, m = len(genuine), len(impostor)
    inner = kth_distance(genuine, genuine, np.arange(n), k, skip=1)
    outer = kth_distance(genuine, impostor, np.searchsorted(impostor, genuine), k, skip=0)
    rounding_error = ROUNDING * float(
        max(np.abs(genuine[[0, -1]]).max(), np.abs(impostor[[0, -1]]).max())
    )
    tied = int(np.count_nonzero(np.minimum(inner, outer) <= rounding_error))
    if tied:
        wide = kth_distance(genuine, genuine, np.arange(n), min(max(k, TIED), n - 1), skip=1)
        terms = _generalized(
            genuine, impostor, np.maximum(wide, outer) + rounding_error, rounding_error
        )
    else:
        terms = np.log(outer / inner)
    return float(terms.mean()) + log(m / (n - 1)), tied


def kth_distance(
    at: Floats, among: Floats, place: npt.NDArray[np.intp], k: int, skip: int
) -> Floats:
    """Return the distance from each at[i] to its k-th nearest neighbour among the sorted `among`.

    place: for each at[i] the number of entries of `among` that are smaller, shape (len(at),).
    k: the rank of the neighbour, from 1.
    skip: entries of `among` left out from place[i] on: 1 if `at` is `among`, so that no score is
    its own neighbour, else 0.
    """
    padded = np.concatenate([np.full(k, -np.inf), among, np.full(k, np.inf)])
    best = np.full(len(at), np.inf)
    for below in range(k + 1):
        # The k neighbours are `below` entries on the left and the rest on the right. The distance
        # to the k-th nearest is that to the farther end.
        reach = np.zeros(len(at))
        if below:
            reach = at - padded[place + k - below]
        if k - below:
            reach = np.maximum(reach, padded[place + k + skip + (k - below) - 1] - at)
        best = np.minimum(best, reach)
    return best


def _generalized(
    genuine_scores: Floats, impostor_scores: Floats, radius: Floats, rounding_error: float
) -> Floats:
    """Return each genuine score's term of the divergence estimated from nearest scores, in nats.

    The estimate compares how many genuine and how many impostor scores are near each genuine score.
    This form allows equal scores.

    genuine_scores, impostor_scores: sorted scores.
    radius: half the width of the interval around each genuine score, in which scores are counted.
    rounding_error: distances up to this count as 0.
    """
    from scipy.special import digamma

    low, high = genuine_scores - radius, genuine_scores + radius
    a, r = _ball(genuine_scores, genuine_scores, low, high)
    b, v = _ball(genuine_scores, impostor_scores, low, high)
    # The interval around a score holds the score itself, so it holds a - 1 other genuine scores.
    terms = np.asarray(digamma(np.maximum(a - 1, 1)) - digamma(np.maximum(b, 1)))
    is_distinct = (r > rounding_error) & (v > rounding_error)
    terms[is_distinct] += np.log(v[is_distinct] / r[is_distinct])
    return terms


def _ball(
    at: Floats, candidates: Floats, low: Floats, high: Floats
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the number of `candidates` in [low, high], and their largest distance from `at`.

    All are arrays with an entry for each score, except `candidates`, a sorted list.
    """
    first, end = np.searchsorted(candidates, low), np.searchsorted(candidates, high, "right")
    farthest = np.maximum(
        at - candidates[np.minimum(first, len(candidates) - 1)], candidates[end - 1] - at
    )
    return (end - first).astype(np.int64), farthest
