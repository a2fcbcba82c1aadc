"""Hadamard response: report a column of a Hadamard matrix H with a 1 in the symbol's row.

    Q[y, x] = 2 e^eps / (K (e^eps + 1)) if H[x + 1, y] = 1, else 2 / (K (e^eps + 1))

Q[y, x] is the probability of report y for symbol x, eps the local epsilon. K, the size of H, is the
least power of two above the number a of symbols. H[x, y] = 1 if the binary numbers x and y have an
even number of common 1-bits, else -1; row 0, all 1, is unused. Report y supports the symbols with a
1 in column y. Two rows agree in half of the columns, so a report supports the true symbol with
probability e^eps / (e^eps + 1) and any other with 1/2. A report has log2 K bits. The supported
symbols are found in O(a) steps (here, by one fast transform for all reports).

J. Acharya, Z. Sun, H. Zhang, Hadamard response: estimating distributions privately, efficiently,
and with little communication, AISTATS 2019: the form for small epsilon. Their general form, with
the rows in blocks, is better if e^eps is large compared with 1 (`hadamard_blocks.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, whole
from .galois import hadamard
from .hadamard_columns import agree
from .neighbour_laws import Neighbours, PairLaw
from .numbered import Numbered
from .numerical_capacity import two_inputs
from .pure import Pure
from .randomizer import Seed, Symbols, as_epsilon, as_generator, as_symbols

# Most columns of the matrix, because reports are counted in an array with an entry for each column;
# more are refused.
LARGEST = 1 << 24


@dataclass(frozen=True, slots=True)
class Hadamard(Numbered, Pure):
    """Hadamard response for a symbols: a report is the number of a column of a Hadamard matrix.

    The matrix has K columns, K the least power of two above a. A report supports the symbols with a
    1 in this column, each in a row of its own.

    Attributes:
        a: number of symbols, 2 .. 2^24 - 1.
        epsilon: local epsilon in nats, > 0.
    """

    a: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        if self.a >= LARGEST:
            raise ParameterError(f"a: found {self.a} symbols; needs at most 2^24 - 1")

    def __str__(self) -> str:
        return f"Hadamard(a={self.a}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number of possible reports, which are columns: the least power of two above a."""
        return 1 << self.a.bit_length()

    @property
    def truth(self) -> float:
        """The probability e^eps / (e^eps + 1) that a report supports the true symbol."""
        return 1 / (1 + exp(-self.epsilon))

    @property
    def lie(self) -> float:
        """The probability 1/2 that a report supports a given symbol that its person does not have.

        Each symbol has a row of a Hadamard matrix, and two rows agree in half of the columns.
        """
        return 0.5

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        agrees = agree(np.arange(self.outputs)[:, None], np.arange(1, self.a + 1))
        return np.where(agrees, self.truth, 1 - self.truth) * 2 / self.outputs

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return a report for each person: the number of a column of the Hadamard matrix.

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        rows, rng = as_symbols(x, self.a) + 1, as_generator(rng)
        column = rng.integers(0, self.outputs, len(rows))
        is_supported = rng.random(len(rows)) < self.truth
        # Flipping a bit of the column's number at which the row's number has a 1 changes whether
        # the column supports the symbol, because this flips the parity of their common 1-bits.
        lowest = rows & -rows
        return np.asarray(np.where(agree(column, rows) == is_supported, column, column ^ lowest))

    def tally(self, reports: npt.ArrayLike) -> tuple[Counts, int]:
        """Return the number of reports that support each symbol, and the number of reports.

        A fast Walsh-Hadamard transform counts them; shape (inputs,).
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        sums = hadamard(np.bincount(symbols, minlength=self.outputs))
        return (len(symbols) + sums[1 : self.a + 1]) // 2, len(symbols)

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return a mask of the symbols that each report supports, shape (people, inputs).

        A report is a column of the Hadamard matrix. It supports a symbol if the symbol's row has a
        1 in this column.
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        self._check_supports(len(symbols))
        return agree(symbols[:, None], np.arange(1, self.a + 1))

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about its sender among n people.

        The bound in nats, for n = `people`, is log 2 less the entropy of a bit that is 1 with
        probability `truth`, at most log n. It is so because half of all columns support a symbol.
        It is not attained, because no distribution of the inputs makes column 0 as likely as the
        other columns. Small cases in which n is at least the number of symbols are computed from
        the matrix instead.
        """
        if self._is_computed(people):
            return super(Hadamard, self).capacity(people)
        p, q = self.truth, 1 - self.truth
        return min(log(2) + p * log(p) + (q * log(q) if q else 0.0), log(people)), False

    def contraction(self) -> float:
        """Return the contraction coefficient, the same for every pair of symbols.

        It is the largest share of any information in a person's symbol that the report retains. A
        report is a column of the Hadamard matrix; only whether it supports each of the two symbols
        matters.
        """
        p, q = self.truth / 2, (1 - self.truth) / 2
        return two_inputs(np.array([p, p, q, q]), np.array([p, q, p, q]))

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two symbols u and v, for bounds after shuffling.

        All pairs of symbols are alike. The privacy blanket, a part of other people's reports that
        does not depend on their symbols, is a uniform column of the Hadamard matrix. An outcome is
        whether a column supports u and v. Other people have v or a third symbol z. Either z's row
        is the product of the rows of u and v, so z is supported if both or neither are. Or the
        three rows are independent, and whether the column supports z is part of the outcome.
        """
        p, q = self.truth / 2, (1 - self.truth) / 2
        u, v, b = np.array([p, p, q, q]), np.array([p, q, p, q]), np.full(4, 0.25)
        equals = [PairLaw.over(v, u, v, shared=b)]
        if self.a > 2:
            equals.append(PairLaw.over(np.where(u == v, p, q), u, v, shared=b))
        if self.a > 3:
            supported = np.array([self.truth, 1 - self.truth])
            z = np.multiply.outer(b, supported).ravel()
            own_law, other_law, any_column = (np.repeat(law / 2, 2) for law in (u, v, b))
            equals.append(PairLaw.over(z, own_law, other_law, shared=any_column))
        return [(PairLaw.over(b, u, v, 4 * q), equals)]
