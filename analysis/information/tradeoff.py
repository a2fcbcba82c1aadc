"""Utility against privacy: a bound (paper 002, Theorem 8.1), and budgets (Propositions 7.3 to 7.8).

    U_as(Q) <= -1/2 log(2 pi e) + log((1 - S_wc) / S_wc)                                       (8.1)
    F(Q)    <= e^(-2 C) / (2 pi e) ((1 - S_wc) / S_wc)^2                                       (8.2)

The proof uses |Q_y|x - Q_y|x'| <= (e^LDP - 1) min Q_y|.; it prints a square on the factor, which is
false (GRR(3, 1/2): 0.178 > 0.115), but goes on with the right factor. (A.12) leaves p_x'' out of
its denominators. The bound is useful only for small LDP: (1 - S) / S = e^LDP - 1 passes the trivial
F <= 1 at LDP = log(1 + e^C sqrt(2 pi e)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..randomizers import product
from ..validation import as_probabilities, open_unit
from .asymptotic import GAUSS, utility_ceiling
from .average import average_privacy


@dataclass(frozen=True, slots=True)
class TradeoffBound:
    """Theorem 8.1 at one level of worst-case privacy.

    Attributes:
        worst_case: S_wc.
        utility: no faithful protocol has a larger U_as (nats).
        factor: no protocol has a larger participation factor; at most 1.
    """

    worst_case: float
    utility: float
    factor: float

    def __str__(self) -> str:
        return (
            f"worst-case privacy {self.worst_case:.4g} allows asymptotic utility {self.utility:.4f}"
            f" nats and participation {self.factor:.4g}"
        )


def tradeoff_bound(worst_case: float, prior: npt.ArrayLike) -> TradeoffBound:
    """Return the largest utility possible with a worst-case privacy of S_wc = exp(-LDP).

    Args:
        worst_case: S_wc, 0 < S_wc < 1.
        prior: Dirichlet parameters, shape (a,): the bound on the factor needs C_mu, and both
            are at most those of reports without noise (Lemma 6.6).
    """
    s, ceiling = open_unit(worst_case, "worst_case"), utility_ceiling(prior)
    utility = min(GAUSS + log((1 - s) / s), ceiling)
    return TradeoffBound(s, utility, min(1.0, exp(2 * (utility - ceiling))))


def informative_below(prior: npt.ArrayLike) -> float:
    """Return the LDP level (nats) above which Theorem 8.1 only gives F <= 1.

    >>> from veilmix.analysis.information import informative_below
    >>> round(informative_below([0.5, 0.5]), 3)
    1.609

    Args:
        prior: Dirichlet parameters, shape (a,), all > 0.
    """
    return log(1 + exp(utility_ceiling(prior) - GAUSS))


@keeps_old(together="joint")
@dataclass(frozen=True, slots=True)
class Budget:
    """The joint leak of several reports of one value (Proposition 7.6, (7.9)).

    Attributes:
        parts: 1 - S of each protocol alone.
        joint: 1 - S of the product: all reports given away.
        bound: the sum of the parts, at least `joint`.
    """

    parts: tuple[float, ...]
    joint: float
    bound: float

    def __str__(self) -> str:
        terms = " + ".join(f"{part:.4g}" for part in self.parts)
        return f"leaks {self.joint:.4g} of what is private, at most {terms} = {self.bound:.4g}"


def privacy_budget(Qs: Sequence[Any], prior: npt.ArrayLike) -> Budget:
    """Return the leak of the product of protocols, and the sum of the leaks of each.

    Args:
        Qs: randomizers of the same inputs, matrices or objects with a `.matrix`.
        prior: Dirichlet parameters, shape (a,).
    """
    parts = tuple(1 - average_privacy(Q, prior) for Q in Qs)
    if not parts:
        raise ParameterError("Qs: empty; needs at least one randomizer")
    joint_leakage = 1 - average_privacy(product(*Qs), prior)
    return Budget(parts, joint_leakage, sum(parts))


def mixture_privacy(weights: npt.ArrayLike, Qs: Sequence[Any], prior: npt.ArrayLike) -> float:
    """Return S_mu of a mixture: sum_j w_j S_mu(Q_j), (7.11). Its asymptotic utility is >= the mean.

    Args:
        weights: probabilities, one for each randomizer.
        Qs: randomizers of the same inputs.
        prior: Dirichlet parameters, shape (a,).
    """
    w = as_probabilities(weights, "weights")
    if w.size != len(Qs):
        raise ParameterError(f"weights: {w.size} for {len(Qs)} randomizers; needs one for each")
    return float(w @ [average_privacy(Q, prior) for Q in Qs])
