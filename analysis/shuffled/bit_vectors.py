"""Hockey-stick deltas of shuffled L-bit reports: exact if small, else between certified bounds.

Each bit is reported truly with probability p = 1 - q and flipped with probability q. The attacked
person has the vector v or u, at Hamming distance h.

Lower bound: all other people have the vector v too. The counts A of reported vectors are then
multinomial under v. The privacy ratio from v to u is the mean of n independent terms
(p/q)^(2 B - h), B ~ Bin(h, q). So this pair's delta is one-dimensional for every L and n (paper 001
does not notice). It is a lower bound of the maximum over all pairs. For L = 1 it is the case in
which all other people have a 0, or all a 1: nearly the largest delta. For few people, all numbers
of other people with u and with v are tried as well: at n = 16, q = 0.05, epsilon = 3 two bits have
delta .1829 with equal other values, and .2278 with eight of one kind and seven of the other. People
that differ in a single bit are the 1-bit case, exact for every n.

Up to six bits all other people may also have one vector x. The largest delta is not always at x =
v: if x is opposite in the bits in which u and v agree, the reports of other people are
distinguished from the attacked person's report.

Upper bound: the smallest of three. Each holds for all data sets, because more information than the
counts can only help the attacker; the maximum over h covers all pairs. (a) The privacy blanket:
each report is, with probability g = (2 q)^L, a uniform vector that reveals no value. Reveal the
people without a uniform vector, and their reports. The attacked person's report is left among C + 1
reports, C ~ Bin(n - 1, g), and with p(u, y) the probability of report y for vector u the delta is

    (1/(n g)) E[(sum over i <= n of B_i X_i)_+],  B_i ~ Ber(g),
    X_i = 2^L (p(u, Y_i) - e^eps p(v, Y_i)),  Y_i uniform.

(b) The delta before shuffling. (c) For up to six bits, a sum in which one common term replaces the
term of each person (`any_others.py`).
"""

from math import comb, exp, log

import numpy as np

from ...errors import ParameterError
from ..randomizers import BitFlip
from ..randomizers.neighbour_laws import MOST_LISTED, flip_neighbours
from ..randomizers.randomizer import as_epsilon, as_lie
from ..validation import Floats, brief, crowd, whole
from .any_others import any_others_delta
from .collections import every_pair, mixed_pairs
from .exact_law import add_person, all_counts, law, transition_matrix
from .iid_sums import at_least, positive_part
from .level import Level
from .pair_bounds import min_delta, telling

LARGEST_BITS = 64
# Limits of `enumerated_delta`, above which it raises an error. MOST_ENUMERATED: data sets (numbers
# of people with each vector) times outcomes. MOST_LISTED_PEOPLE: people.
MOST_ENUMERATED, MOST_LISTED_PEOPLE = 10**9, 1000
# Grid points per standard deviation of a sum if many Hamming distances are tried. With half as many
# the bounds would be much wider.
COARSER = 64.0


def hockey_stick_bits(n: int, q: float, epsilon: float, bits: int, one_bit: float) -> Level:
    """Return the hockey-stick delta after shuffling n reports of several bits, or bounds of it.

    n: number of reports.
    q: probability that a bit is flipped.
    epsilon: nats.
    bits: bits of a report.
    one_bit: the delta of one-bit reports with the same n, q and epsilon, which is a lower bound.

    Raises:
        ParameterError: more than `LARGEST_BITS` bits.
    """
    if bits > LARGEST_BITS:
        raise ParameterError(f"bits: found {bits}; bounds here are for at most {LARGEST_BITS}")
    if epsilon >= bits * log((1 - q) / q):
        return Level.from_value("delta", "hockey-stick", 0.0, epsilon, n=n, q=q, bits=bits)
    if (pairs := every_pair(n, BitFlip(bits, q))) is not None:
        value = pairs.delta(epsilon)
        return Level.from_value("delta", "hockey-stick", value, epsilon, n=n, q=q, bits=bits)
    mixed = mixed_pairs(n, [flip_neighbours(h, q, h) for h in range(1, bits + 1)])
    low = max((pairs.delta(epsilon) for pairs in mixed), default=0.0)
    # The 1-bit delta is a lower bound, because the vectors of all people may agree in all bits but
    # one.
    low, high, by, worst = max(low, one_bit), 0.0, "local", None
    # Distant vectors come first, because their delta is usually the largest. Nearer vectors are
    # then skipped if their local delta is smaller.
    for h in range(bits, 0, -1):
        local = local_delta(q, epsilon, h)
        if local > high and (pair := _upper_bound(n, q, epsilon, bits, h, local))[0] > high:
            high, by = pair
        if local > low and (lower_delta := _lower_bound(n, q, epsilon, bits, h)) > low:
            low, worst = lower_delta, h
    if worst is not None and bits <= MOST_LISTED:
        low = max(low, equal_others_delta(n, q, epsilon, worst)[0])
    rule = f"lower: others of {'up to two values' if mixed else 'one value'}; upper: {by}"
    return Level.from_value(
        "delta", "hockey-stick", high, epsilon, n=n, q=q, bits=bits, lower=min(low, high), rule=rule
    )


