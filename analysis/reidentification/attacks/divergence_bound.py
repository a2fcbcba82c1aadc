"""A certified lower bound on the divergence of genuine from impostor scores, in bits.

A score compares a released sequence with a person: genuine if the person is its owner, else
impostor. The Kullback-Leibler divergence D of genuine from impostor scores measures how well scores
identify people.

    1. The scores are sorted into bins. The divergence of the shares of genuine and impostor scores
       in the bins is at most D, for any bins that do not depend on the scores counted in them. So
       a third of the scores chooses the bins.
    2. The other two thirds are counted. Clopper-Pearson limits of the share p_b of genuine and q_b
       of impostor scores in every bin b, each at (1 - confidence) / (4 bins), hold together with
       probability at least `confidence`, at every number of scores.
    3. The bound is the least D(p || q) within these limits. By duality, for ANY numbers m and
       c < 0 (multipliers of the conditions that the shares sum to 1) it is at least

           m + c + sum over bins b of  min over the limits of  p log(p / q) - m p - c q

There is no upper limit: no finite sample bounds D from above. Among n impostor scores a set of
scores that an impostor has with probability 1 / n^2 is likely not to occur. Genuine scores in that
set may raise D by any number of bits.

Scores of one person may depend on each other. Then people are counted instead of scores: each
person adds the share of its scores that are in a bin, a number in [0, 1]. The mean of n such
independent numbers has a tail of at most e times the binomial tail (V. Bentkus, On Hoeffding's
inequalities, Ann. Probab. 32, 2004, Theorem 1.2). So the same limits hold at 1 / e of the level,
with the sum rounded outwards to whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import e, exp, log

import numpy as np
import numpy.typing as npt

from ....errors import ParameterError
from ...estimation.confidence import clopper_pearson
from ...validation import Floats, as_array, open_unit, whole
from .error_tradeoff import as_scores
from .score_divergence import sorted_divergence

# Number of bins of the scores, an even number. 2, 4, 6, 8, 12 and 16 were tried on Gaussian scores
# with means 1 to 4 deviations apart (100 to 20,000 genuine, up to 20,000 impostor scores): the
# bound with 6 bins is nearest to the true divergence.
BINS = 6
# Seed of the random third of the scores that chooses the bins, so that results are repeatable; the
# other scores are counted.
SPLIT = 0x62696E73
# Least number of scores, or of people if a person has several scores that depend on each other. Of
# three, a random one chooses the bins, and the other two are counted in the bins.
FEWEST = 3
# A sum of shares this close to a whole number is taken as that number, to undo rounding errors.
ROUNDING = 1e-9
# Number of steps of the search for the least divergence. Each step gives a valid lower bound; the
# largest is taken.
ROUNDS = 60
# Nats subtracted from the lower bound, because rounding errors may have raised it by as much.
SLACK = 1e-12
# Smaller shares are raised to this number during the search, which divides by shares, but not in
# the bound itself.
TINY = 1e-300

Labels = npt.NDArray[np.int64]
Chosen = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The divergence D of genuine from impostor scores in bits: a lower bound and an estimate.

    A genuine score compares a sequence with its owner, an impostor score with another person.

    Attributes:
        at_least: lower bound on D with the stated confidence, valid at any number of scores.
        confidence: of that bound, in (0, 1).
        estimate: of D by nearest neighbours (`score_divergence`); may be negative.
        beyond: number of genuine scores above or below every impostor score. No impostor score is
            near to compare them with, so the estimate is unreliable if there are many.
        tied: number of genuine scores with a neighbour at distance 0.
        genuine, impostor: numbers of scores.
        neighbours: the number k of nearest neighbours of the estimate.
    """

    at_least: float
    confidence: float
    estimate: float
    beyond: int
    tied: int
    genuine: int
    impostor: int
    neighbours: int

    @property
    def warning(self) -> str:
        """A warning if genuine scores lie beyond all impostor scores, which spoils the estimate.

        The text is "" if every genuine score is among impostor scores.
        """
        if not self.beyond:
            return ""
        return (
            f"warning: {self.beyond:,} of {self.genuine:,} genuine scores lie beyond all impostor "
            "scores, where the estimate extrapolates"
        )

    def __str__(self) -> str:
        """Return a sentence for reports: bound, estimate, numbers of scores and any warning."""
        warning_text = f"; {self.warning}" if self.warning else ""
        return (
            f"D is at least {self.at_least:.3f} bits with confidence {self.confidence:g}; estimate "
            f"{self.estimate:.3f} ({self.genuine:,} genuine, {self.impostor:,} impostor scores, "
            f"{self.tied:,} tied){warning_text}"
        )


