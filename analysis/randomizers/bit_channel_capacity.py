"""Capacity and contraction of unary encodings and bit flips, which are independent noisy bits.

Capacity is the largest mutual information between a report and the value of its sender;
contraction is the strong data-processing constant (`numerical_capacity.py`). Both are computed here
without the matrix of the randomizer, which would have up to 2^a rows.

Unary encoding sends one noisy bit for each of a symbols: 1 with probability kappa at the true
symbol, and with probability lambda elsewhere. If only m of the inputs are in use, only the bits of
these inputs carry information, and all inputs are alike, so the uniform distribution of inputs is
best. Let b be the bit of the true symbol, s the number of 1-bits among the m, up = kappa (1 -
lambda) and down = lambda (1 - kappa). The likelihood of the report relative to its mean is

    r = (up if b else down) / ((s up + (m - s) down) / m)        C = sum of Q(b, s) / r f(r - 1)

with b ~ Bern(kappa), s - b ~ Bin(m - 1, lambda) and f of `small_divergence.py`: O(m) terms, each at
least 0. Two inputs differ in two bits, so the contraction needs four rows.

Bit flips send L bits, each flipped with probability q: L uses of one channel, so C = L (log 2 -
H(q)) if all 2^L vectors are in use. Opposite vectors are the most distinguishable pair, and only
their number of 1-bits counts.
"""

import numpy as np

from ..validation import Floats
from .small_divergence import excess


def unary_capacity(kappa: float, lam: float, inputs: int) -> float:
    """Return the capacity in nats of a unary encoding if only `inputs` of its inputs occur.

    kappa: probability of a 1 at the true symbol. lam: of a 1 at another symbol. inputs: 1 .. a. The
    epsilon of the encoding must be finite.
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
        deviation = (m - one_counts if own_bit else -one_counts) * (up - down) / m / mean  # r - 1
        total += likely * float(chance @ (excess(deviation) * mean)) / own_chance
    return total


def flip_capacity(bits: int, q: float) -> float:
    """Return the capacity in nats of flipping each of `bits` bits with probability q.

    All 2^L vectors of L bits are assumed to occur as inputs.
    """
    shift = 1 - 2 * q
    return bits * float(excess(np.array([shift, -shift])).mean())


def unary_pair(kappa: float, lam: float) -> tuple[Floats, Floats]:
    """Return the distributions of the two bits in which the reports of two symbols differ.

    The first is for a person with the first symbol, the second for a person with the second; shape
    (4,) each. kappa: probability of a 1 at the true symbol. lam: of a 1 at another symbol.
    """
    first_law, second_law = (np.array([1 - p, p]) for p in (kappa, lam))
    return np.outer(first_law, second_law).ravel(), np.outer(second_law, first_law).ravel()


def flip_pair(bits: int, q: float) -> tuple[Floats, Floats]:
    """Return the distributions of the number of 1-bits in reports of two opposite vectors.

    q: probability that a bit is flipped. The vectors 0...0 and 1...1 have L = `bits` bits; shape
    (L + 1,) each.
    """
    from scipy.stats import binom

    one_counts = np.arange(bits + 1)
    law = np.asarray(binom.pmf(one_counts, bits, q))
    return law, law[::-1]