def _upper_bound(
    n: int, q: float, epsilon: float, bits: int, h: int, local: float
) -> tuple[float, str]:
    """Return the least upper bound of delta for vectors at Hamming distance h, and its method.

    n: number of reports.
    q: probability that a bit is flipped.
    bits: bits of a report.
    local: the delta before shuffling.
    """
    blanket = blanket_delta(n, q, epsilon, bits, h)
    lowest = min((local, "local"), (blanket, "blanket"))
    if bits > MOST_LISTED or lowest[0] <= 0:
        return lowest
    case = flip_neighbours(bits, q, h)
    return min(lowest, (any_others_delta(case, n, epsilon, lowest[0]), "exchange"))


def _lower_bound(n: int, q: float, epsilon: float, bits: int, h: int) -> float:
    """Return a lower bound of delta for vectors at Hamming distance h, on a coarse grid.

    All other people have the same vector.

    n: number of reports.
    q: probability that a bit is flipped.
    bits: bits of a report.
    """
    low = max(at_least(*terms, n, COARSER) for terms in _equal_terms(q, epsilon, h)) / n
    if bits > MOST_LISTED:
        return low
    pairs = telling(flip_neighbours(bits, q, h)[1])
    return max(low, *(min_delta(pair, n, epsilon) for pair in pairs))


def equal_others_delta(n: int, q: float, epsilon: float, h: int) -> tuple[float, float]:
    """Return bounds (lower, upper) of the delta of "all n have v" against "a person has u".

    u and v are bit vectors at Hamming distance h. Delta is the larger of u against v and v against
    u. Bits in which u and v agree have no effect.

    Args:
        n: people, >= 1.
        q: probability that a bit is flipped, 0 < q <= 1/2.
        epsilon: privacy loss in nats, >= 0.
        h: Hamming distance of u and v, in bits.
    """
    n, q, epsilon, h = crowd(n), as_lie(q), as_epsilon(epsilon), _bits(h, "h")
    if epsilon >= h * log((1 - q) / q):
        return 0.0, 0.0
    directions = [positive_part(*terms, n) for terms in _equal_terms(q, epsilon, h)]
    return max(low for low, _ in directions) / n, max(high for _, high in directions) / n


def _equal_terms(q: float, epsilon: float, h: int) -> list[tuple[Floats, Floats]]:
    """Return values and probabilities of one person's term in the sum that gives delta.

    n people have the bit vector v, but the attacked person may have u at Hamming distance h. Delta
    is E[(sum of n independent terms)_+] / n. The first pair is for u against v, the second for v
    against u.

    q: probability that a bit is flipped.
    """
    p, lies = 1 - q, np.arange(h + 1)
    weights = np.array([comb(h, b) * q**b * p ** (h - b) for b in range(h + 1)])
    ratio: Floats = np.asarray((p / q) ** (2.0 * lies - h), np.float64)
    return [(ratio - exp(epsilon), weights), (1 - exp(epsilon) * ratio, weights)]


