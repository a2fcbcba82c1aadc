"""Errors of a search for prefixes: false finds and misses, from exact laws.

Of m reports at some levels, c support a prefix without holders: c is Bin(m, q) exactly, for any
other people, because each person draws a key and hashes collide with probability exactly q. For a
prefix of K people among n, the m being drawn without replacement,

    T ~ Bin(K, p) + Bin(n - K, q)  people would support it,   c | T ~ hypergeometric(n, T, m).

A prefix is extended if chance alone reaches c with probability at most 1/1000, which in 256
children is less than 1: false branches die out. A whole text is found if chance alone reaches c
with probability at most 3 * 10^-6. So

    false finds    the expected number of found values without holders is at most the number of
                   texts tested times that probability, and it is reported, with the exact tails
    misses         a value of K people is missed with probability at most the sum of the exact tails
                   of its tests, over its levels; reported is the least share K / n for which that
                   is at most 5 %, for texts of the worst length

After a search m is known. Before it each person draws one level of L, so m is Bin(n, 1/L) for a
prefix and Bin(n, j/L) for a text that is whole at j levels. The miss of a test is then a mean over
m, with the threshold of each m, and means add up like tails. For more than `NUMBERS` values of m,
neighbours are merged: the fewest reports with the largest threshold. So a miss is never reported as
rarer than it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, lgamma, sqrt

import numpy as np
import numpy.typing as npt

from ..validation import Counts, Floats
from .expected_limits import ALPHA, SHARES, ExpectedLimits, paired
from .limits import ConfidenceLimits, joined, within
from .share_limits import first_fitting

EXTENDED = 1e-3  # probability with which a prefix without holders is extended
FALSE_POSITIVE_RATE = 3e-6  # probability with which a text without holders is found
MISSED = 0.05  # limit of misses for values of at least the least share
FAR = 9.0  # standard deviations beyond which a law is not summed
CUT = 1e-9  # tail of the law of m cut on each side: counts as missed
NUMBERS = 256  # limit of the numbers of reports in a mean over m

Groups = Sequence[int] | npt.NDArray[np.int64]


def threshold(trials: int, lie: float, level: float) -> int:
    """The least c >= 1 with P(Bin(many, lie) >= c) <= level."""
    from scipy.stats import binom

    return int(binom.isf(level, trials, lie)) + 1 if trials else 1


def thresholds(trials: Counts, lie: float, level: float) -> Counts:
    """`threshold` of several numbers >= 1, shape (numbers,)."""
    from scipy.stats import binom

    return np.asarray(binom.isf(level, trials, lie), np.int64) + 1


def tail(trials: int, lie: float, min_successes: int) -> float:
    """P(Bin(many, lie) >= least)."""
    from scipy.stats import binom

    return float(binom.sf(min_successes - 1, trials, lie))


@dataclass(frozen=True, slots=True, eq=False)
class _LogFactorials:
    """log k! of k = first, first + 1, ..., asked for by slices of k."""

    first: int
    logs: Floats

    @classmethod
    def from_range(cls, first: int, end: int) -> "_LogFactorials":
        from scipy.special import gammaln

        return cls(first, np.asarray(gammaln(np.arange(first, end, dtype=np.float64) + 1)))

    def __getitem__(self, part: slice) -> Floats:
        return self.logs[part.start - self.first : part.stop - self.first]


@dataclass(frozen=True, slots=True, eq=False)
class Power:
    """The probability that a test fails, by the number T of people that would support.

    Attributes:
        start: the first T.
        fails: probabilities from there on, falling; before it 1, after the end the last.
    """

    start: int
    fails: Floats

    @classmethod
    def from_draw(cls, people: int, draw_size: int, min_support: int) -> "Power":
        """Return the power of `draw_size` drawn people, if fewer than `min_support` fail."""
        return cls.over(people, np.ones(1), np.array([draw_size]), np.array([min_support]))

    @classmethod
    def over(
        cls, people: int, weights: Floats, sizes_of_draws: Counts, min_supports: Counts
    ) -> "Power":
        """Return the mean over numbers of reports, each with its weight and the least that pass.

        One more supporter is drawn with probability many / people, and then matters if the number
        of other supporters is least - 1: F(T + 1) = F(T) - many / people P(others = least - 1 | T).
        The weight missing to 1 counts as failed.
        """
        possible = sizes_of_draws >= min_supports
        if not possible.any():
            return cls(0, np.ones(1))
        weights, sizes_of_draws, threshold_counts = (
            weights[possible],
            sizes_of_draws[possible],
            min_supports[possible] - 1,
        )
        centre, reach = (
            threshold_counts * people / sizes_of_draws,
            FAR * people / sizes_of_draws * (np.sqrt(threshold_counts) + FAR),
        )
        start = np.maximum(threshold_counts, (centre - reach).astype(np.int64))
        end = (
            np.minimum(
                people - sizes_of_draws + threshold_counts, (centre + reach).astype(np.int64)
            )
            + 1
        )
        first = int(start.min())
        falls = np.zeros(int(end.max()) - first)
        # C(T, most) C(people - 1 - T, many - 1 - most) / C(people - 1, many - 1), in factorials
        undecided = people - sizes_of_draws + threshold_counts
        own_factorials = _LogFactorials.from_range(first, first + len(falls))
        other_factorials = _LogFactorials.from_range(people - first - len(falls), people - first)
        inner = _LogFactorials.from_range(
            int((start - threshold_counts).min()), int((end - threshold_counts).max())
        )
        outer = _LogFactorials.from_range(
            int((undecided - end).min()) + 1, int((undecided - start).max()) + 1
        )
        for weight, m, k, rest, low, high in zip(
            *(
                part.tolist()
                for part in (weights, sizes_of_draws, threshold_counts, undecided, start, end)
            ),
            strict=True,
        ):
            ways = own_factorials[low:high] + other_factorials[people - high : people - low][::-1]
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
            return cls.from_draw(people, people, threshold(people, lie, level))
        low, high = binom.ppf(CUT, people, share), binom.isf(CUT, people, share)
        people_drawn = np.arange(max(1, int(low)), int(high) + 1)
        starts = np.arange(0, len(people_drawn), -(-len(people_drawn) // NUMBERS))
        weights = np.add.reduceat(binom.pmf(people_drawn, people, share), starts)
        ends = np.append(starts[1:], len(people_drawn)) - 1
        return cls.over(
            people, weights, people_drawn[starts], thresholds(people_drawn[ends], lie, level)
        )

    def __call__(self, first: int, law: Floats) -> float:
        """Its mean over a law of T that begins at `first`; missing probability counts as failed."""
        place = np.arange(first, first + len(law)) - self.start
        fails = float(law @ self.fails[np.clip(place, 0, len(self.fails) - 1)])
        return fails + max(0.0, 1 - float(law.sum()))


def supporters(holders: int, people: int, truth: float, lie: float) -> tuple[int, Floats]:
    """The law of T: (its first number, probabilities)."""
    first, law_of_holders = _binomial(holders, truth)
    second, law_of_others = _binomial(people - holders, lie)
    return first + second, np.convolve(law_of_holders, law_of_others)


def _binomial(trials: int, chance: float) -> tuple[int, Floats]:
    from scipy.stats import binom

    reach = FAR * (sqrt(trials * chance * (1 - chance)) + FAR)
    low = max(0, int(trials * chance - reach))
    high = min(trials, int(trials * chance + reach) + 1)
    return low, np.asarray(binom.pmf(np.arange(low, high + 1), trials, chance))


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The tests that a value has to pass, by their levels.

    For known levels (`of`), or before levels are drawn (`drawn`).

    Attributes:
        people: number of all people.
        extending: tests of its prefixes, a test for each level.
        whole: tests of the text, on the reports of each level and all below it.
        truth: p.
        lie: q.
    """

    people: int
    extending: tuple[Power, ...]
    whole: tuple[Power, ...]
    truth: float
    lie: float

    @classmethod
    def from_groups(cls, groups: Groups, truth: float, lie: float) -> "Trials":
        """From the number of people at each level."""
        sizes = [int(group) for group in groups]
        people, steps, ends = sum(sizes), [], []
        for level, group_size in enumerate(sizes):
            pool = sum(sizes[level:])
            steps.append(Power.from_draw(people, group_size, threshold(group_size, lie, EXTENDED)))
            ends.append(Power.from_draw(people, pool, threshold(pool, lie, FALSE_POSITIVE_RATE)))
        return cls(people, tuple(steps), tuple(ends), truth, lie)

    @classmethod
    def drawn(cls, people: int, levels: int, truth: float, lie: float) -> "Trials":
        """Return the tests before `people` users draw one of `levels` levels each."""
        step = Power.drawn(people, 1 / levels, lie, EXTENDED)
        ends = [
            Power.drawn(people, j / levels, lie, FALSE_POSITIVE_RATE) for j in range(levels, 0, -1)
        ]
        return cls(people, (step,) * levels, tuple(ends), truth, lie)

    def missed(self, holders: int) -> float:
        """The most probable miss of a value of `holders` people, over all lengths of its text.

        A text of i bytes passes i tests of prefixes, and then one of the whole; the longest texts
        are tested like those with one byte less.
        """
        first, law = supporters(holders, self.people, self.truth, self.lie)
        missed_before, worst = 0.0, 0.0
        for step, end in zip(self.extending, self.whole, strict=True):
            worst = max(worst, missed_before + end(first, law))
            missed_before += step(first, law)
        return min(1.0, worst)


