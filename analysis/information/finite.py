"""Information of n reports about P and the tallies T, and the three utilities (paper 002, 4.2).

Y are the reports of n people and S their counts, X the people's values and T their counts. P is the
distribution of values with a Dirichlet prior and differential entropy h(P); a is the number of
possible values, b the number of kinds of reports.

    U_distr = I(Y; P) / I(X; P),   U_tally = I(Y; T) / H(T),   U_digit = (I(Y; P) - h(P)) / (a - 1)

With C(n; s) = n! / prod s_y!, and H(Y | P) the entropy of one report (`report_entropy`),

    I(Y; P) = H(S) + E log C(n; S) - n H(Y | P)         I(Y; T) = H(S) - H(S | T)

The sums are over tallies, never over sequences, and `exact_sums` makes each as short as it can be.
(D.1) in the paper leaves out C(n; s), so that it is a sum over neither. I(X; P) = H(X) - n H(X | P)
with H(X) the entropy of the sequence. (D.20) prints n H(X | P) with a plus sign: 4.648 in place of
0.785 nats for a = 2, n = 5, Jeffreys prior.

Largest n of the exact sums at the default limit: for I(Y; P) 9,999 (a = b = 2), 139 (a = b = 3), 35
(a = b = 4), 18 (a = 3, b = 8); for I(Y; T) 7,070, 98, 24, 6. Beyond, I(Y; P) is estimated without
bias from simulated people, and I(Y; T) too if there are few kinds of reports (`monte_carlo`).

U_digit is the number of digits of P, in base e, that the reports reveal. Lemma 4.7 compares I(Y; P)
with the entropy of P rounded to that many digits, and holds if a - 1 coordinates are rounded. If
all a of them are rounded, as printed, the last coordinate adds bits of its own: for Dirichlet(3, 3)
the difference stays near 0.7 nats.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..estimation.entropy_bounds import Unit
from ..validation import Floats, as_rng, crowd, one_of, whole
from .average import Rng, log_base, report_entropy
from .channel_matrix import as_matrix, as_prior, distinct_rows
from .dirichlet import differential_entropy
from .exact_sums import (
    conditional_cost,
    conditional_entropy,
    log_multinomial,
    output_law,
    output_law_cost,
)
from .input_sums import input_information
from .monte_carlo import SimulatedMean, estimate_information

Method = Literal["auto", "exact", "estimate"]

# most terms of an exact sum, unless the caller sets a limit; beyond, the method "auto" estimates;
# 50 million terms take about ten seconds
MOST_TERMS = 50_000_000
# number of sets of people that are simulated if an exact sum has more than MOST_TERMS terms
SAMPLES = 2000


@dataclass(frozen=True, slots=True)
class FiniteInformation:
    """Information that the reports of n people have, in total, about P and about the tallies T.

    Y are the reports, X the true values, P the distribution of values, T the counts of each true
    value.

    Attributes:
        n: people.
        I_YP: I(Y; P), the reports' information about the distribution.
        I_XP: I(X; P), the values' information about the distribution; exact.
        I_YT: I(Y; T), the reports' information about the tallies; nan if it was left out.
        H_T: H(T), the entropy of the tallies; exact.
        distribution_utility, tally_utility: the shares I_YP / I_XP and I_YT / H_T, in [0, 1].
        digit_utility: digits of P that the reports reveal, in base e ("nats") or 2 ("bits"); -inf
            if the rank of the randomizer is below the number of inputs, for which Definition 4.6
            gives no value.
        I_YP_error, I_YT_error: one standard error of I_YP and I_YT, 0 if they are exact.
        unit: unit of all information values, "nats" or "bits".
        samples: number of simulated sets of people, 0 if all sums are exact.
    """

    n: int
    I_YP: float
    I_XP: float
    I_YT: float
    H_T: float
    distribution_utility: float
    tally_utility: float
    digit_utility: float
    I_YP_error: float
    I_YT_error: float
    unit: Unit
    samples: int

    def __str__(self) -> str:
        """Return a sentence for reports, with the information values and the three utilities.

        The values are I(Y;P) of I(X;P) and I(Y;T) of H(T): Y reports, X values, P their
        distribution, T their counts.
        """
        return (
            f"{self.n} reports: I(Y;P) = {self.I_YP:.6g}{_plus(self.I_YP_error)} of "
            f"{self.I_XP:.6g} {self.unit}, I(Y;T) = {self.I_YT:.6g}{_plus(self.I_YT_error)} of "
            f"{self.H_T:.6g}; "
            f"utilities: distribution {self.distribution_utility:.4f}, "
            f"tally {self.tally_utility:.4f}, digit {self.digit_utility:.4f}"
        )


def finite_information(
    Q: Any,
    prior: npt.ArrayLike,
    n: int,
    unit: Unit = "nats",
    *,
    method: Method = "auto",
    tally: bool = True,
    limit: int = MOST_TERMS,
    samples: int = SAMPLES,
    rng: Rng = 0,
) -> FiniteInformation:
    """Return the information of n people's reports about P and the tallies T, and the utilities.

    Y are the reports, X the true values, P the distribution of values, T the count of each value.
    The results are I(Y;P), I(X;P), I(Y;T) and H(T), and three utilities that compare them (paper
    002, Definitions 4.3 and 4.6).

    Args:
        Q: the randomizer, reports x inputs (or an object with a `.matrix`).
        prior: Dirichlet parameters, shape (inputs,).
        n: people, >= 1.
        unit: "nats" or "bits".
        method: "exact" (an error if the sum is too long), "estimate" (simulated), or "auto": each
            of I(Y;P) and I(Y;T) exactly if its sum has at most `limit` terms.
        tally: whether I(Y;T) is computed; it needs the longest sum.
        limit: most terms of an exact sum.
        samples: number of simulated sets of people, >= 2.
        rng: generator or seed of the simulation.

    Raises:
        ParameterError: bad arguments; an exact sum longer than `limit` was asked for; or I(Y;T) can
            neither be summed nor estimated (many kinds of reports).
    """
    matrix = as_matrix(Q)
    alpha = as_prior(prior, matrix.shape[1])
    n, samples = crowd(n), whole(samples, "samples", 2)
    one_of(method, "method", ("auto", "exact", "estimate"))
    log_base(unit)  # an unknown unit is refused before the long computation, not after it
    rows = distinct_rows(matrix)
    summed = _summed(rows, n, method, limit, tally=tally)
    H_T, I_XP = input_information(alpha, n)
    about = _exact(rows, alpha, n, summed)
    if not summed[0] or (tally and not summed[1]):
        simulated = estimate_information(
            rows, alpha, n, samples, as_rng(rng), tally=tally and not summed[1]
        )
        about = (about[0] or simulated[0], about[1] or simulated[1])
    return _finished(rows, alpha, n, unit, about, H_T, I_XP)


def _summed(rows: Floats, n: int, method: Method, limit: int, *, tally: bool) -> tuple[bool, bool]:
    """Decide if the information about P, and that about the tallies T, are summed exactly.

    P is the distribution of values, T the counts of the people's values. The second sum needs the
    results of the first. The result is a pair of bools.

    rows: distinct rows of the randomizer. n: people. limit: most terms of a sum. tally: whether the
    information about T is computed.

    Raises:
        ParameterError: `method` is "exact" and a sum has more than `limit` terms.
    """
    b, a = rows.shape
    law, tally_cost = output_law_cost(b, a, n), conditional_cost(b, a, n)
    fits = law <= limit, max(law, tally_cost) <= limit
    if method == "exact" and not fits[tally]:
        longest = max(law, tally_cost) if tally else law
        raise ParameterError(
            f"n: the exact sum for {n} people, {a} inputs and {b} kinds of reports has "
            f"{longest:.3g} terms; at most {limit:.3g} are added up: lower n, raise limit, leave "
            "out I(Y;T) with tally=False, or use method='estimate'"
        )
    return (False, False) if method == "estimate" else (fits[0], fits[1] and tally)


def _exact(
    rows: Floats, alpha: Floats, n: int, summed: tuple[bool, bool]
) -> tuple[SimulatedMean | None, SimulatedMean | None]:
    """Return the reports' information about P and about the tallies T, in nats, by exact sums.

    P is the distribution of values, T the counts of the people's values. None stands for a sum that
    `summed` excludes.

    rows: distinct rows of the randomizer. alpha: Dirichlet parameters of P. n: people.
    """
    from scipy.special import xlogy

    if not summed[0]:
        return None, None
    tallies, law = output_law(rows, alpha, n)
    H_S = float(-xlogy(law, law).sum())
    I_YP = H_S + float(law @ log_multinomial(tallies)) - n * report_entropy(rows, alpha)
    exact_information = SimulatedMean(max(0.0, I_YP), 0.0, 0)
    if not summed[1]:
        return exact_information, None
    return exact_information, SimulatedMean(
        max(0.0, H_S - conditional_entropy(rows, alpha, n)), 0.0, 0
    )


def _finished(
    rows: Floats,
    alpha: Floats,
    n: int,
    unit: Unit,
    about: tuple[SimulatedMean | None, SimulatedMean | None],
    H_T: float,
    I_XP: float,
) -> FiniteInformation:
    """Return the result, with the utilities, from information values in nats.

    Args:
        rows: distinct rows of the randomizer.
        alpha: Dirichlet parameters of the distribution P of values.
        n: number of people.
        unit: unit of the result, "nats" or "bits".
        about: the reports' information about P, and about the counts T of the people's values; None
            if left out.
        H_T: entropy of T.
        I_XP: information of the people's values about P.
    """
    base, missing_estimate = log_base(unit), SimulatedMean(float("nan"), 0.0, 0)
    law, tally = about[0] or missing_estimate, about[1] or missing_estimate
    faithful = np.linalg.matrix_rank(rows) == alpha.size
    digits = (law.value - differential_entropy(alpha)) / (alpha.size - 1) if faithful else -inf
    return FiniteInformation(
        n=n,
        I_YP=law.value / base,
        I_XP=I_XP / base,
        I_YT=tally.value / base,
        H_T=H_T / base,
        distribution_utility=law.value / I_XP,
        tally_utility=tally.value / H_T,
        digit_utility=digits / base,
        I_YP_error=law.error / base,
        I_YT_error=tally.error / base,
        unit=unit,
        samples=max(law.samples, tally.samples),
    )


def _plus(error: float) -> str:
    """Return the standard error as text, such as " +- 0.01"; empty if the figure is exact."""
    return f" +- {error:.2g}" if error else ""
