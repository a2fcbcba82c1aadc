"""Error bounds of an incidence estimate (paper 004, Section 4.2, 5 and Appendices B and C).

Phi_t counts the positions that are set in exactly t of n true vectors of m bits, Psi_t counts the
same in the noisy vectors. A is the matrix with E Psi = A Phi (matrix.py), Phi' the estimate of Phi.
All radii and bounds are SHARES of the m positions, as in the paper's Figure 2.

Two quantities must not be confused. `radius` bounds the residual ||Psi/m - A Phi/m||, which the
paper's linear program constrains. `error_bound` bounds the error ||Phi/m - Phi'/m|| of the
program's solution, and is 2 ||A^-1|| times the radius. Algorithm 1 prints the error bound as its
radius; its output then violates Theorem 4.4 (ERRATA 004.1).
"""

from fractions import Fraction
from math import comb, exp, expm1, log, log1p, log2, sqrt
from typing import Literal, cast

from ...errors import ParameterError
from ..validation import number, one_of, open_unit, whole
from .matrix import inverse_norm, transition

Rule = Literal["rigorous", "corrected", "printed"]
RULES: tuple[Rule, ...] = ("rigorous", "corrected", "printed")


def as_rule(rule: str) -> Rule:
    """Return the checked name of a formula for the radius, the largest residual of an estimate.

    Raises ParameterError unless it is "rigorous", "corrected" or "printed".
    """
    one_of(rule, "rule", RULES)
    return cast("Rule", rule)


def radius(
    n: int, m: int, beta: float, rule: str = "rigorous", *, eta: float | None = None
) -> float:
    """Return a bound on the distance of noisy incidence shares from their expectation.

    Phi_t counts the positions set in exactly t of n true bit vectors, Psi_t in the noisy vectors.
    The matrix A gives the expectation A Phi of Psi. With probability 1 - beta, no entry of Psi/m is
    further from A Phi/m than the radius.

    * "rigorous": sqrt(ln(2 (n + 1)/beta)/(2 m)), Hoeffding's bound for each of n + 1 entries.
    * "corrected": sqrt(ln(1/beta) ln(n + 1)/(2 m)), the radius that the proof of Theorem 4.4 uses.
      Its limits (Gumbel, large n) make it too small for n = 1: at m = 20,000, epsilon = 0.1 it
      covers Phi = (m/2, m/2) in 0.98851 of cases at beta = 0.01, 0.99803 at 0.001 (ERRATA 004.2).
    * "printed": ||A^-1|| sqrt(2 ln(1/beta) ln(n + 1)/m), as Algorithm 1 prints it: the final error
      bound of Theorem 4.4, not a radius (ERRATA 004.1). Needs eta. For comparison only.

    Args:
        n: number of vectors, >= 1.
        m: number of positions, >= 1.
        beta: failure probability, 0 < beta < 1.
        rule: "rigorous", "corrected" or "printed".
        eta: privacy parameter, for "printed" only; a bit is flipped with probability (1 - eta)/2.

    Returns:
        A share of the m positions, > 0.
    """
    n, m, beta = whole(n, "n", 1), whole(m, "m", 1), open_unit(beta, "beta")
    match as_rule(rule):
        case "rigorous":
            return sqrt(log(2 * (n + 1) / beta) / (2 * m))
        case "corrected":
            return sqrt(log(1 / beta) * log(n + 1) / (2 * m))
        case "printed":
            if eta is None:
                raise ParameterError("eta: missing; rule 'printed' needs the privacy parameter eta")
            return inverse_norm(n, eta) * sqrt(2 * log(1 / beta) * log(n + 1) / m)


def error_bound(n: int, m: int, eta: float, beta: float, rule: str = "rigorous") -> float:
    """Return a bound on the error of the linear program's estimate (Theorem 4.4, corrected).

    The error is the largest absolute error among the n + 1 estimated counts of positions set in
    exactly t of n bit vectors. The bound is twice the radius (`radius`) times ||A^-1||, the norm of
    the inverse of the noise's transition matrix A, which exceeds eta^-n (ERRATA 004.3). It holds
    for all counts at once with probability >= 1 - beta under "rigorous". Under "corrected" it holds
    as often as the smaller radius does. "printed" has eta^-n instead of the norm, which is no bound
    for n >= 2.

    Args:
        n: number of vectors, >= 1.
        m: number of positions, >= 1.
        eta: privacy parameter, 0 < eta < 1; a bit is flipped with probability (1 - eta)/2.
        beta: failure probability, 0 < beta < 1.
        rule: rule for the radius, as in `radius`.

    Returns:
        A share of the m positions; trivial at 1 or above.
    """
    if as_rule(rule) == "printed":
        return 2 * radius(n, m, beta, "corrected") * open_unit(eta, "eta") ** -n
    return 2 * radius(n, m, beta, rule) * inverse_norm(n, eta)


