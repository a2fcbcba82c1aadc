"""PIE and Bayes error of local hashing if its matrix is too large: an average over hash keys.

PIE is I(U; Y), the information in a report Y about its sender U; beta is the least error in naming
the sender. The hash key h of a report is drawn without looking at the value, so (paper 003, (36))

    I(U; H, Y) = mean over h of I(U; Y | H = h),      beta = mean over h of beta(h)

With one key h, local hashing is generalized randomized response (GRR) on the g hash values. Keys
drawn at random give an unbiased estimate of both, with a standard error.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from ...errors import ParameterError
from ..randomizers import GRR, as_randomizer
from ..randomizers.randomizer import Seed, Unit, as_generator
from ..validation import whole
from .joint_law import as_joint
from .personal_information import bayes_error, pie


@dataclass(frozen=True, slots=True)
class HashedRisk:
    """Re-identification risk of local hashing, estimated as means over random hash keys.

    Attributes:
        pie, pie_error: I(U; Y), the information in a report Y about its sender U, and its standard
            error, in `unit`.
        bayes_error, bayes_error_error: the least identification error and its standard error.
        keys: number of keys drawn.
        unit: "bits" or "nats".
    """

    pie: float
    pie_error: float
    bayes_error: float
    bayes_error_error: float
    keys: int
    unit: str

    def __str__(self) -> str:
        """Return a line for reports: the PIE and the Bayes error, with their standard errors.

        The PIE is the information in a report about its sender.
        """
        return (
            f"PIE {self.pie:.4g} +- {self.pie_error:.2g} {self.unit}, Bayes error "
            f"{self.bayes_error:.4f} +- {self.bayes_error_error:.2g} ({self.keys} keys)"
        )


def hashed_risk(
    joint: Any, randomizer: Any, keys: int = 32, unit: Unit = "bits", rng: Seed = None
) -> HashedRisk:
    """Return a report's information about its sender and the least error, for local hashing.

    Both are means over randomly drawn hash keys, with standard errors.

    Args:
        joint: people x symbols, dense or sparse; counts, or probabilities that sum to 1.
        randomizer: local hashing of the same number of symbols.
        keys: number of keys to draw, >= 2.
        unit: of the information, "bits" or "nats".
        rng: generator or seed.
    """
    table = as_joint(joint)
    if as_randomizer(randomizer).hash_family is None or randomizer.a != table.symbols:
        raise ParameterError(f"randomizer: needs LocalHash of {table.symbols} symbols")
    keys = whole(keys, "keys", 2)
    keys_drawn = randomizer.family.draw(keys, as_generator(rng))
    inner = GRR(randomizer.g, randomizer.epsilon)
    information, error = np.empty(keys), np.empty(keys)
    for i, key in enumerate(keys_drawn):
        hashed = randomizer.family.hash(key[None], table.column).astype(np.int64)
        relabelled_table = table.relabelled(hashed, randomizer.g)
        information[i], error[i] = (
            pie(relabelled_table, inner, unit),
            bayes_error(relabelled_table, inner),
        )
    root = sqrt(keys)
    return HashedRisk(
        pie=float(information.mean()),
        pie_error=float(information.std(ddof=1)) / root,
        bayes_error=float(error.mean()),
        bayes_error_error=float(error.std(ddof=1)) / root,
        keys=keys,
        unit=unit,
    )