def divergence_bound(
    genuine: npt.ArrayLike,
    impostor: npt.ArrayLike,
    neighbours: int = 1,
    confidence: float = 0.95,
    genuine_people: npt.ArrayLike | None = None,
    impostor_people: npt.ArrayLike | None = None,
) -> Divergence:
    """Bound the divergence of genuine from impostor scores from below, and estimate it.

    A score is a similarity of a sequence and a person: genuine if the person is its owner, else
    impostor.

    Args:
        genuine: genuine scores, independent of each other unless people are given.
        impostor: impostor scores, independent of each other unless people are given.
        neighbours: the number k >= 1 of nearest neighbours of the estimate.
        confidence: of the lower bound.
        genuine_people: for each genuine score the number of the person that it depends on. Scores
            of one person may depend on each other, scores of different people are independent.
        impostor_people: for each impostor score such a person, with the same numbering. Both lists
            are given or neither.

    Returns:
        The bound and the estimate. If people are given, the divergence is that of a score of a
        random person.
    """
    k = whole(neighbours, "neighbours", 1)
    genuines = as_scores(genuine, "genuine", max(FEWEST, k + 1))
    impostors = as_scores(impostor, "impostor", max(FEWEST, k))
    alpha = 1 - open_unit(confidence, "confidence")
    if (genuine_people is None) != (impostor_people is None):
        raise ParameterError(
            "genuine_people, impostor_people: only one of them is given; needs both or neither"
        )
    if genuine_people is None or impostor_people is None:
        nats = _bound_of_scores(genuines, impostors, alpha)
    else:
        labels = _labels(genuine_people, genuines, "genuine_people")
        row = _labels(impostor_people, impostors, "impostor_people")
        nats = _bound_of_people(genuines, impostors, labels, row, alpha)
    genuines, impostors = np.sort(genuines), np.sort(impostors)
    guess, tied = sorted_divergence(genuines, impostors, k)
    beyond = int(np.count_nonzero((genuines < impostors[0]) | (genuines > impostors[-1])))
    return Divergence(
        at_least=nats / log(2),
        confidence=confidence,
        estimate=guess / log(2),
        beyond=beyond,
        tied=tied,
        genuine=len(genuines),
        impostor=len(impostors),
        neighbours=k,
    )


def _bound_of_scores(genuines: Floats, impostors: Floats, alpha: float) -> float:
    """Return a lower bound in nats on the divergence of genuine from impostor scores.

    The bound is too large with probability at most `alpha`.

    genuines, impostors: independent scores of sequences against their owners, and against other
    people.
    """
    rng = np.random.default_rng(SPLIT)
    first, second = _third(len(genuines), rng), _third(len(impostors), rng)
    edges = bin_edges(genuines[first], impostors[second], int(second.sum()))
    return bound_of_counts(
        _counts(genuines[~first], edges), _counts(impostors[~second], edges), alpha
    )


