"""Randomizers with a report that supports a set of symbols: GRR, unary encodings, local hashing.

A report supports the true symbol with probability `truth` and each other symbol with probability
`lie`. If c(x) of n reports support symbol x, and p(x) is the true share of x, then the estimate
(paper 003, (19), (20))

    phat(x) = (c(x)/n - lie) / (truth - lie)
    n (truth - lie)^2 Var phat(x) = p(x) truth (1 - truth) + (1 - p(x)) lie (1 - lie)

is unbiased, and the variance given the people is exact: every report is one Bernoulli trial. (Paper
003, (22) and (23), is this formula for GRR and for local hashing.) The literature calls such
randomizers pure protocols.
"""

from __future__ import annotations

from abc import abstractmethod
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, as_probabilities, whole
from .estimate import Estimate, as_counts
from .expected_limits import ExpectedLimits, expected_shares
from .moment_limits import supporting
from .randomizer import DENSE_ENTRIES, Randomizer, Seed
from .share_limits import share_limits

# Most entries of a matrix for which the capacity is computed by iteration. For larger matrices a
# formula is used.
SMALL = 1 << 16


class Pure(Randomizer):
    """The base class of randomizers with reports that support a set of symbols.

    A report supports the symbols that are consistent with it: the sender's symbol with probability
    `truth`, and each other symbol with probability `lie`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def truth(self) -> float:
        """The probability that a report supports the sender's symbol."""

    @property
    @abstractmethod
    def lie(self) -> float:
        """The probability that a report supports a given symbol that its person does not have."""

    @abstractmethod
    def tally(self, reports: Any) -> tuple[Counts, int]:
        """Return (the number of reports that support each symbol, the number of all reports).

        The first result has shape (inputs,).
        """

    @abstractmethod
    def supports(self, reports: Any) -> npt.NDArray[np.bool_]:
        """Return a mask of the symbols that each report supports, shape (people, inputs).

        A report supports the symbols that are consistent with it.
        """

    def _check_supports(self, people: int) -> None:
        """Refuse with a ParameterError a table of reports x symbols that is too large.

        people: the number of reports.
        """
        if people * self.inputs > DENSE_ENTRIES:
            raise ParameterError(
                f"reports: found {people} for {self.inputs} symbols; the table reports x symbols "
                "has at most 2^24 entries"
            )

    def _is_computed(self, people: int) -> bool:
        """Whether the capacity is computed from the matrix.

        It is if the matrix is small, and all inputs may occur, because there are at least as many
        people as inputs.
        """
        return people >= self.inputs and self.inputs * self.outputs <= SMALL

    def support_counts(self, reports: Any) -> Counts:
        """Return the number of reports that support each symbol, shape (inputs,)."""
        return self.tally(reports)[0]

    def sparse_supports(self, reports: Any, symbols: npt.NDArray[np.int64]) -> Any:
        """Return which listed symbols (ascending) each report supports, as a sparse 0/1 matrix.

        Rows are reports, columns the listed symbols, in CSR format.
        """
        from scipy.sparse import csr_array

        return csr_array(self.supports(reports)[:, symbols].astype(np.float64))

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each value, shape (own, values).

        It is epsilon if the report supports the value, else 0. Terms that are equal for all values
        are left out.

        values: the different symbols, shape (values, 1). own: the row of each sender in `values`.
        """
        supports = self.supports(self.sample(values[own, 0], rng))
        likelihood: Floats = (supports[:, values[:, 0]] * self.epsilon).astype(np.float64)
        return likelihood

    def divergences(self) -> Floats:
        """Return the local epsilon of each pair of inputs in nats: epsilon for all of them.

        It is the largest log-likelihood ratio of a report under the two inputs. Shape (inputs,
        inputs); the diagonal is 0.
        """
        divergences = np.full((self.inputs, self.inputs), self.epsilon)
        np.fill_diagonal(divergences, 0.0)
        return divergences

    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:
        """Return unbiased shares of the symbols, with standard errors.

        population: whether the errors also count drawing the people from a large population.
        """
        counts, people = self.tally(reports)
        return self.estimate_tally(counts, people, population=population)

    def estimate_tally(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> Estimate:
        """Return unbiased shares of the symbols from counts of supporting reports; (inputs,).

        Args:
            counts: the number of reports that support each symbol, shape (inputs,).
            people: the number of all reports.
            population: whether the errors also count drawing the people from a large population.
        """
        people = whole(people, "people", 1)
        support = as_counts(counts, self.inputs, people)
        self._informative()
        shares = (support / people - self.lie) / (self.truth - self.lie)
        noise = self._noise(np.clip(shares, 0.0, 1.0)) / people
        return Estimate.from_noise(
            shares,
            noise,
            people,
            str(self),
            kind="distribution",
            population=population,
            laws=lambda _: supporting(self.truth, self.lie),
            limits=lambda alpha: share_limits(
                support, people, self.truth, self.lie, alpha, population=population
            ),
        )

    def variance(self, p: npt.ArrayLike, people: int, *, population: bool = False) -> Floats:
        """Return the exact variance of each estimated share if the true shares are p.

        Shape (inputs,). population: whether to count drawing the people from a large population
        too, which adds p (1 - p) / people.
        """
        shares = as_probabilities(p)
        people = whole(people, "people", 1)
        self._informative()
        drawing_noise = shares * (1 - shares) if population else 0.0
        return np.asarray((self._noise(shares) + drawing_noise) / people)

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % confidence limits of estimated shares.

        There are limits for true shares of 1/2, then of 0, 1/4, 3/4 and 1. people: the number of
        reports.
        """
        self._informative()
        return (expected_shares("shares", people, self.truth, self.lie),)

    @property
    def precision(self) -> float:
        """The inverse of the variance of one report's estimate of a share that is truly 0."""
        noise = self.lie * (1 - self.lie)
        return (self.truth - self.lie) ** 2 / noise if noise > 0 else inf

    def noise(self) -> float:
        """Return n times the variance of an estimated share of n people, for uniform inputs."""
        self._informative()
        return float(self._noise(np.array([1 / self.inputs]))[0])

    def _noise(self, shares: Floats) -> Floats:
        """Return n times the variance of each share estimated from n people.

        shares: the true shares.
        """
        own_noise, other_noise = self.truth * (1 - self.truth), self.lie * (1 - self.lie)
        return np.asarray(
            (shares * own_noise + (1 - shares) * other_noise) / (self.truth - self.lie) ** 2
        )

    def _informative(self) -> None:
        """Refuse with a ParameterError if the reports do not depend on the value."""
        if not self.truth > self.lie:
            raise ParameterError(
                f"{self}: its reports do not depend on the value; nothing can be estimated"
            )
