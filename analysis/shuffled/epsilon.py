"""Epsilon, delta and q of shuffled reports: paper 001's promise, made exact in both readings.

Paper 001, Section 5.4, breaks off in the middle of its definition ("A is epsilon-locally
differentially private if"). It can be completed in two ways, over all collections x and x' that
differ in one row:

    probabilistic   P[ P(A(x) = s) > e^eps P(A(x') = s) ] <= delta     under s ~ A(x)
    hockey-stick    P[A(x) in S] <= e^eps P[A(x') in S] + delta        for every set S

The first implies the second. For one bit both are maxima over all numbers m of 1-bits among other
people and both directions: the worst m is near an end, but not always at it (n = 50, q = 0.05,
eps = 0.1: m = 21).
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
# Largest epsilon (nats): beyond it floating point cannot distinguish 1 / (1 + e^eps) from 0.
MOST_NATS = 34.0
# Below this variance of the tilted count of 1-bits, the search does not use a smooth upper bound,
# because the distribution is too coarse.
ROUGH = 16.0
# Total variation is computed for some m (other people with a 1) only, so a delta relatively this
# close to it is decided by the full search.
RIPPLE = 1e-2
# Factor on an epsilon that is an outcome's log ratio: rounding errors cannot leave it below.
ROUND_UP = 1 + 1e-9
# The search goes on from another m (other people with a 1) only if delta is larger there by more
# than this share.
SETTLED = 1e-12


def hockey_stick(n: int, q: float, epsilon: float, bits: int = 1) -> Level:
    """Return the smallest delta of the hockey-stick reading after shuffling n reports.

    For one bit over all collections and both directions, relative error below 1e-9: all of them
    are tried for up to 1,000 people, beyond that they are searched (`worst_neighbours.py`; `.rule`
    names the method). For more bits: exact by enumeration if that is small, else a certified upper
    bound with a certified lower bound in `.lower` (`bit_vectors.py`).

    Args:
        n: people, >= 1.
        q: lie probability per bit, 0 < q <= 1/2.
        epsilon: nats, > 0. From bits * log(p/q) on, delta is 0.
        bits: length L of the reports.

    Returns:
        Delta, a float with its kind and its worst case.
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
    """Return the smallest delta of the probabilistic reading for one bit: 1 - coverage.

    The largest probability, over all collections, of an outcome with a privacy ratio above
    e^epsilon. A step function of epsilon: the outcomes are discrete.

    Args:
        n: people, >= 1.
        q: lie probability, 0 < q <= 1/2.
        epsilon: nats, > 0.
    """
    n, q, epsilon = crowd(n), as_lie(q), as_epsilon(epsilon)
    # At log(p/q) itself the ratio is attained, not exceeded.
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
        kind: "hockey-stick" or "probabilistic".

    Returns:
        Epsilon, a float with its kind; 0 if delta covers even the total variation distance.
    """
    n, q, delta = crowd(n), as_lie(q), open_unit(delta, "delta")
    one_of(kind, "kind", KINDS)
    if kind == "probabilistic":
        return _probabilistic_epsilon(n, q, delta)
    if total_variation(n, q) <= delta * (1 - RIPPLE):
        return Level.from_value("epsilon", kind, 0.0, delta, n=n, q=q)
    epsilon, m = 0.0, 0
    while True:
        # The epsilon that suffices for this m is too small for all, until no m has a larger delta.
        epsilon = max(epsilon, _solve(n, q, delta, m))
        reached, worse = _worst_hockey_stick(PairDivergence(n, q, epsilon))
        if reached <= delta * (1 + SETTLED) or worse == m:
            return Level.from_value(
                "epsilon", kind, epsilon, delta, n=n, q=q, ones=m, rule=_rule(n)
            )
        m = worse


def q_for(n: int, epsilon: float, delta: float, kind: Kind = "hockey-stick") -> float:
    """Return a lie probability that gives (epsilon, delta) after shuffling n one-bit reports.

    The smallest q for the hockey-stick reading: more lies are a further randomization of the
    reports, and delta cannot rise. The probabilistic delta has steps; there the result meets the
    target, and a smaller q may meet it too.

    >>> from veilmix.analysis.shuffled import q_for
    >>> round(q_for(1000, 0.5, 1e-6), 3)
    0.071

    Args:
        n: people, >= 1.
        epsilon: nats, > 0.
        delta: in (0, 1).
        kind: "hockey-stick" or "probabilistic".
    """
    n, epsilon, delta = crowd(n), as_epsilon(epsilon), open_unit(delta, "delta")
    one_of(kind, "kind", KINDS)
    measure: Callable[[int, float, float], float] = (
        hockey_stick if kind == "hockey-stick" else probabilistic_delta
    )
    # q = 1 / (1 + e^eps) is enough without any shuffling.
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
    """Return delta at epsilon = 0: the largest total variation distance, (p - q) max P(Z = s).

    Z is the count of 1-bits among other people's reports. The maximum is over all counts of 1-bits
    among other people and all outcomes; P(Z = s) is largest at the mode. Up to 1,000 people every
    count is visited; beyond, 1,000 counts spread over the range, so that the result may be too
    small by the ripple of the mode's height: less than 1 part in 8 n q (1 - q).

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
    """Return in words how a result for n people is found: by trying all counts m, or by a search.

    m is the number of other people with a 1.
    """
    return TRIED if n <= MAX_LISTED else SEARCHED


