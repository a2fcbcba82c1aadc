"""Bit randomization of paper 001: every bit of a vector is flipped with probability q.

On vectors of L bits the matrix is the L-fold Kronecker power of [[p, q], [q, p]], p = 1 - q: entry
p^(L - d) q^d at Hamming distance d, doubly stochastic and symmetric (paper 001, Section 2). It
costs L log(p/q) nats (Proposition 5.1, which the paper leaves unproved: true, and attained by
opposite vectors). It is applied to a vector of 2^L numbers in L passes and never written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, whole
from .bit_channel_capacity import flip_capacity, flip_pair
from .bit_vectors import WORD, as_bits, column_sums, cut_text, fill_coins, to_bits, to_symbols
from .estimate import Estimate
from .grr import GRR
from .moment_limits import ShareLaw, largest, laws, supporting
from .neighbour_laws import Neighbours, flip_neighbours
from .numerical_capacity import two_inputs
from .randomizer import Bits, Randomizer, Seed, Symbols, as_generator, as_lie, as_symbols
from .share_limits import share_limits

# Limit of the vectors with an estimated joint law: 2^L numbers in memory.
JOINT_BITS = 24
# Bits of a report up to which every distance of two vectors is a kind of neighbours.
MOST_FLIPPED = 16


@dataclass(frozen=True, slots=True)
class BitFlip(Randomizer):
    """Flips each of `bits` bits with probability q.

    People and reports are rows of bits, shape (people, bits), or numbers of rows, shape (people,),
    position 0 most significant; a report has the form of its input. The matrix is the same in
    the order of numbers and in paper 001's recursive enumeration.

    Attributes:
        bits: length L of the vectors, >= 1.
        q: lie probability, 0 < q <= 1/2.
    """

    bits: int
    q: float

    takes_bits: ClassVar[bool] = True
    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", whole(self.bits, "bits", 1))
        object.__setattr__(self, "q", as_lie(self.q))

    def __str__(self) -> str:
        return f"BitFlip(bits={self.bits}, q={self.q:g})"

    @property
    def inputs(self) -> int:
        """2^L vectors."""
        return int(1 << self.bits)

    @property
    def outputs(self) -> int:
        """2^L vectors."""
        return int(1 << self.bits)

    @property
    def epsilon(self) -> float:
        """L log(p/q) nats, attained by opposite vectors."""
        return self.bits * log((1 - self.q) / self.q)

    def noise(self) -> float:
        """Return the variance of one report's estimate of the share of 1-bits at one position."""
        if self.q == 0.5:
            raise ParameterError(
                "q: found 0.5; the reports are fair coins, nothing can be estimated"
            )
        return self.q * (1 - self.q) / (1 - 2 * self.q) ** 2

    def divergences(self) -> Floats:
        """Hamming distance times log(p/q), shape (2^L, 2^L)."""
        if 2 * self.bits > JOINT_BITS:
            raise ParameterError(f"divergences: 2^{2 * self.bits} entries; at most 2^{JOINT_BITS}")
        numbers = np.arange(self.inputs)
        distance = np.bitwise_count(numbers[:, None] ^ numbers)
        return np.asarray(distance * log((1 - self.q) / self.q))

    def _columns(self) -> Floats:
        return flip(np.eye(self.inputs), self.q)

    @property
    def operator(self) -> Any:
        """Q @ p by L butterflies, 2^L L operations."""
        from scipy.sparse.linalg import LinearOperator

        def apply(p: Floats) -> Floats:
            return flip(p, self.q)

        shape = (self.inputs, self.inputs)
        return LinearOperator(shape, matvec=apply, rmatvec=apply, dtype=np.float64)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Any:
        """The vectors with flipped bits, in the form in which they came."""
        values = np.asarray(x)
        if values.ndim != 2:
            return to_symbols(self.sample(to_bits(as_symbols(x, self.inputs), self.bits), rng))
        truth = as_bits(values, self.bits, "x")
        lies: Bits = np.empty(truth.shape, np.uint8)
        fill_coins(lies, self.q, as_generator(rng))
        return np.bitwise_xor(truth, lies, out=lies)

    def symbols(self, reports: Any) -> Symbols:
        """The number of each report."""
        array = np.asarray(reports)
        if array.ndim == 2:
            return to_symbols(as_bits(array, self.bits, "reports"))
        return as_symbols(array, self.outputs, "reports")

    def estimate(self, reports: npt.ArrayLike, *, population: bool = False) -> Estimate:
        """Return unbiased shares of 1-bits per position (rows of bits) or of vectors (numbers).

        The variance of a position's share given the people is p q / (n (p - q)^2) for all people.
        """
        if self.q == 0.5:
            raise ParameterError(
                "q: found 0.5; the reports are fair coins, nothing can be estimated"
            )
        array = np.asarray(reports)
        if array.ndim != 2:
            return self.estimate_joint(array, population=population)
        rows = as_bits(array, self.bits, "reports")
        n, p, q = len(rows), 1 - self.q, self.q
        counts = column_sums(rows)
        shares = (counts / n - q) / (p - q)
        noise = np.full(self.bits, p * q / (n * (p - q) ** 2))
        return Estimate.from_noise(
            shares,
            noise,
            n,
            str(self),
            kind="bits",
            population=population,
            laws=lambda _: supporting(p, q),
            limits=lambda alpha: share_limits(counts, n, p, q, alpha, population=population),
        )

    def estimate_joint(self, reports: npt.ArrayLike, *, population: bool = False) -> Estimate:
        """Unbiased shares of all 2^L vectors, by the inverse of each Kronecker factor."""
        if self.bits > min(JOINT_BITS, WORD):
            raise ParameterError(
                f"bits: 2^{self.bits} shares; at most 2^{JOINT_BITS} are estimated"
            )
        symbols = as_symbols(reports, self.outputs, "reports")
        n, p, q = len(symbols), 1 - self.q, self.q
        observed = np.bincount(symbols, minlength=self.outputs) / n
        shares = butterfly(observed, p / (p - q), -q / (p - q))
        # Each report adds one entry of the inverse: the second moment has its squares as factors.
        square = butterfly(observed, (p / (p - q)) ** 2, (q / (p - q)) ** 2)
        noise = (square - shares) / n
        return Estimate.from_noise(
            shares,
            noise,
            n,
            str(self),
            kind="distribution",
            population=population,
            laws=lambda _: self._joint_law(),
        )

    def _joint_law(self) -> ShareLaw:
        """The law of a report's contribution to the share of a vector: by bits that agree."""
        from scipy.stats import binom

        p, q, agree = 1 - self.q, self.q, np.arange(self.bits + 1)
        levels = (p / (p - q)) ** agree * (-q / (p - q)) ** (self.bits - agree)
        law = np.zeros((self.bits + 1, self.bits + 1))  # by the distance of the own vector
        for distance in agree.tolist():
            kept_ones = binom.pmf(np.arange(self.bits - distance + 1), self.bits - distance, p)
            flipped_ones = binom.pmf(np.arange(distance + 1), distance, q)
            law[:, distance] = np.convolve(kept_ones, flipped_ones)
        return ShareLaw(largest(laws(levels, law), agree == 0), float(np.abs(levels).max()))

    def capacity(self, people: int) -> tuple[float, bool]:
        """The capacity of all 2^L vectors, nats, at most log n; attained if n is at least 2^L."""
        return min(flip_capacity(self.bits, self.q), log(people)), people >= self.inputs

    def contraction(self) -> float:
        """Return the contraction of two opposite vectors."""
        return two_inputs(*flip_pair(self.bits, self.q))

    @property
    def one_bit(self) -> float | None:
        """q, where there is one bit."""
        return self.q if self.bits == 1 else None

    def neighbours(self) -> list[Neighbours]:
        """A case per distance of two vectors; the farthest, usually the worst, come first."""
        if self.bits > MOST_FLIPPED:
            return super(BitFlip, self).neighbours()
        return [flip_neighbours(self.bits, self.q, h) for h in range(self.bits, 0, -1)]

    @property
    def positions(self) -> int:
        """The number of bits."""
        return self.bits

    @property
    def text_width(self) -> int:
        """One digit for each bit."""
        return self.bits

    @property
    def text_pattern(self) -> str:
        """Digits 0 and 1."""
        return f"[01]{{{self.bits}}}"

    def encode(self, reports: Bits, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - of values
        """One digit 0 or 1 for each bit, the first bit first."""
        return cut_text((reports + ord("0")).tobytes().decode(), self.bits)

    def decode(self, texts: Sequence[str]) -> Bits:
        """Rows of bits."""
        digits = np.frombuffer("".join(texts).encode(), np.uint8) - ord("0")
        return digits.reshape(len(texts), -1)

    def support_counts(self, reports: Bits) -> Counts:
        """Return the number of reports with a 1 at each position."""
        return np.asarray(reports.sum(axis=0, dtype=np.int64))

    def inputs_of(self, codes: npt.NDArray[Any]) -> Bits:
        """Each column is one bit."""
        return codes.astype(np.uint8)

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """log(p/q) for each bit in which a drawn report agrees with a value."""
        bits = values.astype(np.uint8)
        noisy_bits = self.sample(bits[own], rng).astype(np.float32)
        agreements = noisy_bits @ bits.T.astype(np.float32) + (1 - noisy_bits) @ (
            1 - bits
        ).T.astype(np.float32)
        return np.asarray(agreements.astype(np.float64) * (self.epsilon / self.bits))

    def single(self) -> GRR:
        """One flipped bit is generalised randomized response on two symbols."""
        return GRR(2, self.epsilon / self.bits)


def flip(vector: Floats, q: float) -> Floats:
    """The law of R(x) when x has the law `vector` (numbers of L-bit vectors along axis 0)."""
    return butterfly(vector, 1 - q, q)


def butterfly(vector: Floats, diagonal: float, off_diagonal: float) -> Floats:
    """Applies the Kronecker power of [[same, other], [other, same]] along axis 0."""
    result = np.array(vector, np.float64)
    size, tail = result.shape[0], result.shape[1:]
    if size & (size - 1):
        raise ParameterError(f"vector: {size} entries; needs a power of two")
    half = 1
    while half < size:
        pairs: Floats = result.reshape(size // (2 * half), 2, half, *tail)
        low, high = pairs[:, 0].copy(), pairs[:, 1].copy()
        pairs[:, 0] = diagonal * low + off_diagonal * high
        pairs[:, 1] = off_diagonal * low + diagonal * high
        half *= 2
    return result
