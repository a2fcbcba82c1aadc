"""Neighbours of Bloom filters with flipped bits: two words, and a third among other people.

The blanket is a filter of no word with its bits flipped: every word's filter has h bits more, so
the blanket's weight is (q / p)^h = e^(-eps / 2), for any words of other people. Outcomes: the
numbers of 1-bits among the bits of u, of v, and of another word z. In each of them

    P_u / b = ((1 - q) / q)^(2 i - h),    i the bits of u that are 1.

Pairs with other people of v, and of the listed word that shares fewest bits with both, are known.
Populations of all words are not listed: terms are not exchanged.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .neighbour_laws import Neighbours, PairLaw
from .randomizer import Bits


def filter_neighbours(filters: Bits, q: float) -> list[Neighbours]:
    """Return neighbours per kind of two words; pairs that share least come first.

    Args:
        filters: shape (cohorts, words, bits); every word sets an equal number of bits per cohort.
        q: the probability that a bit is flipped.
    """
    words = filters.shape[1]
    _, first = np.unique(_shared_bits(filters), axis=0, return_index=True)
    pairs = np.stack(np.triu_indices(words, 1), axis=1)[first]
    return [_word_pairs(filters, q, u, v) for u, v in pairs[::-1].tolist()]


def _shared_bits(filters: Bits) -> npt.NDArray[np.int64]:
    """Return, for every two words, the numbers of cohorts in which they share 0 .. h bits."""
    first, second = np.triu_indices(filters.shape[1], 1)
    cohorts = np.zeros((len(first), int(filters[0, 0].sum()) + 1), np.int64)
    for cohort_filters in filters.astype(np.float64):
        cohorts[
            np.arange(len(first)),
            (cohort_filters @ cohort_filters.T)[first, second].astype(np.int64),
        ] += 1
    return cohorts


def _word_pairs(filters: Bits, q: float, u: int, v: int) -> Neighbours:
    """Return two words, among other people of v or of the word sharing fewest bits with both."""
    odds, h = (1 - q) / q, int(filters[0, u].sum())

    def over(law: Floats) -> Floats:
        """Return each word's law over that of no word."""
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
    """Return the word that shares fewest bits with two words."""
    union = filters[:, u] | filters[:, v]
    shared = (filters & union[:, None, :]).sum(axis=(0, 2))
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
    """Return a law of counts with each count raised; no count exceeds its axis."""
    raised = np.zeros_like(law)
    to = tuple(slice(step, None) for step in by)
    raised[to] = law[tuple(slice(size - step) for size, step in zip(law.shape, by, strict=True))]
    return raised
