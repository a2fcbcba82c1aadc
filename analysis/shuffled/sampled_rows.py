"""Rows that k people open, each taking part with probability p: exact epsilon and delta.

Each person sends a message; with probability p it holds the row, else it is a cover that matches no
other message. N_v of the c_v people with row v take part, N_v ~ Bin(c_v, p), independently. The
reader of the release sees N_v if N_v >= k, and n, the number of messages. An attacker that may know
all other rows compares two cases: a person has row v, or it sends a cover in any case ("removed").
Only N_v differs, Bin(m, p) against Bin(m - 1, p), m people with the row and this person among them.

    P(j) / P'(j) = (1 - p) m / (m - j)      j >= k: rises in j; no P' at j = m
    closed: at most 1, and nowhere less than 1 - p
    removed    delta(e) = max over m of sum over j >= k of (P(j) - exp(e) P'(j))_+
               and 0 in the other direction, for e >= -ln(1 - p)
    replaced   v by w: P' is at least (1 - p) times the law with the person's cover, so
               delta(e) <= removed delta(e + ln(1 - p)), both ways

The terms of the sum have j > m b, b = 1 - (1 - p) exp(-e) > p, so it is below exp(-m D(b || p)), D
the binary relative entropy in nats: from some m on no m can be worst, and all before are tried. The
reader of messages also sees the size of each group that stays closed. Covers make groups of one, so
these reveal no row; its view is a function of all N_v >= 2, and the delta with 2 for k is its
delta, reached if all other people have other rows. An attacker that tries rows sees all: k = 1.
Sampling and threshold: Bharadwaj and Cormode, arXiv 2112.05693; Nebula, arXiv 2409.09676, [seen],
not read.

Sums are of positive terms in 60 decimal digits, each with a relative error below 1e-50, so the
relative error of a delta is below 1e-12; it is rounded up.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import exp, log, log1p, nextafter

from ...errors import ParameterError
from ..validation import whole
from .sampled_delta import SampledDelta

PARTS = 1 << 32  # a rate is a whole number of such parts
MOST_EPSILON = 50.0
# least epsilon beyond -ln(1 - rate) if a row is replaced: with less, the search would have to try
# every number of people with the row
EPSILON_MARGIN = 0.05
DIGITS = 60
SURE = Decimal("1e-12")  # a delta is raised by this share, which bounds rounding errors
NONE = Decimal(0)


def rate_parts(rate: float) -> int:
    """Return a participation rate as it is drawn: a whole number of 2^-32, 1 to 2^32 - 1.

    Raises:
        ParameterError: a rate outside (0, 1).
    """
    if not isinstance(rate, int | float | Fraction) or not 0 < rate < 1:
        raise ParameterError(f"rate: found {rate}; more than 0 and less than 1 is accepted")
    return min(max(int(Fraction(rate) * PARTS), 1), PARTS - 1)


def removed_delta(k: int, rate: float, epsilon: float, people: int) -> SampledDelta:
    """Return the delta of one person's row against no row, for a reader of the rows that k open.

    Args:
        k: people that open a group, at least 1; 2 for a reader of messages, 1 for an attacker that
            tries rows.
        rate: probability with which a person's message holds its row, in (0, 1).
        epsilon: in nats, -ln(1 - rate) to 50.
        people: n, the senders; no row has more.

    Raises:
        ParameterError: a number out of its range.
    """
    parts = _checked(k, rate, epsilon, people)
    low, worst = _largest(k, Fraction(parts, PARTS), epsilon, people)
    return _sampled_delta("removed", low, worst, (k, parts, epsilon, people))


def replaced_delta(k: int, rate: float, epsilon: float, people: int) -> SampledDelta:
    """Return an upper bound on the delta of one person's row against any other row.

    The reader sees the rows that k people open.

    Args:
        k: people that open a group, at least 1; as in `removed_delta`.
        rate: probability with which a person's message holds its row, in (0, 1).
        epsilon: in nats, -ln(1 - rate) + 0.05 to 50.
        people: n, the senders; no row has more.

    Raises:
        ParameterError: a number out of its range; epsilon is at least -ln(1 - rate) + 0.05.
    """
    parts = _checked(k, rate, epsilon, people, replaced=True)
    share = Fraction(parts, PARTS)
    low, worst = _largest(k, share, epsilon, people, share)
    return _sampled_delta("replaced", low, worst, (k, parts, epsilon, people))


def smallest_epsilon(rate: float, *, replaced: bool = False) -> float:
    """Return the smallest epsilon for which a delta is defined, in nats, rounded up."""
    share = Fraction(rate_parts(rate), PARTS)
    return nextafter(-log1p(-float(share)) * (1 + 1e-15), 1e9) + (
        EPSILON_MARGIN if replaced else 0.0
    )


def _checked(k: int, rate: float, epsilon: float, people: int, *, replaced: bool = False) -> int:
    """Check the arguments and return the rate in parts of 2^32.

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
    """Return the delta rounded up, with its parameters.

    `arguments` are k, parts, epsilon, people.
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

    0 if no delta is positive. k people open a row; `share` is the rate of participation. `shift`:
    the
    rate if rows are replaced, as epsilon is then lower by -ln(1 - rate).
    """
    with localcontext(Context(prec=DIGITS)):
        p = Decimal(share.numerator) / Decimal(share.denominator)
        # Each float is exactly a decimal, so this is the exponential of exactly this epsilon.
        grown = Decimal(epsilon).exp() * (1 - Decimal(shift.numerator) / shift.denominator)
        q = 1 - p
        border = 1 - q / grown  # b of the module's docstring: terms have j > m b
        falls = _relative_entropy(float(border), float(p))
        best, worst = NONE, 0
        pmf, at = p**k, k  # P(Bin(m, p) = at), m = k
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
    """Return the sum of P(j) - e^epsilon P'(j) over counts j from `at` on, all positive.

    P is the law Bin(m, p) of the messages with a row that m people have, P' that of m - 1 people;
    `pmf`
    is P(at), `grown` is e^epsilon.
    """
    q, total = 1 - p, NONE
    for j in range(at, m + 1):
        total += pmf * (1 - grown * (m - j) / (q * m))
        pmf = pmf * (m - j) / (j + 1) * p / q
        if pmf < total * Decimal("1e-55"):  # as ratios fall, the remaining sum is below 1e-50 of it
            break
    return total


def _relative_entropy(b: float, p: float) -> float:
    """Return the relative entropy D(b || p) of two coins with probabilities b > p, in nats.

    It is less a margin for rounding.
    """
    return max(b * log(b / p) + (1 - b) * (log1p(-b) - log1p(-p)), 0.0) * (1 - 1e-9) if b > p else 0
