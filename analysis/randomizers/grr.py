"""Generalised randomized response: report the true value, or any other with some probability.

Q[y, x] = e^eps / (e^eps + a - 1) if y = x, else 1 / (e^eps + a - 1)      (paper 002, (10.3))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, tanh
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ..validation import Counts, Floats, whole
from .neighbour_laws import Neighbours, symbol_neighbours
from .pure import Pure
from .randomizer import Seed, Symbols, as_epsilon, as_generator, as_symbols
from .symmetric_capacity import spread, symmetric, symmetric_error


@keeps_old(said_values="reported_values")
@dataclass(frozen=True, slots=True)
class GRR(Pure):
    """GRR on a symbols with budget epsilon: a report is one symbol.

    Attributes:
        a: number of symbols, >= 2.
        epsilon: nats, > 0.
    """

    a: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size: ClassVar[bool] = True
    closed_form: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))

    def __str__(self) -> str:
        return f"GRR(a={self.a}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """The number of symbols."""
        return self.a

    @property
    def outputs(self) -> int:
        """The same number: reports are symbols."""
        return self.a

    @property
    def truth(self) -> float:
        """e^eps / (e^eps + a - 1), written so that it does not overflow."""
        return 1 / (1 + (self.a - 1) * exp(-self.epsilon))

    @property
    def lie(self) -> float:
        """1 / (e^eps + a - 1)."""
        return exp(-self.epsilon) * self.truth

    def _columns(self) -> Floats:
        Q = np.full((self.a, self.a), self.lie)
        np.fill_diagonal(Q, self.truth)
        return Q

    @property
    def operator(self) -> Any:
        """Q @ p in O(a): a multiple of p plus a constant."""
        from scipy.sparse.linalg import LinearOperator

        def apply(p: Floats) -> Floats:
            return np.asarray((self.truth - self.lie) * p + self.lie * p.sum(axis=0))

        return LinearOperator((self.a, self.a), matvec=apply, rmatvec=apply, dtype=np.float64)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """One symbol for each person.

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        reports = values.copy()
        liars = np.flatnonzero(rng.random(len(values)) >= self.truth)
        # Uniform over the other symbols: skip the true symbol.
        lies = rng.integers(0, self.a - 1, len(liars))
        reports[liars] = lies + (lies >= values[liars])
        return reports

    def tally(self, reports: npt.ArrayLike) -> tuple[Counts, int]:
        """Return the number of reports of each symbol."""
        symbols = as_symbols(reports, self.a, "reports")
        return np.bincount(symbols, minlength=self.a), len(symbols)

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Each report supports itself only."""
        symbols = as_symbols(reports, self.a, "reports")
        return np.asarray(symbols[:, None] == np.arange(self.a))

    def sparse_supports(self, reports: Any, symbols: npt.NDArray[np.int64]) -> Any:
        """Return the listed symbol (ascending) of each report, as CSR reports x symbols."""
        from scipy.sparse import coo_array, csr_array

        report_symbols = self.symbols(reports)
        place = np.minimum(np.searchsorted(symbols, report_symbols), len(symbols) - 1)
        hit = np.flatnonzero(symbols[place] == report_symbols)
        shape = (len(report_symbols), len(symbols))
        return csr_array(coo_array((np.ones(len(hit)), (hit, place[hit])), shape=shape))

    def capacity(self, people: int) -> tuple[float, bool]:
        """The capacity with min(n, a) inputs in use, nats; always attained."""
        return symmetric(self.a, self.epsilon, min(people, self.a)), True

    def contraction(self) -> float:
        """Theta times tanh(eps / 2)."""
        return self.loss_parameter * tanh(self.epsilon / 2)

    def least_error(self, people: int) -> tuple[float, bool]:
        """Attained by min(n, a) people with different values."""
        return symmetric_error(self.a, self.epsilon, min(people, self.a), people), True

    @property
    def loss_parameter(self) -> float:
        """Theta = (e^eps - 1) / (a + e^eps - 1)."""
        return spread(self.a, self.epsilon)

    @property
    def reported_values(self) -> int:
        """Number of values that a report distinguishes: the a symbols."""
        return self.a

    @property
    def identity_form(self) -> tuple[float, float]:
        """(theta, 1 / (e^eps + a - 1))."""
        return self.loss_parameter, self.lie

    @property
    def one_bit(self) -> float | None:
        """The probability of the other symbol, where there are two."""
        return self.lie if self.a == 2 else None

    def neighbours(self) -> list[Neighbours]:
        """Two symbols are like any other two."""
        return [symbol_neighbours(self.a, self.truth, self.lie)]

    @property
    def text_width(self) -> None:
        """A report is a value of the domain."""
        return None

    def encode(self, reports: Symbols, domain: Sequence[str]) -> list[str]:
        """The values that are reported."""
        return [str(domain[symbol]) for symbol in reports.tolist()]
