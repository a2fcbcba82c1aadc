"""How often a search for prefixes errs: false finds and misses, from exact laws.

Of m reports at some levels, c support a prefix that nobody has: c is Bin(m, q) exactly, whoever the
others are, because everybody draws a key and hashes meet with probability exactly q. Of a prefix of
K people among n, the m being drawn without replacement,

    T ~ Bin(K, p) + Bin(n - K, q)  people would support it,   c | T ~ hypergeometric(n, T, m).

A prefix is extended if c is so large that chance alone does it with probability 1/1000, which in
256 children is less than one: false branches die out. A whole text is found if chance alone does it
with probability 3 * 10^-6. So

    false finds    the expected number of values found that nobody has is at most the number of
                   texts tested times that probability, and it is said, with the exact tails
    misses         a value of K people is missed with probability at most the sum of the exact tails
                   of its tests, over its levels; said is the least share K / n for which that is at
                   most 5 %, for texts of the worst length
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..validation import Floats

EXTENDED = 1e-3  # probability with which a prefix that nobody has is extended
FOUND = 3e-6  # probability with which a text that nobody has is found
MISSED = 0.05  # of values of at least the least share
FAR = 9.0  # standard deviations beyond which a law is not summed

Groups = Sequence[int] | npt.NDArray[np.int64]


def threshold(many: int, lie: float, level: float) -> int:
    """The least c >= 1 with P(Bin(many, lie) >= c) <= level."""
    from scipy.stats import binom

    return int(binom.isf(level, many, lie)) + 1 if many else 1


def tail(many: int, lie: float, least: int) -> float:
    """P(Bin(many, lie) >= least)."""
    from scipy.stats import binom

    return float(binom.sf(least - 1, many, lie))


@dataclass(frozen=True, slots=True, eq=False)
class Power:
    """The probability that a test fails, by the number T of people who would support.

    Attributes:
        start: the first T.
        fails: from there on, falling; 1 before it, the last one after it.
    """

    start: int
    fails: Floats

    @classmethod
    def of(cls, people: int, many: int, least: int) -> "Power":
        """Of `many` of the people, drawn without replacement, fewer than `least` support.

        One more who would support is drawn with probability many / people, and then matters where
        the others are least - 1: F(T + 1) = F(T) - many / people P(others = least - 1 | T).
        """
        from scipy.special import gammaln

        most = least - 1
        if many <= most:
            return cls(0, np.ones(1))
        centre, reach = most * people / many, FAR * people / many * (sqrt(most) + FAR)
        start, end = max(most, int(centre - reach)), min(people, int(centre + reach) + 1)
        T, rest = np.arange(start, end, dtype=np.float64), people - 1
        fits = rest - T >= many - 1 - most

        def choose(n: Any, k: int) -> Any:
            return gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1)

        ways = choose(T, most) + choose(rest - T, many - 1 - most) - choose(rest, many - 1)
        law = np.where(fits, np.exp(np.where(fits, ways, 0.0)), 0.0)
        falls = 1 - many / people * np.concatenate([[0.0], np.cumsum(law)])
        return cls(start, np.clip(falls, 0.0, 1.0))

    def __call__(self, first: int, law: Floats) -> float:
        """Its mean over a law of T that begins at `first`; what the law lacks counts as failed."""
        place = np.arange(first, first + len(law)) - self.start
        fails = float(law @ self.fails[np.clip(place, 0, len(self.fails) - 1)])
        return fails + max(0.0, 1 - float(law.sum()))


def supporters(holders: int, people: int, truth: float, lie: float) -> tuple[int, Floats]:
    """The law of T: (its first number, probabilities)."""
    first, own = _binomial(holders, truth)
    second, others = _binomial(people - holders, lie)
    return first + second, np.convolve(own, others)


def _binomial(trials: int, chance: float) -> tuple[int, Floats]:
    from scipy.stats import binom

    reach = FAR * (sqrt(trials * chance * (1 - chance)) + FAR)
    low = max(0, int(trials * chance - reach))
    high = min(trials, int(trials * chance + reach) + 1)
    return low, np.asarray(binom.pmf(np.arange(low, high + 1), trials, chance))


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The tests that a value has to pass, by the levels at which they are made.

    Attributes:
        people: all of them.
        extending: of its prefixes, one for each level.
        whole: of the text, on the reports of each level and all below it.
        truth: p.
        lie: q.
    """

    people: int
    extending: tuple[Power, ...]
    whole: tuple[Power, ...]
    truth: float
    lie: float

    @classmethod
    def of(cls, groups: Groups, truth: float, lie: float) -> "Trials":
        """From the number of people at each level."""
        sizes = [int(group) for group in groups]
        people, steps, ends = sum(sizes), [], []
        for level, many in enumerate(sizes):
            pool = sum(sizes[level:])
            steps.append(Power.of(people, many, threshold(many, lie, EXTENDED)))
            ends.append(Power.of(people, pool, threshold(pool, lie, FOUND)))
        return cls(people, tuple(steps), tuple(ends), truth, lie)

    def missed(self, holders: int) -> float:
        """The most probable miss of a value of so many people, over all lengths of its text.

        A text of i bytes passes i tests of prefixes, and then one of the whole; the longest texts
        are tested like those with one byte less.
        """
        first, law = supporters(holders, self.people, self.truth, self.lie)
        before, worst = 0.0, 0.0
        for step, end in zip(self.extending, self.whole, strict=True):
            worst = max(worst, before + end(first, law))
            before += step(first, law)
        return min(1.0, worst)


def least_share(groups: Groups, truth: float, lie: float) -> float:
    """The least share of people whose value is missed with probability `MISSED` at most."""
    tests = Trials.of(groups, truth, lie)
    low, high = 0, tests.people
    if tests.missed(high) > MISSED:
        return inf
    while high - low > 1:
        middle = (low + high) // 2
        if tests.missed(middle) > MISSED:
            low = middle
        else:
            high = middle
    return high / tests.people