def _bound_of_people(
    genuines: Floats,
    impostors: Floats,
    labels: Labels,
    row: Labels,
    alpha: float,
) -> float:
    """Return a lower bound in nats on the divergence of genuine from impostor scores.

    The scores of one person may depend on each other. A third of the people chooses the bins, with
    both kinds of scores, so that these are independent of the scores that are counted.

    Args:
        genuines: the genuine scores.
        impostors: the impostor scores.
        labels: the person of each genuine score.
        row: the person of each impostor score.
        alpha: probability with which the bound may be wrong.

    Raises:
        ParameterError: too few people with scores of both kinds.
    """
    people, places = np.unique(np.concatenate([labels, row]), return_inverse=True)
    in_first_third = _third(len(people), np.random.default_rng(SPLIT))[places]
    first, second = in_first_third[: len(labels)], in_first_third[len(labels) :]
    for part in (first, ~first, second, ~second):
        if not part.any():
            raise ParameterError(
                f"genuine_people, impostor_people: found {len(people)} people; needs at least "
                f"{FEWEST} with scores of both kinds, because a third of them choose the bins"
            )
    edges = bin_edges(genuines[first], impostors[second], len(np.unique(row[second])))
    return bound_of_counts(
        _sums(genuines[~first], labels[~first], edges),
        _sums(impostors[~second], row[~second], edges),
        alpha,
    )


