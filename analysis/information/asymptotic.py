"""Asymptotic information of n people's reports Y about P for large n (paper 002, section 6).

P is the distribution of the true values, with a Dirichlet prior; Q is the randomizer, a matrix of b
reports x a values, called faithful if its rank is a; h(P) is the differential entropy of the prior.
U_as is the asymptotic utility: the constant term of the information I(Y; P), less h(P), per free
parameter of P. With d the rank of Q,

    I(Y; P) = (d - 1) / 2 log n + r + o(1)                                             (Thm 6.7.1)
    U_as(Q) = -1/2 log(2 pi e) + 1 / (2a - 2) E log det(Q^T D_P Q)                           (6.1)
    r = (a - 1) U_as(Q) + h(P) if Q is faithful (d = a)

where D_P is the diagonal matrix of 1 / (QP)_y, for each report y the inverse of its probability.

Definition 6.5 has the right sign of 1/2 log(2 pi e); Lemma C.7, (C.19) and (C.25) print the
opposite sign (GRR(2, 1), Dirichlet(3, 3), n = 2000: I(Y; P) is 0.0099 above the asymptote used
here, and 2.84 away from the printed asymptote). The o(1) falls slowly: for the Jeffreys prior and
GRR(2, 1) it is 0.50, 0.28, 0.24 at n = 100, 1000, 2000, so this is no formula for finite n.

(6.5) compares the distribution utility U_distr with U_as by a difference that goes to 0, which has
no content. The true statement is (1 - U_distr) log n -> 2 (C - U_as), C the U_as of noiseless
reports. Proposition 6.11 uses the digit utility of protocols that are not faithful, for which
Definition 4.6 gives no value; here their participation factor, the worth of a report in noiseless
answers, is 0.

The determinant is that of the Fisher information of a report about P, in any a - 1 coordinates
(Lemma C.7). Its source (C.10) needs 1 / q_y instead of the printed q_y, and E in (C.21) is a x (a
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
POINTS = 2**15  # default number of evaluations of the integrand in quasi-Monte-Carlo
# Up to this many inputs a, all 2^a subsets of inputs that can be a report are listed, which is
# faster than `subset_log_det`, whose cost does not depend on 2^a.
SMALL = 6


@dataclass(frozen=True, slots=True)
class UtilityReading:
    """Asymptotic utility U_as of a randomizer, with its error and upper bound.

    It is the information of n reports about the distribution of values, for large n, per free
    parameter, without the term log(n) / 2 and the prior's entropy.

    Attributes:
        value: U_as(Q), -inf if Q is not faithful (rank below the number of inputs).
        error: a bound on the numerical error of `value` (rule "exact" or "product"), or one
            standard error (rule "sobol").
        ceiling: C_mu, the utility of reports without noise; U_as <= C_mu (Lemma 6.6).
        factor: the effective participation factor exp(2 (U_as - C_mu)), in [0, 1]: n reports are
            worth `factor` n answers without noise.
        unit: "nats" or "bits", for `value`, `error` and `ceiling`.
        rule: the integration method: "exact" (one-dimensional integrals), "product" (a product
            rule), "sobol" (quasi-Monte-Carlo), or "not faithful".
    """

    value: float
    error: float
    ceiling: float
    factor: float
    unit: Unit
    rule: str

    def __str__(self) -> str:
        """Return a sentence: utility, its error, its upper bound, and the worth of a report.

        The utility is the constant term of the information of n reports about the distribution of
        values, for large n. Its upper bound is the utility of reports without noise. The worth
        (participation factor) is the number of answers without noise that are as useful as a
        report.
        """
        return (
            f"asymptotic utility {self.value:.6f} (error about {self.error:.1g} {self.unit}, "
            f"{self.rule}), at most {self.ceiling:.6f}; a report is worth "
            f"{self.factor:.4g} exact answers"
        )


def asymptotic_utility(
    Q: Any, prior: npt.ArrayLike, unit: Unit = "nats", *, points: int = POINTS, rng: Rng = 0
) -> float:
    """Return the asymptotic utility U_as of a randomizer Q (paper 002, (6.1)), in `unit`.

    For large n, the reports of n people have the information (a - 1) (log(n) / 2 + U_as) + h about
    the distribution of their values. Here a is the number of inputs and h the differential entropy
    of the prior. U_as is -inf if the rank of Q is below a. It is exact for any square Q (as many
    distinct rows as inputs: GRR of any size) by one-dimensional integrals. For up to three inputs a
    product rule has an error of about 1e-10; above, randomised quasi-Monte-Carlo is used.
    `read_utility` gives the error.

    Args:
        Q: the randomizer, reports x inputs, or an object with a `.matrix`; GRR, unary encodings and
            `all_hashes` are never written out: GRR of any size, the rest up to 21,201 inputs.
        prior: Dirichlet parameters, shape (inputs,).
        unit: "nats" or "bits".
        points: largest number of evaluations in quasi-Monte-Carlo.
        rng: generator or seed of the quasi-Monte-Carlo points.
    """
    return read_utility(Q, prior, unit, points=points, rng=rng).value


def participation_factor(
    Q: Any, prior: npt.ArrayLike, *, points: int = POINTS, rng: Rng = 0
) -> float:
    """Return the worth F of a report in answers without noise, in [0, 1], for many people.

    The reports of n people inform about the distribution of values as much as F n answers without
    noise (paper 002, Definition 6.10). F = exp(2 U_as - 2 C_mu), with U_as the asymptotic utility
    of Q and C_mu that of reports without noise. F is 0 if the rank of Q is below the number of
    inputs, because then Q does not determine the distribution.

    Args:
        Q: the randomizer: a matrix reports x inputs, or an object with a `.matrix`.
        prior: Dirichlet parameters, shape (inputs,), all > 0.
        points: largest number of evaluations in quasi-Monte-Carlo.
        rng: generator or seed of the quasi-Monte-Carlo points.
    """
    return read_utility(Q, prior, points=points, rng=rng).factor


def utility_ceiling(prior: npt.ArrayLike, unit: Unit = "nats") -> float:
    """Return the asymptotic utility of reports without noise, the maximum for any randomizer.

    It is C_mu = -1/2 log(2 pi e) - 1 / (2a - 2) sum_x (psi(prior_x) - psi(A)), with psi the digamma
    function, a the number of inputs, and A the sum of the prior. Paper 002, Definition 6.5; (10.1)
    is the Jeffreys prior.

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

    For large n, the reports of n people have (a - 1) (log(n) / 2 + utility) + h nats of information
    about the distribution of their values, with a inputs and the prior's differential entropy h.
    The factor is the number of answers without noise that inform as much as a report.

    Args:
        Q: the randomizer: a matrix reports x inputs, or an object with a `.matrix`.
        prior: Dirichlet parameters, shape (inputs,), all > 0.
        unit: "nats" or "bits".
        points: largest number of evaluations in quasi-Monte-Carlo.
        rng: generator or seed of the quasi-Monte-Carlo points.
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
    """Return half the mean log determinant of a report's Fisher information, its error and rule.

    The information is about the distribution P ~ Dirichlet(alpha) of values: 1/2 E log det(Q^T D_P
    Q), in nats, with D_P the diagonal matrix of 1 / (QP)_y. The rule names the integration method.
    The result is -inf and "not faithful" if the rank of Q is below the number of inputs.

    rows: the distinct rows of the randomizer Q. points: most evaluations in quasi-Monte-Carlo.
    """
    if np.linalg.matrix_rank(rows) < alpha.size:
        return -inf, 0.0, "not faithful"
    # Q is square, so det(Q^T D Q) = det(Q)^2 / prod_y (QP)_y for D with the diagonal 1 / (QP)_y,
    # and the mean log determinant is a sum of one-dimensional integrals.
    if len(rows) == alpha.size:
        integral = mean_log(rows, alpha)
        half = float(np.linalg.slogdet(rows)[1] - integral.value.sum() / 2)
        return half, float(integral.error.sum()) / 2, "exact"
    mean = average(lambda p: log_det_information(rows, p), alpha, points, rng)
    return mean.value / 2, mean.error / 2, mean.rule


