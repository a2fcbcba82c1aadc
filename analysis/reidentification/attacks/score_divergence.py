"""The divergence of genuine from impostor scores by nearest neighbours, sorted, without a tree.

For n genuine scores x and m impostor scores, one dimension, k neighbours (Q. Wang, S. Kulkarni and
S. Verdu, 2009, whose estimators paper 003 uses, Section 5.1):

    D = (1/n) sum over i of log( v_k(i) / r_k(i) ) + log( m / (n - 1) )

r_k(i): distance from x_i to its k-th nearest other genuine score; v_k(i): to its k-th nearest
impostor score. In one dimension the k nearest are k neighbours in sorted order.

Ties. Scores of few events repeat, and then the distances speak of rounding instead of density;
adding noise would hide that. Where any x_i has a neighbour at distance 0 (up to rounding), all
terms are those of the generalized estimator: the ball of radius max(r_j, v_k), j = max(k, 10),
around x_i holds a other genuine scores, the farthest at distance r, and b impostor scores, the
farthest at distance v;

    psi(a) - psi(b) + log( v / r )        psi the digamma function; the last term if v, r > 0

which is the same in expectation where there are densities, and the ratio of frequencies at atoms.
(With j = 1 and scores rounded so that neighbours are a few steps apart it would be 0.4 bits low,
because the step, not the density, would set the radius; with j = 10 it is within 0.1.)

D is what the attacker would learn if there were infinitely many people (Theorem 3.2). For n people
I(U; S) is at most log n, and D may be far above it: `system_entropy.py` has the value for n.
"""

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import numpy.typing as npt

from ....errors import ParameterError
from ...validation import Floats, open_unit, whole
from .error_tradeoff import as_scores

# Parts of the scores whose estimates are compared for a standard error.
GROUPS = 20
# Scores this close, relative to the largest, are equal up to rounding.
ROUNDING = 1e-12
# Genuine neighbours where scores tie.
TIED = 10


@dataclass(frozen=True, slots=True)
class Divergence:
    """D(genuine || impostor) in bits with an interval.

    Attributes:
        bits: the estimate; asymptotically unbiased, may be negative.
        low, high: limits at this confidence, from the spread of 20 parts (Student's t).
        confidence: in (0, 1).
        tied: how many genuine scores had a neighbour at distance 0.
        genuine, impostor, neighbours: sizes and k.
    """

    bits: float
    low: float
    high: float
    confidence: float
    tied: int
    genuine: int
    impostor: int
    neighbours: int

    def __str__(self) -> str:
        return (
            f"D = {self.bits:.3f} bits, in [{self.low:.3f}, {self.high:.3f}] with confidence "
            f"{self.confidence:g} ({self.genuine:,} genuine, {self.impostor:,} impostor scores, "
            f"{self.tied:,} tied)"
        )


def score_divergence(genuine: npt.ArrayLike, impostor: npt.ArrayLike, neighbours: int = 1) -> float:
    """The k-NN estimate of D(genuine || impostor), bits; two sorts and O((n + m) + n k) more.

    Args:
        genuine: scores of the same person, shape (n,), n > neighbours.
        impostor: scores of different people, shape (m,), m >= neighbours.
        neighbours: k >= 1.

    Returns:
        Bits; asymptotically unbiased where both have densities or atoms. Not a lower bound on the
        PIE of finitely many people.
    """
    k = whole(neighbours, "neighbours", 1)
    same = np.sort(as_scores(genuine, "genuine", k + 1))
    other = np.sort(as_scores(impostor, "impostor", k))
    return sorted_divergence(same, other, k)[0] / log(2)


def divergence_interval(
    genuine: npt.ArrayLike,
    impostor: npt.ArrayLike,
    neighbours: int = 1,
    confidence: float = 0.95,
    genuine_groups: npt.ArrayLike | None = None,
    impostor_groups: npt.ArrayLike | None = None,
) -> Divergence:
    """The same with an interval, from 20 separate parts of the scores.

    The variance falls as 1/n, so the estimates of the parts, each from 1/20 of the scores, vary
    20 times as much. Scores that share a person are dependent; parts of whole people respect that.

    Args:
        genuine: scores of the same person, at least 20 (k + 2).
        impostor: scores of different people, at least 20 (k + 1).
        neighbours: k >= 1.
        confidence: of the interval.
        genuine_groups: the part of each genuine score, 0 .. 19; in turn if not given.
        impostor_groups: the same for the impostor scores.
    """
    k = whole(neighbours, "neighbours", 1)
    same = as_scores(genuine, "genuine", GROUPS * (k + 2))
    other = as_scores(impostor, "impostor", GROUPS * (k + 1))
    parts_same = _parts(same, genuine_groups, "genuine_groups")
    parts_other = _parts(other, impostor_groups, "impostor_groups")
    if min(map(len, parts_same)) <= k or min(map(len, parts_other)) < k:
        raise ParameterError(f"groups: a part has too few scores for {k} neighbours")
    pairs = zip(parts_same, parts_other, strict=True)
    reach = _reach([sorted_divergence(*pair, k)[0] for pair in pairs], confidence)
    # Sorting sorted runs is merging.
    same = np.sort(np.concatenate(parts_same), kind="stable")
    other = np.sort(np.concatenate(parts_other), kind="stable")
    nats, tied = sorted_divergence(same, other, k)
    return Divergence(
        bits=nats / log(2),
        low=(nats - reach) / log(2),
        high=(nats + reach) / log(2),
        confidence=confidence,
        tied=tied,
        genuine=len(same),
        impostor=len(other),
        neighbours=k,
    )