def drawn_limits(
    agree: int,
    draw_size: int,
    people: int,
    law: tuple[float, float],
    alpha: float,
    near: tuple[int, int] = (0, 0),
) -> ConfidenceLimits:
    """Return limits of a share, shape (1,), by two tests of every K.

    Args:
        agree: reports that support the value, c.
        draw_size: people that were drawn, m.
        people: n.
        law: p and q.
        alpha: probability of a miss.
        near: people with the value at the lower limit, and without it at the upper limit: the
            search begins there; any whole numbers.
    """
    fewer, as_many = (
        Power.from_draw(people, draw_size, least_agreeing)
        for least_agreeing in (max(agree, 1), agree + 1)
    )

    def is_enough(holders: int) -> bool:
        return 1 - fewer(*supporters(holders, people, *law)) > alpha / 2

    def is_not_too_many(others_tested: int) -> bool:
        return as_many(*supporters(people - others_tested, people, *law)) > alpha / 2

    low = first_fitting(is_enough, near[0], people) if agree else 0
    high = people - first_fitting(is_not_too_many, near[1], people)
    ends = np.array([[low], [high]]) / people
    return within(ends[0], ends[1], 0.0, 1.0, 1 / people)


def min_share(tests: Trials) -> float:
    """Return the least share of people with a value missed with probability `MISSED` at most."""
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
    """Return limits for the share of a text that is whole only at the last level.

    The numbers of people at that level, and of supporting reports, are the expected numbers.
    `min_share` is the smallest share of a text that is missed with probability `MISSED` at most.

    Args:
        people: n.
        levels: L.
        law: p and q.
    """
    group_size, (p, q) = max(1, round(people / levels)), law
    counts = [round(group_size * (q + share * (p - q))) for share in SHARES]
    limits = joined([drawn_limits(count, group_size, people, law, ALPHA) for count in counts])
    return ExpectedLimits("found", paired(limits), min_share(Trials.drawn(people, levels, p, q)))
