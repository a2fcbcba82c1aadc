"""Bounds between entropy and exposure (paper 000, Proposition 9).

The exposure Q(t) = sum_v p(v) 1{p(v) < t} is the total probability of all values v with a
probability p(v) below t (Definition 1). It is related to the entropy H(p) by

    H(p) = int_0^1 Q(t)/t dt        and        Q(t) <= H(p) / (-log t)

Q counts values strictly below t. A value that a single person of n has is p = 1/n, and Q(1/n) is
always 0, so the share of unique people is Q(2/n). The paper takes t = 1/n in its example and gets
8/16 = 50 %. At t = 2/n the bound for n = 2^16 people and H = 8 bits is 8/15 = 53 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Floats, as_counts, as_probabilities, number, one_of, open_unit

Unit = Literal["nats", "bits"]

# relative tolerance within which a number of values, computed with logarithms, counts as whole
WHOLE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class EntropyReading:
    """The usual reading of an entropy as a crowd size, and the true exposure of the same people.

    Attributes:
        n: number of people.
        bits: the Shannon entropy H of their values, in bits.
        crowd: the usual reading "each person shares a value with n / 2^H people"; right only if all
            values are about equally frequent.
        unique_share: the share of people alone with their value.
        bound: upper bound on `unique_share` from H alone: H / log2(n / 2), at most 1 (Proposition 9
            of paper 000).
        below_crowd: the share of people in a crowd smaller than `crowd`.
    """

    n: int
    bits: float
    crowd: float
    unique_share: float
    bound: float
    below_crowd: float

    def __str__(self) -> str:
        """Return the usual reading of the entropy and the true exposure in a sentence."""
        return (
            f"{self.n} people, {self.bits:.2f} bits: read as crowds of {self.crowd:.1f}, but "
            f"{self.unique_share:.2%} are unique (entropy alone allows {self.bound:.2%}) and "
            f"{self.below_crowd:.2%} are in smaller crowds"
        )


def entropy(p: npt.ArrayLike, unit: Unit = "nats") -> float:
    """Return the Shannon entropy -sum p log p of a distribution; 0 log 0 = 0.

    (Paper 000 prints E[log p_I] without the minus sign.)

    Args:
        p: probabilities, shape (values,), summing to 1.
        unit: "nats" or "bits".
    """
    probabilities = as_probabilities(p)
    positive = probabilities[probabilities > 0]
    return max(0.0, float(-(positive @ np.log(positive)))) / _log_base(unit)


def entropy_from_exposure(p: npt.ArrayLike, unit: Unit = "nats") -> float:
    """Return the entropy of a distribution as the integral of Q(t)/t over (0, 1], Q its exposure.

    Q(t) is the total probability of the values rarer than t; the formula is Proposition 9 of paper
    000. Between neighbouring probabilities t_i < t_(i+1) of the values, Q is constant. So the
    integral is exactly sum_i Q(t_(i+1)) log(t_(i+1) / t_i), with 1 as the last threshold.

    Args:
        p: probabilities, shape (values,), summing to 1.
        unit: "nats" or "bits".
    """
    probabilities = as_probabilities(p)
    steps, copies = np.unique(probabilities[probabilities > 0], return_counts=True)
    exposed = np.minimum(np.cumsum(steps * copies), 1.0)
    return float(exposed @ np.diff(np.log(steps), append=0.0)) / _log_base(unit)


def exposure_from_entropy(H: float, t: float, unit: Unit = "nats") -> float:
    """Return the upper bound min(1, H / (-log t)) on the exposure Q(t) of values with entropy H.

    Q(t) is the total probability of the values rarer than t. The bound is Proposition 9 of paper
    000, by Markov's inequality for -log p(v), v a random value. Take t = 2/n for the unique people
    of a database of n: their values have probability 1/n, and Q counts values strictly below t.

    Args:
        H: entropy, >= 0, in `unit`.
        t: threshold, a probability, 0 < t < 1.
        unit: "nats" or "bits".
    """
    if not number(H, "H", "an entropy, 0 or more") >= 0:
        raise ParameterError(f"H: found {H!r}; an entropy is 0 or more")
    return min(1.0, H * _log_base(unit) / -log(open_unit(t, "t")))


def entropy_extremal(B: float, t: float, unit: Unit = "nats") -> Floats:
    """Return a distribution with the most exposure that its entropy allows, up to 1/e nats.

    The exposure Q(t) is the total probability of the values rarer than t. With entropy at most H,
    Q(t) <= H / (-log t) (Proposition 9 of paper 000). The distribution (Proposition 13) has m = B /
    (-t log t) values of probability t, and one value with the rest. Its entropy is at most B + 1/e
    nats. The exposure just above t is B / (-log t). At t itself, where the paper states this, it is
    0, because no value is strictly below t (t = 1/8, three values: Q(t) = 0, above t 3/8). The
    proof's "= n t log t" lacks a minus sign.

    Args:
        B: entropy budget, > 0, in `unit`.
        t: threshold, 0 < t < 1, with B / (-log t) < 1 - t and m a whole number.
        unit: "nats" or "bits".

    Returns:
        Probabilities, shape (m + 1,).
    """
    t = open_unit(t, "t")
    exposed = B * _log_base(unit) / -log(t)
    atoms = round(exposed / t)
    if atoms < 1 or abs(exposed / t - atoms) > WHOLE_TOLERANCE * atoms:
        raise ParameterError(
            f"B: the number of values of probability t, B / (-t log t), is {exposed / t:.9g}; "
            "needs a whole number >= 1"
        )
    # the last value must be more probable than t, because otherwise it would be exposed too
    if 1 - atoms * t <= t * (1 + WHOLE_TOLERANCE):
        raise ParameterError(
            f"B: the total probability of the values of probability t, B / (-log t), is "
            f"{exposed:g}; needs less than 1 - t = {1 - t:g}, so that the remaining value is more "
            "probable than the threshold t"
        )
    return np.append(np.full(atoms, t), 1 - atoms * t)


def read_entropy(counts: npt.ArrayLike) -> EntropyReading:
    """Compare the usual reading of an entropy, as a crowd size, with the true exposure.

    The reading "each person shares a value with n / 2^H people", common for browser fingerprints,
    holds for equally frequent values only (paper 000, section 7.3). H is the entropy in bits, n the
    number of people.

    >>> from veilmix.analysis.estimation import read_entropy
    >>> reading = read_entropy([4, 1, 1, 1, 1])
    >>> round(reading.bits, 3)
    2.0

    Args:
        counts: people per value, shape (values,), with at least 3 people: unique people are counted
            with the threshold 2/n, which must be below 1.
    """
    people = as_counts(counts)
    n = int(people.sum())
    if n < 3:
        raise ParameterError(
            f"counts: found {n} people; needs at least 3, because the threshold for unique "
            "people, the probability 2 / n, must be below 1"
        )
    bits = entropy(people / n, "bits")
    crowd = n / 2**bits
    return EntropyReading(
        n=n,
        bits=bits,
        crowd=crowd,
        unique_share=float(people[people < 2].sum()) / n,
        bound=exposure_from_entropy(bits, 2 / n, "bits"),
        below_crowd=float(people[people < crowd * (1 - 1e-12)].sum()) / n,
    )


def _log_base(unit: str) -> float:
    """Return the number of nats in a unit of entropy: log 2 for bits, 1 for nats."""
    one_of(unit, "unit", ("nats", "bits"))
    return log(2) if unit == "bits" else 1.0
