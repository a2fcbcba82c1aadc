"""The expected squared error of an estimated share: the analyst's loss at a privacy guarantee.

Paper 003 measures privacy by PIE = I(U; Y), the information in a report Y about its sender U. Its
Section 4.4 gives the loss of two randomizers, GRR and local hashing. For n people, a share p of
people with the symbol, e = e^eps, |X| symbols, g hash values and theta = (e-1)/(g+e-1):

    (22) GRR           (|X| + e - 2) / (n (e-1)^2) + p (|X| - 2) / (n (e-1))
    (23) local hashing (g + e - 1)^2 / (n (e-1)^2 (g-1)) + p (g^2 - 2g - e + 1) / (n (e-1) (g-1))
    (51) the same, by theta
                       (1 - p theta) / (n theta^2 (g-1)) + p (1 - theta) / (n theta)
    (24) g -> infinity p (1 - theta) / (n theta)

(23) needs a hash family in which two symbols collide with probability exactly 1/g; the paper
requires only at most 1/g (`hash_families.py` has counterexamples, and exact families).

At a fixed theta more hash values are always better (Theorem 4.8). At a fixed eps the paper
recommends g = e + 1, which minimises only the term without p. The whole of (23) is least at

    g = 1 + sqrt(e (e - p (e-1)) / (1 + p (e-1)))            eps = 4, p = 0.1: 22, not 56
"""

from __future__ import annotations

from math import exp, floor, sqrt

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats, whole
from .randomizer import as_epsilon


def grr_loss(p: npt.ArrayLike, symbols: int, epsilon: float, users: int) -> Floats:
    """Return the expected squared error of estimated shares under generalised randomised response.

    Paper 003, (22). The result has the shape of p.

    Args:
        p: true shares of symbols, in [0, 1], any shape.
        symbols: size of the domain, >= 2.
        epsilon: local epsilon in nats, > 0.
        users: number of reports, >= 1.
    """
    a, n, gain = whole(symbols, "symbols", 2), whole(users, "users", 1), _gain(epsilon)
    return (a - 1 + gain) / gain**2 / n + _shares(p) * (a - 2) / gain / n


def hash_loss(p: npt.ArrayLike, g: int, epsilon: float, users: int) -> Floats:
    """Return the expected squared error of estimated shares under local hashing.

    Paper 003, (23). The result has the shape of p.

    Args:
        p: true shares of symbols, in [0, 1], any shape.
        g: values of a hash, >= 2.
        epsilon: local epsilon in nats, > 0.
        users: number of reports, >= 1.
    """
    g, n, gain = whole(g, "g", 2), whole(users, "users", 1), _gain(epsilon)
    base = ((g + gain) / gain) ** 2 / (g - 1)
    return base / n + _shares(p) * ((g - 1) ** 2 - 1 - gain) / gain / (g - 1) / n


def hash_loss_at(p: npt.ArrayLike, g: float, theta: float, users: int) -> Floats:
    """Return the expected squared error of estimated shares under local hashing, by theta.

    theta = (e^eps - 1) / (g + e^eps - 1) takes the place of epsilon eps. It is the probability of
    the true hash value in a report minus that of a given other hash value. The result has the shape
    of p (paper 003, (51); its limit (24) if g is infinite).

    Args:
        p: true shares of symbols, in [0, 1], any shape.
        g: values of a hash, >= 2, or infinity.
        theta: probability of the true minus that of another hash value, in (0, 1).
        users: number of reports, >= 1.
    """
    if not 0 < theta < 1:
        raise ParameterError(f"theta: found {theta!r}; needs a number strictly between 0 and 1")
    if not g >= 2:
        raise ParameterError(f"g: found {g!r}; needs at least 2 hash values")
    n, shares = whole(users, "users", 1), _shares(p)
    noise = (1 - shares * theta) / theta**2 / (g - 1)
    return (noise + shares * (1 - theta) / theta) / n


def optimal_g(epsilon: float, p: float = 0.0) -> int:
    """Return the number of hash values with the least expected squared error under local hashing.

    The error is that of an estimated share, `hash_loss`.

    Args:
        epsilon: local epsilon in nats, > 0.
        p: true share of the symbol, in [0, 1); 0 gives about e^eps + 1.
    """
    gain = _gain(epsilon)
    if not 0 <= p < 1:
        raise ParameterError(f"p: found {p!r}; needs a share in [0, 1)")
    e = gain + 1
    best = 1 + sqrt(e * (e - p * gain) / (1 + p * gain))
    candidates = [max(2, floor(best)), max(2, floor(best) + 1)]
    return min(candidates, key=lambda g: float(hash_loss(p, g, epsilon, 1)))


def epsilon_at(theta: float, size: int) -> float:
    """Return the epsilon in nats with a given theta = (e^eps - 1) / (size + e^eps - 1).

    Args:
        theta: probability of the true minus that of another reported value, in (0, 1).
        size: symbols of generalised randomised response or values of a hash, >= 2.
    """
    if not 0 < theta < 1:
        raise ParameterError(f"theta: found {theta!r}; needs a number strictly between 0 and 1")
    return float(np.log1p(whole(size, "size", 2) * theta / (1 - theta)))


def _gain(epsilon: float) -> float:
    """Return e^eps - 1 without cancellation; raise a ParameterError above 500 nats."""
    if as_epsilon(epsilon) > 500:
        raise ParameterError(f"epsilon: found {epsilon}; needs at most 500 nats")
    return float(np.expm1(epsilon)) if epsilon < 1 else exp(epsilon) - 1


def _shares(p: npt.ArrayLike) -> Floats:
    """Return p as an array after a check that every share is in [0, 1]."""
    array = np.asarray(p, dtype=np.float64)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        raise ParameterError(f"p: found {array.min():g} .. {array.max():g}; needs shares in [0, 1]")
    return array
