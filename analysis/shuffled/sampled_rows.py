r"""Rows that k people open, of whom each takes part with probability p: exact epsilon and delta.

Everybody sends a message; with probability p it holds the row, else it is a cover that fits no
other. N_v of the c_v people with row v take part, N_v ~ Bin(c_v, p), independently. Who reads the
release sees N_v where N_v >= k and n, the number of messages. Whoever may know all other rows
compares that a person has row v and that the same person sends a cover whatever it has ("removed"):
only N_v differs, Bin(m, p) against Bin(m - 1, p), m people with the row and this person among them.

    P(j) / P'(j) = (1 - p) m / (m - j)      j >= k: rises in j; no P' at j = m
    closed: at most 1, and nowhere less than 1 - p

    removed    delta(e) = max over m of sum over j >= k of (P(j) - exp(e) P'(j))_+
               and none the other way, for e >= -ln(1 - p)
    replaced   v by w: P' is at least (1 - p) times the law with the person's cover, so
               delta(e) <= removed delta(e + ln(1 - p)), both ways

What is summed has j > m b, b = 1 - (1 - p) exp(-e) > p, so it is below exp(-m D(b || p)), D the
binary relative entropy in nats: from some m on no m can be worst, and those before are all tried.
The reader of messages sees besides how many are in each group that stays closed. Covers make groups
of one, so of those it learns nothing; its view is a function of all N_v >= 2, and that with 2 for k
is its delta, reached where all others have other rows. Who tries rows sees all: k = 1. Sampling and
threshold: Bharadwaj and Cormode, arXiv 2112.05693; Nebula, arXiv 2409.09676, [seen], not read.

Sums are of positive terms in 60 decimal digits, each of which is wrong by less than 1e-50 of
itself, so a delta is certain to 1e-12 of itself; it is rounded up.
"""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import exp, log, log1p, nextafter

from ...errors import ParameterError
from ..validation import whole
from .sampled_delta import SampledDelta

PARTS = 1 << 32  # a rate is a whole number of parts of this
MOST_EPSILON = 50.0
APART = 0.05  # what is left of epsilon after ln(1 - p), at least: else no crowd is too large
DIGITS = 60
SURE = Decimal("1e-12")  # of a delta, what rounding cannot reach
NONE = Decimal(0)


def rate_parts(rate: float) -> int:
    """The rate as people draw it: so many of 2^32 draws take part, 1 to 2^32 - 1."""
    if not isinstance(rate, int | float | Fraction) or not 0 < rate < 1:
        raise ParameterError(f"rate: found {rate}; more than 0 and less than 1 is accepted")
    return min(max(int(Fraction(rate) * PARTS), 1), PARTS - 1)


def removed_delta(k: int, rate: float, epsilon: float, people: int) -> SampledDelta:
    """The delta of one person's row against none of it, for everybody who sees what k open.

    Args:
        k: people who open a group, at least 1; 2 for who reads messages, 1 for who tries rows.
        rate: probability with which a person's message holds its row, in (0, 1).
        epsilon: in nats, -ln(1 - rate) to 50.
        people: n, who send; no row has more.

    Raises:
        ParameterError: a number out of its range.
    """
    parts = _checked(k, rate, epsilon, people)
    low, worst = _largest(k, Fraction(parts, PARTS), epsilon, people)
    return _named("removed", low, worst, (k, parts, epsilon, people))


def replaced_delta(k: int, rate: float, epsilon: float, people: int) -> SampledDelta:
    """The delta of one person's row against any other, an upper bound; arguments as above.

    Raises:
        ParameterError: a number out of its range; epsilon is at least -ln(1 - rate) + 0.05.
    """
    parts = _checked(k, rate, epsilon, people, replaced=True)
    share = Fraction(parts, PARTS)
    low, worst = _largest(k, share, epsilon, people, share)
    return _named("replaced", low, worst, (k, parts, epsilon, people))


def least_epsilon(rate: float, *, replaced: bool = False) -> float:
    """The smallest epsilon of which a delta is told, in nats, rounded up."""
    share = Fraction(rate_parts(rate), PARTS)
    return nextafter(-log1p(-float(share)) * (1 + 1e-15), 1e9) + (APART if replaced else 0.0)


def _checked(k: int, rate: float, epsilon: float, people: int, *, replaced: bool = False) -> int:
    whole(k, "k", 1)
    whole(people, "people", 1)
    parts = rate_parts(rate)
    least = least_epsilon(rate, replaced=replaced)
    if not isinstance(epsilon, int | float) or not least <= epsilon <= MOST_EPSILON:
        raise ParameterError(
            f"epsilon: found {epsilon}; {least:.6g} to {MOST_EPSILON:g} is accepted at rate "
            f"{parts / PARTS:g}"
        )
    return parts


def _named(
    change: str, low: Decimal, worst: int, given: tuple[int, int, float, int]
) -> SampledDelta:
    k, parts, epsilon, people = given
    high = nextafter(float(low * (1 + SURE)), 2.0) if low else 0.0
    return SampledDelta.of(
        high, change=change, k=k, rate=parts / PARTS, epsilon=epsilon, people=people, crowd=worst
    )


def _largest(
    k: int, share: Fraction, epsilon: float, people: int, shift: Fraction = Fraction(0)
) -> tuple[Decimal, int]:
    """The largest delta of all m, and its m; 0 of none."""
    with localcontext(Context(prec=DIGITS)):
        p = Decimal(share.numerator) / Decimal(share.denominator)
        # a float is a decimal, so exp is of the very epsilon that is told
        grown = Decimal(epsilon).exp() * (1 - Decimal(shift.numerator) / shift.denominator)
        q = 1 - p
        border = 1 - q / grown  # b
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
    """The sum of P(j) - e P'(j) over j from `at` on, all positive; pmf: P(at)."""
    q, total = 1 - p, NONE
    for j in range(at, m + 1):
        total += pmf * (1 - grown * (m - j) / (q * m))
        pmf = pmf * (m - j) / (j + 1) * p / q
        if pmf < total * Decimal("1e-55"):  # ratios fall: what is left is less than 1e-50 of it
            break
    return total


def _relative_entropy(b: float, p: float) -> float:
    """D(b || p) in nats, less what rounding may add; b > p."""
    return max(b * log(b / p) + (1 - b) * (log1p(-b) - log1p(-p)), 0.0) * (1 - 1e-9) if b > p else 0
