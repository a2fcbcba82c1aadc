"""Generalised randomized response: say your value, or with some probability any other one.

Q[y, x] = e^eps / (e^eps + a - 1) if y = x, else 1 / (e^eps + a - 1)      (paper 002, (10.3))
"""

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
import numpy.typing as npt

from ..validation import Counts, Floats, whole
from .pure import Pure
from .randomizer import Seed, Symbols, as_epsilon, as_generator, as_symbols


@dataclass(frozen=True, slots=True)
class GRR(Pure):
    """GRR on a symbols with budget epsilon: a report is one symbol.

    Attributes:
        a: number of symbols, >= 2.
        epsilon: nats, > 0.
    """

    a: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

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
        # Uniform over the others: skip one's own symbol.
        other = rng.integers(0, self.a - 1, len(liars))
        reports[liars] = other + (other >= values[liars])
        return reports

    def tally(self, reports: npt.ArrayLike) -> tuple[Counts, int]:
        """How often each symbol was reported."""
        seen = as_symbols(reports, self.a, "reports")
        return np.bincount(seen, minlength=self.a), len(seen)

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Each report supports itself only."""
        seen = as_symbols(reports, self.a, "reports")
        return np.asarray(seen[:, None] == np.arange(self.a))
