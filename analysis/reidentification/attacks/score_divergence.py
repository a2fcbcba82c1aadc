"""The divergence of genuine from impostor scores, estimated by nearest neighbours.

By sorting, without a tree. For n genuine scores x and m impostor scores, one dimension, k
neighbours (Q. Wang, S. Kulkarni and S. Verdu, 2009; paper 003 uses their estimators, Section 5.1):

    D = (1/n) sum over i of log( v_k(i) / r_k(i) ) + log( m / (n - 1) )

r_k(i): distance from x_i to its k-th nearest other genuine score; v_k(i): to its k-th nearest
impostor score. In one dimension the k nearest are k neighbours in sorted order.

Ties. Scores of few events repeat, and then the distances reflect rounding instead of density;
adding noise would hide that. If any x_i has a neighbour at distance 0 (up to rounding), all terms
are those of the generalized estimator: the ball of radius max(r_j, v_k), j = max(k, 10), around x_i
holds a other genuine scores, the farthest at distance r, and b impostor scores, the farthest at
distance v;

    psi(a) - psi(b) + log( v / r )        psi the digamma function; the last term if v, r > 0

which has the same expectation if there are densities, and is the ratio of frequencies at atoms.
(With j = 1 and scores rounded so that neighbours are a few steps apart it would be 0.4 bits low,
because the step, not the density, would set the radius; with j = 10 it is within 0.1.)

If genuine scores lie beyond all impostor scores, they cannot be compared, and the estimate falls
short: by 1.5 of 11.5 bits for Gaussian scores four deviations apart, 1,000 genuine and 20,000
impostor scores. It has no interval; `divergence_bound.py` bounds D from below.

D is the attacker's information if there were infinitely many people (Theorem 3.2). For n people
I(U; S) is at most log n, and D may be far above it: `system_entropy.py` has the value for n.
"""

from __future__ import annotations

from math import log

import numpy as np
import numpy.typing as npt

from ...validation import Floats, whole
from .error_tradeoff import as_scores

# Scores this close, relative to the largest, are equal up to rounding.
ROUNDING = 1e-12
# Number of genuine neighbours that set the radius if scores tie.
TIED = 10


def score_divergence(genuine: npt.ArrayLike, impostor: npt.ArrayLike, neighbours: int = 1) -> float:
    """Return the nearest-neighbour estimate of D(genuine || impostor), in bits.

    Takes two sorts and O((n + m) + n k) more.

    Args:
        genuine: scores of the same person, shape (n,), n > neighbours.
        impostor: scores of different people, shape (m,), m >= neighbours.
        neighbours: k >= 1.

    Returns:
        Bits; asymptotically unbiased where both have densities or atoms. Not a lower bound on the
        PIE of finitely many people.
    """
    k = whole(neighbours, "neighbours", 1)
    genuine_scores = np.sort(as_scores(genuine, "genuine", k + 1))
    impostor_scores = np.sort(as_scores(impostor, "impostor", k))
    return sorted_divergence(genuine_scores, impostor_scores, k)[0] / log(2)


def sorted_divergence(genuine: Floats, impostor: Floats, k: int) -> tuple[float, int]:
    """Return D(genuine || impostor) in nats, and the genuine scores with a neighbour at distance 0.

    Both lists of scores must be sorted.
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

    place[i]: the number of entries of `among` on the left; the `skip` entries from there on are
    left out (1 where a score is compared with its own list).
    """
    padded = np.concatenate([np.full(k, -np.inf), among, np.full(k, np.inf)])
    best = np.full(len(at), np.inf)
    for below in range(k + 1):
        # The k neighbours are `below` on the left and the rest on the right; the farthest counts.
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
    """Return the terms of the generalized estimator, which allows ties, for each genuine score."""
    from scipy.special import digamma

    low, high = genuine_scores - radius, genuine_scores + radius
    a, r = _ball(genuine_scores, genuine_scores, low, high)
    b, v = _ball(genuine_scores, impostor_scores, low, high)
    # The score itself is in its ball, so a - 1 other genuine scores are.
    terms = np.asarray(digamma(np.maximum(a - 1, 1)) - digamma(np.maximum(b, 1)))
    is_distinct = (r > rounding_error) & (v > rounding_error)
    terms[is_distinct] += np.log(v[is_distinct] / r[is_distinct])
    return terms


def _ball(
    at: Floats, candidates: Floats, low: Floats, high: Floats
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the number of `candidates` in [low, high], and their largest distance from `at`."""
    first, end = np.searchsorted(candidates, low), np.searchsorted(candidates, high, "right")
    farthest = np.maximum(
        at - candidates[np.minimum(first, len(candidates) - 1)], candidates[end - 1] - at
    )
    return (end - first).astype(np.int64), farthest
