"""False finds and misses of a search for frequent texts by prefixes, from exact distributions.

`prefix_tree.py` describes the reports. Each person draws a level, which is a number of bytes, and
reports a hash of its text's prefix of that length. A report supports the prefixes with the reported
hash. A prefix with enough supporting reports is extended by a byte. A holder is a person with the
prefix. Of m reports at some levels, the number c that support a prefix without holders has the
distribution Bin(m, q) exactly, for any other people: each person draws a key, and hashes collide
with probability exactly q. Take a prefix with K holders among n people, m of them drawn without
replacement. With p the probability that a holder's report supports the prefix,

    T ~ Bin(K, p) + Bin(n - K, q)  people would support it,   c | T ~ hypergeometric(n, T, m).

A prefix is extended if a prefix without holders reaches c with probability at most 1/1000. Of its
256 extensions fewer than 1 is then extended by chance, so false branches end. A whole text is
found if a text without holders reaches c with probability at most 3 * 10^-6. So

    false finds    the expected number of found values without holders is at most the number of
                   texts tested times that probability; it is reported, with the exact tails
    misses         a value of K people is missed with probability at most the sum of the exact tails
                   of its tests, over its levels. Reported is the least share K / n for which this
                   sum is at most 5 %, for texts of the worst length

After a search m is known. Before it each person draws a level of L, so m is Bin(n, 1/L) for a
prefix, and Bin(n, j/L) for a text that is reported whole at j levels. The probability of a miss is
then a mean over m, with the threshold of each m. For more than `NUMBERS` values of m, neighbouring
values are merged: the fewest reports with the largest threshold. So a miss is never reported as
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

EXTENDED = 1e-3  # largest probability with which a given prefix that no person has is extended
# largest probability with which a given text that no person has is found
FALSE_POSITIVE_RATE = 3e-6
# largest accepted probability of missing a text with the share from `min_share`, or more
MISSED = 0.05
# standard deviations beyond which a distribution is not summed, as the rest is negligible
FAR = 9.0
# probability cut on each side of the distribution of the number of reports, counted as missed
CUT = 1e-9
NUMBERS = 256  # most numbers of reports over which a mean is taken; more are merged, to save time

Groups = Sequence[int] | npt.NDArray[np.int64]


def threshold(trials: int, lie: float, level: float) -> int:
    """Return the least count c >= 1 that chance reaches with probability `level` at most.

    That is P(Bin(trials, lie) >= c) <= level. trials: number of reports. lie: probability that a
    report supports a prefix that its person does not have.
    """
    from scipy.stats import binom

    return int(binom.isf(level, trials, lie)) + 1 if trials else 1


def thresholds(trials: Counts, lie: float, level: float) -> Counts:
    """Return the least numbers of supporting reports that chance reaches with probability `level`.

    Args:
        trials: numbers of reports, each >= 1, shape (numbers,).
        lie: probability that a report supports a prefix that its person does not have.
        level: the largest probability with which chance may reach a result.
    """
    from scipy.stats import binom

    return np.asarray(binom.isf(level, trials, lie), np.int64) + 1


def tail(trials: int, lie: float, min_successes: int) -> float:
    """Return the binomial tail P(Bin(trials, lie) >= min_successes).

    trials: number of reports. lie: probability that a report supports a prefix that its person does
    not have.
    """
    from scipy.stats import binom

    return float(binom.sf(min_successes - 1, trials, lie))


@dataclass(frozen=True, slots=True, eq=False)
class _LogFactorials:
    """A table of log k! for a range of k, which is sliced by k itself.

    `Power.over` computes binomial coefficients from it.

    Attributes:
        first: the first k.
        logs: log k! for k = first, first + 1, ....
    """

    first: int
    logs: Floats

    @classmethod
    def from_range(cls, first: int, end: int) -> "_LogFactorials":
        """Return the table of log k! for first <= k < end."""
        from scipy.special import gammaln

        return cls(first, np.asarray(gammaln(np.arange(first, end, dtype=np.float64) + 1)))

    def __getitem__(self, part: slice) -> Floats:
        """Return log k! for start <= k < stop of the slice."""
        return self.logs[part.start - self.first : part.stop - self.first]


@dataclass(frozen=True, slots=True, eq=False)
class Power:
    """The probability that a test of a prefix fails, for each number T of its supporters.

    Supporters are people with a report that would support the prefix. A test fails if too few of
    the drawn people are supporters. A `Power` is called with a distribution of T.

    Attributes:
        start: the first T with an entry in `fails`; for a smaller T the probability is 1.
        fails: the probability of failure for T = start, start + 1, ..., falling; for a larger T the
            last entry holds.
    """

    start: int
    fails: Floats

    @classmethod
    def from_draw(cls, people: int, draw_size: int, min_support: int) -> "Power":
        """Return the failure probabilities of a test that needs `min_support` drawn supporters.

        `draw_size` of `people` users are drawn. Supporters are people with a report that would
        support the prefix.
        """
        return cls.over(people, np.ones(1), np.array([draw_size]), np.array([min_support]))

    @classmethod
    def over(
        cls, people: int, weights: Floats, sizes_of_draws: Counts, min_supports: Counts
    ) -> "Power":
        """Return the weighted mean of the power over several sizes of the draw.

        F(T) is the probability of failure if T people are supporters: their report would support
        the prefix. One more supporter is drawn with probability m / people, m the size of the draw.
        It decides the test if exactly min_support - 1 other drawn people are supporters. So F(T +
        1) = F(T) - m / people P(others = min_support - 1 | T). If the weights sum to less than 1,
        the rest counts as failed.

        Args:
            people: number of all people.
            weights: probability of each size of the draw, shape (k,).
            sizes_of_draws: numbers of drawn people, shape (k,).
            min_supports: the least number of supporting reports that passes, for each size.
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
        # The probability that k of m - 1 other drawn people are supporters, if T of all other
        # people are, is C(T, k) C(people - 1 - T, m - 1 - k) / C(people - 1, m - 1). It is summed
        # from log factorials, with m the size of the draw and k = min_support - 1.
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
        """Return the power before the people of a test are drawn, as a mean over their number.

        Args:
            people: number of all people.
            share: probability that a person makes a report that the test uses.
            lie: probability that a report supports a prefix that its person does not have.
            level: significance of the test.
        """
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
        """Return the mean probability that a text fails the test, over a distribution of T.

        T is the number of supporters: people with a report that would support the text's prefix.

        first: the first T. law: the probabilities of T = first, first + 1, .... Probability missing
        in `law` counts as failed.
        """
        place = np.arange(first, first + len(law)) - self.start
        fails = float(law @ self.fails[np.clip(place, 0, len(self.fails) - 1)])
        return fails + max(0.0, 1 - float(law.sum()))