def local_epsilon(q: float, bits: int = 1) -> float:
    """Return the local epsilon (before shuffling) of flipped bits: bits * log(p/q) nats, p = 1 - q.

    It is also the supremum of the log privacy ratio after shuffling (paper 001, Prop. 5.1),
    attained when all report the vector opposite to theirs.

    Args:
        q: lie probability, 0 < q <= 1/2.
        bits: L, bits of a report, >= 1.
    """
    q = as_lie(q)
    return whole(bits, "bits", 1) * log((1 - q) / q)


@lru_cache(maxsize=64)
def _worst_hockey_stick(doubt: PairDivergence) -> tuple[float, int]:
    """Return the largest hockey-stick delta over m, and this m.

    m is the number of other people with a 1.
    """
    envelope = doubt.envelope if _smooth(doubt) else None
    return worst(doubt.hockey_stick, envelope, doubt.tilted_mean, doubt.n)


def _smooth(doubt: PairDivergence) -> bool:
    """Whether the tilted count is wide enough for a smooth envelope over m.

    m is the number of other people with a 1; under the tilt the threshold outcome is the mode.
    """
    from .counts import tilted

    ends = np.array([0.0, float(doubt.other_people)])
    people, z = np.full(2, float(doubt.other_people)), np.full(2, doubt.tilt)
    return bool(tilted(people, ends, doubt.q, z)[0].variance.min() >= ROUGH)


def _solve(n: int, q: float, delta: float, m: int) -> float:
    """Return the epsilon (nats) at which m other people with a 1 have this hockey-stick delta."""
    from scipy.optimize import brentq

    at = np.array([float(m)])

    def gap(epsilon: float) -> float:
        """Return the difference of the logarithms of delta at an epsilon and the required delta."""
        reached = float(PairDivergence(n, q, epsilon).hockey_stick(at)[0])
        return max(log(reached) if reached > 0 else -1e3, -1e3) - log(delta)

    top = local_epsilon(q) * (1 - 1e-12)
    bottom = top * 1e-9
    if gap(bottom) <= 0:
        return 0.0
    return float(brentq(gap, bottom, top, xtol=1e-15, rtol=1e-13)) if gap(top) < 0 else top


def _probabilistic_epsilon(n: int, q: float, delta: float) -> Level:
    """Return the smallest epsilon (nats) in the probabilistic reading at this delta."""
    if q == 0.5:
        return Level.from_value("epsilon", "probabilistic", 0.0, delta, n=n, q=q)
    quantiles = Quantiles(n, q, delta)
    envelope = quantiles.envelope if n * q * (1 - q) >= ROUGH else None

    def phase(m: Floats) -> Floats:
        """Return the expected count of 1-bits for each m (other people with a 1).

        Its fraction decides how the threshold is rounded.
        """
        return np.asarray(n * q + m * (1 - 2 * q))

    value, m = worst(quantiles.epsilon, envelope, phase, n, quantiles.promising)
    # Rounded up, so that the outcome that attains it does not exceed it in floating point.
    value = min(value * ROUND_UP, local_epsilon(q))
    return Level.from_value(
        "epsilon", "probabilistic", value, delta, n=n, q=q, ones=m, rule=_rule(n)
    )
