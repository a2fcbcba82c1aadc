"""General Hadamard response: report a column of the symbol's block, with a 1 in its row.

Symbols are dealt to B blocks in turn. Each block has a Hadamard matrix with b columns, a power of
two, and a row for each of its symbols: symbol x has row x // B + 1 of block x mod B. Row 0, all 1,
is unused. A report is the number of a column, of K = B b in all. It supports the symbols with a 1
in this column. The probability of report y for symbol x, with eps the local epsilon, is

    Q[y, x] = e^eps / S if y supports x, else 1 / S,      S = b/2 (e^eps - 1) + K

Rows of a block agree in half of its columns. Let c(x) of n reports support x, and d(x) be columns
of its block. Then the estimate

    phat(x) = G (c(x) - d(x) / 2) / n
    G = 4 S / (b (e^eps - 1)) = 2 (e^eps - 1 + 2 B) / (e^eps - 1)

is unbiased: a report contributes G/2 if it supports x, 0 if it is in another block, and else -G/2.
With p(x) the share of people with x, and f(x) the share of people with a symbol in the block of x,

    n Var phat(x) = G^2 / 4 (f(x) b (e^eps + 1) / (2 S) + (1 - f(x)) b / S) - p(x)

J. Acharya, Z. Sun, H. Zhang, Hadamard response: estimating distributions privately, efficiently,
and with little communication, AISTATS 2019 (*recalled*: there B is a power of two near e^eps / 2).
Here B is any number of blocks. A single block is the form for small epsilon (`hadamard.py`). With
many symbols the variance is 2 (1 - e^-eps) times that of subset selection at best, at B =
(e^eps - 1) / 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, log
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, as_probabilities, whole
from .estimate import Estimate, as_counts
from .expected_limits import ExpectedLimits, expected_by_law
from .galois import hadamard
from .hadamard_columns import (
    Kind,
    agree,
    independent,
    near_v,
    product,
    same_block_kinds,
    two_block_kinds,
    with_other_block,
)
from .moment_limits import ShareLaw, largest, laws
from .neighbour_laws import Neighbours, PairLaw
from .numbered import Numbered
from .numerical_capacity import two_inputs
from .randomizer import (
    DENSE_ENTRIES,
    Randomizer,
    Seed,
    Symbols,
    as_epsilon,
    as_generator,
    as_symbols,
)

# Most columns of all blocks, because reports are counted in an array with an entry for each column;
# more are refused.
LARGEST = 1 << 24
# Most entries of a matrix for which the capacity is computed by iteration. For larger matrices a
# bound is given by a formula.
SMALL = 1 << 16


@dataclass(frozen=True, slots=True)
class HadamardBlocks(Numbered, Randomizer):
    """Hadamard response in blocks: a report is the number of a column of a block's Hadamard matrix.

    Symbols are divided into blocks; each block has a Hadamard matrix with a row for each of its
    symbols. A report supports the symbols with a 1 in its column.

    Attributes:
        a: number of symbols, >= 2.
        width: the columns of a block: a power of two, >= 2; all blocks have at most 2^24 columns.
        epsilon: local epsilon in nats, > 0.
    """

    a: int
    width: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        object.__setattr__(self, "width", whole(self.width, "width", 2))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        if self.width & (self.width - 1):
            raise ParameterError(f"width: found {self.width}; needs a power of two, 2 or more")
        if self.outputs > LARGEST:
            raise ParameterError(
                f"a, width: found {self.a} symbols in blocks of {self.width} columns, so "
                f"{self.outputs} columns in all; needs at most 2^24"
            )

    @classmethod
    def best(cls, a: int, epsilon: float) -> HadamardBlocks:
        """Return the randomizer with the least variance, averaged over uniform symbols.

        The width, the number of columns of a block's Hadamard matrix, is chosen among powers of
        two.

        Args:
            a: number of symbols.
            epsilon: local epsilon in nats.

        Raises:
            ParameterError: no width has at most 2^24 columns in all blocks.
        """
        a = whole(a, "a", 2)
        widths = [1 << j for j in range(1, a.bit_length() + 1)]
        designs = [
            cls(a, width, epsilon) for width in widths if width * _blocks(a, width) <= LARGEST
        ]
        if not designs:
            raise ParameterError(f"a: found {a} symbols; needs at most 2^24 - 1")
        return min(designs, key=cls._scaled_noise)

    def __str__(self) -> str:
        return f"HadamardBlocks(a={self.a}, width={self.width}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""
        return self.a

    @property
    def blocks(self) -> int:
        """The number of blocks, into which the symbols are divided: the least with enough rows.

        Each block has a Hadamard matrix with `width` columns and a row for each of its symbols.
        """
        return _blocks(self.a, self.width)

    @property
    def outputs(self) -> int:
        """The number of possible reports: the columns of the Hadamard matrices of all blocks."""
        return self.width * self.blocks

    @property
    def positions(self) -> int:
        """The length of `support_counts`: a count for each symbol and for each block of symbols."""
        return self.a + self.blocks

    @property
    def truth(self) -> float:
        """The probability that a report supports the true symbol."""
        return 1 / (1 + (2 * self.blocks - 1) * exp(-self.epsilon))

    @property
    def inside(self) -> float:
        """The probability that a report is a column in the block of the true symbol.

        Symbols are divided into blocks, each with a Hadamard matrix of its own.
        """
        return self.truth * (1 + exp(-self.epsilon))

    @property
    def visiting(self) -> float:
        """The probability that a report is in a given block other than the true symbol's block.

        A report is a column of a Hadamard matrix; each block of symbols has a matrix of its own.
        """
        return 2 * self.truth * exp(-self.epsilon)

    @property
    def gain(self) -> float:
        """The scale of the estimate: a report that supports a symbol adds half of it to its share.

        Raises:
            ParameterError: reports do not depend on the value.
        """
        if not self.inside > self.visiting:
            raise ParameterError(
                f"{self}: its reports do not depend on the value; nothing can be estimated"
            )
        return -2 * self._half_gain / expm1(-self.epsilon)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        high = 2 * self.truth / self.width
        inside = self.supports(np.arange(self.outputs))
        return np.where(inside, high, high * exp(-self.epsilon))

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return a report for each person: the number of a column of a block's Hadamard matrix.

        Symbols are divided into blocks, each with a Hadamard matrix of its own. The columns of all
        blocks are numbered together, block after block. Shape (people,).

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        symbols, rng = as_symbols(x, self.a), as_generator(rng)
        block, row = symbols % self.blocks, symbols // self.blocks + 1
        chance, column = rng.random(len(row)), rng.integers(0, self.width, len(row))
        if self.blocks > 1:
            other_block = (block + rng.integers(1, self.blocks, len(row))) % self.blocks
            block = np.where(chance < self.inside, block, other_block)
        # Flipping a bit of the column's number at which the row's number has a 1 changes whether
        # the column supports the symbol, because this flips the parity of their common 1-bits.
        moves = (chance < self.inside) & (agree(column, row) != (chance < self.truth))
        return np.asarray(block * self.width + np.where(moves, column ^ (row & -row), column))

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return a mask of the symbols that each report supports, shape (people, inputs).

        A report is a column of a block's Hadamard matrix. It supports the symbols of this block
        with a 1 in the column.

        Raises:
            ParameterError: the mask has more than 2^24 entries.
        """
        codes = as_symbols(reports, self.outputs, "reports")
        if len(codes) * self.a > DENSE_ENTRIES:
            raise ParameterError(
                f"reports: found {len(codes)}; with {self.a} symbols the mask of supported symbols "
                "has more than 2^24 entries; needs fewer reports at a time"
            )
        symbols = np.arange(self.a)
        is_own_block = codes[:, None] // self.width == symbols % self.blocks
        rows = agree(codes[:, None] % self.width, symbols // self.blocks + 1)
        return np.asarray(is_own_block & rows)

    def support_counts(self, reports: npt.ArrayLike) -> Counts:
        """Return the number of reports that support each symbol, then the number in each block.

        A report is a column of the Hadamard matrix of a block of symbols. Shape (positions,).
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        columns = np.bincount(symbols, minlength=self.outputs).reshape(self.blocks, self.width)
        # shape: columns, blocks. A transform along axis 0 counts the supporting reports of all
        # blocks.
        sums = hadamard(np.ascontiguousarray(columns.T))
        supporting = (sums[0] + sums[1:]) // 2
        return np.concatenate([supporting.ravel()[: self.a], sums[0]])

    def estimate(self, reports: npt.ArrayLike, *, population: bool = False) -> Estimate:
        """Return unbiased shares of the symbols, with the standard errors of `variance`."""
        counts = self.support_counts(reports)
        people = int(counts[self.a :].sum())
        return self.estimate_tally(counts, people, population=population)

    def estimate_tally(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> Estimate:
        """Return unbiased shares of the symbols from the counts of `support_counts`.

        counts: shape (positions,). people: the number of reports. population: the errors include
        the drawing of these people.
        """
        people = whole(people, "people", 1)
        table = as_counts(counts, self.positions, people)
        blocks = table[self.a :] / people
        shares = self.gain * (table[: self.a] / people - self._block_values(blocks) / 2)
        clipped = np.clip(shares, 0.0, 1.0)
        block_shares = (blocks - self.visiting) / (self.inside - self.visiting)
        blocks_of_symbols = np.clip(self._block_values(block_shares), clipped, 1.0)
        return Estimate.from_noise(
            shares,
            self._noise(clipped, blocks_of_symbols) / people,
            people,
            str(self),
            kind="distribution",
            population=population,
            laws=self._share_law,
        )

    def _block_values(self, numbers: Floats) -> Floats:
        """Return, for each symbol, the number that belongs to its block of symbols.

        numbers: a number for each block. Shape (inputs,).
        """
        return np.asarray(numbers[np.arange(self.a) % self.blocks])

    def _share_law(self, place: int) -> ShareLaw:  # noqa: ARG002 - alike for all symbols
        """Return the distribution of a report's contribution to the estimated share of a symbol.

        The contribution is half of `gain`, minus this, or 0. Its probabilities depend on the
        sender's symbol: the estimated symbol, another symbol of its block, or a symbol of another
        block. Each block has a Hadamard matrix of its own.
        """
        kinds = [(self.truth, self.inside - self.truth)]
        kinds += [(block / 2, block / 2) for block in (self.inside, self.visiting)]
        levels = self.gain * np.array([0.5, -0.5, 0.0])
        law = np.array([(up, down, max(0.0, 1 - up - down)) for up, down in kinds]).T
        return ShareLaw(largest(laws(levels, law), np.arange(3) == 0), self.gain / 2)

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % confidence limits of shares of 1/2, then of 0, 1/4, 3/4 and 1.

        people: the number of reports.
        """
        return (expected_by_law("shares", people, self._share_law(0)),)

    def variance(self, p: npt.ArrayLike, people: int, *, population: bool = False) -> Floats:
        """Return the exact variance of each estimated share if the true shares are p.

        Shape (inputs,). The people are fixed; population=True adds p (1 - p) / people for drawing
        them.
        """
        shares, people = as_probabilities(p), whole(people, "people", 1)
        blocks = np.zeros(self.blocks)
        np.add.at(blocks, np.arange(self.a) % self.blocks, shares)
        drawing_noise = shares * (1 - shares) if population else 0.0
        return np.asarray(
            (self._noise(shares, self._block_values(blocks)) + drawing_noise) / people
        )

    def _noise(self, shares: Floats, blocks: Floats) -> Floats:
        """Return n times the variance of each estimated share, for n reports.

        shares: the true share of each symbol. blocks: for each symbol the true share of its block,
        which is the sum over all symbols of the block.
        """
        block_chance = self.inside * blocks + self.visiting * (1 - blocks)
        return np.asarray(self.gain**2 / 4 * block_chance - shares)

    def noise(self) -> float:
        """Return the variance of a report's estimate of a share, averaged over uniform symbols."""
        return self._scaled_noise() * (self.gain / (2 * self._half_gain)) ** 2

    def _scaled_noise(self) -> float:
        """Return `noise` times (1 - e^-epsilon)^2, which is finite even for a tiny epsilon."""
        block_sizes = np.bincount(np.arange(self.a) % self.blocks)
        # Mean over the symbols of the share of people in their block, for uniform symbols.
        mean_block_share = float(block_sizes @ block_sizes) / self.a**2
        block_chance = self.inside * mean_block_share + self.visiting * (1 - mean_block_share)
        return self._half_gain**2 * block_chance - expm1(-self.epsilon) ** 2 / self.a

    @property
    def _half_gain(self) -> float:
        """Half of the estimate's scale `gain` times 1 - e^-epsilon, finite for every epsilon."""
        return 2 * self.blocks * exp(-self.epsilon) - expm1(-self.epsilon)

    def divergences(self) -> Floats:
        """Return, for every two symbols, the largest log-likelihood ratio of a report, in nats.

        It is epsilon for two different symbols. Shape (inputs, inputs).
        """
        divergences = np.full((self.a, self.a), self.epsilon)
        np.fill_diagonal(divergences, 0.0)
        return divergences

    def log_likelihood(self, values: npt.NDArray[np.int64], own: Symbols, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each symbol, shape (own, values).

        It is epsilon if the report supports the symbol, else 0. Terms that do not depend on the
        symbol are left out.

        values: the symbols, shape (values, 1). own: the row of each sender in `values`.
        """
        supports = self.supports(self.sample(values[own, 0], rng))
        return np.asarray(supports[:, values[:, 0]] * self.epsilon, np.float64)

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about its sender among n people.

        The bound in nats, for n = `people`, is the log of the number of reports less the entropy of
        a report given the symbol; it is at most log n. It is not attained, because no distribution
        of the symbols makes the first column of a block as likely as its other columns. Small cases
        in which n is at least the number of symbols are computed from the matrix instead.
        """
        if people >= self.a and self.a * self.outputs <= SMALL:
            return super(HadamardBlocks, self).capacity(people)
        p, lies = self.truth, 1 - self.truth
        information = log(2 * self.blocks) + p * log(p)
        if lies:
            information += lies * log(lies / (2 * self.blocks - 1))
        return min(information, log(people)), False

    def contraction(self) -> float:
        """Return the contraction coefficient, in [0, 1].

        It is the largest share of any information in a person's symbol that the report retains. It
        is the maximum over two cases: two symbols in the same block, or in different blocks.
        """
        blankets = [blanket for blanket, _ in self.neighbours()]
        return max(two_inputs(law.law * law.u_ratios, law.law * law.v_ratios) for law in blankets)

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two symbols u and v, for bounds after shuffling.

        Symbols are divided into blocks, each with a Hadamard matrix; a report is a column of a
        block. The cases are u and v in different blocks, then in the same block, as far as they
        exist. The privacy blanket, a part of other people's reports that does not depend on their
        symbols, is a uniform column. All other people have v, or a third symbol z. If u, v and z
        are in one block, the row of z is the product of the rows of u and v, or independent of
        them. Else z is in the block of v, or in a block without u and v.
        """
        # rows in use of the first block, which has the most symbols; they decide which cases exist
        rows = -(-self.a // self.blocks)
        pairs = []
        if self.blocks > 1:
            third = [near_v()] if rows > 1 else []
            pairs.append(self._column_pairs(two_block_kinds(), third, further=self.blocks > 2))
        if rows > 1:
            third = [product()] if rows > 2 else []
            third += [independent()] if rows > 3 else []
            pairs.append(self._column_pairs(same_block_kinds(), third, further=self.blocks > 1))
        return pairs

    def _column_pairs(
        self, kinds: Sequence[Kind], third: Sequence[Sequence[Kind]], *, further: bool
    ) -> Neighbours:
        """Return the report distributions of two input symbols u and v, by kinds of columns.

        A report is a column of the Hadamard matrix of a block of symbols. A kind is a share of a
        matrix's columns and three flags: whether they support u, v and a third symbol z. The first
        result is relative to the privacy blanket, a part of other people's reports that does not
        depend on their symbols. The list is for other people that all have v, then z.

        Args:
            kinds: the kinds of columns without a third symbol.
            third: for each relation of z to u and v, the kinds of columns.
            further: whether z may also be in a block without u and v.
        """
        b, u, v, _ = self._laws(kinds)
        equals = [PairLaw.over(v, u, v, shared=b)]
        column_lists = [*third, with_other_block(kinds)] if further else third
        for columns in column_lists:
            any_column, own_law, other_law, z = self._laws(columns)
            equals.append(PairLaw.over(z, own_law, other_law, shared=any_column))
        weight = 2 * self.blocks * self.truth * exp(-self.epsilon)
        return PairLaw.over(b, u, v, weight), equals

    def _laws(self, kinds: Sequence[Kind]) -> Floats:
        """Return the distributions of a uniform column and of the reports of symbols u, v and z.

        The distributions are over kinds of columns: whether a column supports u, v and z. Shape
        (4, kinds).

        kinds: for each kind the number of columns, as a share of a block's columns, and the three
        flags.
        """
        listed = np.array([share for share, *_ in kinds])
        # The columns of all other blocks support none of u, v and z, because a column supports only
        # symbols of its own block.
        shares = np.append(listed, self.blocks - listed.sum())
        inside = np.array([supported for _, *supported in kinds] + [[False] * 3]).T
        high = 2 * self.truth
        laws = shares * np.where(inside, high, high * exp(-self.epsilon))
        return np.asarray(np.vstack([shares / self.blocks, laws])[:, shares > 0])


def _blocks(a: int, width: int) -> int:
    """Return the least number of blocks with room for `a` symbols, at `width` - 1 symbols a block.

    Each block of symbols has a Hadamard matrix with `width` columns and an unused first row.
    """
    return -(-a // (width - 1))
