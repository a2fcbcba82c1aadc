"""Bounds on utility for a given privacy (paper 002, Theorem 8.1), and budgets (7.3 to 7.8).

Q is a randomizer and LDP its local differential privacy level in nats. Its worst-case privacy is
S_wc = exp(-LDP). U_as is its asymptotic utility in nats, and C that of reports without noise. The
participation factor F says how many reports without noise are as useful as a report.

    U_as(Q) <= -1/2 log(2 pi e) + log((1 - S_wc) / S_wc)                                       (8.1)
    F(Q)    <= e^(-2 C) / (2 pi e) ((1 - S_wc) / S_wc)^2                                       (8.2)

The proof uses |Q_y|x - Q_y|x'| <= (e^LDP - 1) min Q_y|. for inputs x, x' and a report y. The paper
squares the right-hand factor, which is false (for GRR(3, 1/2): 0.178 > 0.115), but the next line of
the proof uses the correct factor. The paper's (A.12) leaves p_x'' out of its denominators.

F <= 1 always holds. So (8.2) is useful only for small levels, LDP < log(1 + e^C sqrt(2 pi e)).
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
        utility: upper bound on the asymptotic utility U_as (nats) of every randomizer with this
            privacy, if the reports determine the distribution of values.
        factor: upper bound on the participation factor, the number of reports without noise that
            are as useful as a report; at most 1.
    """

    worst_case: float
    utility: float
    factor: float

    def __str__(self) -> str:
        """Return a line for reports: the privacy, and both bounds (utility, participation)."""
        return (
            f"worst-case privacy {self.worst_case:.4g} allows asymptotic utility {self.utility:.4f}"
            f" nats and participation {self.factor:.4g}"
        )


def tradeoff_bound(worst_case: float, prior: npt.ArrayLike) -> TradeoffBound:
    """Return upper bounds on the utility of any randomizer with a given worst-case privacy.

    Worst-case privacy is S_wc = exp(-epsilon), epsilon the local level in nats. The bounds are on
    the asymptotic utility and on the participation factor, the number of noiseless reports that a
    report is worth. Each bound is at most the value of a report without noise (paper 002, Lemma
    6.6).

    Args:
        worst_case: S_wc, 0 < S_wc < 1.
        prior: Dirichlet parameters, shape (inputs,); they determine the utility without noise.
    """
    s, ceiling = open_unit(worst_case, "worst_case"), utility_ceiling(prior)
    utility = min(GAUSS + log((1 - s) / s), ceiling)
    return TradeoffBound(s, utility, min(1.0, exp(2 * (utility - ceiling))))


def informative_below(prior: npt.ArrayLike) -> float:
    """Return the local epsilon (nats) from which the bound of paper 002, Theorem 8.1, is trivial.

    The bound limits the participation factor: the number of reports without noise that are as
    useful as one report, never more than 1. From this epsilon on the bound is 1 too.

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

    The loss is 1 - S, with S the average privacy: the share of private information that stays
    hidden (paper 002, Proposition 7.6, (7.9)).

    Attributes:
        parts: loss of each randomizer alone.
        joint: loss if all reports are seen together.
        bound: the sum of the parts, at least `joint`.
    """

    parts: tuple[float, ...]
    joint: float
    bound: float

    def __str__(self) -> str:
        """Return a line for reports: the joint loss and the sum of the losses, its upper bound."""
        terms = " + ".join(f"{part:.4g}" for part in self.parts)
        return f"leaks {self.joint:.4g} of what is private, at most {terms} = {self.bound:.4g}"


def privacy_budget(Qs: Sequence[Any], prior: npt.ArrayLike) -> Budget:
    """Return the privacy loss if a person reports through all randomizers, and the loss of each.

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
    """Return the average privacy if each person's randomizer is drawn at random and seen.

    It is sum_j w_j S_mu(Q_j), with w_j the weight and S_mu the average privacy of randomizer Q_j
    (paper 002, (7.11)). The asymptotic utility of the mixture is at least the weighted mean of the
    randomizers' utilities.

    Args:
        weights: probabilities, one for each randomizer.
        Qs: randomizers of the same inputs.
        prior: Dirichlet parameters, shape (inputs,).
    """
    w = as_probabilities(weights, "weights")
    if w.size != len(Qs):
        raise ParameterError(
            f"weights: found {w.size}; needs {len(Qs)}, a weight for each randomizer"
        )
    return float(w @ [average_privacy(Q, prior) for Q in Qs])
