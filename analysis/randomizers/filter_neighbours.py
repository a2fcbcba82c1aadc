"""Report distributions of two words sent as Bloom filters with flipped bits, for shuffling bounds.

u and v are two words of a person, P_u and P_v the distributions of the report. Every other person's
report, for any word, is with probability w drawn from a distribution b, the privacy blanket
(`neighbour_laws.py`). Here b is an empty filter with its bits flipped with probability q. A word
sets h bits, so w = (q / (1 - q))^h = e^(-eps / 2). An outcome is the numbers of 1-bits at the bits
of u, at the bits of v, and at the bits of another word z. For each of them

    P_u / b = ((1 - q) / q)^(2 i - h),    i the bits of u that are 1.

Bounds are computed for two populations of other people: all have v, or all have the listed word
that shares fewest bits with u and v. Populations with several words are not listed, because
outcomes are then not exchangeable.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .neighbour_laws import Neighbours, PairLaw
from .randomizer import Bits


def filter_neighbours(filters: Bits, q: float) -> list[Neighbours]:
    """Return the report distributions of two words sent as Bloom filters, for shuffling bounds.

    Users are divided at random into cohorts with different hash functions. There is a case for each
    number of bits that two words share in each cohort. Pairs that share fewest bits come first.

    Args:
        filters: shape (cohorts, words, bits); every word sets an equal number of bits per cohort.
        q: the probability that a bit is flipped.
    """
    words = filters.shape[1]
    _, first = np.unique(_shared_bits(filters), axis=0, return_index=True)
    pairs = np.stack(np.triu_indices(words, 1), axis=1)[first]
    return [_word_pairs(filters, q, u, v) for u, v in pairs[::-1].tolist()]


def _shared_bits(filters: Bits) -> npt.NDArray[np.int64]:
    """Return, for every pair of words, in how many cohorts they share 0, 1, ... h bits.

    A word sets h bits in the filter of each cohort. Shape (pairs, h + 1).
    """
    first, second = np.triu_indices(filters.shape[1], 1)
    cohorts = np.zeros((len(first), int(filters[0, 0].sum()) + 1), np.int64)
    for cohort_filters in filters.astype(np.float64):
        cohorts[
            np.arange(len(first)),
            (cohort_filters @ cohort_filters.T)[first, second].astype(np.int64),
        ] += 1
    return cohorts


def _word_pairs(filters: Bits, q: float, u: int, v: int) -> Neighbours:
    """Return the report distributions of the words u and v, for two populations of other people.

    Other people all have v, or all have the word that shares fewest bits with u and v.

    Args:
        filters: the words' bits, shape (cohorts, words, bits).
        q: the probability that a bit is flipped.
        u: number of a word.
        v: number of a word.
    """
    odds, h = (1 - q) / q, int(filters[0, u].sum())

    def over(law: Floats) -> Floats:
        """Return the probability of each outcome for each word, divided by that without a word.

        law: the outcomes' distribution for an empty filter, with an axis for the 1-bits at each
        word's positions.
        """
        one_counts = np.indices(law.shape).reshape(law.ndim, -1)
        return np.asarray(odds ** (2.0 * one_counts - h), np.float64)

    two = _filter_law(filters[:, [u, v]], q)
    own_law, other_law = over(two)
    blanket = PairLaw(odds**-h, two.ravel(), own_law, other_law)
    equals = [PairLaw.over(two.ravel() * other_law, two.ravel() * own_law, two.ravel() * other_law)]
    if filters.shape[1] > 2:
        three = _filter_law(filters[:, [u, v, _farthest(filters, u, v)]], q)
        law_of_u, law_of_v, third = three.ravel() * over(three)
        equals.append(PairLaw.over(third, law_of_u, law_of_v))
    return blanket, equals


def _farthest(filters: Bits, u: int, v: int) -> int:
    """Return the number of the word that shares fewest bits with the words u and v.

    `filters` holds the words' bits, shape (cohorts, words, bits).
    """
    union = filters[:, u] | filters[:, v]
    shared = (filters & union[:, None, :]).sum(axis=(0, 2))
    shared[[u, v]] = filters.size
    return int(shared.argmin())


def _filter_law(words: Bits, q: float) -> Floats:
    """Return the joint distribution of the 1-bits at each word's positions, in an empty filter.

    The bits of the empty filter are flipped with probability q.

    Args:
        words: the words' filters, shape (cohorts, words, bits).
        q: the probability that a bit is flipped.

    Returns:
        An axis for each word, of length h + 1 for words that set h bits.
    """
    from scipy.stats import binom

    size = (int(words[0, 0].sum()) + 1,) * words.shape[1]
    law = np.zeros(size)
    for sets in words.transpose(0, 2, 1).astype(int):
        regions, region_sizes = np.unique(sets[sets.any(axis=1)], axis=0, return_counts=True)
        word_law = np.zeros(size)
        word_law[(0,) * len(size)] = 1 / len(words)
        for region, bits in zip(regions.tolist(), region_sizes.tolist(), strict=True):
            chances = binom.pmf(np.arange(bits + 1), bits, q).tolist()
            raised = [
                _raised(word_law, [one_count * is_set for is_set in region])
                for one_count in range(bits + 1)
            ]
            word_law = sum(map(np.multiply, chances, raised), np.zeros(size))
        law += word_law
    return law


def _raised(law: Floats, by: Sequence[int]) -> Floats:
    """Return a distribution of counts with each count raised by `by`.

    `law` has an axis for each count, long enough for the raised counts.
    """
    raised = np.zeros_like(law)
    to = tuple(slice(step, None) for step in by)
    raised[to] = law[tuple(slice(size - step) for size, step in zip(law.shape, by, strict=True))]
    return raised
