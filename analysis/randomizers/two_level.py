"""Randomizers with a set of inputs as report, by two likelihood ratios (paper 002, (10.8)).

A report is a set y, and its probability for an input x depends only on whether x is in y. Examples
are unary encodings, and local hashing with all hash functions. It is the general form of subset
selection.
"""

from dataclasses import dataclass

import numpy as np

from ...errors import ParameterError
from ..validation import Floats, whole

# Most inputs for which the matrix is made, because it has a row for each of the 2^a subsets of a
# inputs. More inputs are refused.
MOST_SUBSETS = 12


@dataclass(frozen=True, slots=True)
class TwoLevel:
    """A randomizer with a subset y of the inputs as output, given by two likelihood ratios.

    Q_y|x is the probability of the subset y for the input x. P(y) is its probability under a
    reference distribution P, in which each input is in y with probability `rho`, independently.

    Attributes:
        a: number of inputs.
        high: the ratio Q_y|x / P(y) of an input x in y.
        low: the ratio Q_y|x / P(y) of an input x outside y.
        rho: the probability with which P puts each input in y.

    The ratios must average to 1: rho high + (1 - rho) low = 1.
    """

    a: int
    high: float
    low: float
    rho: float

    @property
    def two_level(self) -> "TwoLevel":
        """This object itself, so that it can take the place of a randomizer."""
        return self

    @property
    def matrix(self) -> Floats:
        """The matrix with all 2^a subsets as rows, for at most 12 inputs.

        Input x is in the subset y if bit x of the row number y is set.
        """
        if self.a > MOST_SUBSETS:
            raise ParameterError(
                f"matrix: found {self.a} inputs, so 2^{self.a} rows; at most {MOST_SUBSETS} inputs "
                "are accepted"
            )
        inside = (np.arange(2**self.a)[:, None] >> np.arange(self.a)) & 1
        chance = np.where(inside, self.rho, 1 - self.rho).prod(axis=1, keepdims=True)
        return np.asarray(chance * np.where(inside, self.high, self.low))


def unary_encoding(a: int, kappa: float, lam: float) -> TwoLevel:
    """Return unary encoding in the form of a random subset of inputs (paper 002, (10.8)).

    Args:
        a: number of inputs.
        kappa: probability that the person's input is in the subset.
        lam: probability that a given other input is in the subset.
    """
    if not 0 < lam <= kappa <= 1 or lam == 1:
        raise ParameterError(
            f"kappa, lam: found {kappa!r}, {lam!r}; needs probabilities that a subset holds the "
            "own input, and another input, with 0 < lam <= kappa, lam < 1"
        )
    return TwoLevel(whole(a, "a", 2), high=kappa / lam, low=(1 - kappa) / (1 - lam), rho=lam)
