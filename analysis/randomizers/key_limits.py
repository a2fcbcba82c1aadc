"""Confidence limits of the mean of a key's numbers, valid for every number of people with the key.

Users report pairs of a key and a number t, scaled to [-1, 1] (`key_value.py`). Let h and d be a
report's unbiased contributions to the number of people with the key and to the total of their t. If
m is the mean of these t, the contributions d - m h have mean 0. So a mean m is tested as in
`moment_limits.py`, by K(b) = log E exp(b (d - m h)), the log moment-generating function. K is known
for people without the key, and for people with the key and t = 1 or t = -1:

* A number t is reported as a random sign, so K_t(b), for a person with number t, is concave in t.
  So the sum of K_t(b) over people with the key is at most the sum for as many people with t = m.
* The sum over all people is linear in the number of people with the key. So it is largest if no
  person has the key, or if all have it.

Both cases are tried. So a mean is accepted if the reports are probable for any population with this
mean, for any number of people with the key. `MEANS` lists the means that are tested. The limits are
the next listed values outside the accepted values.
"""

from math import inf, log
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ..validation import Floats
from .expected_limits import ALPHA, ExpectedLimits, paired
from .limits import ConfidenceLimits, moved
from .share_limits import first_fitting

MEANS = np.linspace(-1.0, 1.0, 401)
# Arguments b of exp(b c) in the Chernoff bound, with c a report's contribution. Each is divided by
# the largest contribution, so that the same arguments serve for every scale.
TILTS = np.geomspace(1e-3, 64.0, 64)


class Signing(Protocol):
    """The probabilities of a report about a key, from which `key_mean_limits` computes limits.

    A report names a key and the sign of a number. `KeyValue` has these properties.
    """

    @property
    def own_key_chance(self) -> float:
        """The probability that a report names the key that its person has."""
        raise NotImplementedError

    @property
    def other_key_chance(self) -> float:
        """The probability that a report names a given key that its person does not have."""
        raise NotImplementedError

    @property
    def sign(self) -> float:
        """The probability that a report of the person's key has the person's sign.

        A person's number is rounded at random to a sign, 1 or -1.
        """
        raise NotImplementedError


def key_mean_limits(
    law: Signing, plus: float, minus: float, people: int, estimated: float, alpha: float
) -> ConfidenceLimits:
    """Return confidence limits of the mean t in [-1, 1] of a key's numbers, shape (1,).

    Args:
        law: the probabilities of a report.
        plus: number of reports of the key with sign 1.
        minus: number of reports of the key with sign -1.
        people: the number of all reports.
        estimated: the mean to take if every mean is rejected.
        alpha: probability that the limits miss the mean.
    """
    accepted_means = np.flatnonzero(
        _accepted(law, np.array([plus, minus, people - plus - minus]), alpha)
    )
    is_none = not len(accepted_means)
    if is_none:
        accepted_means = np.array([int(np.abs(MEANS - estimated).argmin())])
    low, high = max(0, int(accepted_means[0]) - 1), min(len(MEANS) - 1, int(accepted_means[-1]) + 1)
    return ConfidenceLimits(MEANS[[low]], MEANS[[high]], np.array([is_none]))


def expected_key_mean(law: Signing, people: int) -> ExpectedLimits:
    """Return expected confidence limits for the mean of a key that half of the people have.

    The limits are for a mean in the middle of the range of numbers, then at both ends. `min_share`
    is the least share of people with a key for which the limits of a mean in the middle are
    narrower than the range.

    law: the probabilities of a report. people: the number of reports.
    """
    sign_gain = law.own_key_chance * (2 * law.sign - 1)

    def limits(holders: float, mean: float) -> tuple[float, float]:
        """Return the expected limits of the mean, as shares of the range of numbers.

        holders: the number of people with the key. mean: the true mean, in [-1, 1].
        """
        reporting_share = law.own_key_chance * holders + law.other_key_chance * (people - holders)
        up, down = ((reporting_share + sign * sign_gain * holders * mean) / 2 for sign in (1, -1))
        return paired(moved(key_mean_limits(law, up, down, people, mean, ALPHA), 0.5, 0.5))[0]

    def is_narrower(holders: int) -> bool:
        """Whether the mean's limits exclude a part of the range, at this number of holders."""
        return limits(holders, 0.0) != (0.0, 1.0)

    first = first_fitting(is_narrower, people // 2, people)
    return ExpectedLimits(
        "key-mean",
        tuple(limits(people / 2, mean) for mean in (0.0, -1.0, 1.0)),
        first / people if first <= people else inf,
    )


def _accepted(law: Signing, kind_counts: Floats, alpha: float) -> npt.NDArray[np.bool_]:
    """Return a mask over `MEANS`: the means of a key's numbers that agree with the reports.

    A mean is rejected if the reports' contributions are improbably large, or improbably small, for
    every number of people with the key.

    Args:
        law: the probabilities of a report.
        kind_counts: reports of the key with sign 1, with sign -1, and of other keys.
        alpha: probability that the true mean is rejected.
    """
    own_rate, other_rate, sign = law.own_key_chance, law.other_key_chance, law.sign
    people, gap, m = float(kind_counts.sum()), own_rate - other_rate, MEANS[:, None]
    signs = np.array([1.0, -1.0, 0.0]) / (own_rate * (2 * sign - 1))
    holders = np.array([1 - other_rate, 1 - other_rate, -other_rate]) / gap
    contributions = signs - m * holders  # shape: means, reports
    reports = np.array(
        [
            [own_rate * sign, own_rate * (1 - sign), 1 - own_rate],
            [own_rate * (1 - sign), own_rate * sign, 1 - own_rate],
            [other_rate / 2, other_rate / 2, 1 - other_rate],
        ]
    )
    reach = np.abs(contributions).max(axis=1)[:, None]
    is_accepted = np.ones(len(MEANS), np.bool_)
    for side in (1.0, -1.0):
        tilts = side * TILTS / reach  # shape: means, tilts
        K = np.log(np.exp(tilts[..., None] * contributions[:, None, :]) @ reports.T)
        with np.errstate(divide="ignore"):
            up, down = np.log1p(m) - log(2), np.log1p(-m) - log(2)
        average = np.logaddexp(up + K[..., 0], down + K[..., 1])
        largest = np.maximum(average, K[..., 2])
        contribution_sums = (contributions @ kind_counts)[:, None]
        is_accepted &= (people * largest - tilts * contribution_sums).min(axis=1) >= log(alpha / 2)
    return is_accepted