def supporters(holders: int, people: int, truth: float, lie: float) -> tuple[int, Floats]:
    """Return the distribution of the number T of people with a report that would support a prefix.

    The result is (the first T, probabilities of this and the following numbers).

    Args:
        holders: number of people with the prefix.
        people: number of all people.
        truth: probability that the report of a person with the prefix supports it.
        lie: probability that another person's report supports the prefix.
    """
    first, law_of_holders = _binomial(holders, truth)
    second, law_of_others = _binomial(people - holders, lie)
    return first + second, np.convolve(law_of_holders, law_of_others)


def _binomial(trials: int, chance: float) -> tuple[int, Floats]:
    """Return a binomial distribution near its mean.

    The result is (the first number, probabilities of this and the following numbers). chance: the
    probability of success in each of `trials` trials.
    """
    from scipy.stats import binom

    reach = FAR * (sqrt(trials * chance * (1 - chance)) + FAR)
    low = max(0, int(trials * chance - reach))
    high = min(trials, int(trials * chance + reach) + 1)
    return low, np.asarray(binom.pmf(np.arange(low, high + 1), trials, chance))


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """The tests that a text has to pass to be found by a search.

    A level is the number of bytes of a reported prefix; each person draws a level. First the text's
    prefixes are tested, then the whole text. The tests are made for known numbers of people at each
    level (`from_groups`), or before levels are drawn (`drawn`).

    Attributes:
        people: number of all people.
        extending: tests of the text's prefixes, one for each level.
        whole: tests of the text, on the reports of each level and all longer levels.
        truth: p, the probability that the report of a person with the prefix supports it.
        lie: q, the probability that another person's report supports it.
    """

    people: int
    extending: tuple[Power, ...]
    whole: tuple[Power, ...]
    truth: float
    lie: float

    @classmethod
    def from_groups(cls, groups: Groups, truth: float, lie: float) -> "Trials":
        """Return the significance tests of a text's prefixes, for known people at each level.

        Args:
            groups: number of people at each level (number of bytes of the reported prefix).
            truth: probability that the report of a person with a prefix supports the prefix.
            lie: probability that another person's report supports the prefix.
        """
        sizes = [int(group) for group in groups]
        people, steps, ends = sum(sizes), [], []
        for level, group_size in enumerate(sizes):
            pool = sum(sizes[level:])
            steps.append(Power.from_draw(people, group_size, threshold(group_size, lie, EXTENDED)))
            ends.append(Power.from_draw(people, pool, threshold(pool, lie, FALSE_POSITIVE_RATE)))
        return cls(people, tuple(steps), tuple(ends), truth, lie)

    @classmethod
    def drawn(cls, people: int, levels: int, truth: float, lie: float) -> "Trials":
        """Return the tests of a text before people draw their levels.

        Args:
            people: number of all people.
            levels: number of levels, from which each person draws; a level is the number of bytes
                of the reported prefix.
            truth: probability that the report of a person with a prefix supports the prefix.
            lie: probability that another person's report supports the prefix.
        """
        step = Power.drawn(people, 1 / levels, lie, EXTENDED)
        ends = [
            Power.drawn(people, j / levels, lie, FALSE_POSITIVE_RATE) for j in range(levels, 0, -1)
        ]
        return cls(people, (step,) * levels, tuple(ends), truth, lie)

    def missed(self, holders: int) -> float:
        """Return the largest probability that a search misses a text, over all lengths of texts.

        A text of i bytes must pass i tests of its prefixes, and then a test of the whole text. A
        text of the full length of L bytes must pass only L - 1 prefix tests. holders: number of
        people with the text.
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
    """Return confidence limits of a share of all people, from drawn people's reports; shape (1,).

    The limits enclose the numbers of people with the value that neither of two tests rejects. One
    test rejects a number if so many supporting reports are improbable, the other if so few are.

    Args:
        agree: reports that support the value, c.
        draw_size: people that were drawn, m.
        people: n.
        law: p and q, the probabilities of support by people with the value, and without.
        alpha: probability that the limits miss the share.
        near: guesses of the number of people with the value at the lower limit, and without it at
            the upper limit. The search begins there; any whole numbers give the same result.
    """
    fewer, as_many = (
        Power.from_draw(people, draw_size, least_agreeing)
        for least_agreeing in (max(agree, 1), agree + 1)
    )

    def is_enough(holders: int) -> bool:
        """Whether P(`agree` or more reports of drawn people support the value) > alpha / 2.

        holders: the number of people with the value.
        """
        return 1 - fewer(*supporters(holders, people, *law)) > alpha / 2

    def is_not_too_many(others_tested: int) -> bool:
        """Whether P(`agree` or fewer reports of drawn people support the value) > alpha / 2.

        others_tested: the number of people without the value.
        """
        return as_many(*supporters(people - others_tested, people, *law)) > alpha / 2

    low = first_fitting(is_enough, near[0], people) if agree else 0
    high = people - first_fitting(is_not_too_many, near[1], people)
    ends = np.array([[low], [high]]) / people
    return within(ends[0], ends[1], 0.0, 1.0, 1 / people)


def min_share(tests: Trials) -> float:
    """Return the least share of people with a text at which a search hardly ever misses the text.

    The probability of a miss is then `MISSED` at most. The result is infinite if even a text of all
    people is missed more often. tests: the tests that a text has to pass in the search.
    """
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
    """Return expected confidence limits of the share of people with a text of the full length.

    A level is the number of bytes of the prefix that a person reports. Such a text is whole only at
    the last level. The number of people at that level, and of reports that support the text, are
    taken as expected. The result's `min_share` is the least share of people with a text at which a
    search misses the text with probability `MISSED` at most.

    Args:
        people: n.
        levels: L, the number of levels, from which each person draws.
        law: p and q, the probabilities of support by people with the value, and without.
    """
    group_size, (p, q) = max(1, round(people / levels)), law
    counts = [round(group_size * (q + share * (p - q))) for share in SHARES]
    limits = joined([drawn_limits(count, group_size, people, law, ALPHA) for count in counts])
    return ExpectedLimits("found", paired(limits), min_share(Trials.drawn(people, levels, p, q)))
