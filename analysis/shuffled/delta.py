"""The privacy of one bit after shuffling, exactly, for one pair of neighbouring data sets.

n people report a bit, flipped with probability q, p = 1 - q. The attacked person has 0 or 1. Of the
other N = n - 1 people, m have a 1. Z is the count of 1-bits among the reports of these N people,
and Z(s) the probability of count s. A is the count among all n reports. P_0 and P_1 are the
distributions of A if the attacked person has 0, and 1:

    P_0(s) - e^eps P_1(s) = alpha Z(s) - beta Z(s - 1),   alpha = p - e^eps q, beta = e^eps p - q.

Z is log-concave, so Z(s)/Z(s - 1) falls in s, and the difference is positive exactly up to a
threshold s*. Two definitions of delta, for 0 against 1:

    hockey-stick    P_0(A <= s*) - e^eps P_1(A <= s*) = alpha Z(s*) - (e^eps - 1) Z(<= s* - 1)
    probabilistic   P_0(A <= s*), the probability of outcomes with P_0 > e^eps P_1

One against zero is the same with m replaced by N - m (exchange 0 and 1), so the maximum over all m
covers both directions. s* needs no search: it is the mode of Z with weights z^Z, z = alpha/beta,
hence an integer next to the weighted mean (Darroch). The functions here take arrays of m;
`worst_neighbours.py` searches for the m with the largest delta.
"""

from dataclasses import dataclass
from math import exp, expm1, log

import numpy as np

from ..validation import Floats
from .counts import broadcast, log_lower_tail, log_pmf, lower_sum, saddle, tilted
from .tilting import central

# Newton steps of the search for a threshold of the count as a real number. The search for a real
# quantile takes twice as many.
CROSSING_STEPS = 6


