"""Divergences of nearly equal distributions, without loss of digits by cancellation.

For two distributions q and r, the Kullback-Leibler divergence is

    sum q log(q/r) = sum r f(q/r - 1),      f(d) = (1 + d) log(1 + d) - d >= 0

The terms -q + r that f adds sum to 0, and every term is then at least 0. A report that hides its
value well has |d| near 1e-7, where (1 + d) log(1 + d) and d agree in half of their digits. So f is
computed by a power series for small d.
"""

from math import log

import numpy as np
import numpy.typing as npt

from ..validation import Floats, one_of

# For |d| below SMALL, f(d) = (1 + d) log(1 + d) - d is a power series of TERMS terms, because the
# difference loses digits. The first term left out is below 2^-53 of the sum, the rounding error of
# a float.
SMALL = 0.02
TERMS = 10


def excess(d: npt.ArrayLike) -> Floats:
    """Return f(d) = (1 + d) log(1 + d) - d for d >= -1, in nats; f(-1) = 1, f(0) = 0.

    With d = q/r - 1 for two distributions q and r, the mean of f(d) under r is their
    Kullback-Leibler divergence.
    """
    clipped = np.maximum(np.asarray(d, dtype=np.float64), -1.0)
    # At d = -1 the logarithm is infinite, but multiplied by 0: it stays 0 here.
    logs = np.log1p(clipped, out=np.zeros_like(clipped), where=clipped > -1)
    result = np.asarray((1 + clipped) * logs - clipped)
    small = np.abs(clipped) < SMALL
    if small.any():
        result[small] = _series(clipped[small])
    return np.asarray(np.maximum(result, 0.0))


def in_unit(nats: float, unit: str) -> float:
    """Return a number of nats in `unit`, "bits" or "nats"."""
    one_of(unit, "unit", ("nats", "bits"))
    return float(nats) / (log(2) if unit == "bits" else 1.0)


def _series(d: Floats) -> Floats:
    """Return (1 + d) log(1 + d) - d by its power series d^2/2 - d^3/6 + d^4/12 - ....

    Term j, from j = 2, is (-d)^j / (j (j - 1)). d is small.
    """
    total = np.zeros_like(d)
    for j in range(TERMS + 1, 1, -1):
        total = total * -d + 1 / (j * (j - 1))
    return total * d * d
