"""Average privacy: the share of private information that a report hides (paper 002, 4.1).

X is a person's value, Y the person's report, P the distribution of values with a Dirichlet prior,
mu in the paper. Q is the randomizer (b reports x a values).

    S_mu(Q) = H(X | Y, P) / H(X | P) = 1 - I(X; Y | P) / H(X | P),      P ~ Dirichlet(prior)

It does not depend on the number of people (Lemma 4.2). With A = sum prior, w = prior / A and the
digamma function psi,

    H(X | P)    = psi(A + 1) - sum_x w_x psi(prior_x + 1)        ((10.2) is the Jeffreys prior)
    I(X; Y | P) = sum_y ( sum_x w_x Q_y|x log Q_y|x  -  E[(QP)_y log (QP)_y] )

and the expectation is a one-dimensional integral for every y, for any a and prior (`linear_forms`),
so no integration over the simplex is needed. Equivalent rows are counted once (`row_classes`),
which gives (10.4) for GRR and (10.10) for unary encoding, both right as printed. (D.9), the form of
(10.4) in the appendix, divides by a + beta twice: for GRR(2, 1) and the Jeffreys prior it gives
-0.42, but (10.4) and direct integration give 0.855.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..estimation.entropy_bounds import Unit
from ..validation import Floats, as_rng, one_of
from .channel_matrix import as_matrix, as_prior
from .linear_forms import mean_x_log_x
from .row_classes import RowClasses, row_classes

Rng = np.random.Generator | int | None


@dataclass(frozen=True, slots=True)
class PrivacyReading:
    """Average privacy of a randomizer, with its error, and the leakage and entropy that define it.

    Attributes:
        value: average privacy S_mu(Q) = 1 - leak / secret, in [0, 1]: 1 hides all private
            information, 0 reveals it.
        error: a bound on the numerical error of `value`; if outputs were drawn at random (see
            `rule`), one standard error.
        leak: I(X; Y | P), the information in a report Y about its user's value X.
        secret: H(X | P), the entropy of a person's value if the distribution P is known.
        unit: unit of `leak` and `secret`, "nats" or "bits".
        rule: method of the sum over outputs, in words.
    """

    value: float
    error: float
    leak: float
    secret: float
    unit: Unit
    rule: str

    def __str__(self) -> str:
        """Return a sentence for reports: average privacy, its error, and the leakage of a report.

        Average privacy is the share of the entropy of a person's value that a report hides: 1 less
        the leakage over the entropy.
        """
        return (
            f"average privacy {self.value:.6f} (error below {self.error:.1g}): a report leaks "
            f"{self.leak:.6g} of {self.secret:.6g} {self.unit} ({self.rule})"
        )


def average_privacy(Q: Any, prior: npt.ArrayLike, *, rng: Rng = 0) -> float:
    """Return the average privacy, 0 to 1: the share of a value's entropy that a report hides.

    It is S_mu(Q) = 1 - I(X; Y | P) / H(X | P), with X a person's value, Y the report, and P the
    known distribution of values (paper 002, Definition 4.1). It is exact up to
    `read_privacy(...).error` (about 1e-12) for every matrix and every Dirichlet prior.

    Args:
        Q: the randomizer: a matrix reports x inputs, or an object with a `.matrix`; `GRR`,
            `UnaryEncoding` and `all_hashes` are never made into a matrix and may have any number of
            inputs.
        prior: Dirichlet parameters, shape (inputs,), all > 0 (Jeffreys: all 1/2).
        rng: generator or seed, used only if there are too many different reports for a sum: unary
            encoding or local hashing with many inputs and many different prior parameters.

    Raises:
        ParameterError: columns that do not sum to 1, a prior of another length or not positive.
    """
    return read_privacy(Q, prior, rng=rng).value


def read_privacy(
    Q: Any, prior: npt.ArrayLike, unit: Unit = "nats", *, rng: Rng = 0
) -> PrivacyReading:
    """Return the average privacy of a randomizer, with the leakage and the entropy that define it.

    Average privacy is 1 less the information in a report about its user's value, divided by the
    entropy of that value. The result also has the numerical error.

    Args:
        Q: the randomizer: a matrix reports x inputs, or an object with a `.matrix`.
        prior: Dirichlet parameters, shape (inputs,), all > 0.
        unit: "nats" or "bits".
        rng: generator or seed, used only if reports are drawn at random.
    """
    classes = row_classes(Q, prior, as_rng(rng))
    secret = input_entropy(prior)
    leakages, error = _class_information(classes)
    base = log_base(unit)
    rule = f"exact sum over {len(leakages)} kinds of outputs"
    if classes.drawn:
        rule = f"{classes.drawn} outputs drawn at random"
        error = float(leakages.std(ddof=1)) * sqrt(classes.drawn)
    leak = max(0.0, float(leakages.sum()))
    value = min(1.0, max(0.0, 1 - leak / secret))
    return PrivacyReading(value, error / secret, leak / base, secret / base, unit, rule)


def input_entropy(prior: npt.ArrayLike, unit: Unit = "nats") -> float:
    """Return the entropy of a person's value if the distribution P of values is known.

    It is H(X | P) = psi(A + 1) - sum_x w_x psi(prior_x + 1), with P ~ Dirichlet(prior), A = sum
    prior, w = prior / A and the digamma function psi. For the Jeffreys prior of a inputs this is
    psi((a + 2) / 2) - psi(3 / 2), (10.2) of paper 002.

    Args:
        prior: Dirichlet parameters, shape (inputs,).
        unit: "nats" or "bits".
    """
    from scipy.special import digamma

    alpha = as_prior(prior)
    total = float(alpha.sum())
    return float(digamma(total + 1) - alpha @ digamma(alpha + 1) / total) / log_base(unit)


def report_entropy(Q: Any, prior: npt.ArrayLike, unit: Unit = "nats") -> float:
    """Return the entropy of a report if the distribution P ~ Dirichlet(prior) of values is known.

    >>> from veilmix.analysis.information import report_entropy
    >>> round(report_entropy([[0.75, 0.25], [0.25, 0.75]], [1, 1], "bits"), 4)
    0.9383

    Args:
        Q: the randomizer's matrix, reports x inputs (or an object with a `.matrix`).
        prior: Dirichlet parameters, shape (inputs,).
        unit: "nats" or "bits".
    """
    rows = as_matrix(Q)
    rows = rows[rows.max(axis=1) > 0]
    value = mean_x_log_x(rows, as_prior(prior, rows.shape[1])).value
    return max(0.0, -float(value.sum())) / log_base(unit)


def _class_information(classes: RowClasses) -> tuple[Floats, float]:
    """Return each class's share of the information in a report about its user's value, in nats.

    A class is a set of reports with the same information about the value (`row_classes`). The
    shares have shape (classes,); a bound on the error of their sum is returned too.
    """
    from scipy.special import xlogy

    shares = classes.masses / classes.masses.sum(axis=1, keepdims=True)
    scaled = classes.values / (shares * classes.values).sum(axis=1, keepdims=True)
    integral = mean_x_log_x(scaled, classes.masses)
    class_leakages = (shares * xlogy(scaled, scaled)).sum(axis=1) - integral.value
    return classes.weights * class_leakages, float(classes.weights @ integral.error)


def log_base(unit: str) -> float:
    """Return the size of a unit of information in nats: log 2 for "bits", 1 for "nats"."""
    one_of(unit, "unit", ("nats", "bits"))
    return log(2) if unit == "bits" else 1.0
