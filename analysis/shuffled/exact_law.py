"""The exact distribution of shuffled L-bit reports: counts of each of the D = 2^L bit vectors.

m counts the people with each true vector, s the reports of each vector. Both list the vectors in
descending binary order, as paper 001 does (Section 2.2): (1, ..., 1) first, (0, ..., 0) last. All
results are sums of products of positive numbers. So even a tiny probability keeps its relative
accuracy.

For two bits the recursion (3.8) of the paper is a matrix product for each number of reports with a
first bit of 1: O(n^4) multiplications done by BLAS, for n people. For more bits people are added
one after the other. The limit is the number of outcomes, C(n + D - 1, D - 1).
"""

from __future__ import annotations

from math import comb

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..randomizers.bit_flip import flip
from ..randomizers.randomizer import as_lie
from ..validation import Floats, as_counts
from .counts import log_law

# Most entries of an array of probabilities, (n + 1)^(D - 1) for n people and D vectors: 256 MiB. A
# larger array is refused with an error.
CELLS = 1 << 25


def law(m: npt.ArrayLike, q: float) -> Floats:
    """Return the probability of every outcome s: the counts of reported L-bit vectors.

    Vectors are listed in descending binary order: (1, ..., 1) first, (0, ..., 0) last. D = 2^L.

    Args:
        m: number of people with each true vector, shape (D,). L = 1: (people with a 1, people with
            a 0).
        q: probability that a bit is reported falsely, 0 < q <= 1/2.

    Returns:
        Array of shape (n + 1,) * (D - 1) for n people. Entry [s_1, ..., s_(D-1)] is the probability
            of these counts; s_D is n minus their sum, and entries with a sum above n are 0. L = 1:
            the law of the number of 1-bits, as `count_pmf`.

    Raises:
        ParameterError: the array would have more than 2^25 entries.
    """
    counts, q = as_counts(m, "m"), as_lie(q)
    D, n = len(counts), int(counts.sum())
    if D < 2 or D & (D - 1):
        raise ParameterError(
            f"m: found {D} counts; needs 2^L counts, one for each vector of L bits"
        )
    if (n + 1) ** (D - 1) > CELLS:
        raise ParameterError(
            f"m: {n} people and {D} vectors have more than 2^25 outcomes; needs fewer people or "
            "fewer bits"
        )
    if D == 2:
        return np.exp(log_law(n, int(counts[0]), q))
    return _two_bits(counts, q) if D == 4 else _person_by_person(counts, q)


def transition_matrix(bits: int, q: float) -> Floats:
    """Return P_L, the matrix of report probabilities of L-bit vectors with randomly flipped bits.

    Entry [i, j] is the probability that a person with vector i reports vector j. Vectors are listed
    in descending binary order: (1, ..., 1) first, (0, ..., 0) last. P_L is the L-fold Kronecker
    power of ((p, q), (q, p)), q the lie probability, p = 1 - q.

    >>> from veilmix.analysis.shuffled import transition_matrix
    >>> transition_matrix(1, 0.25).tolist()
    [[0.75, 0.25], [0.25, 0.75]]

    Args:
        bits: L, bits of a report, >= 1.
        q: lie probability, 0 < q <= 1/2.
    """
    return flip(np.eye(1 << bits), as_lie(q))


def expected_counts(m: npt.ArrayLike, q: float) -> Floats:
    """Return the expected number of reports of each L-bit vector, shape (2^L,).

    The result is P_L m, P_L the matrix of report probabilities. The product is computed bit by bit,
    without the matrix, so L may be large.

    Args:
        m: number of people with each vector, shape (2^L,), in descending binary order.
        q: lie probability of a bit, 0 < q <= 1/2.
    """
    return flip(as_counts(m, "m").astype(np.float64), as_lie(q))


