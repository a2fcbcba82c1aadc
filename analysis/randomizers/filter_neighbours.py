"""Neighbours of Bloom filters with flipped bits: two words, and others of a third one.

The blanket is a filter of no word with its bits flipped: every word's filter has h bits more, so
the blanket's weight is (q / p)^h = e^(-eps / 2), whatever words others have. Outcomes: how many
bits are 1 of those of u, of v, and of another word z. In each of them

    P_u / b = ((1 - q) / q)^(2 i - h),    i the bits of u that are 1.

Others of v, and of the word of the list that shares fewest bits with both, are known. Others of all
words are not listed: terms are not exchanged for one of them.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .neighbour_laws import Neighbours, PairLaw
from .randomizer import Bits


def filter_neighbours(filters: Bits, q: float) -> list[Neighbours]:
    """Neighbours per kind of two words; those that share least come first.

    Args:
        filters: shape (cohorts, words, bits); every word sets as many bits in each cohort.
        q: the probability that a bit is flipped.
    """
    words = filters.shape[1]
    _, first = np.unique(_shared_bits(filters), axis=0, return_index=True)
    pairs = np.stack(np.triu_indices(words, 1), axis=1)[first]
    return [_beside(filters, q, u, v) for u, v in pairs[::-1].tolist()]


def _shared_bits(filters: Bits) -> npt.NDArray[np.int64]:
    """For every two words, in how many cohorts they share 0 .. h bits."""
    first, other = np.triu_indices(filters.shape[1], 1)
    cohorts = np.zeros((len(first), int(filters[0, 0].sum()) + 1), np.int64)
    for own in filters.astype(np.float64):
        cohorts[np.arange(len(first)), (own @ own.T)[first, other].astype(np.int64)] += 1
    return cohorts


def _beside(filters: Bits, q: float, u: int, v: int) -> Neighbours:
    """Two words; others of v, and of the word that shares fewest bits with both."""
    odds, h = (1 - q) / q, int(filters[0, u].sum())

    def over(law: Floats) -> Floats:
        """Each word's law over that of no word."""
        ones = np.indices(law.shape).reshape(law.ndim, -1)
        return np.asarray(odds ** (2.0 * ones - h), np.float64)

    two = _filter_law(filters[:, [u, v]], q)
    own, other = over(two)
    blanket = PairLaw(odds**-h, two.ravel(), own, other)
    equals = [PairLaw.over(two.ravel() * other, two.ravel() * own, two.ravel() * other)]
    if filters.shape[1] > 2:
        three = _filter_law(filters[:, [u, v, _farthest(filters, u, v)]], q)
        of_u, of_v, third = three.ravel() * over(three)
        equals.append(PairLaw.over(third, of_u, of_v))
    return blanket, equals


def _farthest(filters: Bits, u: int, v: int) -> int:
    """The word that shares fewest bits with two others."""
    either = filters[:, u] | filters[:, v]
    shared = (filters & either[:, None, :]).sum(axis=(0, 2))
    shared[[u, v]] = filters.size
    return int(shared.argmin())


def _filter_law(words: Bits, q: float) -> Floats:
    """The law of how many bits of each word are 1 in a filter of no word.

    Args:
        words: their filters, shape (cohorts, words, bits).
        q: the probability that a bit is flipped.

    Returns:
        Shape (h + 1, ...), an axis a word.
    """
    from scipy.stats import binom

    size = (int(words[0, 0].sum()) + 1,) * words.shape[1]
    law = np.zeros(size)
    for sets in words.transpose(0, 2, 1).astype(int):
        regions, many = np.unique(sets[sets.any(axis=1)], axis=0, return_counts=True)
        own = np.zeros(size)
        own[(0,) * len(size)] = 1 / len(words)
        for region, bits in zip(regions.tolist(), many.tolist(), strict=True):
            chances = binom.pmf(np.arange(bits + 1), bits, q).tolist()
            raised = [_raised(own, [ones * of for of in region]) for ones in range(bits + 1)]
            own = sum(map(np.multiply, chances, raised), np.zeros(size))
        law += own
    return law


def _raised(law: Floats, by: Sequence[int]) -> Floats:
    """A law of counts with each count raised; none exceeds its axis."""
    raised = np.zeros_like(law)
    to = tuple(slice(step, None) for step in by)
    raised[to] = law[tuple(slice(size - step) for size, step in zip(law.shape, by, strict=True))]
    return raised
