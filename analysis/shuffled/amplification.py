"""How private one shuffled report is, for every randomizer with two probabilities of support.

The doubted person has u or v; of the n - 1 others nothing is assumed. Only what a report says about
u and v matters, so a few outcomes y stand for all reports. If everybody's law is at least w b(y),
whatever their value, then with probability w each of the others says something drawn from b that
depends on nobody: the privacy blanket (*recalled*: Balle, Bell, Gascon, Nissim, 2019). Tell the
attacker who did not, and what they said:

    upper   (1 / (n w)) E[(sum of B_i X_i over i <= n)_+],   B_i ~ Ber(w),  Y_i ~ b,
            X_i = (P_u(Y_i) - e^eps P_v(Y_i)) / b(Y_i);      and never above the local delta

    lower   the same with w = 1 and b = P_z: all others have the value z, which is an actual pair of
            collections (ERRATA 001.9). z = v, and z another value where there is one.

Blankets: a uniform report for GRR (w = a lie), local hashing (w = g lie) and flipped bits
(w = (2 q)^L); for unary encodings all a bits drawn with lambda, as often as all coins allow:

    w = min(kappa / lambda, (1 - kappa) / (1 - lambda)) = (1 - kappa) / (1 - lambda)
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import comb, exp, log, prod

import numpy as np

from ...errors import ParameterError
from ..randomizers.bit_flip import BitFlip
from ..randomizers.grr import GRR
from ..randomizers.local_hash import LocalHash
from ..randomizers.randomizer import Randomizer, as_epsilon
from ..randomizers.unary import UnaryEncoding
from ..validation import Floats, open_unit, whole
from .epsilon import hockey_stick
from .iid_sums import at_least, at_most

# Lattice points to a deviation: bounds here differ by far more than what finer ones would give.
FINE = 32.0
# Relative width of the interval in which an epsilon is sought.
NARROW = 1e-6
# Bits of a report of flipped bits up to which bounds are sought.
MOST_BITS = 16
RULE = "lower: all others equal; upper: privacy blanket or local"
# Part of the local epsilon below which an epsilon is taken for 0.
LEAST = 1e-7


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """A number that is certainly between two others; they are equal where it is exact.

    Attributes:
        low, high: the bounds.
        rule: what gives them.
    """

    low: float
    high: float
    rule: str

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.high:.6g} ({self.rule})"
        return f"{self.low:.6g} to {self.high:.6g} ({self.rule})"


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One doubted person among others whose reports have a known part.

    Attributes:
        weight: w, the share of the others' reports that is known, in (0, 1].
        law: b, over some outcomes; sums to 1.
        own, other: P_u / b and P_v / b at these outcomes.
    """

    weight: float
    law: Floats
    own: Floats
    other: Floats

    def most(self, n: int, epsilon: float) -> float:
        """Upper bound of the pair's delta."""
        return at_most(*self._terms(epsilon), n, FINE) / (n * self.weight)

    def least(self, n: int, epsilon: float) -> float:
        """Lower bound of the pair's delta, in the worse of both directions; for w = 1."""
        back = Pair(self.weight, self.law, self.other, self.own)
        both = (at_least(*one._terms(epsilon), n, FINE) for one in (self, back))
        return max(both) / (n * self.weight)

    def alone(self, epsilon: float) -> float:
        """Delta before shuffling."""
        return float(self.law @ np.maximum(self.own - exp(epsilon) * self.other, 0.0))

    def _terms(self, epsilon: float) -> tuple[Floats, Floats]:
        atoms = self.own - exp(epsilon) * self.other
        return np.append(atoms, 0.0), np.append(self.weight * self.law, 1 - self.weight)


def report_delta(n: int, randomizer: Randomizer, epsilon: float) -> Between:
    """The hockey-stick delta after shuffling n reports, over all collections that differ in a row.

    Exact for one bit (GRR on two symbols, one flipped bit), else between certified bounds.

    Args:
        n: reports, >= 1.
        randomizer: GRR, UnaryEncoding, LocalHash or BitFlip.
        epsilon: nats, > 0.
    """
    n, epsilon = whole(n, "n", 1), as_epsilon(epsilon)
    if (q := one_bit(randomizer)) is not None:
        value = float(hockey_stick(n, q, epsilon))
        return Between(value, value, "exact")
    if epsilon >= randomizer.epsilon:
        return Between(0.0, 0.0, "exact")
    low, high, rule = _bounds(randomizer, n)
    most = high(epsilon)
    return Between(min(low(epsilon), most), most, rule)