def bin_edges(genuine: Floats, impostor: Floats, independent: int) -> Floats:
    """Choose the lower ends of the bins from scores that are not counted in the bins.

    There are at most BINS - 1 ends, because the first bin has no lower end. An end is a quantile of
    the genuine scores, or of the tail of the impostor scores.

    Args:
        genuine: genuine scores that are not counted.
        impostor: impostor scores that are not counted.
        independent: the number of independent impostor scores, or of their people. It limits how
            far the tail is divided: the last bin has about three of them.
    """
    sign = 1.0 if np.median(genuine) >= np.median(impostor) else -1.0
    inner = np.linspace(0, 1, BINS // 2 + 1)[1:-1]
    tail = np.geomspace(0.5, min(0.5, 3 / independent), BINS // 2)
    edges = np.concatenate(
        [np.quantile(sign * genuine, inner), np.quantile(sign * impostor, 1 - tail)]
    )
    return np.unique(sign * edges)


@dataclass(frozen=True, slots=True, eq=False)
class BinCounts:
    """Numbers of scores in bins, from which confidence limits of the shares follow.

    If people are counted instead of scores, each person adds the share of its scores that are in a
    bin. The sum over people is rounded down (`low`) and up (`high`).

    Attributes:
        low, high: whole numbers of scores or people in each bin; equal for scores.
        n: number of independent scores, or of people.
        price: the factor by which a tail probability may exceed that of a binomial distribution. 1
            for scores; Euler's number e for people, by a theorem of Bentkus for means of numbers in
            [0, 1].
    """

    low: Floats
    high: Floats
    n: int
    price: float

    def limits(self, alpha: float) -> tuple[Floats, Floats]:
        """Return lower and upper confidence limits of the share of each bin.

        Each limit is wrong with probability at most alpha.
        """
        level = alpha / self.price
        return (
            clopper_pearson(self.low, self.n, level)[0],
            clopper_pearson(self.high, self.n, level)[1],
        )


def _counts(scores: Floats, edges: Floats) -> BinCounts:
    """Return the numbers of independent scores in bins.

    edges: the lower ends of the bins except the first.
    """
    bins = np.searchsorted(edges, scores, "right")
    counts = np.bincount(bins, minlength=len(edges) + 1).astype(np.float64)
    return BinCounts(counts, counts, len(scores), 1.0)


def _sums(scores: Floats, people: Labels, edges: Floats) -> BinCounts:
    """Return, for each bin, the sum over people of the share of their scores in the bin.

    Sums are rounded to whole numbers outwards, down and up. The scores of a person depend on each
    other, so a person counts as a single observation. edges: the lower ends of the bins except the
    first.
    """
    bins = np.searchsorted(edges, scores, "right")
    _, person, scores_per_person = np.unique(people, return_inverse=True, return_counts=True)
    sums = np.bincount(bins, 1 / scores_per_person[person], len(edges) + 1)
    low, high = np.floor(sums + ROUNDING), np.ceil(sums - ROUNDING)
    return BinCounts(low, np.minimum(high, len(scores_per_person)), len(scores_per_person), e)


def bound_of_counts(genuine: BinCounts, impostor: BinCounts, alpha: float) -> float:
    """Return a lower bound in nats on the divergence of genuine from impostor scores.

    genuine, impostor: counts in the same bins. The bound is too large with probability at most
    alpha.
    """
    level = alpha / (4 * len(genuine.low))
    return min_divergence(*genuine.limits(level), *impostor.limits(level))


def min_divergence(low: Floats, high: Floats, q_low: Floats, q_high: Floats) -> float:
    """Return a lower bound in nats on D(p || q) over distributions p and q within limits.

    D is the Kullback-Leibler divergence; low <= p <= high and q_low <= q <= q_high. Alternating
    projections approach the minimum. Each round of them gives Lagrange multipliers, and any
    multipliers give a valid bound, even far from the minimum; the largest is returned.
    """
    q = np.clip((q_low + q_high) / 2, TINY, None)
    best = 0.0
    for _ in range(ROUNDS):
        up = _scale(q, low, high)
        p = np.clip(q * up, np.maximum(low, TINY), high)
        down = _scale(p, q_low, q_high)
        q = np.clip(p * down, np.maximum(q_low, TINY), q_high)
        best = max(best, _dual(low, high, q_low, q_high, 1 + log(up), -1 / down) - SLACK)
    return best


def _scale(x: Floats, low: Floats, high: Floats) -> float:
    """Return the t > 0 for which clip(t x, low, high) sums to 1.

    The sum is linear in t between the numbers t at which an entry reaches a limit.
    """
    breaks = np.sort(np.concatenate([low / x, high / x]))
    sums = np.clip(breaks[:, None] * x, low, high).sum(axis=1)
    return max(float(np.interp(1.0, sums, breaks)), TINY)


def _dual(low: Floats, high: Floats, q_low: Floats, q_high: Floats, m: float, c: float) -> float:
    """Return a lower bound in nats on D(p || q) over p in [low, high] and q in [q_low, q_high].

    D is the Kullback-Leibler divergence. m and c < 0 are Lagrange multipliers of the conditions
    that p and q sum to 1; any numbers give a valid bound. For each entry the least value of p log(p
    / q) - m p - c q is added. This function is convex and proportional along rays from 0, so its
    minimum is on the boundary of the rectangle of (p, q): on each side where the slope along the
    side is 0, or at a corner.
    """
    from scipy.special import rel_entr

    q_sides, p_sides = np.stack([q_low, q_high]), np.stack([low, high])
    p = np.concatenate([np.clip(q_sides * exp(min(m - 1, 700.0)), low, high), p_sides])
    q = np.concatenate([q_sides, np.clip(p_sides / -c, q_low, q_high)])
    return m + c + float((rel_entr(p, q) - m * p - c * q).min(axis=0).sum())


def _third(n: int, rng: np.random.Generator) -> Chosen:
    """Return a mask of a random third of n elements, with at least one element."""
    is_selected = np.zeros(n, np.bool_)
    is_selected[rng.permutation(n)[: max(1, n // 3)]] = True
    return is_selected


def _labels(people: npt.ArrayLike, scores: Floats, name: str) -> Labels:
    """Check the person of each score and return the array.

    people: the number of a person for each score.
    name: the parameter's name, with which an error message begins.

    Raises:
        ParameterError: another shape than the scores, or no whole numbers.
    """
    array = as_array(people, name, "a person for each score")
    if array.shape != scores.shape or array.dtype.kind not in "iu":
        raise ParameterError(
            f"{name}: shape {array.shape}, {array.dtype}; needs the number of a person for each of "
            f"{len(scores)} scores"
        )
    return array.astype(np.int64)