@dataclass(frozen=True, slots=True)
class PairDivergence:
    """The divergence of shuffled one-bit reports between a person with 0 and with 1, at an epsilon.

    Methods take the number m of other people with a 1.

    Attributes:
        n: people, >= 1.
        q: probability that a bit is flipped, 0 < q < 1/2.
        epsilon: nats, 0 < epsilon < log(p/q), p = 1 - q.
    """

    n: int
    q: float
    epsilon: float

    @property
    def other_people(self) -> int:
        """The number of other people, N = n - 1."""
        return self.n - 1

    @property
    def alpha(self) -> float:
        """The weight alpha = p - e^eps q > 0 of P(Z = s) in the difference P_0(s) - e^eps P_1(s).

        Z is the count of 1-bits in other people's reports. P_0 and P_1 are the distributions of the
        count in all reports if the attacked person has 0, and 1.
        """
        return 1 - self.q - exp(self.epsilon) * self.q

    @property
    def beta(self) -> float:
        """The weight beta = e^eps p - q of P(Z = s - 1) in the difference P_0(s) - e^eps P_1(s).

        Z is the count of 1-bits in other people's reports. P_0 and P_1 are the distributions of the
        count in all reports if the attacked person has 0, and 1. The weight has a minus sign.
        """
        return exp(self.epsilon) * (1 - self.q) - self.q

    @property
    def tilt(self) -> float:
        """The weight base z < 1 under which the threshold s* is the mode of other people's count.

        Counts s of 1-bits in all reports up to the threshold s* favour value 0 of the attacked
        person by more than e^epsilon. s* is where P(Z = s) z^s is largest, Z the count in other
        people's reports. z is alpha / beta = (p - e^eps q) / (e^eps p - q), q the probability that
        a bit is flipped, p = 1 - q.
        """
        return self.alpha / self.beta

    def tilted_mean(self, m: Floats) -> Floats:
        """Return the mean of other people's count of 1-bits with weights tilt^count, for each m.

        Counts up to a threshold s* favour value 0 of the attacked person by more than e^epsilon. s*
        is the integer below or above this mean.

        m: number of other people with a 1.
        """
        people = np.full(m.shape, float(self.other_people))
        return tilted(people, m, self.q, np.full(m.shape, self.tilt))[0].mean

    def gain(self, m: Floats, s: Floats) -> Floats:
        """Return P_0(A <= s) - e^eps P_1(A <= s), at most delta, for each m and s.

        P_0 and P_1 are the distributions of the count A of 1-bits if the attacked person has 0, or
        1. m is the number of other people with a 1. m and s may be real, by analytic extension.
        The two terms are computed with weights that centre s, so they are of comparable size.
        Little accuracy is lost unless s is many standard deviations from the mean.
        """
        people, one_counts, points = broadcast(self.other_people, m, s)
        # Z is the count of 1-bits of the N other people. The terms alpha P(Z = s) and -beta P(Z = s
        # - 1) are summed over all counts up to s. For s = 0 only alpha P(Z = 0) remains. The sum
        # over all counts is 1 - e^eps = alpha - beta. For s = N it lacks the term of count N + 1,
        # -beta P(Z = N).
        full = points >= people
        ends = np.where(full, people, np.where(points <= 0, 0, -1))
        pmf = np.exp(log_pmf(people, one_counts, self.q, ends))
        result = np.where(full, (self.alpha - self.beta) + self.beta * pmf, self.alpha * pmf)
        inside = (points > 0) & ~full
        if inside.any():
            weights = self.alpha, -expm1(self.epsilon)
            log_scale, factor = lower_sum(
                people[inside], one_counts[inside], self.q, points[inside], weights
            )
            result[inside] = np.exp(log_scale) * factor
        return result

    def hockey_stick(self, m: Floats) -> Floats:
        """Return the hockey-stick delta of value 0 against 1 of the attacked person, for each m.

        m: number of other people with a 1; the result has the same shape.
        """
        low = np.clip(np.floor(self.tilted_mean(m)), 0, self.other_people)
        high = np.minimum(low + 1, self.other_people)
        both_gains = self.gain(np.concatenate([m, m]), np.concatenate([low, high]))
        return np.asarray(np.maximum(both_gains.reshape(2, -1).max(axis=0), 0.0))

    def envelope(self, m: Floats) -> Floats:
        """Return an upper bound of `hockey_stick` that is smooth in m, the other people with a 1.

        In `hockey_stick` the threshold is a whole count; here it may be real. The bound is the
        maximum over eleven thresholds around the weighted mean, raised by the parabola through the
        best three.
        """
        offsets = np.linspace(-1.25, 1.25, 11)
        points = np.clip(self.tilted_mean(m)[:, None] + offsets, 0, self.other_people)
        grid = np.repeat(m[:, None], len(offsets), axis=1)
        gain = self.gain(grid.ravel(), points.ravel()).reshape(grid.shape)
        best = np.clip(gain.argmax(axis=1), 1, len(offsets) - 2)
        rows = np.arange(len(m))
        left_gain, top, right = gain[rows, best - 1], gain[rows, best], gain[rows, best + 1]
        bend = np.maximum(2 * top - left_gain - right, 1e-300)
        return np.asarray(np.maximum(gain.max(axis=1), top + (right - left_gain) ** 2 / (8 * bend)))

    def crossing(self, m: Floats) -> Floats:
        """Return the real s at which P(Z = s) / P(Z = s - 1) = beta / alpha, for each m.

        Z is the count of 1-bits in the reports of other people; m of these people have a 1. Counts
        in all reports up to s favour value 0 of the attacked person by more than e^epsilon. alpha =
        p - e^eps q and beta = e^eps p - q, with q the probability that a bit is flipped and p = 1 -
        q.
        """
        people = np.full(m.shape, float(self.other_people))
        sums, _ = tilted(people, m, self.q, np.full(m.shape, self.tilt))
        s = np.clip(sums.mean + 0.5, 0.5, self.other_people)
        for _ in range(CROSSING_STEPS):
            # With weights tilt^Z, P(Z = s) and P(Z = s - 1) are equal at the solution. The log of
            # their ratio falls by about 1/variance for each step of s.
            ratio = np.log(central(sums, s)) - np.log(central(sums, s - 1))
            s = np.clip(s + np.clip(ratio * sums.variance, -1, 1), 0.5, self.other_people)
        return s

    def probabilistic(self, m: Floats) -> Floats:
        """Return the probabilistic delta of value 0 against 1, for each m.

        If the attacked person has 0, this is the probability of counts A of 1-bits with P_0(A) >
        e^eps P_1(A). P_0 and P_1 are the distributions of A if the person has 0, and 1.

        m: number of other people with a 1.
        """
        s = np.clip(np.floor(self.tilted_mean(m)), 0, self.other_people)
        # The threshold s*, the last count that favours value 0 by more than e^epsilon, is near s.
        # The tests below move s by at most one, to this threshold.
        rise = log_pmf(self.other_people, m, self.q, s + 1) - log_pmf(
            self.other_people, m, self.q, s
        )
        s = np.where(rise > -log(self.tilt), s + 1, s)
        fall = log_pmf(self.other_people, m, self.q, s) - log_pmf(
            self.other_people, m, self.q, s - 1
        )
        s = np.where((s > 0) & ~(fall > -log(self.tilt)), s - 1, s)
        return np.exp(log_lower_tail(self.n, m, self.q, s))

    def probabilistic_envelope(self, m: Floats) -> Floats:
        """Return an upper bound of `probabilistic` that is smooth in m, the other people with a 1.

        A search over m needs a smooth bound. In `probabilistic` the threshold of the count is a
        whole number, so delta jumps with m; here the threshold may be real.
        """
        return np.exp(log_lower_tail(self.n, m, self.q, self.crossing(m)))

    def promising(self, first: int, last: int, best: float) -> Floats:
        """Return the m in first .. last for which `probabilistic` may reach `best`.

        m is the number of other people with a 1. Rounding the real threshold down by f divides the
        tail probability by at least e^(slope f), because the tail is log-concave. `slope` is the
        slope of the tail's logarithm just above the threshold. Thresholds are taken as linear in m
        over this range.
        """
        ends = np.array([float(first), float(last)])
        s = self.crossing(ends)
        at, above = (log_lower_tail(self.n, ends, self.q, s + d) for d in (0.0, 1.0))
        return _by_phase(first, last, s, (at.max() - log(best)) / (above - at).min(), down=True)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The probabilistic epsilon of shuffled one-bit reports for a delta, from lower quantiles.

    P_0 and P_1 are the distributions of the count A of 1-bits if the attacked person has 0 or 1.
    The epsilon for m other people with a 1 is log(P_0(s) / P_1(s)) at the smallest s with P_0(A <=
    s) > delta. All smaller counts together have probability at most delta, so they may be left out;
    s may not. The ratio falls in s, so it is largest at s.

    Attributes:
        n: people.
        q: probability that a bit is flipped, 0 < q < 1/2.
        delta: allowed probability of outcomes left out, in (0, 1).
    """

    n: int
    q: float
    delta: float

    def epsilon(self, m: Floats) -> Floats:
        """Return the probabilistic epsilon in nats, at least 0, for each m.

        The log privacy ratio of value 0 against 1 exceeds this epsilon with probability at most
        `self.delta`; a smaller epsilon is exceeded with a larger probability.

        m: number of other people with a 1.
        """
        s = np.clip(np.floor(self._real(m)), 0, self.n)
        for step in (-1.0, 1.0, 1.0):
            covered = np.exp(log_lower_tail(self.n, m, self.q, s)) <= self.delta
            s = np.where(covered, s + 1, s) if step > 0 else np.where(~covered & (s > 0), s - 1, s)
        return self._log_ratio(m, s)

    def envelope(self, m: Floats) -> Floats:
        """Return an upper bound of `epsilon` that is smooth in m, the other people with a 1.

        The envelope takes the ratio of probabilities at the real quantile of the count; `epsilon`
        takes the ratio at a whole count.
        """
        return self._log_ratio(m, np.maximum(self._real(m), 0.0))

    def promising(self, first: int, last: int, best: float) -> Floats:
        """Return the m in first .. last for which `epsilon` may reach `best`.

        m is the number of other people with a 1. `epsilon` takes a ratio of probabilities at a
        quantile rounded up to a whole count, which lowers the ratio. So an m is kept if rounding
        costs little there.
        """
        ends = np.array([float(first), float(last)])
        s = np.maximum(self._real(ends), 0.0)
        at, above = self._log_ratio(ends, s), self._log_ratio(ends, s + 1)
        slope = max(float((at - above).min()), 1e-300)
        return _by_phase(first, last, s, (float(at.max()) - best) / slope, down=False)

    def _log_ratio(self, m: Floats, s: Floats) -> Floats:
        """Return log(P_0(A = s) / P_1(A = s)) in nats, at least 0.

        P_0 and P_1 are the distributions of the count A of 1-bits if the attacked person has 0, and
        1.

        m: number of other people with a 1.
        s: values of the count, may be real.
        """
        with np.errstate(divide="ignore"):
            rho = log_pmf(self.n - 1, m, self.q, s) - log_pmf(self.n - 1, m, self.q, s - 1)
        return np.maximum(log_g(rho, self.q), 0.0)

    def _real(self, m: Floats) -> Floats:
        """Return the real s with P_0(A <= s) = delta, by Newton steps on the logarithm.

        P_0 is the distribution of the count A of 1-bits if the attacked person has 0.

        m: number of other people with a 1.
        """
        from scipy.special import ndtri

        people = np.full(m.shape, float(self.n))
        mean = people * self.q + m * (1 - 2 * self.q)
        spread = np.sqrt(people * self.q * (1 - self.q))
        s = np.maximum(mean + float(ndtri(self.delta)) * spread, 0.25)
        for _ in range(2 * CROSSING_STEPS):
            tail = log_lower_tail(self.n, m, self.q, s)
            # Newton's step needs the slope of log P(A <= s) in s. With weights z^A that move the
            # mean of the count A of 1-bits to s, the slope is about -log z. P(A = s) / P(A <= s) is
            # taken if it is larger.
            slope = np.maximum(-np.log(saddle(people, m, self.q, s)), 0.0)
            slope = np.maximum(slope, np.exp(np.minimum(log_pmf(self.n, m, self.q, s) - tail, 3)))
            s = np.clip(
                s + np.clip((log(self.delta) - tail) / slope, -spread, spread), 0.05, self.n
            )
        return s


def log_g(log_rho: Floats, q: float) -> Floats:
    """Return the log privacy ratio for one person's bit, g(r) = log((q + p r) / (p + q r)).

    r is the ratio P(Z = s) / P(Z = s - 1), Z the count of 1-bits in other people's reports. With A
    the count in all reports, g is the log of P(A = s | the person has 0) / P(A = s | the person has
    1) (paper 001, Section 6.2). An infinite r gives log(p/q).

    log_rho: the log of r.
    q: probability that a bit is flipped, p = 1 - q.
    """
    p = 1 - q
    # Numerator and denominator are divided by the larger of 1 and r, so that nothing overflows.
    small = np.exp(-np.abs(log_rho))
    up = np.log((q * small + p) / (p * small + q))
    return np.where(log_rho >= 0, up, -up)


def _by_phase(first: int, last: int, ends: Floats, room: float, *, down: bool) -> Floats:
    """Return the m in first .. last at which rounding the real threshold costs little.

    m is the number of other people with a 1. The threshold, a count of 1-bits, is taken as linear
    in m.

    ends: the real threshold at `first` and at `last`.
    room: the largest distance to a whole number that is allowed, about.
    down: whether the threshold is rounded down; else up.
    """
    m = np.arange(first, last + 1, dtype=np.float64)
    position = np.linspace(ends[0], ends[1], len(m))
    rounding_loss = position - np.floor(position) if down else np.ceil(position) - position
    # The margin allows for the curvature of the threshold in m, because the threshold is taken as
    # linear. A threshold near a whole number may lie on either side of that number, so its m is
    # always kept.
    margin = 1.2 * max(room, 0.0) + 0.01
    return m[(rounding_loss <= margin) | (rounding_loss >= 1 - 0.01)]
