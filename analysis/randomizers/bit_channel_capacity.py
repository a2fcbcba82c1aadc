"""Capacity and contraction of unary encodings and bit flips, which are independent noisy bits.

Capacity is the largest mutual information between a report and the value of its sender. The
contraction coefficient is the largest share of any information in the value that a report retains
(`numerical_capacity.py`). Both are computed here without the matrix of the randomizer, which would
have up to 2^a rows for a symbols.

Unary encoding sends a noisy bit for each of a symbols: 1 with probability kappa at the true symbol,
and with probability lambda elsewhere. If only m of the symbols are in use, only their bits carry
information. They are alike, so the uniform distribution of these symbols is best. Let b be the bit
of the true symbol, s the number of 1-bits among the m, up = kappa (1 - lambda) and
down = lambda (1 - kappa). Let r be the likelihood of the report given the true symbol, divided by
its mean over the m symbols, Q(b, s) the probability of b and s, and C the capacity. Then

    r = (up if b else down) / ((s up + (m - s) down) / m)        C = sum of Q(b, s) / r f(r - 1)

with b ~ Bern(kappa), s - b ~ Bin(m - 1, lambda) and f of `small_divergence.py`. The sum has O(m)
terms, each at least 0. Reports of two symbols differ in two bits, so the contraction coefficient is
computed from the four combinations of these bits.

Bit flips send L bits, each flipped with probability q. If all 2^L vectors are in use, the capacity
is L times that of a bit: C = L (log 2 - H(q)) with H the entropy of a bit in nats. Opposite vectors
are the most distinguishable pair. Between these only the number of 1-bits in the report matters.
"""

import numpy as np

from ..validation import Floats
from .small_divergence import excess


def unary_capacity(kappa: float, lam: float, inputs: int) -> float:
    """Return the capacity in nats of a unary encoding if only `inputs` of its symbols occur.

    The epsilon of the encoding must be finite.

    Args:
        kappa: probability of a 1 at the true symbol.
        lam: probability of a 1 at a given other symbol.
        inputs: number of symbols in use, at least 1.
    """
    from scipy.stats import binom

    m = inputs
    up, down = kappa * (1 - lam), lam * (1 - kappa)
    other_bits = np.arange(m)
    chance = binom.pmf(other_bits, m - 1, lam)
    total = 0.0
    for own_bit, likely, own_chance in ((1, kappa, up), (0, 1 - kappa, down)):
        one_counts = other_bits + own_bit
        mean = (one_counts * up + (m - one_counts) * down) / m
        # r - 1, with r the report's likelihood given the true symbol, divided by the mean over m
        # symbols
        deviation = (m - one_counts if own_bit else -one_counts) * (up - down) / m / mean
        total += likely * float(chance @ (excess(deviation) * mean)) / own_chance
    return total


def flip_capacity(bits: int, q: float) -> float:
    """Return the capacity in nats of flipping each of `bits` bits with probability q.

    It is the largest mutual information of a vector of bits and its report. All vectors are assumed
    to occur.
    """
    shift = 1 - 2 * q
    return bits * float(excess(np.array([shift, -shift])).mean())


def unary_pair(kappa: float, lam: float) -> tuple[Floats, Floats]:
    """Return the distributions of the two bits that distinguish two symbols under unary encoding.

    The first is for a person with the first symbol, the second for a person with the second symbol;
    shape (4,) each.

    kappa: probability of a 1 at the true symbol. lam: probability of a 1 at another symbol.
    """
    first_law, second_law = (np.array([1 - p, p]) for p in (kappa, lam))
    return np.outer(first_law, second_law).ravel(), np.outer(second_law, first_law).ravel()


def flip_pair(bits: int, q: float) -> tuple[Floats, Floats]:
    """Return the distributions of the number of 1-bits in the reports of two opposite vectors.

    The vectors are 0...0 and 1...1, of `bits` bits; shape (bits + 1,) each. q: probability that a
    bit is flipped.
    """
    from scipy.stats import binom

    one_counts = np.arange(bits + 1)
    law = np.asarray(binom.pmf(one_counts, bits, q))
    return law, law[::-1]