def _response_value(Q: GRR, alpha: Floats) -> tuple[float, float, str]:
    """Return half the mean log determinant of a report's Fisher information for GRR, in nats.

    The information is about the distribution P ~ Dirichlet(alpha) of values. The result also has
    the numerical error and the name of the integration method. The determinant of GRR's matrix is
    (truth - lie)^(a - 1) for a inputs, and each distinct prior parameter needs one integral (10.5).
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

    A report is a subset of the a inputs, as in unary encoding. The information is about the
    distribution P ~ Dirichlet(alpha) of values, in nats. The result also has the numerical error
    and the name of the integration method. The 2^a subsets are not listed if a is large.

    form: the randomizer. points: most evaluations in quasi-Monte-Carlo.
    """
    if not form.high > form.low:
        return -inf, 0.0, "not faithful"
    # for few inputs, listing all subsets is faster than an integral at each point P
    if form.a <= SMALL:
        return _matrix_value(distinct_rows(form.matrix), alpha, points, rng)
    mean = average(lambda p: subset_log_det(form, p), alpha, points, rng)
    return mean.value / 2, mean.error / 2, mean.rule


def log_det_information(rows: Floats, p: Floats) -> Floats:
    """Return log det of the Fisher information of a report about the distribution p, shape (N,).

    At the distribution p the information is Q^T D_p Q, D_p the diagonal matrix of 1 / (Qp)_y. It is
    taken in the coordinates p_x, x != r, with r the likeliest input: sum_y (Q_y|x - Q_y|r)(Q_y|x' -
    Q_y|r) / (Qp)_y. The difference takes away the constant direction, which would swamp all further
    terms at small epsilon. The choice of r keeps the matrix well scaled at the faces of the
    simplex.

    rows: the rows of the randomizer Q. p: N distributions of the inputs, shape (N, inputs).
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

    Each matrix is scaled to a correlation matrix first, because its diagonal entries may differ by
    many orders of magnitude.
    """
    scale = np.sqrt(np.einsum("nxx->nx", matrices))
    correlation = matrices / (scale[:, :, None] * scale[:, None, :])
    return np.asarray(np.linalg.slogdet(correlation)[1] + 2 * np.log(scale).sum(axis=1))


def asymptote(Q: Any, prior: npt.ArrayLike, n: int, unit: Unit = "nats") -> float:
    """Return the large-n asymptote of n reports' information about the distribution of values.

    It is (a - 1) / 2 log n + (a - 1) U_as(Q) + h, in `unit` (paper 002, Theorem 6.7.1). Here a is
    the number of inputs, U_as(Q) the asymptotic utility (`asymptotic_utility`), and h the
    differential entropy of the prior. For the information at a finite n use `finite_information`.

    Args:
        Q: a randomizer, reports x inputs, with as large a rank as it has inputs.
        prior: Dirichlet parameters, shape (inputs,).
        n: people, >= 1.
        unit: "nats" or "bits".
    """
    n = whole(n, "n", 1)
    value = asymptotic_utility(Q, prior)
    if value == -inf:
        raise ParameterError("Q: its rank is below the number of inputs; needs full column rank")
    alpha = as_prior(prior)
    nats = (alpha.size - 1) * (0.5 * log(n) + value) + differential_entropy(alpha)
    return nats / log_base(unit)
