"""Epsilon and delta of a threshold release with random participation, exact.

Each person sends a message. With probability p it holds the person's row, else it is a cover, a
message that matches no other. A row is opened if at least k people send it. Of c_v people with row
v, N_v ~ Bin(c_v, p) send it, independently. The analyst sees N_v if N_v >= k, and the number n of
messages.

An attacker that may know all other rows compares two cases: a person has row v, or the person sends
a cover in any case ("removed"). Only N_v differs. Let m people have the row, the person among them.
Then P, the law of N_v, is Bin(m, p), against P', Bin(m - 1, p):

    P(j) / P'(j) = (1 - p) m / (m - j)      j >= k: rises in j; P'(m) = 0
    P / P' of N_v < k: at most 1            row not opened; all ratios are at least 1 - p
    removed    delta(e) = max over m of sum over j >= k of (P(j) - exp(e) P'(j))_+
               and 0 in the other direction, for e >= -ln(1 - p)
    replaced   v by w: P' is at least (1 - p) times the law with the person's cover, so
               delta(e) <= removed delta(e + ln(1 - p)), both ways

The positive terms of the sum have j > m b, b = 1 - (1 - p) exp(-e) > p. So the sum is below exp(-m
D(b || p)), D the binary relative entropy in nats. Numbers m are tried in ascending order until this
bound shows that no larger m can be worse.

An attacker that sees the messages also sees how many hold an equal row, even if it is not opened.
Covers match no message, so a row sent once looks like a cover. The view is thus a function of all
N_v >= 2, and its delta is that of k = 2; it is reached if all other people have other rows. An
attacker that encrypts possible rows and compares sees every N_v: k = 1. Sources: Bharadwaj and
Cormode, arXiv 2112.05693; Nebula, arXiv 2409.09676, [seen], not read.

Sums are of positive terms in 60 decimal digits, each with a relative error below 1e-50. So the
relative error of a delta is below 1e-12; the delta is rounded up by this share.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import exp, log, log1p, nextafter

from ...errors import ParameterError
from ..validation import whole
from .sampled_delta import SampledDelta

PARTS = 1 << 32  # a participation rate is a whole number of parts of 1/2^32
MOST_EPSILON = 50.0
# Least distance of epsilon above -ln(1 - rate) if a row is replaced. With a smaller epsilon, the
# search for the worst number of people with the replaced row would be too long.
EPSILON_MARGIN = 0.05
DIGITS = 60
SURE = Decimal("1e-12")  # a delta is raised by this share, which exceeds all rounding errors
NONE = Decimal(0)


def rate_parts(rate: float) -> int:
    """Return a participation rate as a number of parts of 2^-32, as the random draw uses it.

    The number is 1 to 2^32 - 1.

    Raises:
        ParameterError: a rate outside (0, 1).
    """
    if not isinstance(rate, int | float | Fraction) or not 0 < rate < 1:
        raise ParameterError(f"rate: found {rate}; more than 0 and less than 1 is accepted")
    return min(max(int(Fraction(rate) * PARTS), 1), PARTS - 1)


def removed_delta(k: int, rate: float, epsilon: float, people: int) -> SampledDelta:
    """Return the delta of one person's row against no row, in a threshold release with sampling.

    A row is opened if at least k people send it; the attacker sees the opened rows and their
    numbers.

    Args:
        k: least number of messages that open a row, at least 1. For an attacker that sees the
            messages, pass 2. For an attacker that encrypts possible rows and compares, pass 1.
        rate: probability that a person's message holds the row, in (0, 1); else it is a cover.
        epsilon: in nats, -ln(1 - rate) to 50.
        people: n, the senders; at most this many have an equal row.

    Raises:
        ParameterError: a number out of its range.
    """
    parts = _checked(k, rate, epsilon, people)
    low, worst = _largest(k, Fraction(parts, PARTS), epsilon, people)
    return _sampled_delta("removed", low, worst, (k, parts, epsilon, people))


def replaced_delta(k: int, rate: float, epsilon: float, people: int) -> SampledDelta:
    """Return an upper bound on the delta of one person's row against any other row.

    The release is a threshold release with sampling: a row is opened if at least k people send it.
    The attacker sees the opened rows and their numbers.

    Args:
        k: least number of messages that open a row, at least 1. For an attacker that sees the
            messages, pass 2. For an attacker that encrypts possible rows and compares, pass 1.
        rate: probability that a person's message holds the row, in (0, 1); else it is a cover.
        epsilon: in nats, -ln(1 - rate) + 0.05 to 50.
        people: n, the senders; at most this many have an equal row.

    Raises:
        ParameterError: a number out of its range.
    """
    parts = _checked(k, rate, epsilon, people, replaced=True)
    share = Fraction(parts, PARTS)
    low, worst = _largest(k, share, epsilon, people, share)
    return _sampled_delta("replaced", low, worst, (k, parts, epsilon, people))


def smallest_epsilon(rate: float, *, replaced: bool = False) -> float:
    """Return the smallest epsilon (nats) at which the delta of a threshold release is computed.

    Args:
        rate: probability that a person's message holds the row, in (0, 1).
        replaced: whether neighbours differ in the value of one person's row (`replaced_delta`),
            else in its absence (`removed_delta`).
    """
    share = Fraction(rate_parts(rate), PARTS)
    return nextafter(-log1p(-float(share)) * (1 + 1e-15), 1e9) + (
        EPSILON_MARGIN if replaced else 0.0
    )


def _checked(k: int, rate: float, epsilon: float, people: int, *, replaced: bool = False) -> int:
    """Check the arguments of a delta, and return the participation rate in parts of 2^-32.

    k: least number of messages that open a row. rate: probability that a person's message holds
    the row. epsilon: in nats. people: the senders. replaced: whether neighbours differ in the value
    of one person's row, else in its absence.

    Raises:
        ParameterError: a number out of its range.
    """
    whole(k, "k", 1)
    whole(people, "people", 1)
    parts = rate_parts(rate)
    min_epsilon = smallest_epsilon(rate, replaced=replaced)
    if not isinstance(epsilon, int | float) or not min_epsilon <= epsilon <= MOST_EPSILON:
        raise ParameterError(
            f"epsilon: found {epsilon}; {min_epsilon:.6g} to {MOST_EPSILON:g} is accepted at rate "
            f"{parts / PARTS:g}"
        )
    return parts


def _sampled_delta(
    change: str, low: Decimal, worst: int, arguments: tuple[int, int, float, int]
) -> SampledDelta:
    """Return the delta of a threshold release, rounded up, with its parameters.

    Args:
        change: "removed" or "replaced", the difference of neighbouring cases.
        low: the computed delta.
        worst: people with an equal row in the worst case.
        arguments: k, the participation rate in parts of 2^-32, epsilon, people.
    """
    k, parts, epsilon, people = arguments
    high = nextafter(float(low * (1 + SURE)), 2.0) if low else 0.0
    return SampledDelta.from_value(
        high, change=change, k=k, rate=parts / PARTS, epsilon=epsilon, people=people, crowd=worst
    )


def _largest(
    k: int, share: Fraction, epsilon: float, people: int, shift: Fraction = Fraction(0)
) -> tuple[Decimal, int]:
    """Return the largest delta over all numbers m of people with the row, and this m.

    The results are 0 and 0 if no delta is positive. Neighbours differ in whether one person's row
    is removed.

    Args:
        k: messages with the row that open it.
        share: the participation rate.
        epsilon: in nats.
        people: the largest m.
        shift: the participation rate if the row is replaced, not removed. The delta is then bounded
            by the delta of a removed row at the lower epsilon + ln(1 - shift).
    """
    with localcontext(Context(prec=DIGITS)):
        p = Decimal(share.numerator) / Decimal(share.denominator)
        # A float converts to an equal decimal, so this is the exponential of exactly this epsilon.
        grown = Decimal(epsilon).exp() * (1 - Decimal(shift.numerator) / shift.denominator)
        q = 1 - p
        # P and P' are the distributions of the number j of messages with the row, with and without
        # the attacked person. Only counts j > m border have a positive difference P(j) - e^epsilon
        # P'(j).
        border = 1 - q / grown
        falls = _relative_entropy(float(border), float(p))
        best, worst = NONE, 0
        # pmf: probability that `at` of m people send the row; at first m = at = k
        pmf, at = p**k, k
        for m in range(k, people + 1):
            if m > k:
                pmf = pmf * m / (m - at) * q
            first = max(k, int(border * m) + 1)
            while at < first:
                pmf, at = pmf * (m - at) / (at + 1) * p / q, at + 1
            if best and exp(-m * falls) * (1 + 1e-9) < float(best):
                break
            largest = _above(m, at, pmf, p, grown)
            if largest > best:
                best, worst = largest, m
        return best, worst


def _above(m: int, at: int, pmf: Decimal, p: Decimal, grown: Decimal) -> Decimal:
    """Return the sum of P(j) - e^epsilon P'(j) over counts j of messages from `at` on.

    P is Bin(m, p), the distribution of the number of messages with a row that m people have; P' is
    Bin(m - 1, p). Each difference in the sum is positive.

    Args:
        m: people with the row.
        at: the first count.
        pmf: P(at).
        p: probability that a person's message holds the row.
        grown: e^epsilon.
    """
    q, total = 1 - p, NONE
    for j in range(at, m + 1):
        total += pmf * (1 - grown * (m - j) / (q * m))
        pmf = pmf * (m - j) / (j + 1) * p / q
        # The ratios of neighbouring terms fall, so the remaining sum is below 1e-50 of the total.
        if pmf < total * Decimal("1e-55"):
            break
    return total


def _relative_entropy(b: float, p: float) -> float:
    """Return the relative entropy D(b || p) of two biased coins in nats, less a rounding margin.

    b and p are the probabilities of one side; the result is 0 unless b > p.
    """
    return max(b * log(b / p) + (1 - b) * (log1p(-b) - log1p(-p)), 0.0) * (1 - 1e-9) if b > p else 0
