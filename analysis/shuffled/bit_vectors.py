"""Hockey-stick deltas of shuffled L-bit reports: exact where small, else between certified bounds.

Lower: everybody else has the same vector v as the doubted person, who may instead have u at Hamming
distance h. Then A is multinomial under v and the privacy ratio from v to u is the mean of n
independent terms (p/q)^(2 B - h), B ~ Bin(h, q). So this pair's delta is one-dimensional for every
L and n (paper 001 does not notice). It is a lower bound of the maximum over all pairs; for L = 1 it
is the case of the ends of the range of m, near the worst but not always the worst. For few people,
others who have either u or v are tried as well, in all numbers: at n = 16, q = 0.05, epsilon = 3
two bits have delta .1829 with equal others and .2278 with eight of one kind and seven of the other.
Others who differ in one bit alone are the one-bit case, exact for every n.

Upper: the smaller of two. (a) The privacy blanket: everybody's report is, with probability (2 q)^L,
a uniform vector that says nothing. Tell the attacker who was not uniform, and their reports; the
doubted person is left among C + 1 reports, C ~ Bin(n - 1, (2 q)^L), and the delta of that is

    (1/(n g)) E[(sum over i <= n of B_i X_i)_+],  g = (2 q)^L,  B_i ~ Ber(g),
    X_i = 2^L (p(u, Y_i) - e^eps p(v, Y_i)),  Y_i uniform.

(b) The delta before shuffling. What the attacker is told beyond the counts can only help, so both
are upper bounds, for every collection; the maximum over h covers all pairs.
"""

from math import comb, exp, log

import numpy as np

from ...errors import ParameterError
from ..randomizers import BitFlip
from ..randomizers.neighbour_laws import flip_neighbours
from ..validation import Floats
from .collections import every_pair, mixed_pairs
from .exact_law import add_person, all_counts, law, transition_matrix
from .iid_sums import positive_part
from .level import Level

LARGEST_BITS = 64


def hockey_stick_bits(n: int, q: float, epsilon: float, bits: int, one_bit: float) -> Level:
    """The delta of `hockey_stick` for several bits; arguments as there, and its one-bit delta."""
    if bits > LARGEST_BITS:
        raise ParameterError(f"bits: found {bits}; bounds here are for at most {LARGEST_BITS}")
    if epsilon >= bits * log((1 - q) / q):
        return Level.of("delta", "hockey-stick", 0.0, epsilon, n=n, q=q, bits=bits)
    if (pairs := every_pair(n, BitFlip(bits, q))) is not None:
        value = pairs.delta(epsilon)
        return Level.of("delta", "hockey-stick", value, epsilon, n=n, q=q, bits=bits)
    mixed = mixed_pairs(n, [flip_neighbours(h, q, h) for h in range(1, bits + 1)])
    low = max((pairs.delta(epsilon) for pairs in mixed), default=0.0)
    # Others who differ in one bit alone, which is the doubted one: any number of them has a 1.
    low, high, by = max(low, one_bit), 0.0, "local"
    for h in range(
        bits, 0, -1
    ):  # far vectors first: they are mostly the worst, and settle the rest
        local = local_delta(q, epsilon, h)
        if local > high:
            blanket = blanket_delta(n, q, epsilon, bits, h)
            if min(local, blanket) > high:
                high, by = min(local, blanket), "local" if local <= blanket else "blanket"
        if local > low:
            low = max(low, equal_others_delta(n, q, epsilon, h)[0])
    rule = f"lower: others of {'up to two values' if mixed else 'one value'}; upper: {by}"
    return Level.of(
        "delta", "hockey-stick", high, epsilon, n=n, q=q, bits=bits, lower=min(low, high), rule=rule
    )


def equal_others_delta(n: int, q: float, epsilon: float, h: int) -> tuple[float, float]:
    """The delta of the pair "all n have v" and "one has u", at distance h: (lower, upper) bounds.

    The larger of both directions. Independent of the number of bits beyond h.
    """
    p, lies = 1 - q, np.arange(h + 1)
    weights = np.array([comb(h, b) * q**b * p ** (h - b) for b in range(h + 1)])
    ratio: Floats = np.asarray((p / q) ** (2.0 * lies - h), np.float64)
    forth = positive_part(ratio - exp(epsilon), weights, n)
    back = positive_part(1 - exp(epsilon) * ratio, weights, n)
    return max(forth[0], back[0]) / n, max(forth[1], back[1]) / n


def blanket_delta(n: int, q: float, epsilon: float, bits: int, h: int) -> float:
    """The certified upper bound by the privacy blanket for a pair at distance h."""
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
    """The delta of one report alone for vectors at distance h: shuffling never raises it."""
    p = 1 - q
    terms = [
        comb(h, j) * max(0.0, p**j * q ** (h - j) - exp(epsilon) * p ** (h - j) * q**j)
        for j in range(h + 1)
    ]
    return float(sum(terms))


def enumerated_delta(n: int, q: float, epsilon: float, bits: int) -> float:
    """The exact delta over all collections and all neighbours, by enumeration.

    The doubted person's vector may be taken as v_1: flipping the same bits of everybody's vector
    and of every report changes no probability.
    """
    P = transition_matrix(bits, q)
    best = 0.0
    for m in all_counts(n - 1, bits):
        others = law(m, q) if n > 1 else np.ones((1,) * (len(P) - 1))
        mine = add_person(others, P[0])
        for j in range(1, len(P)):
            other = add_person(others, P[j])
            best = max(best, _delta(mine, other, epsilon), _delta(other, mine, epsilon))
    return best


def _delta(law: Floats, other: Floats, epsilon: float) -> float:
    return float(np.maximum(law - exp(epsilon) * other, 0).sum())
