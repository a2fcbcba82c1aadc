"""Bounds on utility for a given privacy (paper 002, Theorem 8.1), and budgets (7.3 to 7.8).

S_wc = exp(-LDP) is the worst-case privacy of a randomizer Q, U_as its asymptotic utility, F its
participation factor, and C the utility without noise.

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
    """Upper bounds on a randomizer's utility for its worst-case privacy (paper 002, Theorem 8.1).

    Attributes:
        worst_case: worst-case privacy S_wc = exp(-epsilon), 0 to 1.
        utility: upper bound on the asymptotic utility U_as of faithful protocols (nats).
        factor: upper bound on the participation factor (worth of a report in noiseless answers); at
            most 1.
    """

    worst_case: float
    utility: float
    factor: float

    def __str__(self) -> str:
        """Return a line for reports: the privacy and both upper bounds."""
        return (
            f"worst-case privacy {self.worst_case:.4g} allows asymptotic utility {self.utility:.4f}"
            f" nats and participation {self.factor:.4g}"
        )


def tradeoff_bound(worst_case: float, prior: npt.ArrayLike) -> TradeoffBound:
    """Return the largest utility possible with a worst-case privacy of S_wc = exp(-LDP).

    Args:
        worst_case: S_wc, 0 < S_wc < 1.
        prior: Dirichlet parameters, shape (inputs,): the bound on the factor needs C_mu, and both
            are at most those of reports without noise (Lemma 6.6).
    """
    s, ceiling = open_unit(worst_case, "worst_case"), utility_ceiling(prior)
    utility = min(GAUSS + log((1 - s) / s), ceiling)
    return TradeoffBound(s, utility, min(1.0, exp(2 * (utility - ceiling))))


def informative_below(prior: npt.ArrayLike) -> float:
    """Return the LDP level (nats) above which the tradeoff bound of Theorem 8.1 is trivial.

    There it bounds the participation factor by 1 only.

    >>> from veilmix.analysis.information import informative_below
    >>> round(informative_below([0.5, 0.5]), 3)
    1.609

    Args:
        prior: Dirichlet parameters, shape (inputs,), all > 0.
    """
    return log(1 + exp(utility_ceiling(prior) - GAUSS))


@keeps_old(together="joint")
@dataclass(frozen=True, slots=True)
class Budget:
    """The joint privacy loss of several reports of the same value.

    Paper 002, Proposition 7.6, (7.9).

    Attributes:
        parts: loss 1 - S of each protocol alone, S the average privacy.
        joint: 1 - S of the product: all reports given away.
        bound: the sum of the parts, at least `joint`.
    """

    parts: tuple[float, ...]
    joint: float
    bound: float

    def __str__(self) -> str:
        """Return a line for reports: the joint loss, and its bound, the sum of the losses."""
        terms = " + ".join(f"{part:.4g}" for part in self.parts)
        return f"leaks {self.joint:.4g} of what is private, at most {terms} = {self.bound:.4g}"


def privacy_budget(Qs: Sequence[Any], prior: npt.ArrayLike) -> Budget:
    """Return the privacy loss if a person reports through all protocols, and the losses of each.

    The loss is 1 - average privacy, the share of private information that is revealed.

    Args:
        Qs: randomizers of the same inputs, matrices or objects with a `.matrix`.
        prior: Dirichlet parameters, shape (inputs,).
    """
    parts = tuple(1 - average_privacy(Q, prior) for Q in Qs)
    if not parts:
        raise ParameterError("Qs: empty; needs at least one randomizer")
    joint_leakage = 1 - average_privacy(product(*Qs), prior)
    return Budget(parts, joint_leakage, sum(parts))


def mixture_privacy(weights: npt.ArrayLike, Qs: Sequence[Any], prior: npt.ArrayLike) -> float:
    """Return the average privacy S_mu of a random choice of randomizers, each with its weight.

    It is sum_j w_j S_mu(Q_j), paper 002, (7.11). The choice is seen with the report. The asymptotic
    utility of the mixture is at least the mean of theirs.

    Args:
        weights: probabilities, one for each randomizer.
        Qs: randomizers of the same inputs.
        prior: Dirichlet parameters, shape (inputs,).
    """
    w = as_probabilities(weights, "weights")
    if w.size != len(Qs):
        raise ParameterError(f"weights: {w.size} for {len(Qs)} randomizers; needs one for each")
    return float(w @ [average_privacy(Q, prior) for Q in Qs])
