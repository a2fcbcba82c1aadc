"""Limits of the mean of a key's numbers, at every number of people.

With h and d the unbiased contributions of a report to the number of people who have the key and
to the total of their t, the contribution d - m h has mean 0 over the people if m is their mean. So
m is tested as in `moment_limits.py`, by K, the logarithm of E exp(b (d - m h)), which is known for
people without the key, and for people with sign 1 and -1:

* a number t between the ends is a sign that is drawn, and K_t is concave in t: all people with the
  key have at most the K of as many with t = m;
* the sum over all people is linear in how many have the key: it is largest if nobody has it, or if
  everybody has.

Both ends are tried, so a mean is kept that any population with this mean makes probable, however
few have the key. The test is made at `MEANS` values; limits reach one of them farther than what is
kept.
"""

from math import inf, log
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .expected_limits import ALPHA, ExpectedLimits, paired
from .limits import Limits, moved
from .share_limits import first_fitting

MEANS = np.linspace(-1.0, 1.0, 401)
TILTS = np.geomspace(1e-3, 64.0, 64)  # times the largest contribution


class Signing(Protocol):
    """Probabilities of a report about a key (`KeyValue`)."""

    @property
    def own(self) -> float:
        """The probability that a report says the key of its person."""
        raise NotImplementedError

    @property
    def other(self) -> float:
        """The probability that a report says another given key."""
        raise NotImplementedError

    @property
    def sign(self) -> float:
        """The probability that a report of the own key has the own sign."""
        raise NotImplementedError


def key_mean_limits(
    law: Signing, plus: float, minus: float, people: int, estimated: float, alpha: float
) -> Limits:
    """Return limits of the mean t of a key, shape (1,).

    Args:
        law: of a report.
        plus: reports that say 1 of the key.
        minus: reports that say -1.
        people: n.
        estimated: the mean to take if both tests reject every mean.
        alpha: probability of a miss.
    """
    kept = np.flatnonzero(_accepted(law, np.array([plus, minus, people - plus - minus]), alpha))
    is_none = not len(kept)
    if is_none:
        kept = np.array([int(np.abs(MEANS - estimated).argmin())])
    low, high = max(0, int(kept[0]) - 1), min(len(MEANS) - 1, int(kept[-1]) + 1)
    return Limits(MEANS[[low]], MEANS[[high]], np.array([is_none]))


def expected_key_mean(law: Signing, people: int) -> ExpectedLimits:
    """Return limits for the mean of a key that half of the people have.

    The mean is in the middle of the range, or at its ends. `least` is the least share of people
    with a key whose mean has narrower limits than the range, if it is in the middle.
    """
    kept = law.own * (2 * law.sign - 1)

    def limits(holders: float, mean: float) -> tuple[float, float]:
        told = law.own * holders + law.other * (people - holders)
        up, down = ((told + sign * kept * holders * mean) / 2 for sign in (1, -1))
        return paired(moved(key_mean_limits(law, up, down, people, mean, ALPHA), 0.5, 0.5))[0]

    def is_narrower(holders: int) -> bool:
        return limits(holders, 0.0) != (0.0, 1.0)

    first = first_fitting(is_narrower, people // 2, people)
    return ExpectedLimits(
        "key-mean",
        tuple(limits(people / 2, mean) for mean in (0.0, -1.0, 1.0)),
        first / people if first <= people else inf,
    )


def _accepted(law: Signing, seen: Floats, alpha: float) -> npt.NDArray[np.bool_]:
    """Return whether both tests keep each mean. seen: reports that say 1, -1 and nothing."""
    own, other, sign = law.own, law.other, law.sign
    people, gap, m = float(seen.sum()), own - other, MEANS[:, None]
    signs = np.array([1.0, -1.0, 0.0]) / (own * (2 * sign - 1))
    holders = np.array([1 - other, 1 - other, -other]) / gap
    contributions = signs - m * holders  # shape: means, reports
    reports = np.array(
        [
            [own * sign, own * (1 - sign), 1 - own],
            [own * (1 - sign), own * sign, 1 - own],
            [other / 2, other / 2, 1 - other],
        ]
    )
    reach = np.abs(contributions).max(axis=1)[:, None]
    kept = np.ones(len(MEANS), np.bool_)
    for side in (1.0, -1.0):
        tilts = side * TILTS / reach  # shape: means, tilts
        K = np.log(np.exp(tilts[..., None] * contributions[:, None, :]) @ reports.T)
        with np.errstate(divide="ignore"):
            up, down = np.log1p(m) - log(2), np.log1p(-m) - log(2)
        everybody = np.logaddexp(up + K[..., 0], down + K[..., 1])
        largest = np.maximum(everybody, K[..., 2])
        told = (contributions @ seen)[:, None]
        kept &= (people * largest - tilts * told).min(axis=1) >= log(alpha / 2)
    return kept
