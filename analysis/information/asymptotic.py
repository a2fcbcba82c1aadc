"""Asymptotic information of n people's reports Y about P for large n (paper 002, section 6).

P is the distribution of the true values, with a Dirichlet prior; Q is the randomizer, a matrix of b
reports x a values; U_as is the asymptotic utility, the constant term of I(Y; P).

    I(Y; P) = (d - 1) / 2 log n + r + o(1),        d = rank of Q                       (Thm 6.7.1)
    U_as(Q) = -1/2 log(2 pi e) + 1 / (2a - 2) E log det(Q^T D_P Q),  D_p = diag(1 / (Qp)_y)   (6.1)
    r = (a - 1) U_as(Q) + h(P) if Q is faithful (d = a)

Definition 6.5 has the right sign of 1/2 log(2 pi e); Lemma C.7, (C.19) and (C.25) print the
opposite sign (GRR(2, 1), Dirichlet(3, 3), n = 2000: I(Y; P) is 0.0099 above the asymptote used
here, and 2.84 away from the printed asymptote). The o(1) is slow: for the Jeffreys prior and GRR(2,
1) it is 0.50, 0.28, 0.24 at n = 100, 1000, 2000, so this is no formula for finite n.

(6.5) with the paper's arrow, a difference that goes to 0, has no content; the true statement is (1
- U_distr) log n -> 2 (C - U_as). Proposition 6.11 uses the digit utility of protocols that are not
faithful, for which Definition 4.6 gives no value: their participation factor is 0.

The determinant is that of the Fisher information of P about a report, in any a - 1 coordinates
(Lemma C.7); (C.10), its source, needs 1 / q_y instead of the printed q_y, and E in (C.21) is a x (a
- 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, inf, log, pi
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..estimation.entropy_bounds import Unit
from ..randomizers import GRR
from ..randomizers.two_level import TwoLevel
from ..validation import Floats, as_rng, whole
from .average import Rng, log_base
from .channel_matrix import as_matrix, as_prior, distinct_rows
from .dirichlet import average, differential_entropy
from .fisher import subset_log_det
from .linear_forms import mean_log
from .row_classes import two_level

# -1/2 log(2 pi e): minus the entropy of a standard normal variable, in nats
GAUSS = -0.5 * (log(2 * pi) + 1)
POINTS = 2**15  # default number of evaluations in quasi-Monte-Carlo
# Up to this many inputs a, all 2^a subsets are listed: that is faster than the integrals.
SMALL = 6


@dataclass(frozen=True, slots=True)
class UtilityReading:
    """Asymptotic utility U_as of a randomizer, with its error and upper bound.

    Utility is information about the distribution of values, per free parameter, as n grows.

    Attributes:
        value: U_as(Q), -inf if Q is not faithful (rank below the number of inputs).
        error: a bound on the numerical error of `value` (rule "exact" or "product"), or one
            standard error (rule "sobol").
        ceiling: C_mu, the utility of reports without noise; U_as <= C_mu (Lemma 6.6).
        factor: the effective participation factor exp(2 (U_as - C_mu)), in [0, 1]: n reports are
            worth `factor` n answers without noise.
        unit: "nats" or "bits", for `value`, `error` and `ceiling`.
        rule: the integration method: "exact" (one-dimensional integrals), "product", "sobol", or
            "not faithful".
    """

    value: float
    error: float
    ceiling: float
    factor: float
    unit: Unit
    rule: str

    def __str__(self) -> str:
        """Return a sentence for reports: utility, error, upper bound and participation factor."""
        return (
            f"asymptotic utility {self.value:.6f} (error about {self.error:.1g} {self.unit}, "
            f"{self.rule}), at most {self.ceiling:.6f}; reports count as {self.factor:.4g} people"
        )


def asymptotic_utility(
    Q: Any, prior: npt.ArrayLike, unit: Unit = "nats", *, points: int = POINTS, rng: Rng = 0
) -> float:
    """Return the asymptotic utility U_as(Q) (paper 002, Definition 6.5, (6.1)), in `unit`.

    The constant term of the information that n reports have about the distribution of values, per
    free parameter; -inf if Q is not faithful (its rank is below the number of inputs a). Exact for
    any square Q (as many distinct rows as inputs: GRR of any size) by one-dimensional integrals;
    for up to three inputs by a product rule with an error of about 1e-10; above by randomised
    quasi-Monte-Carlo. `read_utility` gives the error.

    Args:
        Q: the randomizer, reports x inputs, or an object with a `.matrix`; GRR, unary encodings and
            `all_hashes` are never written out: GRR of any size, the others up to 21,201 inputs.
        prior: Dirichlet parameters, shape (inputs,).
        unit: "nats" or "bits".
        points: largest number of evaluations in quasi-Monte-Carlo.
        rng: scrambles them.
    """
    return read_utility(Q, prior, unit, points=points, rng=rng).value


def participation_factor(
    Q: Any, prior: npt.ArrayLike, *, points: int = POINTS, rng: Rng = 0
) -> float:
    """Return F_mu(Q) = exp(2 U_as - 2 C_mu), in [0, 1]: the worth of a report in noiseless answers.

    The reports of n people inform about the distribution of values as much as F n people without
    noise (paper 002, Definition 6.10). U_as is the asymptotic utility, C_mu its value without
    noise; F is 0 where Q is not faithful.

    Args:
        Q: the randomizer: a matrix reports x inputs, or an object with a `.matrix`.
        prior: Dirichlet parameters, shape (inputs,), all > 0.
        points: largest number of evaluations in quasi-Monte-Carlo.
        rng: scrambles them.
    """
    return read_utility(Q, prior, points=points, rng=rng).factor


def utility_ceiling(prior: npt.ArrayLike, unit: Unit = "nats") -> float:
    """Return C_mu, the asymptotic utility of reports without noise: the maximum for any randomizer.

    C_mu = U_as(identity) = -1/2 log(2 pi e) - 1 / (2a - 2) sum_x (psi(prior_x) - psi(A)), A the sum
    of the prior. Paper 002, Definition 6.5; (10.1) is the Jeffreys prior.

    Args:
        prior: Dirichlet parameters, shape (inputs,).
        unit: "nats" or "bits".
    """
    from scipy.special import digamma

    alpha = as_prior(prior)
    logs = digamma(alpha).sum() - alpha.size * digamma(alpha.sum())
    return float(GAUSS - logs / (2 * alpha.size - 2)) / log_base(unit)


def read_utility(
    Q: Any, prior: npt.ArrayLike, unit: Unit = "nats", *, points: int = POINTS, rng: Rng = 0
) -> UtilityReading:
    """Return the asymptotic utility with its error, its upper bound and the participation factor.

    As `asymptotic_utility`, with all figures of the computation.

    Args:
        Q: the randomizer: a matrix reports x inputs, or an object with a `.matrix`.
        prior: Dirichlet parameters, shape (inputs,), all > 0.
        unit: "nats" or "bits".
        points: largest number of evaluations in quasi-Monte-Carlo.
        rng: scrambles them.
    """
    generator, base = as_rng(rng), log_base(unit)
    points = whole(points, "points", 256)
    form = two_level(Q)
    if getattr(Q, "identity_form", None) is not None:
        alpha = as_prior(prior, Q.inputs)
        half, error, rule = _response_value(Q, alpha)
    elif form is not None:
        alpha = as_prior(prior, form.a)
        half, error, rule = _subset_value(form, alpha, points, generator)
    else:
        rows = as_matrix(Q)
        alpha = as_prior(prior, rows.shape[1])
        half, error, rule = _matrix_value(distinct_rows(rows), alpha, points, generator)
    ceiling = utility_ceiling(alpha)
    value = GAUSS + half / (alpha.size - 1)
    error /= alpha.size - 1
    factor = min(1.0, exp(2 * (value - ceiling)))
    return UtilityReading(value / base, error / base, ceiling / base, factor, unit, rule)


def _matrix_value(
    rows: Floats, alpha: Floats, points: int, rng: np.random.Generator
) -> tuple[float, float, str]:
    """Return 1/2 E log det(Q^T D_P Q) in nats, its error, and the integration rule.

    This is half the mean log determinant of a report's Fisher information about the distribution P
    of
    values; D_P is the diagonal matrix of 1 / (QP)_y. Q is given by its distinct rows; -inf and "not
    faithful" if its rank is below the number of inputs.
    """
    if np.linalg.matrix_rank(rows) < alpha.size:
        return -inf, 0.0, "not faithful"
    if len(rows) == alpha.size:  # det(Q^T D Q) = det(Q)^2 / prod_y (Qp)_y
        integral = mean_log(rows, alpha)
        half = float(np.linalg.slogdet(rows)[1] - integral.value.sum() / 2)
        return half, float(integral.error.sum()) / 2, "exact"
    mean = average(lambda p: log_det_information(rows, p), alpha, points, rng)
    return mean.value / 2, mean.error / 2, mean.rule


def _response_value(Q: GRR, alpha: Floats) -> tuple[float, float, str]:
    """Return half the mean log determinant of a report's Fisher information for GRR, in nats.

    With the numerical error and the integration rule. The matrix is Q^T D_P Q with det Q = (truth -
    lie)^(a - 1) for a inputs; each distinct prior parameter needs one integral (10.5).
    """
    distinct_masses, copies = np.unique(alpha, return_counts=True)
    masses = np.column_stack([distinct_masses, alpha.sum() - distinct_masses])
    integral = mean_log(np.tile([Q.truth, Q.lie], (distinct_masses.size, 1)), masses)
    half = (Q.a - 1) * log(Q.truth - Q.lie) - float(copies @ integral.value) / 2
    return half, float(copies @ integral.error) / 2, "exact"


def _subset_value(
    form: TwoLevel, alpha: Floats, points: int, rng: np.random.Generator
) -> tuple[float, float, str]:
    """Return half the mean log determinant of the Fisher information of reports that are subsets.

    A report is a subset of the inputs. As `_matrix_value`, with the error and the rule, but for
    many
    inputs without listing the 2^a subsets of a inputs.
    """
    if not form.high > form.low:
        return -inf, 0.0, "not faithful"
    if form.a <= SMALL:  # few inputs: listing all subsets is faster than an integral for each point
        return _matrix_value(distinct_rows(form.matrix), alpha, points, rng)
    mean = average(lambda p: subset_log_det(form, p), alpha, points, rng)
    return mean.value / 2, mean.error / 2, mean.rule


def log_det_information(rows: Floats, p: Floats) -> Floats:
    """Return log det of the Fisher information of a report, log det(Q^T D_p Q), shape (N,).

    `rows` are the rows of the randomizer Q, p are N distributions of the inputs, shape (N, inputs).
    The information is taken in the coordinates p_x, x != r, with r the likeliest input of each
    point: sum_y (Q_y|x - Q_y|r)(Q_y|x' - Q_y|r) / (Qp)_y. The difference takes away the constant
    direction, which would swamp all others at small epsilon, and the choice of r keeps the matrix
    well scaled at the faces of the simplex.
    """
    reference = p.argmax(axis=1)
    result = np.empty(len(p))
    for r in np.unique(reference):
        is_reference = reference == r
        further_inputs = np.delete(np.arange(rows.shape[1]), r)
        change = rows[:, further_inputs] - rows[:, [r]]
        weights = 1 / (p[is_reference] @ rows.T)
        pairs = (change[:, :, None] * change[:, None, :]).reshape(len(rows), -1)
        result[is_reference] = _log_det(
            (weights @ pairs).reshape(-1, further_inputs.size, further_inputs.size)
        )
    return result


def _log_det(matrices: Floats) -> Floats:
    """Return log det of positive definite matrices, shape (N, d, d) -> (N,).

    Each is scaled to a correlation matrix first, because the diagonals differ by many orders.
    """
    scale = np.sqrt(np.einsum("nxx->nx", matrices))
    correlation = matrices / (scale[:, :, None] * scale[:, None, :])
    return np.asarray(np.linalg.slogdet(correlation)[1] + 2 * np.log(scale).sum(axis=1))


def asymptote(Q: Any, prior: npt.ArrayLike, n: int, unit: Unit = "nats") -> float:
    """Return the large-n asymptote of I(Y; P), the information of n reports about P.

    P is the distribution of values. For faithful Q: (a-1)/2 log n + (a-1) U_as(Q) + h(P), in `unit`
    (paper 002, Theorem 6.7.1). Not a value at finite n: see the module's docstring for how far it
    is.

    Args:
        Q: a faithful randomizer, reports x inputs.
        prior: Dirichlet parameters, shape (inputs,).
        n: people, >= 1.
        unit: "nats" or "bits".
    """
    n = whole(n, "n", 1)
    value = asymptotic_utility(Q, prior)
    if value == -inf:
        raise ParameterError("Q: its rank is below the number of inputs; needs a faithful one")
    alpha = as_prior(prior)
    nats = (alpha.size - 1) * (0.5 * log(n) + value) + differential_entropy(alpha)
    return nats / log_base(unit)
