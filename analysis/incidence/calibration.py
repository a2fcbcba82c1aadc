"""The error of an incidence estimator on data of a supposed kind, by simulation (paper 004, 6.1).

The bound of Theorem 4.4 is reached only by error vectors that do not occur in practice. The paper
multiplies it by a factor gamma < 1 that it measures on simulated data. It justifies this by the
maximum of ||A^-1 x||/||x|| over x in {-gamma, gamma}^(n+1), A the transition matrix of the noise,
which should scale with gamma. But a ratio of two norms does not change with the scale of x (ERRATA
004.5).

Plain simulation is valid: the 1 - beta quantile of the error over noisy versions of the data, with
confidence limits of the quantile. Here gamma is the ratio of that quantile to the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
import numpy.typing as npt

from ..validation import Floats, open_unit, whole
from .bounds import as_rule, error_bound
from .estimators import as_method, estimate, point
from .result import Method
from .sampling_law import as_incidence, sample


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Errors of an incidence estimator on simulated data, as shares of the m positions.

    Attributes:
        errors: largest error among the n + 1 counts in each run, ascending, shape (runs,).
        beta: the quantile of the errors is at 1 - beta.
        quantile: quantile of the errors at 1 - beta.
        low: lower 95 % confidence limit of the true quantile.
        high: upper 95 % confidence limit; infinite if there are too few runs.
        bound: `error_bound` for this n, m, eta and beta.
        method: the estimator.
    """

    errors: Floats
    beta: float
    quantile: float
    low: float
    high: float
    bound: float
    method: Method

    @property
    def gamma(self) -> float:
        """The 1 - beta quantile of the simulated errors, divided by the proven error bound.

        Paper 004, Section 6.1, multiplies its bound by this factor. beta is the probability with
        which an error may exceed the bound.
        """
        return self.quantile / self.bound

    def __str__(self) -> str:
        """Return the quantile of the errors, its limits and the bound in a sentence."""
        return (
            f"{self.method}: {1 - self.beta:.4g} of {len(self.errors)} errors below "
            f"{self.quantile:.3g} of the positions (95 %: {self.low:.3g} to {self.high:.3g}), "
            f"{self.gamma:.3g} of the bound {self.bound:.3g}"
        )


def calibrate(
    phi: npt.ArrayLike,
    eta: float,
    beta: float = 0.1,
    method: str = "em",
    *,
    runs: int = 1000,
    rule: str = "corrected",
    redraw: bool = True,
    rng: np.random.Generator | int | None = None,
) -> Calibration:
    """Measure the error of an incidence estimator by simulation on data like `phi`.

    >>> from veilmix.analysis.incidence import calibrate
    >>> measured = calibrate([900, 80, 20], 0.2, runs=20, rng=7)
    >>> 0 < measured.low <= measured.quantile <= measured.high
    True

    Args:
        phi: supposed numbers of positions set in exactly t = 0 .. n of n bit vectors. Only n, the
            sum m and the shares matter.
        eta: privacy parameter; a bit is flipped with probability (1 - eta)/2.
        beta: the quantile of the errors is at 1 - beta.
        method: estimator.
        runs: simulated data sets, >= 20.
        rule: radius of the bound, and of the methods that search a polytope, as in `radius`.
        redraw: whether each run draws its true vector from Multinomial(m, phi/m), as the paper
            does, or keeps phi.
        rng: generator or seed.
    """
    truth, estimator, limit = as_incidence(phi, "phi"), as_method(method), as_rule(rule)
    beta, runs = open_unit(beta, "beta"), whole(runs, "runs", 20)
    generator = np.random.default_rng(rng)
    m = int(truth.sum())
    errors = np.empty(runs)
    for run in range(runs):
        actual = generator.multinomial(m, truth / m) if redraw else truth
        psi = sample(actual, eta, rng=generator)
        if estimator == "bayes":
            shares = estimate(psi, eta, beta, estimator, rng=generator).shares
        else:
            shares = point(psi, eta, beta, estimator, limit)[0]
        errors[run] = np.abs(shares - actual / m).max()
    errors.sort()
    return _summary(errors, beta, error_bound(len(truth) - 1, m, eta, beta, limit), estimator)


def _summary(errors: Floats, beta: float, bound: float, method: Method) -> Calibration:
    """Return the calibration of ascending errors: their 1 - beta quantile, limits, and the bound.

    The limits of the quantile are order statistics that enclose it with confidence 95 %.
    """
    from scipy.stats import binom

    runs = len(errors)
    first, last = (int(binom.ppf(level, runs, 1 - beta)) for level in (0.025, 0.975))
    low = float(errors[first - 1]) if first >= 1 else 0.0
    high = float(errors[last]) if last < runs else float("inf")
    quantile = float(errors[min(floor((1 - beta) * runs), runs - 1)])
    return Calibration(errors, beta, quantile, low, high, bound, method)
