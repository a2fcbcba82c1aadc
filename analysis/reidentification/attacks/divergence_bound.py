"""A certified lower bound on the divergence of genuine from impostor scores, in bits.

A score compares a released sequence with a person: genuine if the person is its owner, else
impostor. The divergence D measures how well scores identify.

    1. Scores in bins tell at most as much as the scores: D of the shares of the bins <= D, for any
       bins that are not chosen by the scores counted in them. A third of the scores chooses them.
    2. The other two thirds are counted. Clopper-Pearson limits of every share p_b (genuine) and
       q_b (impostor), at (1 - confidence) / (4 bins) each, hold together with probability at least
       `confidence`, at every number of scores.
    3. The least D(p || q) within these limits, by duality: for ANY m and c < 0 it is at least

           m + c + sum over bins b of  min over the limits of  p log(p / q) - m p - c q

There is no upper limit: no finite sample bounds D from above. Among n impostor scores a set of
scores that an impostor has with probability 1 / n^2 is likely not to occur, and genuine scores in
it may add as many bits as one likes.

Scores of one person depend on each other. Then whole people are counted: the mean of n independent
numbers in [0, 1], each the share of one person's scores in a bin, has a tail of at most e times the
binomial one (V. Bentkus, On Hoeffding's inequalities, Ann. Probab. 32, 2004, Theorem 1.2), so the
same limits at 1 / e of the level hold, with the sum rounded outwards.
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

# Bins of the scores, an even number. 2, 4, 6, 8, 12 and 16 were tried on Gaussian scores 1 to 4
# deviations apart (100 to 20,000 genuine, up to 20,000 impostor scores): 6 loses least.
BINS = 6
# Seed of the random third of the scores that chooses the bins; the other scores are counted.
SPLIT = 0x62696E73
# Least number of scores, or of people if a person has several scores that depend on each other: one
# chooses the bins, two are counted.
FEWEST = 3
# A sum of shares this close to a whole number is taken as that number, to undo rounding errors.
ROUNDING = 1e-9
# Number of alternating projections to the least divergence; the best multipliers are taken.
ROUNDS = 60
# Nats subtracted from the lower bound, because rounding errors may have raised it by as much.
SLACK = 1e-12
# Smaller shares are raised to this in the projections, which need positive shares, but not in the
# bound itself.
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
        estimate: by nearest neighbours (`score_divergence`); may be negative.
        beyond: genuine scores above or below every impostor score. No impostor score is near to
            compare them with, so the estimate is no measurement if there are many.
        tied: genuine scores with a neighbour at distance 0.
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

    Args:
        genuine: scores of the same person, independent of each other unless people are given.
        impostor: scores of different people, independent likewise.
        neighbours: k >= 1 of the estimate.
        confidence: of the lower bound.
        genuine_people: the person each genuine score depends on, whole numbers. Scores of one
            person may depend on each other, scores of different people are independent.
        impostor_people: the people of the impostor scores, with the same numbers; both or neither.

    Returns:
        The bound and the estimate. With people, D is that of a score of a random person.
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
    """Return the lower bound on D in nats for independent scores.

    Wrong with probability `alpha`.
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
    """Return the lower bound on D in nats for scores that depend on each other within a person.

    `labels` and `row` are the people of genuine and impostor scores; the same third of people
    chooses the bins for both.

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
    """Choose the lower ends of the bins, at most BINS - 1, from scores that are not counted.

    They are quantiles of the genuine scores, and of the tail of the impostor scores.

    Args:
        genuine: genuine scores that are not counted.
        impostor: impostor scores that are not counted.
        independent: the number of independent impostors, by which the tail may be cut.
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

    Attributes:
        low, high: numbers of scores in each bin, whole numbers; different if shares of people are
            rounded outwards.
        n: independent scores or people.
        price: factor by which tail probabilities exceed binomial tails: 1, or e for people.
    """

    low: Floats
    high: Floats
    n: int
    price: float

    def limits(self, alpha: float) -> tuple[Floats, Floats]:
        """Return lower and upper limits of each bin's share.

        Each limit is wrong with probability at most alpha.
        """
        level = alpha / self.price
        return (
            clopper_pearson(self.low, self.n, level)[0],
            clopper_pearson(self.high, self.n, level)[1],
        )


def _counts(scores: Floats, edges: Floats) -> BinCounts:
    """Return the numbers of independent scores in the bins with these lower ends."""
    bins = np.searchsorted(edges, scores, "right")
    counts = np.bincount(bins, minlength=len(edges) + 1).astype(np.float64)
    return BinCounts(counts, counts, len(scores), 1.0)


def _sums(scores: Floats, people: Labels, edges: Floats) -> BinCounts:
    """Sum, for each bin, the share of each person's scores in it, rounded outwards.

    Scores of a person depend on each other, so a person counts as a single observation.
    """
    bins = np.searchsorted(edges, scores, "right")
    _, person, scores_per_person = np.unique(people, return_inverse=True, return_counts=True)
    sums = np.bincount(bins, 1 / scores_per_person[person], len(edges) + 1)
    low, high = np.floor(sums + ROUNDING), np.ceil(sums - ROUNDING)
    return BinCounts(low, np.minimum(high, len(scores_per_person)), len(scores_per_person), e)


def bound_of_counts(genuine: BinCounts, impostor: BinCounts, alpha: float) -> float:
    """Return the lower bound on D in nats from counts in the same bins.

    It is too large with probability at most alpha.
    """
    level = alpha / (4 * len(genuine.low))
    return min_divergence(*genuine.limits(level), *impostor.limits(level))


def min_divergence(low: Floats, high: Floats, q_low: Floats, q_high: Floats) -> float:
    """Return a lower bound in nats on D(p || q) over distributions p, q within these limits.

    low <= p <= high and q_low <= q <= q_high. Alternating projections find the minimum, the
    multipliers of each round a bound that is safe however near they are.
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

    The sum is linear between breaks.
    """
    breaks = np.sort(np.concatenate([low / x, high / x]))
    sums = np.clip(breaks[:, None] * x, low, high).sum(axis=1)
    return max(float(np.interp(1.0, sums, breaks)), TINY)


def _dual(low: Floats, high: Floats, q_low: Floats, q_high: Floats, m: float, c: float) -> float:
    """Return the lower bound on D in nats that the multipliers m and c give.

    p log(p / q) - m p - c q is convex and grows in proportion along every ray from 0, so its least
    value in a box is at its edge: on each side of the box it is where the slope along it is 0.
    """
    from scipy.special import rel_entr

    q_sides, p_sides = np.stack([q_low, q_high]), np.stack([low, high])
    p = np.concatenate([np.clip(q_sides * exp(min(m - 1, 700.0)), low, high), p_sides])
    q = np.concatenate([q_sides, np.clip(p_sides / -c, q_low, q_high)])
    return m + c + float((rel_entr(p, q) - m * p - c * q).min(axis=0).sum())


def _third(n: int, rng: np.random.Generator) -> Chosen:
    """Return a mask of a random third of n, with at least one element."""
    is_selected = np.zeros(n, np.bool_)
    is_selected[rng.permutation(n)[: max(1, n // 3)]] = True
    return is_selected


def _labels(people: npt.ArrayLike, scores: Floats, name: str) -> Labels:
    """Check the person of each score and return the array.

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
