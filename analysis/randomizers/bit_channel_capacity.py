"""What independent coins let through: capacity and contraction of unary encodings and bit flips.

Unary encoding with m inputs in use. A report matters only by the m coins of those inputs, and all
inputs are alike, so the uniform law is best. Let b be the own coin, s the number of ones among the
m, up = kappa (1 - lambda), down = lambda (1 - kappa). The report is r times as likely as it is on
average,

    r = (up if b else down) / ((s up + (m - s) down) / m)        C = sum of Q(b, s) / r f(r - 1)

with b ~ Bern(kappa), s - b ~ Bin(m - 1, lambda) and f of `small_divergence.py`: O(m) terms, each at
least 0, where the matrix would have 2^a rows. Two inputs differ in two coins, so the contraction
needs four rows.

Bit flips. L coins are L uses of one channel: C = L (log 2 - H(q)) once all 2^L vectors are in use.
Opposite vectors are the pair that is told apart best, and of them only the number of ones counts.
"""

import numpy as np

from ..validation import Floats
from .small_divergence import excess


def unary_capacity(kappa: float, lam: float, inputs: int) -> float:
    """The capacity of a unary encoding when only so many of its inputs occur, nats.

    inputs: 1 .. a. The epsilon of the encoding must be finite.
    """
    from scipy.stats import binom

    m = inputs
    up, down = kappa * (1 - lam), lam * (1 - kappa)
    others = np.arange(m)
    chance = binom.pmf(others, m - 1, lam)
    total = 0.0
    for own, likely, here in ((1, kappa, up), (0, 1 - kappa, down)):
        ones = others + own
        mean = (ones * up + (m - ones) * down) / m
        away = (m - ones if own else -ones) * (up - down) / m / mean  # r - 1
        total += likely * float(chance @ (excess(away) * mean)) / here
    return total


def flip_capacity(bits: int, q: float) -> float:
    """The capacity of bit flips when all 2^L vectors occur, nats."""
    away = 1 - 2 * q
    return bits * float(excess(np.array([away, -away])).mean())


def unary_pair(kappa: float, lam: float) -> tuple[Floats, Floats]:
    """The laws of the two coins in which the reports of two symbols differ, shape (4,) each."""
    own, other = (np.array([1 - p, p]) for p in (kappa, lam))
    return np.outer(own, other).ravel(), np.outer(other, own).ravel()


def flip_pair(bits: int, q: float) -> tuple[Floats, Floats]:
    """The laws of the number of ones from two opposite vectors, shape (L + 1,) each."""
    from scipy.stats import binom

    ones = np.arange(bits + 1)
    law = np.asarray(binom.pmf(ones, bits, q))
    return law, law[::-1]
