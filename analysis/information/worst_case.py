"""Worst-case privacy: the share of private information hidden by the worst report (paper 002, 5).

X is a person's value, Y its report, P the distribution of values, Q the randomizer.

    S_wc(Q) = inf over priors and outputs y of H(X | Y = y, P) / H(X | P) = exp(-LDP(Q))   (Thm 5.3)

Definition 5.1 does not give the distribution of P for the numerator's average: the proof uses the
prior, a reader may think of P given Y = y. The bound holds for both readings. The infimum is a
limit: priors with all mass at p = (1 - eta, eta, 0, ...) on the two inputs of the worst ratio come
arbitrarily close, slowly, with a distance like 1 / log(1 / eta). f in (B.15) is the ratio at one
output y, not the average privacy, as the text calls it.
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

    Paper 002, Definition 3.1. Infinite if an output is possible for one input and impossible for
    another (in Example 3.2 read inputs 1 and 2: its input 0 is not in A); outputs that are
    impossible for all inputs do not count.

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

    It is the share of private information that the worst report hides, for the worst prior; paper
    002, Definition 5.1 and Theorem 5.3.

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
        y: the report, 0 .. b - 1, possible under p.
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
        raise ParameterError(f"y: found {y}; needs a report below {len(rows)}")
    joint = rows[y] * law
    if not joint.sum() > 0 or not entr(law).sum() > 0:
        raise ParameterError("p: the report is impossible or nothing is private under it")
    return float(entr(joint / joint.sum()).sum() / entr(law).sum())


@dataclass(frozen=True, slots=True)
class WorstCase:
    """The report and the two inputs at which worst-case privacy is approached.

    Paper 002, Remark 5.4.

    Attributes:
        y: the report.
        likely, unlikely: the inputs with the largest and the least probability Q_y|x of this
            report.
        ldp: log of their ratio, nats; inf where the least is 0.
        value: worst-case privacy S_wc = exp(-ldp).
    """

    y: int
    likely: int
    unlikely: int
    ldp: float
    value: float

    def __str__(self) -> str:
        """Return a line for reports: the privacy, the report and the two inputs."""
        return (
            f"worst-case privacy {self.value:.6g} = exp(-{self.ldp:.6g}): report {self.y}, "
            f"inputs {self.likely} against {self.unlikely}"
        )

    def approached(self, eta: float) -> float:
        """Return the hidden share at this report for p = 1 - eta on `likely`, eta on `unlikely`.

        It decreases to `value` as eta goes to 0, with a distance like 1 / log(1 / eta); written
        with logarithms of eta, so that eta = 1e-300 can be asked for.

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


def worst_report(Q: Any) -> WorstCase:
    """Return the report and the two inputs at which worst-case privacy (Theorem 5.3) is approached.

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
    return WorstCase(y, int(rows[y].argmax()), int(rows[y].argmin()), level, value)
