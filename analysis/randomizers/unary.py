"""Unary encoding: a report is a set of symbols, with a coin for every symbol (paper 002, 10.2).

The true symbol is in the set with probability kappa, every other symbol with probability lambda,
all independently. The local epsilon is log(kappa (1 - lambda) / (lambda (1 - kappa))). For a local
epsilon of eps, Table 10.1 of the paper has:

    basic RAPPOR   kappa = e^(eps/2) / (e^(eps/2) + 1)   lambda = 1 - kappa
    OUE            kappa = 1/2                           lambda = 1 / (e^eps + 1)
    BLH            kappa = e^eps / (e^eps + 1)           lambda = 1/2

OUE is optimised unary encoding, BLH a form of binary local hashing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isfinite, log
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, number, whole
from .bit_channel_capacity import unary_capacity, unary_pair
from .bit_vectors import (
    as_bits,
    column_sums,
    fill_coins,
    from_hex,
    hex_width,
    to_hex,
    to_symbols,
)
from .neighbour_laws import Neighbours, coin_neighbours
from .numerical_capacity import two_inputs
from .pure import Pure
from .randomizer import Bits, Seed, Symbols, as_epsilon, as_generator, as_symbols
from .two_level import TwoLevel, unary_encoding

# Most bits drawn at a time, which bounds the memory that is needed in addition to the reports.
BLOCK_BITS = 1 << 22


@dataclass(frozen=True, slots=True)
class UnaryEncoding(Pure):
    """Unary encoding of a symbols: a report is a row of a bits, position x stands for symbol x.

    Attributes:
        a: number of symbols, >= 2.
        kappa: probability of a 1 at the true symbol, in [0, 1].
        lam: probability of a 1 at another symbol, in [0, kappa].
    """

    a: int
    kappa: float
    lam: float

    any_size: ClassVar[bool] = True
    closed_form: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        for name in ("kappa", "lam"):
            object.__setattr__(self, name, number(getattr(self, name), name, "a probability"))
        if not 0 <= self.lam <= self.kappa <= 1:
            raise ParameterError(
                f"kappa, lam: found {self.kappa!r}, {self.lam!r}; needs 0 <= lam <= kappa <= 1"
            )

    @classmethod
    def rappor(cls, a: int, epsilon: float) -> UnaryEncoding:
        """Return basic RAPPOR, in which the two probabilities of a 1 add up to 1.

        The probabilities are kappa at the true symbol and lambda = 1 - kappa at any other symbol.
        The report distributions of two symbols differ in two bits, and each bit costs half of
        epsilon.

        a: number of symbols. epsilon: local epsilon in nats.
        """
        half = exp(-as_epsilon(epsilon) / 2)
        return cls(a, 1 / (1 + half), half / (1 + half))

    @classmethod
    def oue(cls, a: int, epsilon: float) -> UnaryEncoding:
        """Return optimised unary encoding, of least variance for rare symbols.

        The probability kappa of a 1 at the true symbol is 1/2. a: number of symbols. epsilon: local
        epsilon in nats.
        """
        rest = exp(-as_epsilon(epsilon))
        return cls(a, 0.5, rest / (1 + rest))

    @classmethod
    def blh(cls, a: int, epsilon: float) -> UnaryEncoding:
        """Return paper 002's unary form of binary local hashing.

        The probability lambda of a 1 is 1/2 at a symbol that the person does not have. So a report
        holds about half of all symbols. a: number of symbols. epsilon: local epsilon in nats.
        """
        return cls(a, 1 / (1 + exp(-as_epsilon(epsilon))), 0.5)

    def __str__(self) -> str:
        return f"UE(a={self.a}, kappa={self.kappa:g}, lambda={self.lam:g})"

    @property
    def epsilon(self) -> float:
        """The local epsilon log(kappa (1 - lambda) / (lambda (1 - kappa))) in nats.

        kappa is the probability of a 1 at the true symbol, lambda that at another symbol. Infinite
        if a bit is certain.
        """
        if self.kappa == self.lam:
            return 0.0
        if self.lam == 0 or self.kappa == 1:
            return inf
        return log(self.kappa) - log(self.lam) + log(1 - self.lam) - log(1 - self.kappa)

    @property
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number of possible reports: 2^a sets of symbols."""
        return int(1 << self.a)

    @property
    def truth(self) -> float:
        """The probability kappa of a 1 at the true symbol."""
        return self.kappa

    @property
    def lie(self) -> float:
        """The probability lambda of a 1 at another symbol."""
        return self.lam

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        # Row numbers have position 0 as their most significant bit, so each column is a Kronecker
        # product of the distributions of its bits.
        own_coin, other_coin = (
            np.array([1 - self.kappa, self.kappa]),
            np.array([1 - self.lam, self.lam]),
        )
        Q = np.ones((1, self.a))
        for x in range(self.a):
            coin = np.repeat(other_coin[:, None], self.a, axis=1)
            coin[:, x] = own_coin
            Q = (Q[:, None, :] * coin[None, :, :]).reshape(-1, self.a)
        return Q

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Bits:
        """Return one row of bits for each person, uint8 of shape (people, inputs): one byte a bit.

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        reports = np.empty((len(values), self.a), np.uint8)
        block = max(1, BLOCK_BITS // self.a)
        for first in range(0, len(values), block):
            rows = reports[first : first + block]
            fill_coins(rows, self.lam, rng)
            own_values = values[first : first + block]
            rows[np.arange(len(own_values)), own_values] = rng.random(len(own_values)) < self.kappa
        return reports

    def symbols(self, reports: Any) -> Symbols:
        """Return each report's row of bits as a number, position 0 most significant."""
        return to_symbols(as_bits(reports, self.a, "reports"))

    def tally(self, reports: npt.ArrayLike) -> tuple[Counts, int]:
        """Return (the number of reports with a 1 at each symbol, the number of all reports).

        The first result has shape (inputs,).
        """
        rows = as_bits(reports, self.a, "reports")
        return column_sums(rows), len(rows)

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return a mask, shape (people, inputs): a report supports the symbols with a 1."""
        return as_bits(reports, self.a, "reports").view(np.bool_)

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (capacity, attained): a report's most information about which of n people sent it.

        In nats. At most min(n, a) of the a symbols are in use; the capacity is attained if these
        are equally frequent.
        """
        if not isfinite(self.epsilon):
            return super(UnaryEncoding, self).capacity(people)
        return unary_capacity(self.kappa, self.lam, min(people, self.a)), True

    def contraction(self) -> float:
        """Return the contraction coefficient of two symbols, in [0, 1].

        It is the least factor by which a report reduces any information about the symbol. Only the
        two bits at these symbols matter.
        """
        return two_inputs(*unary_pair(self.kappa, self.lam))

    def noise_of(self, task: str) -> float:
        """Return the variance of one report's estimate of a share of people.

        task: "ranges" for the mean over all ranges of symbols, otherwise that of single symbols.
        The variance of a range grows in proportion to its number of symbols, because bits are
        independent; the mean number is (a + 2) / 3 for a symbols.
        """
        return self.noise() * ((self.a + 2) / 3 if task == "ranges" else 1)

    @property
    def two_level(self) -> TwoLevel | None:
        """The form with two levels of likelihood: a report is a set of symbols, those with a 1.

        The likelihood of a report has one level for symbols in the set and another for all other
        symbols. None if the bits at symbols that the person does not have are always 0 or always 1,
        because the form divides by both probabilities.
        """
        return unary_encoding(self.a, self.kappa, self.lam) if 0 < self.lam < 1 else None

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two symbols, for bounds after shuffling.

        All pairs of symbols are alike. If a bit is certain, the distributions come from the matrix.
        """
        if self.lam == 0 or self.kappa == 1:
            return super(UnaryEncoding, self).neighbours()
        return [coin_neighbours(self.a, self.kappa, self.lam)]

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: two for each eight positions."""
        return hex_width(self.a)

    def encode(self, reports: Bits, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - unused here
        """Return reports as hexadecimal text; position 0 is the highest bit of the first byte."""
        return to_hex(reports)

    def decode(self, texts: Sequence[str]) -> Bits:
        """Return rows of bits from hexadecimal texts.

        A text with a bit after the last is left out.
        """
        return from_hex(texts, self.a)