def sorted_divergence(same: Floats, other: Floats, k: int) -> tuple[float, int]:
    """(D in nats, scores with a neighbour at distance 0) of sorted scores."""
    n, m = len(same), len(other)
    inner = kth_distance(same, same, np.arange(n), k, skip=1)
    outer = kth_distance(same, other, np.searchsorted(other, same), k, skip=0)
    near = ROUNDING * float(max(np.abs(same[[0, -1]]).max(), np.abs(other[[0, -1]]).max()))
    tied = int(np.count_nonzero(np.minimum(inner, outer) <= near))
    if tied:
        wide = kth_distance(same, same, np.arange(n), min(max(k, TIED), n - 1), skip=1)
        terms = _generalized(same, other, np.maximum(wide, outer) + near, near)
    else:
        terms = np.log(outer / inner)
    return float(terms.mean()) + log(m / (n - 1)), tied


def kth_distance(
    at: Floats, among: Floats, place: npt.NDArray[np.intp], k: int, skip: int
) -> Floats:
    """The distance from at[i] to its k-th nearest of the sorted `among`.

    place[i]: how many of `among` are on the left; the `skip` entries from there on are left out
    (1 where a score is compared with its own list).
    """
    padded = np.concatenate([np.full(k, -np.inf), among, np.full(k, np.inf)])
    best = np.full(len(at), np.inf)
    for left in range(k + 1):
        # `left` of the k on the left, the others on the right; the farther of both ends.
        reach = np.zeros(len(at))
        if left:
            reach = at - padded[place + k - left]
        if k - left:
            reach = np.maximum(reach, padded[place + k + skip + (k - left) - 1] - at)
        best = np.minimum(best, reach)
    return best


def _generalized(same: Floats, other: Floats, radius: Floats, near: float) -> Floats:
    """The terms of the generalized estimator, one for each genuine score."""
    from scipy.special import digamma

    low, high = same - radius, same + radius
    a, r = _ball(same, same, low, high)
    b, v = _ball(same, other, low, high)
    # The score itself is in its ball.
    terms = np.asarray(digamma(np.maximum(a - 1, 1)) - digamma(np.maximum(b, 1)))
    apart = (r > near) & (v > near)
    terms[apart] += np.log(v[apart] / r[apart])
    return terms


def _ball(
    at: Floats, among: Floats, low: Floats, high: Floats
) -> tuple[npt.NDArray[np.int64], Floats]:
    """How many of `among` are in [low, high], and the distance of the farthest from `at`."""
    first, end = np.searchsorted(among, low), np.searchsorted(among, high, "right")
    farthest = np.maximum(at - among[np.minimum(first, len(among) - 1)], among[end - 1] - at)
    return (end - first).astype(np.int64), farthest


def _parts(scores: Floats, groups: npt.ArrayLike | None, name: str) -> list[Floats]:
    """The scores of each part 0 .. 19, each sorted."""
    given = np.arange(len(scores)) % GROUPS if groups is None else np.asarray(groups)
    if given.shape != scores.shape or given.min() < 0 or given.max() >= GROUPS:
        raise ParameterError(f"{name}: needs a part 0 .. {GROUPS - 1} for each score")
    return [np.sort(scores[given == part]) for part in range(GROUPS)]


def _reach(parts: list[float], confidence: float) -> float:
    """Half the width of the interval: Student's quantile times the standard error of the mean."""
    from scipy.special import stdtrit

    quantile = float(stdtrit(GROUPS - 1, 0.5 + open_unit(confidence, "confidence") / 2))
    return quantile * float(np.std(parts, ddof=1)) / sqrt(GROUPS)
