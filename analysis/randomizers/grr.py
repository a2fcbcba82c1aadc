"""Generalised randomised response: report the true value, or any other with some probability.

Q[y, x] is the probability of report y for value x, of a values; eps is the local epsilon in nats.

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
    """Generalized randomized response: report the true symbol, or another symbol at random.

    Attributes:
        a: number of symbols, >= 2.
        epsilon: local epsilon in nats, > 0.
    """

    a: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size: ClassVar[bool] = True
    closed_form: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))

    def __str__(self) -> str:
        return f"GRR(a={self.a}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number of possible reports, which are symbols: a."""
        return self.a

    @property
    def truth(self) -> float:
        """The probability e^eps / (e^eps + a - 1) that the true symbol is reported."""
        return 1 / (1 + (self.a - 1) * exp(-self.epsilon))

    @property
    def lie(self) -> float:
        """The probability 1 / (e^eps + a - 1) that a given other symbol is reported."""
        return exp(-self.epsilon) * self.truth

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        Q = np.full((self.a, self.a), self.lie)
        np.fill_diagonal(Q, self.truth)
        return Q

    @property
    def operator(self) -> Any:
        """The matrix as a linear operator in O(a) steps: a multiple of the input and a constant."""
        from scipy.sparse.linalg import LinearOperator

        def apply(p: Floats) -> Floats:
            """Return the distribution of a report if people's symbols have the distribution p."""
            return np.asarray((self.truth - self.lie) * p + self.lie * p.sum(axis=0))

        return LinearOperator((self.a, self.a), matvec=apply, rmatvec=apply, dtype=np.float64)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return a reported symbol for each person.

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        reports = values.copy()
        liars = np.flatnonzero(rng.random(len(values)) >= self.truth)
        # A lie is uniform over the other symbols: a number drawn among a - 1 is raised by 1 if it
        # is at least the true symbol.
        lies = rng.integers(0, self.a - 1, len(liars))
        reports[liars] = lies + (lies >= values[liars])
        return reports

    def tally(self, reports: npt.ArrayLike) -> tuple[Counts, int]:
        """Return the number of reports of each symbol, shape (inputs,), and of all reports."""
        symbols = as_symbols(reports, self.a, "reports")
        return np.bincount(symbols, minlength=self.a), len(symbols)

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return a mask of supported symbols: a report supports only the symbol that it names.

        Shape (people, inputs).
        """
        symbols = as_symbols(reports, self.a, "reports")
        return np.asarray(symbols[:, None] == np.arange(self.a))

    def sparse_supports(self, reports: Any, symbols: npt.NDArray[np.int64]) -> Any:
        """Return the listed symbol that each report names, as a sparse 0/1 matrix in CSR format.

        Rows are reports, columns the listed symbols. A report of an unlisted symbol has an empty
        row.

        symbols: the listed symbols, ascending.
        """
        from scipy.sparse import coo_array, csr_array

        report_symbols = self.symbols(reports)
        place = np.minimum(np.searchsorted(symbols, report_symbols), len(symbols) - 1)
        hit = np.flatnonzero(symbols[place] == report_symbols)
        shape = (len(report_symbols), len(symbols))
        return csr_array(coo_array((np.ones(len(hit)), (hit, place[hit])), shape=shape))

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (capacity, attained): a report's most information about its sender among n people.

        In nats, for n = `people`, if min(n, a) of the a symbols are in use. `attained` is always
        True.
        """
        return symmetric(self.a, self.epsilon, min(people, self.a)), True

    def contraction(self) -> float:
        """Return the contraction coefficient (truth - lie) tanh(epsilon / 2).

        It is the largest share of any information in a person's symbol that the report retains.
        """
        return self.loss_parameter * tanh(self.epsilon / 2)

    def smallest_error(self, people: int) -> tuple[float, bool]:
        """Return (error, attained): the least error of naming a report's sender among n people.

        It is attained if the n = `people` people have min(n, a) different symbols, of a in all.
        """
        return symmetric_error(self.a, self.epsilon, min(people, self.a), people), True

    @property
    def loss_parameter(self) -> float:
        """Theta = (e^eps - 1) / (a + e^eps - 1) for a symbols: the probability `truth` minus `lie`.

        `truth` is the probability of reporting the true symbol, `lie` that of a given other symbol.
        For a person U with the symbol X and the report Y, the mutual information satisfies
        I(U; Y) <= theta I(U; X). Paper 003 calls theta the "MI loss parameter".
        """
        return spread(self.a, self.epsilon)

    @property
    def reported_values(self) -> int:
        """The number of values that a report distinguishes: all symbols."""
        return self.a

    @property
    def identity_form(self) -> tuple[float, float]:
        """(theta, nu): the matrix is theta times the identity plus nu in every entry.

        theta is the probability `truth` minus `lie`, nu is `lie`.
        """
        return self.loss_parameter, self.lie

    @property
    def one_bit(self) -> float | None:
        """The probability of reporting the other symbol if there are two symbols; else None."""
        return self.lie if self.a == 2 else None

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two symbols, for bounds after shuffling.

        A single case is enough, because all pairs of symbols are alike.
        """
        return [symbol_neighbours(self.a, self.truth, self.lie)]

    @property
    def text_width(self) -> None:
        """None, as the text of a report is a value of the domain and may have any width."""
        return None

    def encode(self, reports: Symbols, domain: Sequence[str]) -> list[str]:
        """Return the reported symbols as values of the domain."""
        return [str(domain[symbol]) for symbol in reports.tolist()]
