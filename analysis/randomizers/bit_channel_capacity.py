"""Information in independent coins: capacity and contraction of unary encodings and bit flips.

Unary encoding with m inputs in use. Only the m coins of those inputs carry information, and all
inputs are alike, so the uniform law is best. Let b be the true symbol's coin, s the number of
1-bits among the m, up = kappa (1 - lambda), down = lambda (1 - kappa). The likelihood of the report
relative to its mean is

    r = (up if b else down) / ((s up + (m - s) down) / m)        C = sum of Q(b, s) / r f(r - 1)

with b ~ Bern(kappa), s - b ~ Bin(m - 1, lambda) and f of `small_divergence.py`: O(m) terms, each at
least 0, where the matrix would have 2^a rows. Two inputs differ in two coins, so the contraction
needs four rows.

Bit flips. L coins are L uses of one channel: C = L (log 2 - H(q)) once all 2^L vectors are in use.
Opposite vectors are the most distinguishable pair, and only their number of 1-bits counts.
"""

import numpy as np

from ..validation import Floats
from .small_divergence import excess


def unary_capacity(kappa: float, lam: float, inputs: int) -> float:
    """Return the capacity of a unary encoding if only `inputs` of its inputs occur, nats.

    inputs: 1 .. a. The epsilon of the encoding must be finite.
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
    """The capacity of bit flips when all 2^L vectors occur, nats."""
    shift = 1 - 2 * q
    return bits * float(excess(np.array([shift, -shift])).mean())


def unary_pair(kappa: float, lam: float) -> tuple[Floats, Floats]:
    """The laws of the two coins in which the reports of two symbols differ, shape (4,) each."""
    first_law, second_law = (np.array([1 - p, p]) for p in (kappa, lam))
    return np.outer(first_law, second_law).ravel(), np.outer(second_law, first_law).ravel()


def flip_pair(bits: int, q: float) -> tuple[Floats, Floats]:
    """Return the laws of the number of 1-bits from two opposite vectors, shape (L + 1,) each."""
    from scipy.stats import binom

    one_counts = np.arange(bits + 1)
    law = np.asarray(binom.pmf(one_counts, bits, q))
    return law, law[::-1]
