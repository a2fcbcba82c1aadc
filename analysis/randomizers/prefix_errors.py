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

After a search m is known. Before it everybody draws one of L levels, so m is Bin(n, 1/L) for a
prefix and Bin(n, j/L) for a text that is whole at j levels. The miss of a test is then a mean over
m, with the threshold of each m, and means add up as tails do. Of more than `NUMBERS` numbers m,
neighbours are taken together: the fewest reports with the largest threshold. So no miss is said to
be rarer than it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, lgamma, sqrt

import numpy as np
import numpy.typing as npt

from ..validation import Counts, Floats
from .expected_limits import ALPHA, SHARES, ExpectedLimits, paired
from .limits import Limits, joined, within
from .share_limits import first_fitting

EXTENDED = 1e-3  # probability with which a prefix that nobody has is extended
FOUND = 3e-6  # probability with which a text that nobody has is found
MISSED = 0.05  # of values of at least the least share
FAR = 9.0  # standard deviations beyond which a law is not summed
CUT = 1e-9  # of the law of m on each side: counts as missed
NUMBERS = 256  # of reports that a mean over m is made of, at most

Groups = Sequence[int] | npt.NDArray[np.int64]


def threshold(many: int, lie: float, level: float) -> int:
    """The least c >= 1 with P(Bin(many, lie) >= c) <= level."""
    from scipy.stats import binom

    return int(binom.isf(level, many, lie)) + 1 if many else 1


def thresholds(many: Counts, lie: float, level: float) -> Counts:
    """`threshold` of several numbers >= 1, shape (numbers,)."""
    from scipy.stats import binom

    return np.asarray(binom.isf(level, many, lie), np.int64) + 1


def tail(many: int, lie: float, least: int) -> float:
    """P(Bin(many, lie) >= least)."""
    from scipy.stats import binom

    return float(binom.sf(least - 1, many, lie))


@dataclass(frozen=True, slots=True, eq=False)
class _LogFactorials:
    """log k! of k = first, first + 1, ..., asked for by slices of k."""

    first: int
    logs: Floats

    @classmethod
    def of(cls, first: int, end: int) -> "_LogFactorials":
        from scipy.special import gammaln

        return cls(first, np.asarray(gammaln(np.arange(first, end, dtype=np.float64) + 1)))

    def __getitem__(self, part: slice) -> Floats:
        return self.logs[part.start - self.first : part.stop - self.first]


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
        """Of `many` of the people, drawn without replacement, fewer than `least` support."""
        return cls.over(people, np.ones(1), np.array([many]), np.array([least]))

    @classmethod
    def over(cls, people: int, weights: Floats, many: Counts, least: Counts) -> "Power":
        """Return the mean over numbers of reports, each with its weight and the least that pass.

        One more who would support is drawn with probability many / people, and then matters where
        the others are least - 1: F(T + 1) = F(T) - many / people P(others = least - 1 | T). What
        the weights lack to 1 counts as failed.
        """
        possible = many >= least
        if not possible.any():
            return cls(0, np.ones(1))
        weights, many, most = weights[possible], many[possible], least[possible] - 1
        centre, reach = most * people / many, FAR * people / many * (np.sqrt(most) + FAR)
        start = np.maximum(most, (centre - reach).astype(np.int64))
        end = np.minimum(people - many + most, (centre + reach).astype(np.int64)) + 1
        first = int(start.min())
        falls = np.zeros(int(end.max()) - first)
        # C(T, most) C(people - 1 - T, many - 1 - most) / C(people - 1, many - 1), in factorials
        left = people - many + most
        own = _LogFactorials.of(first, first + len(falls))
        others = _LogFactorials.of(people - first - len(falls), people - first)
        inner = _LogFactorials.of(int((start - most).min()), int((end - most).max()))
        outer = _LogFactorials.of(int((left - end).min()) + 1, int((left - start).max()) + 1)
        for weight, m, k, rest, low, high in zip(
            *(part.tolist() for part in (weights, many, most, left, start, end)), strict=True
        ):
            ways = own[low:high] + others[people - high : people - low][::-1]
            ways -= inner[low - k : high - k] + outer[rest - high + 1 : rest - low + 1][::-1]
            ways -= lgamma(k + 1) + lgamma(m - k) + lgamma(people)
            ways += lgamma(m) + lgamma(people - m + 1)
            falls[low - first : high - first] += weight * m / people * np.exp(ways)
        fails = 1 - np.concatenate([[0.0], np.cumsum(falls)])
        return cls(first, np.clip(fails, 0.0, 1.0))

    @classmethod
    def drawn(cls, people: int, share: float, lie: float, level: float) -> "Power":
        """Return the power if each user makes one of the reports with probability `share`."""
        from scipy.stats import binom

        if share >= 1:
            return cls.of(people, people, threshold(people, lie, level))
        low, high = binom.ppf(CUT, people, share), binom.isf(CUT, people, share)
        many = np.arange(max(1, int(low)), int(high) + 1)
        starts = np.arange(0, len(many), -(-len(many) // NUMBERS))
        weights = np.add.reduceat(binom.pmf(many, people, share), starts)
        ends = np.append(starts[1:], len(many)) - 1
        return cls.over(people, weights, many[starts], thresholds(many[ends], lie, level))

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

    Of known levels (`of`), or before anybody has drawn one (`drawn`).

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

    @classmethod
    def drawn(cls, people: int, levels: int, truth: float, lie: float) -> "Trials":
        """Return the tests before `people` users draw one of `levels` levels each."""
        step = Power.drawn(people, 1 / levels, lie, EXTENDED)
        ends = [Power.drawn(people, j / levels, lie, FOUND) for j in range(levels, 0, -1)]
        return cls(people, (step,) * levels, tuple(ends), truth, lie)

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


def drawn_limits(
    agree: int,
    many: int,
    people: int,
    law: tuple[float, float],
    alpha: float,
    near: tuple[int, int] = (0, 0),
) -> Limits:
    """Return limits of a share, shape (1,), by two tests of every K.

    Args:
        agree: reports that support the value, c.
        many: people who were drawn, m.
        people: n.
        law: p and q.
        alpha: probability of a miss.
        near: people with the value at the lower limit, and without it at the upper one, where the
            search begins; any whole numbers.
    """
    fewer, as_many = (Power.of(people, many, least) for least in (max(agree, 1), agree + 1))

    def is_enough(holders: int) -> bool:
        return 1 - fewer(*supporters(holders, people, *law)) > alpha / 2

    def is_not_too_many(others: int) -> bool:
        return as_many(*supporters(people - others, people, *law)) > alpha / 2

    low = first_fitting(is_enough, near[0], people) if agree else 0
    high = people - first_fitting(is_not_too_many, near[1], people)
    ends = np.array([[low], [high]]) / people
    return within(ends[0], ends[1], 0.0, 1.0, 1 / people)


def least_share(tests: Trials) -> float:
    """The least share of people whose value is missed with probability `MISSED` at most."""
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


def expected_found(people: int, levels: int, law: tuple[float, float]) -> ExpectedLimits:
    """Return limits for the share of a text that is whole at the last level alone.

    As many people draw that level, and as many reports support the text, as are expected. `least`
    is the least share whose text is missed with probability `MISSED` at most.

    Args:
        people: n.
        levels: L.
        law: p and q.
    """
    many, (p, q) = max(1, round(people / levels)), law
    counts = [round(many * (q + share * (p - q))) for share in SHARES]
    known = joined([drawn_limits(count, many, people, law, ALPHA) for count in counts])
    return ExpectedLimits("found", paired(known), least_share(Trials.drawn(people, levels, p, q)))