def report_epsilon(n: int, randomizer: Randomizer, delta: float) -> Between:
    """The hockey-stick epsilon (nats) that shuffling n reports gives at this delta.

    Args:
        n: reports, >= 1.
        randomizer: GRR, UnaryEncoding, LocalHash or BitFlip.
        delta: in (0, 1).

    Returns:
        Exact for one bit, else between certified bounds; never above the local epsilon.
    """
    n, delta = whole(n, "n", 1), open_unit(delta, "delta")
    if (q := one_bit(randomizer)) is not None:
        from .epsilon import epsilon_for

        value = float(epsilon_for(n, q, delta))
        return Between(value, value, "exact")
    low, high, rule = _bounds(randomizer, n)
    local = randomizer.epsilon
    most = _crossing(high, delta, local)[1]
    return Between(_crossing(low, delta, most)[0], most, rule)


def upper_curve(n: int, randomizer: Randomizer) -> Callable[[float], float]:
    """Delta for an epsilon > 0, or a certified upper bound of it: never below the truth."""
    if (q := one_bit(randomizer)) is not None:
        return lambda epsilon: float(hockey_stick(n, q, epsilon))
    return _bounds(randomizer, n)[1]


def one_bit(randomizer: Randomizer) -> float | None:
    """The probability that a report of one bit is a lie; None where there are more reports."""
    if isinstance(randomizer, GRR) and randomizer.a == 2:
        return randomizer.lie
    if isinstance(randomizer, BitFlip) and randomizer.bits == 1:
        return randomizer.q
    return None


def _bounds(
    randomizer: Randomizer, n: int
) -> tuple[Callable[[float], float], Callable[[float], float], str]:
    """Lower and upper bound as functions of epsilon > 0, and what gives them."""
    cases = _cases(randomizer)

    def low(epsilon: float) -> float:
        best = 0.0
        for pair in (pair for _, equals in cases for pair in equals):
            if pair.alone(epsilon) > best:  # shuffling never raises it
                best = max(best, pair.least(n, epsilon))
        return best

    def high(epsilon: float) -> float:
        best = 0.0
        for blanket, _ in cases:
            alone = blanket.alone(epsilon)
            if alone > best:
                best = max(best, min(alone, blanket.most(n, epsilon)))
        return best

    return low, high, RULE


def _crossing(delta_at: Callable[[float], float], delta: float, top: float) -> tuple[float, float]:
    """Where a falling function of epsilon in (0, top) crosses delta, between two epsilons."""
    from scipy.optimize import brentq

    def gap(epsilon: float) -> float:
        found = delta_at(epsilon)
        return (log(found) if found > 0 else -1e3) - log(delta)

    high = top
    # A crowd often needs far less than the local epsilon: first the order of magnitude.
    while gap(high / 4) <= 0:
        high /= 4
        if high < top * LEAST:
            return 0.0, high
    low = high / 4
    if gap(high * (1 - NARROW)) > 0:
        return high * (1 - NARROW), high
    root = float(brentq(gap, low, high * (1 - NARROW), xtol=NARROW * low, rtol=NARROW))
    # The lattice moves with epsilon, and a bound with it, a little: step until it is on its side.
    below, above = max(low, root * (1 - 2 * NARROW)), min(high, root * (1 + 2 * NARROW))
    while below > low and gap(below) < 0:
        below = max(low, below * (1 - 10 * NARROW))
    while above < high and gap(above) > 0:
        above = min(high, above * (1 + 10 * NARROW))
    return below, above


