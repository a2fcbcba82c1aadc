"""Bit randomization of paper 001: every bit of a vector is flipped with probability q.

On vectors of L bits the matrix is the L-fold Kronecker power of [[p, q], [q, p]], p = 1 - q. Two
vectors at Hamming distance d have the entry p^(L - d) q^d; the matrix is symmetric and doubly
stochastic (paper 001, Section 2). Its local epsilon is L log(p/q) nats, which opposite vectors
attain (paper 001, Proposition 5.1, which the paper does not prove). The matrix is applied to a
vector of 2^L numbers in L passes and never formed.
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

# Most bits of a vector for a joint estimate (a share for each vector), and twice the most bits for
# a table of all pairs of vectors. Both hold at most 2^24 numbers; longer vectors are refused.
JOINT_BITS = 24
# Most bits of a vector for which `neighbours` lists a pair of vectors at each Hamming distance.
# Longer vectors use the general method of `Randomizer`.
MOST_FLIPPED = 16


@dataclass(frozen=True, slots=True)
class BitFlip(Randomizer):
    """A local randomizer that flips each of `bits` bits with probability q.

    Inputs and reports are rows of bits, shape (people, bits), or these rows read as binary numbers,
    shape (people,), the first bit the most significant. Reports have the form of the inputs. The
    matrix is the same for vectors in ascending order and in the descending order of paper 001.

    Attributes:
        bits: length L of the vectors, >= 1.
        q: probability that a bit is flipped, 0 < q <= 1/2.
    """

    bits: int
    q: float

    takes_bits: ClassVar[bool] = True
    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "bits", whole(self.bits, "bits", 1))
        object.__setattr__(self, "q", as_lie(self.q))

    def __str__(self) -> str:
        return f"BitFlip(bits={self.bits}, q={self.q:g})"

    @property
    def inputs(self) -> int:
        """The number of possible values of a user: 2^L vectors of L bits."""
        return int(1 << self.bits)

    @property
    def outputs(self) -> int:
        """The number of possible reports: 2^L vectors of L bits."""
        return int(1 << self.bits)

    @property
    def epsilon(self) -> float:
        """The local epsilon L log((1 - q) / q) in nats, for L bits; opposite vectors attain it."""
        return self.bits * log((1 - self.q) / self.q)

    def noise(self) -> float:
        """Return the variance of a report's estimate of the share of 1-bits at a position."""
        if self.q == 0.5:
            raise ParameterError(
                "q: found 0.5; the reports are fair coins, so estimates need a smaller q"
            )
        return self.q * (1 - self.q) / (1 - 2 * self.q) ** 2

    def divergences(self) -> Floats:
        """Return, for every two vectors, the largest log-likelihood ratio of a report.

        It is their Hamming distance times log((1 - q)/q), in nats; shape (2^L, 2^L) for vectors of
        L bits.
        """
        if 2 * self.bits > JOINT_BITS:
            raise ParameterError(
                f"divergences: the table of pairs has 2^{2 * self.bits} entries; at most "
                f"2^{JOINT_BITS} are computed"
            )
        numbers = np.arange(self.inputs)
        distance = np.bitwise_count(numbers[:, None] ^ numbers)
        return np.asarray(distance * log((1 - self.q) / self.q))

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        return flip(np.eye(self.inputs), self.q)

    @property
    def operator(self) -> Any:
        """The matrix as a linear operator, never formed: 2^L L steps a product, for L bits."""
        from scipy.sparse.linalg import LinearOperator

        def apply(p: Floats) -> Floats:
            """Return the distribution of a report if people's vectors have the distribution p."""
            return flip(p, self.q)

        shape = (self.inputs, self.inputs)
        return LinearOperator(shape, matvec=apply, rmatvec=apply, dtype=np.float64)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Any:
        """Return a report for each person: the person's vector with flipped bits.

        x: the vectors, as rows of bits or as binary numbers; reports have the same form.
        """
        values = np.asarray(x)
        if values.ndim != 2:
            return to_symbols(self.sample(to_bits(as_symbols(x, self.inputs), self.bits), rng))
        truth = as_bits(values, self.bits, "x")
        lies: Bits = np.empty(truth.shape, np.uint8)
        fill_coins(lies, self.q, as_generator(rng))
        return np.bitwise_xor(truth, lies, out=lies)

    def symbols(self, reports: Any) -> Symbols:
        """Return each report as a binary number, the first bit the most significant.

        Shape (people,).
        """
        array = np.asarray(reports)
        if array.ndim == 2:
            return to_symbols(as_bits(array, self.bits, "reports"))
        return as_symbols(array, self.outputs, "reports")

    def estimate(self, reports: npt.ArrayLike, *, population: bool = False) -> Estimate:
        """Return unbiased shares of 1-bits at each position, or of each vector.

        There is a share for each position if reports are rows of bits, and a share for each vector
        if reports are binary numbers. A position's share has the variance q (1 - q) / (n (1 - 2
        q)^2), with n reports of a fixed set of people. population: the errors include the drawing
        of these people.
        """
        if self.q == 0.5:
            raise ParameterError(
                "q: found 0.5; the reports are fair coins, so estimates need a smaller q"
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
        """Return unbiased shares of people with each of the 2^L vectors, from reports as numbers.

        The matrix is a Kronecker power, so the inverse of its 2 x 2 factor is applied bit by bit.
        population: the errors include the drawing of these people.
        """
        if self.bits > min(JOINT_BITS, WORD):
            raise ParameterError(
                f"bits: found {self.bits}, so 2^{self.bits} shares; needs at most {JOINT_BITS} bits"
            )
        symbols = as_symbols(reports, self.outputs, "reports")
        n, p, q = len(symbols), 1 - self.q, self.q
        observed = np.bincount(symbols, minlength=self.outputs) / n
        shares = butterfly(observed, p / (p - q), -q / (p - q))
        # A report adds an entry of the inverse matrix to a share. So the second moment uses the
        # squares of the inverse's factors.
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
        """Return the distribution of a report's contribution to the estimated share of a vector.

        The contribution depends only on the number of bits in which the report agrees with the
        vector.
        """
        from scipy.stats import binom

        p, q, agree = 1 - self.q, self.q, np.arange(self.bits + 1)
        levels = (p / (p - q)) ** agree * (-q / (p - q)) ** (self.bits - agree)
        # row: bits in which report and vector agree; column: bits in which the sender's value
        # differs from the vector
        law = np.zeros((self.bits + 1, self.bits + 1))
        for distance in agree.tolist():
            kept_ones = binom.pmf(np.arange(self.bits - distance + 1), self.bits - distance, p)
            flipped_ones = binom.pmf(np.arange(distance + 1), distance, q)
            law[:, distance] = np.convolve(kept_ones, flipped_ones)
        return ShareLaw(largest(laws(levels, law), agree == 0), float(np.abs(levels).max()))

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (capacity, attained): a report's most information about its sender among n people.

        The capacity is in nats, at most log n for n = `people`. It is attained if n is at least the
        number of vectors.
        """
        return min(flip_capacity(self.bits, self.q), log(people)), people >= self.inputs

    def contraction(self) -> float:
        """Return the contraction coefficient in [0, 1], which two opposite vectors attain.

        It is the largest share of any information in the sender's value that a report retains.
        """
        return two_inputs(*flip_pair(self.bits, self.q))

    @property
    def one_bit(self) -> float | None:
        """The probability that the report differs from the value, if it has a single bit.

        None for longer vectors.
        """
        return self.q if self.bits == 1 else None

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two vectors, a pair for each Hamming distance.

        Bounds after shuffling use them. The farthest vectors, usually the worst, come first.
        """
        if self.bits > MOST_FLIPPED:
            return super(BitFlip, self).neighbours()
        return [flip_neighbours(self.bits, self.q, h) for h in range(self.bits, 0, -1)]

    @property
    def positions(self) -> int:
        """The length of `support_counts`, which is the number of bits."""
        return self.bits

    @property
    def text_width(self) -> int:
        """The number of characters of a report as text: one digit for each bit."""
        return self.bits

    @property
    def text_pattern(self) -> str:
        """The regular expression of a report as text: digits 0 and 1."""
        return f"[01]{{{self.bits}}}"

    def encode(self, reports: Bits, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - of values
        """Return reports as text: one digit 0 or 1 for each bit, the first bit first."""
        return cut_text((reports + ord("0")).tobytes().decode(), self.bits)

    def decode(self, texts: Sequence[str]) -> Bits:
        """Return reports from texts of digits 0 and 1, as rows of bits; shape (people, bits)."""
        digits = np.frombuffer("".join(texts).encode(), np.uint8) - ord("0")
        return digits.reshape(len(texts), -1)

    def support_counts(self, reports: Bits) -> Counts:
        """Return the number of reports with a 1 at each position."""
        return np.asarray(reports.sum(axis=0, dtype=np.int64))

    def inputs_of(self, codes: npt.NDArray[Any]) -> Bits:
        """Return people's vectors of bits from the codes in the requested columns.

        codes: 0 or 1, shape (people, bits), a column for each bit.
        """
        return codes.astype(np.uint8)

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each value, shape (own, values).

        Each bit in which a report agrees with a value adds log((1 - q)/q) nats. Terms that do not
        depend on the value are left out.

        values: vectors of bits. own: the row of each sender in `values`.
        """
        bits = values.astype(np.uint8)
        noisy_bits = self.sample(bits[own], rng).astype(np.float32)
        agreements = noisy_bits @ bits.T.astype(np.float32) + (1 - noisy_bits) @ (
            1 - bits
        ).T.astype(np.float32)
        return np.asarray(agreements.astype(np.float64) * (self.epsilon / self.bits))

    def single(self) -> GRR:
        """Return the randomizer of a single bit: generalized randomized response on two symbols."""
        return GRR(2, self.epsilon / self.bits)


def flip(vector: Floats, q: float) -> Floats:
    """Return the distribution of flipped vectors, if the vectors have the distribution `vector`.

    Axis 0 of `vector` holds all L-bit vectors in ascending order as binary numbers. Each bit is
    flipped with probability q.
    """
    return butterfly(vector, 1 - q, q)


def butterfly(vector: Floats, diagonal: float, off_diagonal: float) -> Floats:
    """Multiply `vector` along axis 0 by the Kronecker power of a symmetric 2 x 2 matrix.

    The matrix has `diagonal` on its diagonal and `off_diagonal` elsewhere. The size of axis 0 must
    be a power of two, else a ParameterError is raised.
    """
    result = np.array(vector, np.float64)
    size, tail = result.shape[0], result.shape[1:]
    if size & (size - 1):
        raise ParameterError(f"vector: found {size} entries; needs a power of two")
    half = 1
    while half < size:
        pairs: Floats = result.reshape(size // (2 * half), 2, half, *tail)
        low, high = pairs[:, 0].copy(), pairs[:, 1].copy()
        pairs[:, 0] = diagonal * low + off_diagonal * high
        pairs[:, 1] = off_diagonal * low + diagonal * high
        half *= 2
    return result