def add_person(outcomes: Floats, row: Floats) -> Floats:
    """Return the distribution of the counts of reported vectors with one more person.

    >>> import numpy as np
    >>> from veilmix.analysis.shuffled import add_person
    >>> one = add_person(np.array([1.0]), np.array([0.75, 0.25]))
    >>> add_person(one, np.array([0.25, 0.75])).tolist()
    [0.1875, 0.625, 0.1875]

    Args:
        outcomes: probabilities of the counts for n people, shape (n + 1,) * (D - 1), D the number
            of vectors.
        row: probability that the new person reports each vector, shape (D,).

    Returns:
        The probabilities for n + 1 people, shape (n + 2,) * (D - 1).
    """
    axes, size = outcomes.ndim, outcomes.shape[0]
    more = np.zeros((size + 1,) * axes)
    for k, chance in enumerate(row):
        shifted = [slice(0, size)] * axes
        if k < axes:
            shifted[k] = slice(1, size + 1)
        more[tuple(shifted)] += chance * outcomes
    return more


def outcomes(n: int, D: int) -> list[tuple[int, ...]]:
    """Return all count vectors of n people over D bit vectors; there are C(n + D - 1, D - 1).

    Paper 001 calls this set S_n.

    >>> from veilmix.analysis.shuffled import outcomes
    >>> outcomes(2, 2)
    [(0, 2), (1, 1), (2, 0)]

    Args:
        n: people, >= 1.
        D: number of bit vectors, >= 1.
    """
    if comb(n + D - 1, D - 1) > CELLS:
        raise ParameterError(
            f"n: {n} people and {D} vectors have more than 2^25 outcomes; needs fewer people or "
            "fewer vectors"
        )
    if D == 1:
        return [(n,)]
    return [(first, *rest) for first in range(n + 1) for rest in outcomes(n - first, D - 1)]


def _person_by_person(counts: npt.NDArray[np.int64], q: float) -> Floats:
    """Return the distribution of the counts of reported vectors, adding one person after the other.

    `counts` are the numbers of people with each true vector, q is the lie probability of a bit.
    """
    D = len(counts)
    P = transition_matrix(D.bit_length() - 1, q)
    result = np.ones((1,) * (D - 1))
    for i, people in enumerate(counts):
        for _ in range(people):
            result = add_person(result, P[i])
    return result


def _two_bits(counts: npt.NDArray[np.int64], q: float) -> Floats:
    """Return the distribution of the counts of reported two-bit vectors, by paper 001, Prop. 3.2.

    `counts` are the people with each true vector, q is the lie probability of a bit. First bits are
    randomized first. Of the people with a second bit of 1, t_1 then report a first bit of 1; of the
    remaining people, t_2. Given t_1 and t_2, the second bits of these w = t_1 + t_2 people are a
    one-bit problem. So are the second bits of the other n - w people.
    """
    n = int(counts.sum())
    upper, lower = int(counts[0] + counts[2]), int(counts[1] + counts[3])
    first = np.exp(log_law(upper, int(counts[0]), q)) if upper else np.ones(1)
    second = np.exp(log_law(lower, int(counts[1]), q)) if lower else np.ones(1)
    result = np.zeros((n + 1,) * 3)
    # law_by_ones[w][t] is the law of the count of reported 1-bits of w people, t of them with a 1.
    law_by_ones = _one_bit_laws(n, q)
    for w in range(n + 1):
        t = np.arange(max(0, w - lower), min(upper, w) + 1)
        if len(t) == 0:
            continue
        left_block = law_by_ones[w][t] * (first[t] * second[w - t])[:, None]
        right = law_by_ones[n - w][upper - t]
        block = left_block.T @ right
        s = np.arange(w + 1)
        result[s, w - s, : n - w + 1] = block
    return result


def _one_bit_laws(n: int, q: float) -> list[Floats]:
    """Return the distributions of the count of reported 1-bits for w = 0 .. n people.

    Entry w of the list is a matrix; its row t is the distribution if t of w people have a 1. q is
    the lie probability. People are added one by one, by (6.1) and (6.2) of paper 001.
    """
    tables = [np.ones((1, 1))]
    for w in range(1, n + 1):
        smaller_table = tables[-1]
        table = np.zeros((w + 1, w + 1))
        table[:w, :w] += (1 - q) * smaller_table
        table[:w, 1:] += q * smaller_table
        table[w, :w] += q * smaller_table[w - 1]
        table[w, 1:] += (1 - q) * smaller_table[w - 1]
        tables.append(table)
    return tables


def all_counts(n: int, bits: int) -> list[tuple[int, ...]]:
    """Return all data sets of n people with L-bit vectors, as counts of people per vector."""
    return outcomes(n, 1 << bits)
