"""Epsilon, delta and lie probability q of shuffled one-bit reports, under two definitions.

Each person's bit is reported falsely with probability q. Paper 001, Section 5.4, breaks off in the
middle of its definition ("A is epsilon-locally differentially private if"). Two definitions
complete the sentence. A(x) is the shuffled output for the people's bits x; x and x' differ in one
person's bit:

    probabilistic   P[ P(A(x) = s) > e^eps P(A(x') = s) ] <= delta     under s ~ A(x)
    hockey-stick    P[A(x) in S] <= e^eps P[A(x') in S] + delta        for every set S

The probabilistic definition implies the hockey-stick definition. For one bit, both deltas are
maxima over the number m of other people with a 1, and over which of x and x' comes first. The worst
m is near 0 or n - 1, but not always at the end (n = 50 people, q = 0.05, eps = 0.1: m = 21).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, log

import numpy as np

from ..randomizers.randomizer import as_epsilon, as_lie
from ..validation import Floats, crowd, one_of, open_unit, whole
from .counts import log_pmf
from .delta import PairDivergence, Quantiles
from .level import SEARCHED, TRIED, Kind, Level
from .worst_neighbours import MAX_LISTED, worst

KINDS = ("hockey-stick", "probabilistic")
# Largest epsilon (nats) used in a lie probability: beyond it, floating point cannot distinguish
# 1 / (1 + e^eps) from 0.
MOST_NATS = 34.0
# Below this variance of the exponentially tilted count of 1-bits, the search does not use a smooth
# upper bound, because the distribution is too coarse.
ROUGH = 16.0
# `total_variation` visits only some values of m (other people with a 1) if n is large. So a delta
# relatively this close to the total variation is decided by the full search over m.
RIPPLE = 1e-2
# Factor on an epsilon that equals the log ratio of an outcome: with it, rounding errors cannot make
# the reported epsilon smaller than this log ratio.
ROUND_UP = 1 + 1e-9
# The search for epsilon moves to another m (number of other people with a 1) only if delta is
# larger at that m by more than this share.
SETTLED = 1e-12


def hockey_stick(n: int, q: float, epsilon: float, bits: int = 1) -> Level:
    """Return the smallest delta of the hockey-stick definition after shuffling n reports.

    Delta is the maximum of P[A(x) in S] - e^epsilon P[A(x') in S] over sets S of outcomes, for
    outputs A. The maximum also covers all n people's bits x, and all x' with another value of one
    person.

    For one bit the relative error is below 1e-9. The number of other people with a 1 is tried in
    full for up to 1,000 people, beyond that it is searched (`worst_neighbours.py`; `.rule` names
    the method). For more bits: exact by enumeration if that is small, else a certified upper bound
    with a certified lower bound in `.lower` (`bit_vectors.py`).

    Args:
        n: people, >= 1.
        q: lie probability per bit, 0 < q <= 1/2.
        epsilon: nats, > 0. From bits * log(p/q) on, with p = 1 - q, delta is 0.
        bits: length L of the reports.

    Returns:
        Delta, a float with the definition, the parameters and the worst case as attributes.
    """
    n, q, epsilon = crowd(n), as_lie(q), as_epsilon(epsilon)
    delta, m = 0.0, None
    if epsilon < local_epsilon(q):
        delta, m = _worst_hockey_stick(PairDivergence(n, q, epsilon))
    if whole(bits, "bits", 1) > 1:
        from .bit_vectors import hockey_stick_bits

        return hockey_stick_bits(n, q, epsilon, bits, delta)
    rule = TRIED if m is None else _rule(n)
    return Level.from_value("delta", "hockey-stick", delta, epsilon, n=n, q=q, ones=m, rule=rule)


def probabilistic_delta(n: int, q: float, epsilon: float) -> Level:
    """Return the smallest delta of the probabilistic definition for one-bit reports.

    Delta is the probability of an outcome with a privacy ratio above e^epsilon, in the worst case
    over the n people's bits. The privacy ratio is the outcome's likelihood for one person's bit
    divided by the likelihood for the other bit. Delta is a step function of epsilon, because the
    outcomes are discrete.

    Args:
        n: people, >= 1.
        q: lie probability, 0 < q <= 1/2.
        epsilon: nats, > 0.
    """
    n, q, epsilon = crowd(n), as_lie(q), as_epsilon(epsilon)
    # At epsilon = log(p/q) delta is 0, because the privacy ratio attains p/q but never exceeds it.
    if epsilon >= local_epsilon(q):
        return Level.from_value("delta", "probabilistic", 0.0, epsilon, n=n, q=q)
    doubt = PairDivergence(n, q, epsilon)
    envelope = doubt.probabilistic_envelope if _smooth(doubt) else None
    delta, m = worst(doubt.probabilistic, envelope, doubt.tilted_mean, n, doubt.promising)
    return Level.from_value(
        "delta", "probabilistic", min(delta, 1.0), epsilon, n=n, q=q, ones=m, rule=_rule(n)
    )


def epsilon_for(n: int, q: float, delta: float, kind: Kind = "hockey-stick") -> Level:
    """Return the smallest epsilon (nats) after shuffling n one-bit reports, at this delta.

    Args:
        n: people, >= 1.
        q: lie probability, 0 < q <= 1/2.
        delta: in (0, 1).
        kind: the definition of (epsilon, delta): "hockey-stick" or "probabilistic".

    Returns:
        Epsilon, a float with its parameters as attributes. For "hockey-stick", 0 if the total
        variation distance of neighbouring outputs is at most delta.
    """
    n, q, delta = crowd(n), as_lie(q), open_unit(delta, "delta")
    one_of(kind, "kind", KINDS)
    if kind == "probabilistic":
        return _probabilistic_epsilon(n, q, delta)
    if total_variation(n, q) <= delta * (1 - RIPPLE):
        return Level.from_value("epsilon", kind, 0.0, delta, n=n, q=q)
    epsilon, m = 0.0, 0
    while True:
        # An epsilon computed for one m (other people with a 1) is too small if another m has a
        # larger delta. So the loop moves to the m with the largest delta at this epsilon, until no
        # other m exceeds the required delta.
        epsilon = max(epsilon, _solve(n, q, delta, m))
        reached, worse = _worst_hockey_stick(PairDivergence(n, q, epsilon))
        if reached <= delta * (1 + SETTLED) or worse == m:
            return Level.from_value(
                "epsilon", kind, epsilon, delta, n=n, q=q, ones=m, rule=_rule(n)
            )
        m = worse


def q_for(n: int, epsilon: float, delta: float, kind: Kind = "hockey-stick") -> float:
    """Return a lie probability that gives (epsilon, delta) after shuffling n one-bit reports.

    For the hockey-stick definition this is the smallest q: more lies are a further randomization of
    the reports, so delta cannot rise. The probabilistic delta has steps as q changes. For that
    definition the result meets the target, but a smaller q may meet the target too.

    >>> from veilmix.analysis.shuffled import q_for
    >>> round(q_for(1000, 0.5, 1e-6), 3)
    0.071

    Args:
        n: people, >= 1.
        epsilon: nats, > 0.
        delta: in (0, 1).
        kind: the definition of (epsilon, delta): "hockey-stick" or "probabilistic".
    """
    n, epsilon, delta = crowd(n), as_epsilon(epsilon), open_unit(delta, "delta")
    one_of(kind, "kind", KINDS)
    measure: Callable[[int, float, float], float] = (
        hockey_stick if kind == "hockey-stick" else probabilistic_delta
    )
    # With a lie probability of q = 1 / (1 + e^eps) the local epsilon is this epsilon, so the target
    # is met without shuffling. The searched q is never larger.
    low, high = 0.0, 1 / (1 + exp(min(epsilon, MOST_NATS)))
    for _ in range(45):
        middle = float(np.sqrt(low * high)) if low > 0 else high / 64
        if middle in (low, high):
            break
        low, high = (low, middle) if measure(n, middle, epsilon) <= delta else (middle, high)
        if low == 0 and high < 1e-12:
            break
    return float(high)


def total_variation(n: int, q: float) -> float:
    """Return delta at epsilon = 0: the largest total variation distance of neighbouring outputs.

    The distance is (p - q) max P(Z = s), with p = 1 - q. Z is the count of 1-bits in other people's
    reports, s a value of this count, m the number of other people with a 1. The maximum is over all
    m and s; for each m, P(Z = s) is largest at the mode of Z.

    Up to 1,000 people every m is visited. Beyond, 1,000 values of m spread over the range are
    visited, and the result may be too small: by less than 1 part in 8 n q (1 - q), because P(Z =
    mode) depends slightly on how far the mode is from the mean.

    Args:
        n: people, >= 1.
        q: lie probability, 0 < q <= 1/2.
    """
    n, q = crowd(n), as_lie(q)
    one_counts = (
        np.arange(n)
        if n <= MAX_LISTED
        else np.unique(np.linspace(0, n - 1, MAX_LISTED).astype(int))
    )
    mode = np.floor((n - 1) * q + one_counts * (1 - 2 * q))
    heights = np.maximum(
        log_pmf(n - 1, one_counts, q, mode), log_pmf(n - 1, one_counts, q, mode + 1)
    )
    return float((1 - 2 * q) * np.exp(heights.max()))


def _rule(n: int) -> str:
    """Return in words the method of a result for n people: all m tried, or m searched.

    m is the number of other people with a 1.
    """
    return TRIED if n <= MAX_LISTED else SEARCHED


def local_epsilon(q: float, bits: int = 1) -> float:
    """Return the local epsilon of bits that are each flipped with probability q, before shuffling.

    The local epsilon is bits * log(p/q) nats, p = 1 - q. The log privacy ratio compares the
    likelihoods of an outcome for two values of one person. After shuffling its supremum is the
    local epsilon too (paper 001, Prop. 5.1). The supremum is attained if every report is opposite
    to its sender's vector.

    Args:
        q: lie probability, 0 < q <= 1/2.
        bits: L, bits of a report, >= 1.
    """
    q = as_lie(q)
    return whole(bits, "bits", 1) * log((1 - q) / q)


@lru_cache(maxsize=64)
def _worst_hockey_stick(doubt: PairDivergence) -> tuple[float, int]:
    """Return the largest hockey-stick delta over m, and the m where this delta is reached.

    m is the number of other people with a 1. `doubt` holds n, q and epsilon.
    """
    envelope = doubt.envelope if _smooth(doubt) else None
    return worst(doubt.hockey_stick, envelope, doubt.tilted_mean, doubt.n)


def _smooth(doubt: PairDivergence) -> bool:
    """Whether the count of 1-bits is spread enough for a smooth upper bound of delta over m.

    m is the number of other people with a 1. The spread is the variance of the exponentially tilted
    count of 1-bits, at both ends of the range of m. `doubt` holds n, q and epsilon.
    """
    from .counts import tilted

    ends = np.array([0.0, float(doubt.other_people)])
    people, z = np.full(2, float(doubt.other_people)), np.full(2, doubt.tilt)
    return bool(tilted(people, ends, doubt.q, z)[0].variance.min() >= ROUGH)


def _solve(n: int, q: float, delta: float, m: int) -> float:
    """Return the epsilon (nats) at which the hockey-stick delta for one m equals `delta`.

    m is the number of other people with a 1. The result is 0 if delta near epsilon 0 is smaller.
    """
    from scipy.optimize import brentq

    at = np.array([float(m)])

    def gap(epsilon: float) -> float:
        """Return log(delta at this epsilon) - log(required delta); a log is at least -1000."""
        reached = float(PairDivergence(n, q, epsilon).hockey_stick(at)[0])
        return max(log(reached) if reached > 0 else -1e3, -1e3) - log(delta)

    top = local_epsilon(q) * (1 - 1e-12)
    bottom = top * 1e-9
    if gap(bottom) <= 0:
        return 0.0
    return float(brentq(gap, bottom, top, xtol=1e-15, rtol=1e-13)) if gap(top) < 0 else top


def _probabilistic_epsilon(n: int, q: float, delta: float) -> Level:
    """Return the smallest epsilon (nats) of the probabilistic definition for n people and a delta.

    The probability of an outcome with a log likelihood ratio above epsilon is then at most delta. q
    is the lie probability of a bit.
    """
    if q == 0.5:
        return Level.from_value("epsilon", "probabilistic", 0.0, delta, n=n, q=q)
    quantiles = Quantiles(n, q, delta)
    envelope = quantiles.envelope if n * q * (1 - q) >= ROUGH else None

    def phase(m: Floats) -> Floats:
        """Return the expected count of reported 1-bits for each number m of other people with a 1.

        Epsilon is the log likelihood ratio at a whole count, a quantile. The fractional part of the
        mean decides how far this count is from the real quantile. So epsilon ripples over m, and
        the search looks at m with a favourable fraction first.
        """
        return np.asarray(n * q + m * (1 - 2 * q))

    value, m = worst(quantiles.epsilon, envelope, phase, n, quantiles.promising)
    # Epsilon equals the log ratio of an outcome; rounding up makes sure that this outcome's ratio
    # does not exceed e^epsilon in floating point.
    value = min(value * ROUND_UP, local_epsilon(q))
    return Level.from_value(
        "epsilon", "probabilistic", value, delta, n=n, q=q, ones=m, rule=_rule(n)
    )