def _cases(randomizer: Randomizer) -> list[tuple[Pair, list[Pair]]]:
    """For every kind of neighbours: the blanket, and the pairs in which all others have one value.

    Two values are like any other two, but for bit flips: there the distance matters.
    """
    if isinstance(randomizer, GRR):
        return [_grr(randomizer.a, randomizer.truth, randomizer.lie)]
    if isinstance(randomizer, UnaryEncoding):
        return [_unary(randomizer)]
    if isinstance(randomizer, LocalHash):
        return [_hashed(randomizer)]
    if isinstance(randomizer, BitFlip) and randomizer.bits <= MOST_BITS:
        L, q = randomizer.bits, randomizer.q
        return [_flipped(L, q, h) for h in range(L, 0, -1)]  # the farthest are mostly the worst
    raise ParameterError(
        f"randomizer: found {randomizer}; needs GRR, UnaryEncoding, LocalHash, or BitFlip of at "
        f"most {MOST_BITS} bits"
    )


def _grr(a: int, p: float, q: float) -> tuple[Pair, list[Pair]]:
    """Outcomes: u, v, anything else."""
    u, v = np.array([p, q, (a - 2) * q]), np.array([q, p, (a - 2) * q])
    equals = [_over(v, u, v)]
    if a > 2:  # outcomes u, v, z, anything else
        own, other = (np.array([*x, q, (a - 3) * q]) for x in ((p, q), (q, p)))
        equals.append(_over(np.array([q, q, p, (a - 3) * q]), own, other))
    return _over(np.array([1.0, 1.0, a - 2.0]) / a, u, v, a * q), equals


def _unary(one: UnaryEncoding) -> tuple[Pair, list[Pair]]:
    """Outcomes: the bits at u and v, and at z."""
    own, rare = np.array([1 - one.kappa, one.kappa]), np.array([1 - one.lam, one.lam])
    if min(own.min(), rare.min()) <= 0:
        raise ParameterError(f"{one}: some reports give a value away; no bound but the local one")

    def law(*coins: Floats) -> Floats:
        return np.array([prod(chances) for chances in product(*coins)], np.float64)

    u, v = law(own, rare), law(rare, own)
    equals = [_over(v, u, v)]
    if one.a > 2:
        equals.append(_over(law(rare, rare, own), law(own, rare, rare), law(rare, own, rare)))
    return _over(law(rare, rare), u, v, float((own / rare).min())), equals


def _hashed(one: LocalHash) -> tuple[Pair, list[Pair]]:
    """Outcomes: h(u) = h(v) said or not; apart: h(u), h(v), anything else said.

    Two values collide under 1/g of the keys; what three values do depends on the family.
    """
    g, p = one.g, one.truth
    q = p * exp(-one.epsilon)
    meet, part = 1 / g, 1 - 1 / g
    same = [meet * p, meet * (1 - p)]
    u = np.array([*same, part * p, part * q, part * (g - 2) * q])
    v = np.array([*same, part * q, part * p, part * (g - 2) * q])
    b = np.array([meet / g, meet * (1 - 1 / g), part / g, part / g, part * (g - 2) / g])
    return _over(b, u, v, g * q), [_over(v, u, v)]


def _flipped(L: int, q: float, h: int) -> tuple[Pair, list[Pair]]:
    """Outcomes: how many of the h differing bits agree with u, how many of the others are wrong.

    The blanket is a uniform vector. Of the others only the differing bits matter when they are all
    v: the rest has the same law with and without the doubted person.
    """
    p, rest = 1 - q, L - h
    agree = np.repeat(np.arange(h + 1.0), rest + 1)
    wrong = np.tile(np.arange(rest + 1.0), h + 1)
    ways = [comb(h, int(i)) * comb(rest, int(j)) for i, j in zip(agree, wrong, strict=True)]
    b = np.array(ways, np.float64) / 2.0**L
    shared = (2 * p) ** (rest - wrong) * (2 * q) ** wrong
    u = (2 * p) ** agree * (2 * q) ** (h - agree) * shared
    v = (2 * q) ** agree * (2 * p) ** (h - agree) * shared
    lies = np.arange(h + 1.0)
    law = np.array([comb(h, int(i)) * q**i * p ** (h - i) for i in lies])
    equal = Pair(1.0, law, (p / q) ** (2 * lies - h), np.ones(h + 1))
    return Pair((2 * q) ** L, b, u, v), [equal]


def _over(b: Floats, u: Floats, v: Floats, weight: float = 1.0) -> Pair:
    kept = b > 0
    return Pair(weight, b[kept], u[kept] / b[kept], v[kept] / b[kept])
