"""Fano's inequality: from an attacker's information in bits to its error in naming a person.

Paper 003, Proposition 3.7 (Han and Verdu). An attacker with information I about the person U errs
with probability beta_U before, and after it with probability

    beta >= 1 + (I + 1) / log2(1 - beta_U)        n equally likely: beta >= 1 - (I + 1) / log2 n

The logarithm is negative, so the sign is a plus. Corollary 3.9, (11), prints a minus and then
exceeds 1 (2 bits, beta_U = 1 - 1e-6: 1.151 where .849 is right). The example after the corollary
bounds the information alpha: alpha < 2.07 for n = 10^6 and an error above 0.8, and 6.21 above 0.5.
These are nats; in the paper's bits they are 2.986 and 8.966.

For equally likely people Fano's own inequality gives a bound that is never lower (`tight_fano`):
log2 n - I <= h(beta) + beta log2(n - 1), with h the binary entropy.
"""

from math import isfinite, log, log1p, log2

from ...errors import ParameterError
from ..validation import number, open_unit, whole


def fano_bound(information_bits: float, prior_error: float) -> float:
    """Return the least identification error that this much information allows.

    Paper 003, (9) and, corrected, (11).

    Args:
        information_bits: I(U; Y), the information in a report Y about its sender U, or any upper
            bound on it; bits, >= 0.
        prior_error: 1 - max P(U = u), the error of the best guess without a report, strictly
            between 0 and 1; 1 - 1/n for n equally likely users.

    Returns:
        max(0, 1 + (I + 1) / log2(1 - prior_error)).
    """
    bits, prior = _bits(information_bits), open_unit(prior_error, "prior_error")
    # log1p stays exact for a prior error near 0, where 1 - prior rounds to 1.
    return max(0.0, 1 + (bits + 1) * log(2) / log1p(-prior))


def uniform_prior_error(users: int) -> float:
    """Return 1 - 1/n: the error of guessing one of n equally likely users.

    Args:
        users: number of users n >= 2.
    """
    return 1 - 1 / whole(users, "users", 2)


def tight_fano(information_bits: float, users: int) -> float:
    """Return the least identification error for n equally likely users, by Fano's inequality.

    The smallest beta with h(beta) + beta log2(n - 1) >= log2 n - I, h the binary entropy, solved by
    bisection to the last bit; never below `fano_bound`.

    Args:
        information_bits: I, the information in a report about its sender, or any upper bound on
            it; bits, >= 0.
        users: number of users n >= 2.
    """
    n = whole(users, "users", 2)
    needed = log2(n) - _bits(information_bits)
    low, high = 0.0, 1 - 1 / n
    # The right side of Fano's inequality rises from 0 to log2 n as the error rises from 0 to 1 -
    # 1/n, so bisection finds the error.
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _reach(middle, n) < needed else (low, middle)
    return low if needed > 0 else 0.0


def budget_for(error: float, users: int) -> float:
    """Return the PIE (a report's information about its sender) allowed for this error, in bits.

    It is (1 - error) log2 n - 1, from Fano's inequality solved for the information (paper 003,
    (12)). A randomizer with a `pie_bound` of at most this keeps every attacker's identification
    error at `error` or above. The n users must be equally likely.

    Args:
        error: the required identification error, strictly between 0 and 1.
        users: number of users n >= 2.

    Raises:
        ParameterError: Fano's inequality gives this error for no positive amount of information.
    """
    n, target_error = whole(users, "users", 2), open_unit(error, "error")
    bits = (1 - target_error) * log2(n) - 1
    if not bits > 0:
        raise ParameterError(
            f"error: found {target_error}; with {n} users Fano's inequality (12) guarantees less "
            f"than {max(0.0, 1 - 1 / log2(n)):.4g}, however little is reported"
        )
    return bits


def pseudonymization(symbols: int, users: int, prior_error: float | None = None) -> float:
    """Return the least identification error if the values themselves are released without names.

    Paper 003, Proposition 3.10. A value X has at most min(log2 n, log2 |X|) bits about its owner,
    for n users and |X| symbols. So few symbols protect without any noise: five incomes and 10^8
    equally likely users leave an error of at least 0.8750 (the paper rounds to 0.88).

    >>> from veilmix.analysis.reidentification import pseudonymization
    >>> round(pseudonymization(5, 10**8), 3)
    0.875

    Args:
        symbols: number of symbols |X| >= 1.
        users: number of users n >= 2.
        prior_error: the attacker's error without the release; 1 - 1/n if not given.
    """
    information = min(log2(whole(symbols, "symbols", 1)), log2(whole(users, "users", 2)))
    prior = uniform_prior_error(users) if prior_error is None else prior_error
    return fano_bound(information, prior)


def _reach(beta: float, n: int) -> float:
    """Return the right side of Fano's inequality, h(beta) + beta log2(n - 1), in bits.

    beta: the error in naming a person among n people; h is the binary entropy.
    """
    entropy = -beta * log2(beta) - (1 - beta) * log2(1 - beta) if 0 < beta < 1 else 0.0
    return entropy + beta * log2(n - 1)


def _bits(information: float) -> float:
    """Check an amount of information in bits and return it.

    Raise a ParameterError if it is not finite and >= 0.
    """
    bits = number(information, "information_bits", "bits >= 0")
    if not (isfinite(bits) and bits >= 0):
        raise ParameterError(f"information_bits: found {information!r}; needs bits >= 0")
    return bits
