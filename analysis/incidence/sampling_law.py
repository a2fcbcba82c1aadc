"""Incidence vectors and the law of their noisy version (paper 004, Sections 1 and 4).

Phi_t counts the positions set in exactly t of n bit vectors, t = 0 .. n, so Phi sums to the number
m of positions. Psi is the same count after every owner has flipped its bits at random. A[i, j] is
the probability that a position with j true 1-bits shows i.

    Psi = sum over j of Multinomial(Phi_j, A[:, j])                    (Proposition 4.1)
    mean A Phi        covariance diag(A Phi) - A diag(Phi) A^T

If Phi_j = 0 the sum has no term for j. So Corollary 4.3 of the paper is not used, because it
divides by Phi_j.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..randomizers.randomizer import as_generator
from ..validation import (
    Counts,
    Floats,
    as_array,
    as_count_table,
    as_rng,
    open_unit,
    sequence,
    whole,
)
from .matrix import transition

# number of bits flipped together, which bounds the memory needed for random numbers
BLOCK = 1 << 22

# limit of the possible outcomes times positions in the function `law`, because its work grows with
# both; beyond, it raises ParameterError
LARGEST_LAW = 1 << 22


def as_incidence(counts: npt.ArrayLike, name: str) -> Counts:
    """Return checked counts of positions set in exactly t = 0 .. n of n bit vectors.

    At least two counts (n >= 1) and one position are needed. name: name of the counts in messages.
    """
    phi = as_count_table(counts, name, dimensions=1)
    if len(phi) < 2:
        raise ParameterError(
            f"{name}: found 1 count, so n = 0; needs n + 1 counts for n >= 1 bit vectors: the "
            "positions set in exactly t = 0 .. n of them"
        )
    return phi


def as_vectors(vectors: Any) -> npt.NDArray[np.uint8]:
    """Return checked bit vectors as uint8, shape (n, m): n vectors of m bits, both at least 1.

    Raises ParameterError for rows of different lengths and for entries except 0 and 1.
    """
    rows = sequence(vectors, "vectors", "vectors of bits, one a person")
    lengths = [np.size(row) for row in rows]
    if not lengths or not lengths[0]:
        raise ParameterError("vectors: empty; needs at least one vector of at least one bit")
    for owner, length in enumerate(lengths):
        if length != lengths[0] or np.ndim(rows[owner]) != 1:
            raise ParameterError(
                f"vectors: vector {owner} has shape {np.shape(rows[owner])}, vector 0 has "
                f"{lengths[0]} bits; needs n vectors of the same m bits"
            )
    bits = as_array(rows if not isinstance(vectors, np.ndarray) else vectors, "vectors", "bits")
    if bits.dtype.kind not in "biu" or bits.min() < 0 or bits.max() > 1:
        raise ParameterError(f"vectors: found {bits.dtype} up to {bits.max()}; needs bits, 0 or 1")
    return bits.astype(np.uint8, copy=False)


def incidence(vectors: Any) -> Counts:
    """Return, for t = 0 .. n, the number of positions that are set in exactly t of n bit vectors.

    Args:
        vectors: bits, shape (n, m), one row an owner: an array, or a sequence of rows of m bits.

    Returns:
        Counts, shape (n + 1,); they sum to the number m of positions.

    Raises:
        ParameterError: no vectors, vectors of different lengths, or entries other than 0 and 1.
    """
    bits = as_vectors(vectors)
    one_counts = bits.sum(axis=0, dtype=np.int64)
    return np.bincount(one_counts, minlength=len(bits) + 1).astype(np.int64)


def sanitize(
    vectors: Any, eta: float, *, rng: np.random.Generator | int | None = None
) -> npt.NDArray[np.uint8]:
    """Return bit vectors with each bit flipped with probability (1 - eta)/2, independently.

    Paper 004, (1). The flips come from a child of the random generator. So vectors that were drawn
    with the same seed do not share its random numbers.

    Args:
        vectors: bits, shape (n, m).
        eta: privacy parameter, 0 < eta < 1.
        rng: a seed or a generator.
    """
    bits, eta = as_vectors(vectors), open_unit(eta, "eta")
    generator = as_generator(rng)
    flat = bits.reshape(-1).copy()
    for first in range(0, len(flat), BLOCK):
        block = flat[first : first + BLOCK]
        block ^= generator.random(len(block)) < (1 - eta) / 2
    return flat.reshape(bits.shape)


def sample(
    phi: npt.ArrayLike, eta: float, *, rng: np.random.Generator | int | None = None
) -> Counts:
    """Draw noisy incidence counts from their exact law, given the true counts.

    The noisy counts are of positions set in exactly t of n bit vectors after flipping. No bit
    vector is made; the cost is O(n^2) for any number of positions.

    Args:
        phi: positions in exactly t vectors for t = 0 .. n, whole numbers, shape (n + 1,).
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
        rng: a seed or a generator.
    """
    truth = as_incidence(phi, "phi")
    A = transition(len(truth) - 1, eta)
    drawn_counts = as_rng(rng).multinomial(truth, (A / A.sum(axis=0)).T)
    return np.asarray(drawn_counts.sum(axis=0), dtype=np.int64)


def mean(phi: npt.ArrayLike, eta: float) -> Floats:
    """Return the expected noisy incidence counts, in positions, shape (n + 1,).

    The noisy counts are of positions set in exactly t of n bit vectors after flipping.

    Args:
        phi: positions in exactly t vectors for t = 0 .. n, whole numbers, shape (n + 1,).
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
    """
    truth = as_incidence(phi, "phi")
    return np.asarray(transition(len(truth) - 1, eta) @ truth)


def covariance(phi: npt.ArrayLike, eta: float) -> Floats:
    """Return the covariance of the noisy incidence counts, shape (n + 1, n + 1).

    The noisy counts are of positions set in exactly t of n bit vectors after flipping. The
    covariance is diag(A phi) - A diag(phi) A^T, in squared positions, with A the transition matrix
    of the flips.

    Args:
        phi: positions in exactly t vectors for t = 0 .. n, whole numbers, shape (n + 1,).
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
    """
    truth = as_incidence(phi, "phi")
    A = transition(len(truth) - 1, eta)
    return np.asarray(np.diag(A @ truth) - (A * truth) @ A.T)


def law(phi: npt.ArrayLike, eta: float) -> dict[tuple[int, ...], float]:
    """Return the exact law of the noisy incidence counts: the probability of every outcome.

    The noisy counts are of positions set in exactly t of n bit vectors after flipping. For small
    cases: at most 2^22 outcomes times positions.

    Args:
        phi: positions in exactly t vectors for t = 0 .. n, whole numbers, shape (n + 1,).
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
    """
    truth = as_incidence(phi, "phi")
    n, m = len(truth) - 1, int(truth.sum())
    if m * outcomes(n, m) > LARGEST_LAW:
        raise ParameterError(
            f"phi: {m} positions of bit vectors, in {n + 1} counts by their 1-bits, have "
            f"{outcomes(n, m)} possible noisy counts; `law` lists at most {LARGEST_LAW // m}; use "
            "`sample`, `mean`, `covariance` or `component_law`"
        )
    A = transition(n, eta)
    probabilities: dict[tuple[int, ...], float] = {(0,) * (n + 1): 1.0}
    for j in np.repeat(np.arange(n + 1), truth):
        longer: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for outcome, probability in probabilities.items():
            for i in range(n + 1):
                raised = (*outcome[:i], outcome[i] + 1, *outcome[i + 1 :])
                longer[raised] += probability * A[i, j]
        probabilities = dict(longer)
    return probabilities


def outcomes(n: int, m: int) -> int:
    """Return the number of possible incidence counts of n bit vectors of m positions: C(m + n, n).

    The counts are of positions set in exactly t = 0 .. n vectors. C is the binomial coefficient.
    """
    from math import comb

    return comb(m + n, n)


def component_law(phi: npt.ArrayLike, eta: float, i: int) -> Floats:
    """Return the law of one noisy count: its probabilities at 0 .. m, shape (m + 1,).

    The count is of positions set in exactly i of n bit vectors after flipping. It is a sum of
    independent binomial counts over the true numbers of 1-bits, convolved by Fourier transforms
    with an absolute accuracy of about 1e-15.

    >>> from veilmix.analysis.incidence import component_law
    >>> component_law([1, 1], 0.25, 0).round(4).tolist()
    [0.2344, 0.5312, 0.2344]

    Args:
        phi: positions in exactly t vectors for t = 0 .. n, whole numbers, shape (n + 1,).
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
        i: index of the count, 0 .. n.
    """
    from scipy.signal import fftconvolve
    from scipy.stats import binom

    truth = as_incidence(phi, "phi")
    if whole(i, "i", 0) >= len(truth):
        raise ParameterError(f"i: found {i}; needs the index of a count, 0 to {len(truth) - 1}")
    A = transition(len(truth) - 1, eta)
    total = np.ones(1)
    for count, probability in zip(truth.tolist(), A[i], strict=True):
        if count:
            total = fftconvolve(total, binom.pmf(np.arange(count + 1), count, probability))
    return np.maximum(total, 0.0)


def zipf(n: int, m: int, exponent: float = 1.0) -> Counts:
    """Return incidence counts by Zipf's law: few positions are set in many vectors.

    The count of t, positions set in exactly t of n bit vectors, is proportional to (t +
    1)^-exponent. Every count is at least 1, as in paper 004's experiments.

    Args:
        n: number of vectors, >= 1.
        m: number of positions, >= n + 1.
        exponent: steepness; 0 is uniform.
    """
    n = whole(n, "n", 1)
    m = whole(m, "m", n + 1)
    weights = np.arange(1.0, n + 2) ** -exponent
    phi: Counts = 1 + np.floor((m - n - 1) * weights / weights.sum()).astype(np.int64)
    phi[0] += m - phi.sum()
    return phi
