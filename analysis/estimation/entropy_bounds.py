"""Bounds between entropy and exposure (paper 000, Proposition 9).

With Definition 1's strict inequality, the exposure is Q(t) = sum_v p(v) 1{p(v) < t}: the
probability of all values v with a probability p(v) below t.

    H(p) = int_0^1 Q(t)/t dt        and        Q(t) <= H(p) / (-log t)

A person alone in a database of n has p = 1/n, and Q(1/n) is always 0: the unique users are Q(2/n).
The paper reads its example off at t = 1/n and says 8/16 = 50 %; at t = 2/n the bound for n = 2^16
people and H = 8 bits is 8/15 = 53 %.
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

# relative tolerance within which B / (-t log t) counts as a whole number
WHOLE_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class EntropyReading:
    """The usual reading of an entropy, beside the true exposure, for one set of people.

    Attributes:
        n: number of people.
        bits: the Shannon entropy of their values, in bits.
        crowd: the usual reading "all people share a value with n / 2^H people"; right only if the
            values are about equally frequent.
        unique_share: the share of people alone with their value, Q(2/n).
        bound: upper bound on it from H alone, Proposition 9 at t = 2/n.
        below_crowd: the share of people in a crowd smaller than in the usual reading.
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

    Args:
        p: probabilities, shape (values,), summing to 1. (The paper's E[log p_I] lacks a minus
            sign.)
        unit: "nats" or "bits".
    """
    probabilities = as_probabilities(p)
    positive = probabilities[probabilities > 0]
    return max(0.0, float(-(positive @ np.log(positive)))) / _log_base(unit)


def entropy_from_exposure(p: npt.ArrayLike, unit: Unit = "nats") -> float:
    """Return the entropy of a distribution as Proposition 9's integral of Q(t)/t over (0, 1].

    Between neighbouring probabilities t_i < t_(i+1) the exposure is the constant Q(t_(i+1)), so the
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
    """Return the upper bound on the exposure Q(t) from an entropy of H: min(1, H / (-log t)).

    Q(t) is the probability of a value rarer than t. Paper 000, Proposition 9, by Markov's
    inequality
    for -log p(I). Unique users of a database of n people are at t = 2/n (the module's docstring
    says
    why not 1/n).

    Args:
        H: entropy, >= 0, in `unit`.
        t: threshold, 0 < t < 1.
        unit: "nats" or "bits".
    """
    if not number(H, "H", "an entropy, 0 or more") >= 0:
        raise ParameterError(f"H: found {H!r}; an entropy is 0 or more")
    return min(1.0, H * _log_base(unit) / -log(open_unit(t, "t")))


def entropy_extremal(B: float, t: float, unit: Unit = "nats") -> Floats:
    """Return Proposition 13's distribution: it meets Proposition 9's bound up to 1/e.

    m = B / (-t log t) atoms of probability t and the rest on one atom. Its entropy is at most
    B + 1/e nats. Its exposure just above t, Q(t+), is B / (-log t); printed is Q(t), which is 0
    because Definition 1 is strict and no atom is below t (t = 1/8, three atoms: Q(t) = 0, Q(t+) =
    3/8). The proof's "= n t log t" lacks a minus sign.

    Args:
        B: entropy budget, > 0, in `unit`.
        t: threshold, 0 < t < 1, with B / (-log t) < 1 - t and B / (-t log t) a whole number.
        unit: "nats" or "bits".

    Returns:
        Probabilities, shape (m + 1,).
    """
    t = open_unit(t, "t")
    exposed = B * _log_base(unit) / -log(t)
    atoms = round(exposed / t)
    if atoms < 1 or abs(exposed / t - atoms) > WHOLE_TOLERANCE * atoms:
        raise ParameterError(f"B: B / (-t log t) = {exposed / t:.9g}; needs a whole number >= 1")
    if 1 - atoms * t <= t * (1 + WHOLE_TOLERANCE):  # the last atom must be above t
        raise ParameterError(f"B: B / (-log t) = {exposed:g}; needs less than 1 - t = {1 - t:g}")
    return np.append(np.full(atoms, t), 1 - atoms * t)


def read_entropy(counts: npt.ArrayLike) -> EntropyReading:
    """Compare the browser-fingerprint reading of the entropy of these counts with the exposure.

    Paper 000, section 7.3: "n / 2^H people share each value" holds for uniform values only.

    >>> from veilmix.analysis.estimation import read_entropy
    >>> reading = read_entropy([4, 1, 1, 1, 1])
    >>> round(reading.bits, 3)
    2.0

    Args:
        counts: people per value, shape (values,), with at least 3 people (else 2/n is no
            threshold).
    """
    people = as_counts(counts)
    n = int(people.sum())
    if n < 3:
        raise ParameterError(
            f"counts: found {n} people; needs at least 3, else 2 / n is no threshold"
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
    """Return the nats in a unit of entropy: log 2 for bits, 1 for nats."""
    one_of(unit, "unit", ("nats", "bits"))
    return log(2) if unit == "bits" else 1.0
