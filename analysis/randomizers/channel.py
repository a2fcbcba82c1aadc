"""A randomizer given by its matrix, estimated by the left inverse of least squares.

Q is the matrix, column x the distribution of the report of value x, and G a left inverse: G Q = I.
A report y contributes column y of G. The mean phat of the contributions of n reports is an unbiased
estimate of the values' shares. For fixed people the variance of phat is estimated, without bias
too, from the same reports:

    n Var phat(x) = mean over reports y of G[x, y]^2  -  phat(x)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ...deprecated import accepts_old
from ...errors import ParameterError
from ..validation import SUM_TOLERANCE, Floats, as_floats
from .estimate import Estimate
from .matrix_neighbours import matrix_divergences
from .moment_limits import inverted
from .randomizer import Randomizer, Seed, Symbols, as_generator, as_symbols


@dataclass(frozen=True, slots=True, eq=False)
class Channel(Randomizer):
    """A local randomizer given by any matrix of probabilities; reports are row numbers.

    Attributes:
        law: the matrix, shape (reports, inputs): column x is the distribution of the report of
            value x; columns sum to 1 within 1e-9.
        name: name of the randomizer in messages.
    """

    law: Floats
    name: str = "Channel"
    _reach: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Validate the matrix and compute each column's distribution function for sampling."""
        object.__setattr__(self, "law", as_stochastic(self.law))
        object.__setattr__(self, "_reach", np.cumsum(self.law, axis=0))

    def __str__(self) -> str:
        return f"{self.name}({self.outputs} x {self.inputs})"

    @property
    def epsilon(self) -> float:
        """The local epsilon in nats: the largest log-ratio of entries in one row of the matrix."""
        return float(matrix_divergences(self.law).max())

    @property
    def inputs(self) -> int:
        """The number of possible values of a user: columns of the matrix."""
        return int(self.law.shape[1])

    @property
    def outputs(self) -> int:
        """The number of possible reports: rows of the matrix."""
        return int(self.law.shape[0])

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        return self.law.copy()

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return a report for each person: a row number of the matrix.

        The report is drawn from the column of the person's value. x: people's values, shape
        (people,).
        """
        values, rng = as_symbols(x, self.inputs), as_generator(rng)
        chance = rng.random(len(values))
        reports = np.empty(len(values), np.int64)
        for symbol in np.unique(values):
            is_symbol = values == symbol
            reach = self._reach[:, symbol]
            last = np.flatnonzero(self.law[:, symbol])[-1]
            reports[is_symbol] = np.minimum(
                np.searchsorted(reach, chance[is_symbol], side="right"), last
            )
        return reports

    def estimate(self, reports: npt.ArrayLike, *, population: bool = False) -> Estimate:
        """Return unbiased shares through the least-squares left inverse of the matrix.

        population: the errors include the drawing of these people.

        Raises:
            ParameterError: the columns are linearly dependent, so different shares of the inputs
                give the same distribution of reports.
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        if np.linalg.matrix_rank(self.law) < self.inputs:
            raise ParameterError(
                f"{self}: columns of the matrix are linearly dependent; shares are not determined"
            )
        inverse = np.asarray(np.linalg.pinv(self.law), np.float64)
        observed = np.bincount(symbols, minlength=self.outputs) / len(symbols)
        shares = inverse @ observed
        noise = (inverse**2 @ observed - shares) / len(symbols)
        return Estimate.from_noise(
            shares,
            noise,
            len(symbols),
            str(self),
            kind="distribution",
            population=population,
            laws=inverted(inverse, self.law),
        )


@accepts_old(given="mechanism")
def as_randomizer(mechanism: Any) -> Randomizer:
    """Return a randomizer unchanged, and a matrix or an object with a `.matrix` as a `Channel`.

    Args:
        mechanism: a randomizer, a matrix reports x inputs, or an object with a `.matrix`.
    """
    if isinstance(mechanism, Randomizer):
        return mechanism
    return Channel(getattr(mechanism, "matrix", mechanism))


def as_stochastic(matrix: npt.ArrayLike, name: str = "matrix") -> Floats:
    """Return `matrix` as floats after a check that its columns are probability vectors.

    It needs at least one row and two columns; `name` begins the message of a ParameterError.
    """
    Q = as_floats(matrix, name, "a matrix (outputs, inputs)")
    if Q.ndim != 2 or Q.shape[0] < 1 or Q.shape[1] < 2:
        raise ParameterError(
            f"{name}: shape {Q.shape}; needs (outputs, inputs) with 2 inputs or more"
        )
    sums = Q.sum(axis=0)
    if not Q.min() >= 0 or not np.abs(sums - 1).max() <= SUM_TOLERANCE:
        raise ParameterError(
            f"{name}: minimum {Q.min():g}, column sums {sums.min():.12g} .. {sums.max():.12g}; "
            "needs columns of probabilities that sum to 1 (columns are inputs)"
        )
    return Q