def lower_bound(m: int, epsilon: float, beta: float) -> float:
    """Return the paper's lower bound on the error of incidence estimates, a share of m positions.

    It is Theorem 5.10 with constant 1, beta e^-epsilon/(sqrt(m) log2 m): an order of magnitude, not
    a bound to compare with. The theorem does not give its constant and covers epsilon < 1 only. It
    does not explain why a bound proportional to beta has the failure probability "at least 1 -
    beta". For counts of 0 < i < n vectors its proof assumes that all but one inner product vanish,
    which is impossible for uniform strings (ERRATA 004.4, 004.7). The list in Section 6.1 is this
    formula at epsilon = 0.1, 0.5, 1, 1.5, 2, 2.5, 3 (ERRATA 004.6).

    Args:
        m: number of positions, >= 2.
        epsilon: budget in nats a bit, > 0.
        beta: failure probability, 0 < beta < 1.
    """
    m, beta = whole(m, "m", 2), open_unit(beta, "beta")
    if not number(epsilon, "epsilon", "nats > 0") > 0:
        raise ParameterError(f"epsilon: found {epsilon!r}; needs nats > 0")
    return beta * exp(-epsilon) / (sqrt(m) * log2(m))


def product_odds(n: int, eta: float) -> tuple[float, float]:
    """Return the odds P(Y = 0)/P(Y = 1) given the noisy result Y' = 0, and given Y' = 1.

    Y is the AND of n fair bits, Y' the AND of the same bits after each is flipped with probability
    (1 - eta)/2. Lemma 5.6 claims both odds within [x, 1/x], x = ((1 - eta)/(1 + eta))^n. This is
    false for small eta: at n = 2, eta = 0.1 the odds are 3.30 and 2.31, outside [0.669, 1.494]
    (ERRATA 004.4).

    Args:
        n: number of vectors, one bit each, >= 1.
        eta: privacy parameter, 0 < eta < 1.
    """
    full = transition(n, eta)[
        n
    ]  # entry j: probability that all n noisy bits are 1 if j of the true bits are 1
    shares = [comb(n, j) / 2**n for j in range(n + 1)]
    present = [shares[j] * full[j] for j in range(n + 1)]
    zero = [shares[j] * (1 - full[j]) for j in range(n + 1)]
    return float(sum(zero[:n]) / zero[n]), float(sum(present[:n]) / present[n])


def product_min_entropy(n: int) -> float:
    """Return the min-entropy of the AND of n fair bits, in bits: log2(1/(1 - 2^-n)).

    Args:
        n: number of vectors, one bit each, >= 1.
    """
    return -log1p(-(2.0 ** -whole(n, "n", 1))) / log(2)


def all_at_least(n: int, m: int, floor: int) -> Fraction:
    """Return the probability that each of n + 1 incidence counts is at least `floor`.

    The counts, positions set in exactly t = 0 .. n of n bit vectors, sum to m. All such sequences
    of counts are equally likely here, as in Lemma C.1 of paper 004. The probability is exactly C(m
    - (n + 1) floor + n, n)/C(m + n, n), with C the binomial coefficient.

    Args:
        n: number of vectors, >= 1.
        m: number of positions, >= 1.
        floor: least value of each count, >= 0.
    """
    n, m, floor = whole(n, "n", 1), whole(m, "m", 1), whole(floor, "floor", 0)
    positions_left = m - (n + 1) * floor
    return Fraction(comb(positions_left + n, n) if positions_left >= 0 else 0, comb(m + n, n))


def positions_needed(n: int, floor: int, beta: float) -> float:
    """Return a number of positions that makes all incidence counts large (paper 004, Lemma C.1).

    With this m, `all_at_least(n, m, floor)` is at least 1 - beta: each of the n + 1 counts,
    positions set in exactly t of n bit vectors, reaches `floor` with that probability. The number
    is (n + 1) floor/(1 - (1 - beta)^(1/n)), not the least such number.

    Args:
        n: number of vectors, >= 1.
        floor: least value of each count, >= 0.
        beta: failure probability, in (0, 1).
    """
    n, floor, beta = whole(n, "n", 1), whole(floor, "floor", 0), open_unit(beta, "beta")
    return (n + 1) * floor / -expm1(log1p(-beta) / n)


def fewest_positions(n: int, floor: int, beta: float) -> int:
    """Return the least number of positions that makes all incidence counts large, by bisection.

    It is the least m with `all_at_least(n, m, floor)` at least 1 - beta: each of the n + 1 counts,
    positions set in exactly t of n bit vectors, reaches `floor` with that probability.

    Args:
        n: number of vectors, >= 1.
        floor: least value of each count, >= 0.
        beta: failure probability, in (0, 1).
    """
    probability = 1 - Fraction(open_unit(beta, "beta"))
    low, high = 0, int(positions_needed(n, floor, beta)) + 1
    while high - low > 1:
        middle = (low + high) // 2
        enough = all_at_least(n, middle, floor) >= probability
        low, high = (low, middle) if enough else (middle, high)
    return high