def blanket_delta(n: int, q: float, epsilon: float, bits: int, h: int) -> float:
    """Return the privacy blanket's upper bound of delta for two vectors at Hamming distance h.

    The blanket is the part of other people's reports that is uniform for any vector.

    Args:
        n: people, >= 1.
        q: probability that a bit is flipped, 0 < q <= 1/2.
        epsilon: privacy loss in nats, >= 0.
        bits: L, bits of a report.
        h: Hamming distance of the two vectors, 1 .. L.
    """
    n, q, epsilon, bits = crowd(n), as_lie(q), as_epsilon(epsilon), _bits(bits, "bits")
    h = _bits(h, "h", bits)
    if epsilon >= h * log((1 - q) / q):
        return 0.0
    p, blanket = 1 - q, (2 * q) ** bits
    atoms, weights = [0.0], [1 - blanket]
    for agree in range(h + 1):
        sway = p**agree * q ** (h - agree) - exp(epsilon) * p ** (h - agree) * q**agree
        for wrong in range(bits - h + 1):
            atoms.append(2.0**bits * sway * p ** (bits - h - wrong) * q**wrong)
            chance = comb(h, agree) * comb(bits - h, wrong) * 2.0**-bits
            weights.append(blanket * chance)
    return positive_part(np.array(atoms), np.array(weights), n)[1] / (n * blanket)


def local_delta(q: float, epsilon: float, h: int) -> float:
    """Return the delta of a single report for vectors at distance h; shuffling never raises it.

    Args:
        q: probability that a bit is flipped, 0 < q <= 1/2.
        epsilon: privacy loss in nats, >= 0.
        h: Hamming distance of the vectors, in bits.
    """
    q, epsilon, h = as_lie(q), as_epsilon(epsilon), _bits(h, "h")
    p = 1 - q
    if epsilon >= h * log(p / q):
        return 0.0
    terms = [
        comb(h, j) * max(0.0, p**j * q ** (h - j) - exp(epsilon) * p ** (h - j) * q**j)
        for j in range(h + 1)
    ]
    return float(sum(terms))


def enumerated_delta(n: int, q: float, epsilon: float, bits: int) -> float:
    """The exact delta over all neighbouring data sets, by enumeration.

    A data set is the number of people with each vector. The attacked person's vector may be taken
    as the first, because flipping the same bits of every vector and every report changes no
    probability.

    >>> from veilmix.analysis.shuffled import enumerated_delta
    >>> round(enumerated_delta(4, 0.25, 0.5, bits=2), 4)
    0.2644

    Args:
        n: people, >= 1.
        q: probability that a bit is flipped, 0 < q <= 1/2.
        epsilon: privacy loss in nats, >= 0.
        bits: L, bits of a report.

    Raises:
        ParameterError: too many people, or too many data sets, to be enumerated.
    """
    n, q, epsilon, bits = crowd(n), as_lie(q), as_epsilon(epsilon), _bits(bits, "bits", 6)
    if n > MOST_LISTED_PEOPLE or comb(n + (1 << bits) - 1, n) ** 2 > MOST_ENUMERATED:
        raise ParameterError(
            f"n, bits: found {n} people and {bits} bits; too many combinations of the people's "
            "values to enumerate, so take fewer people or bits"
        )
    if epsilon >= bits * log((1 - q) / q):
        return 0.0
    P = transition_matrix(bits, q)
    best = 0.0
    for m in all_counts(n - 1, bits):
        law_of_others = law(m, q) if n > 1 else np.ones((1,) * (len(P) - 1))
        mine = add_person(law_of_others, P[0])
        for j in range(1, len(P)):
            second_law = add_person(law_of_others, P[j])
            best = max(best, _delta(mine, second_law, epsilon), _delta(second_law, mine, epsilon))
    return best


def _delta(law: Floats, second_law: Floats, epsilon: float) -> float:
    """Return the hockey-stick delta of one distribution against a second, at epsilon."""
    return float(np.maximum(law - exp(epsilon) * second_law, 0).sum())


def _bits(value: int, name: str, limit: int = LARGEST_BITS) -> int:
    """Check a number of bits and return it.

    name: the parameter's name, for the error.

    Raises:
        ParameterError: fewer than 1 bit, or more than the limit.
    """
    bits = whole(value, name, 1)
    if bits > limit:
        raise ParameterError(f"{name}: found {brief(bits)}; needs at most {limit}")
    return bits
