"""Worst-case privacy: the share of private information hidden by the worst report (paper 002, 5).

X is a person's value, Y its report, P the distribution of values, Q the randomizer with
probabilities Q_y|x, and LDP(Q) its local differential privacy level.

    S_wc(Q) = inf over priors and outputs y of H(X | Y = y, P) / H(X | P) = exp(-LDP(Q))   (Thm 5.3)

H(X | Y = y, P) averages over P. Definition 5.1 does not say whether P then has its prior
distribution, as in the proof, or its distribution given Y = y. The theorem holds for both.

No prior attains the infimum. It is approached by p = (1 - eta, eta, 0, ...) on the two inputs with
the largest ratio Q_y|x / Q_y|x', as eta goes to 0. The distance falls slowly, like
1 / log(1 / eta). The paper calls f in (B.15) the average privacy; it is the ratio at a report y.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..estimation.entropy_bounds import Unit
from ..validation import as_probabilities, open_unit, whole
from .average import log_base
from .channel_matrix import as_matrix
from .row_classes import two_level


def ldp(Q: Any, unit: Unit = "nats") -> float:
    """Return the local differential privacy level LDP(Q) = max over y, x, x' of log Q_y|x / Q_y|x'.

    Q_y|x is the probability of report y for input x (paper 002, Definition 3.1). The level is
    infinite if a report is possible for one input and impossible for another. Reports that are
    impossible for all inputs do not count. In Example 3.2 of the paper read inputs 1 and 2, as its
    input 0 does not exist.

    Args:
        Q: the randomizer, reports x inputs, or a member of `randomizers` (with a known level).
        unit: "nats" or "bits".
    """
    base = log_base(unit)
    exact_epsilon: float | None = getattr(Q, "epsilon", None)
    if exact_epsilon is not None:
        return exact_epsilon / base
    form = two_level(Q)
    if form is not None:
        return (log(form.high / form.low) if form.low > 0 else inf) / base
    rows = as_matrix(Q)
    rows = rows[rows.max(axis=1) > 0]
    least_probability = rows.min(axis=1)
    if not least_probability.min() > 0:
        return inf
    return max(0.0, log(float((rows.max(axis=1) / least_probability).max()))) / base


def worst_case_privacy(Q: Any) -> float:
    """Return the worst-case privacy S_wc(Q) = exp(-LDP(Q)): 1 hides all, 0 may reveal all.

    LDP(Q) is the local differential privacy level in nats. S_wc is the share of private information
    that the worst report hides, for the worst prior (paper 002, Definition 5.1 and Theorem 5.3).

    Args:
        Q: the randomizer, reports x inputs (or an object with a `.matrix`).
    """
    level = ldp(Q)
    return 0.0 if level == inf else exp(-level)


def hidden_share(Q: Any, p: npt.ArrayLike, y: int) -> float:
    """Return H(X | Y = y, P = p) / H(X | P = p), the share of entropy that report y hides.

    X is the value of a person drawn from the distribution p.

    Args:
        Q: the randomizer, reports x inputs (or an object with a `.matrix`).
        p: probabilities of the inputs, shape (inputs,), not all on one input.
        y: the report's number, from 0; the report must be possible under p.
    """
    from scipy.special import entr

    rows = as_matrix(Q)
    law = as_probabilities(p)
    if law.size != rows.shape[1]:
        raise ParameterError(
            f"p: {law.size} probabilities for {rows.shape[1]} inputs; needs one for each"
        )
    y = whole(y, "y", 0)
    if y >= len(rows):
        raise ParameterError(f"y: found {y}; needs the number of a report, below {len(rows)}")
    joint = rows[y] * law
    if not joint.sum() > 0 or not entr(law).sum() > 0:
        raise ParameterError(
            "p: the report is impossible, or the value certain, under these probabilities"
        )
    return float(entr(joint / joint.sum()).sum() / entr(law).sum())


@dataclass(frozen=True, slots=True)
class WorstReport:
    """The report and the two inputs at which the worst-case privacy of a randomizer is approached.

    Paper 002, Remark 5.4.

    Attributes:
        y: the report.
        likely, unlikely: the inputs for which this report has the largest and the least
            probability.
        ldp: log of the ratio of these two probabilities, nats; inf if the least is 0.
        value: worst-case privacy S_wc = exp(-ldp), the least share of entropy that a report hides.
    """

    y: int
    likely: int
    unlikely: int
    ldp: float
    value: float

    def __str__(self) -> str:
        """Return a line for reports: the worst-case privacy, the report and the two inputs."""
        return (
            f"worst-case privacy {self.value:.6g} = exp(-{self.ldp:.6g}): report {self.y}, "
            f"inputs {self.likely} against {self.unlikely}"
        )

    def approached(self, eta: float) -> float:
        """Return the share of a value's entropy that the worst report hides, for a biased prior.

        The worst report has the largest probability for the input `likely`, the least for
        `unlikely`. Under the prior a person has `likely` with probability 1 - eta, else `unlikely`.
        The share decreases to `value` as eta goes to 0, slowly: their distance is about
        1 / log(1 / eta). Logarithms of eta allow an eta as small as 1e-300.

        Args:
            eta: probability of the unlikely input, 0 < eta < 1.
        """
        from scipy.special import log1p

        eta = open_unit(eta, "eta")
        if self.ldp == inf:
            return 0.0
        ratio = exp(-self.ldp) * eta / (1 - eta)
        gain_after = log1p(ratio) - ratio / (1 + ratio) * log(ratio)
        return float(gain_after / (-(1 - eta) * log1p(-eta) - eta * log(eta)))


def worst_report(Q: Any) -> WorstReport:
    """Return the report and the two inputs at which worst-case privacy is approached.

    Worst-case privacy is the least share of the entropy of an input that a report leaves. It is
    approached, but not attained, by priors that concentrate on the likelier of these inputs (paper
    002, Theorem 5.3).

    Args:
        Q: the randomizer, reports x inputs (or an object with a `.matrix`).
    """
    rows = as_matrix(Q)
    top, least_probability = rows.max(axis=1), rows.min(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(top > 0, top / least_probability, 0.0)
    y = int(ratio.argmax())
    level = ldp(rows)
    value = worst_case_privacy(rows)
    return WorstReport(y, int(rows[y].argmax()), int(rows[y].argmin()), level, value)
