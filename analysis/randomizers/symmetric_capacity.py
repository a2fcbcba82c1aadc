"""Capacity of GRR, and of local hashing, if only some of the inputs occur.

Capacity is the largest mutual information of a report and its input, in nats. GRR on s symbols
reports the true symbol with probability mu and any other symbol with probability nu. If only m
symbols occur, a uniform distribution of these reaches the capacity, because of symmetry and
concavity:

    C(s, m) = q f(mu/q - 1) + (m - 1) q f(nu/q - 1),       q = (mu + (m - 1) nu) / m

with f(d) = (1 + d) log(1 + d) - d (`small_divergence.py`). Reports of the other s - m symbols are
uninformative.
"""

from math import ceil, exp, floor, sqrt

import numpy as np

from ..validation import whole
from .small_divergence import excess, in_unit


def spread(size: int, epsilon: float) -> float:
    """Return theta = (e^eps - 1) / (size + e^eps - 1) of GRR on `size` symbols, or hash values.

    It is the probability of reporting the true symbol minus that of a given other value; paper 003,
    Theorems 4.2 and 4.4. It is computed without cancellation. epsilon: local epsilon in nats.
    """
    return float(-np.expm1(-epsilon) / (1 + (size - 1) * np.exp(-epsilon)))


def symmetric_error(size: int, epsilon: float, inputs: int, people: int) -> float:
    """Return the least error probability of naming the sender of a GRR report among n people.

    It is 1 - (m mu + (s - m) nu) / n, with mu and nu the probabilities of reporting the true symbol
    and a given other symbol.

    Args:
        size: s, the number of symbols.
        epsilon: local epsilon in nats.
        inputs: m, the number of symbols that occur.
        people: n.
    """
    lie = exp(-epsilon) * (1 / (1 + (size - 1) * exp(-epsilon)))
    # `spread` is theta = mu - nu, with mu and nu the probabilities of the true symbol and of a
    # given other symbol. So m mu + (s - m) nu is equal to m theta + s nu, which is more accurate,
    # because theta is computed without cancellation.
    return 1 - (inputs * spread(size, epsilon) + size * lie) / people


def symmetric(size: int, epsilon: float, inputs: int) -> float:
    """Return the capacity of GRR on `size` symbols in nats, if only `inputs` of them occur.

    The capacity is the largest mutual information of a report and its input. epsilon: local epsilon
    in nats.
    """
    lie = float(np.exp(-epsilon) / (1 + (size - 1) * np.exp(-epsilon)))
    gap = spread(size, epsilon)
    law = lie + gap / inputs
    true, excess_of_others = excess([gap * (1 - 1 / inputs) / law, -gap / inputs / law])
    return float(law * (true + (inputs - 1) * excess_of_others))


def random_functions(size: int, epsilon: float, inputs: int, unit: str = "bits") -> float:
    """Return the capacity of local hashing into `size` values by a uniformly random function.

    It is the most information in a report about its input, over all distributions of the inputs.
    All inputs are alike, so the uniform distribution is best. The capacity is D(P_x || U) minus the
    mean of D(P || U) over the functions. Here D is the Kullback-Leibler divergence, P_x the
    distribution of the hash value that an input x reports, U the uniform distribution, and P the
    mean of P_x over the inputs. In P, the number of inputs that share a hash value is Bin(inputs,
    1/size).

    >>> from veilmix.analysis.reidentification import random_functions
    >>> round(random_functions(4, 1.0, 100), 3)
    0.168

    Args:
        size: number of hash values, >= 2.
        epsilon: local epsilon in nats, > 0.
        inputs: number of inputs in use, >= 1; with n people at most n.
        unit: "bits" or "nats".
    """
    g, m = whole(size, "size", 2), whole(inputs, "inputs", 1)
    gap = spread(g, epsilon)
    own_excess, other_excess = excess([gap * (g - 1), -gap])
    reach = 40 * sqrt(m / g) + 60
    shared = np.arange(max(0, floor(m / g - reach)), min(m, ceil(m / g + reach)) + 1)
    # The binomial distribution is computed by ratios of neighbouring probabilities, within 40
    # deviations of its mean; the rest is negligible.
    logs = np.cumsum(np.log((m - shared[:-1]) / (shared[:-1] + 1) / (g - 1)))
    weight = np.exp(np.append(0.0, logs) - max(0.0, logs.max(initial=0.0)))
    crowd = float(weight / weight.sum() @ excess(gap * (g * shared / m - 1)))
    return in_unit(max(0.0, (own_excess + (g - 1) * other_excess) / g - crowd), unit)
