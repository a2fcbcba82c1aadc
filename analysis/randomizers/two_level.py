"""Randomizers with a set of inputs as report, by two likelihood ratios (paper 002, (10.8)).

Subset selection in its general form: a report is a set y, an input is x, and only membership of x
in y matters. Examples are unary encodings, and local hashing with all hash functions.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import ParameterError
from ..validation import Floats, whole

# Inputs of a two-level randomizer that is made into a matrix.
MOST_SUBSETS = 12


@dataclass(frozen=True, slots=True)
class TwoLevel:
    """A randomizer with a subset y of the inputs as output, by its likelihood ratios.

    Attributes:
        a: number of inputs.
        high: the ratio Q_y|x / P(y) of an input x in y.
        low: the ratio of an input outside y.
        rho: under P each input is in y with this probability, independently.

    Q is a law: rho high + (1 - rho) low = 1.
    """

    a: int
    high: float
    low: float
    rho: float

    @property
    def two_level(self) -> "TwoLevel":
        """This object: the interface of a randomizer."""
        return self

    @property
    def matrix(self) -> Floats:
        """All 2^a rows, subset y with input x where bit x of y is set; for at most 12 inputs."""
        if self.a > MOST_SUBSETS:
            raise ParameterError(f"matrix: 2^{self.a} rows; at most 2^{MOST_SUBSETS} are made")
        inside = (np.arange(2**self.a)[:, None] >> np.arange(self.a)) & 1
        chance = np.where(inside, self.rho, 1 - self.rho).prod(axis=1, keepdims=True)
        return np.asarray(chance * np.where(inside, self.high, self.low))


def unary_encoding(a: int, kappa: float, lam: float) -> TwoLevel:
    """Paper 002, (10.8): x is in y with probability kappa, every other input with lam."""
    if not 0 < lam <= kappa <= 1 or lam == 1:
        raise ParameterError(
            f"kappa, lam: found {kappa!r}, {lam!r}; needs 0 < lam <= kappa, lam < 1"
        )
    return TwoLevel(whole(a, "a", 2), high=kappa / lam, low=(1 - kappa) / (1 - lam), rho=lam)
