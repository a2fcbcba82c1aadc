"""The privacy of one bit after shuffling, exactly: one neighbour pair, two readings.

n people report, and one of them is doubted: 0 or 1? Of the other N = n - 1 people, m have a 1. Let
Z be the count of 1-bits among their reports. Zero against one, with P_0 = Z + Ber(q), P_1 = Z +
Ber(p):

    P_0(s) - e^eps P_1(s) = alpha Z(s) - beta Z(s - 1),   alpha = p - e^eps q, beta = e^eps p - q.

Z is log-concave, so Z(s)/Z(s - 1) falls in s and the difference is positive exactly for s <= s*:

    hockey-stick    P_0(A <= s*) - e^eps P_1(A <= s*) = alpha Z(s*) - (e^eps - 1) Z(<= s* - 1)
    probabilistic   P_0(P_0(A) > e^eps P_1(A)) = P_0(A <= s*)

One against zero is the same with m replaced by N - m (exchange 0 and 1), so the maximum over all m
covers both directions. s* is the mode of the law of Z tilted by z = alpha/beta, hence an integer
next to the tilted mean (Darroch): no search. The functions here take arrays of m;
`worst_neighbours.py` searches for the worst m.
"""

from dataclasses import dataclass
from math import exp, expm1, log

import numpy as np

from ..validation import Floats
from .counts import broadcast, log_lower_tail, log_pmf, lower_sum, saddle, tilted
from .tilting import central

# Newton steps of the search for a real crossing point.
CROSSING_STEPS = 6


@dataclass(frozen=True, slots=True)
class PairDivergence:
    """The divergence of shuffled one-bit reports for a person with 0 or 1, at an epsilon.

    Its methods take the number m of other people with a 1.

    Attributes:
        n: people, >= 1.
        q: lie probability, 0 < q < 1/2.
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
        """The weight alpha = p - e^eps q > 0 of P(Z = s) in the difference of the two laws.

        Z is the count of 1-bits in other people's reports; the laws are those for a person with 0,
        and with 1.
        """
        return 1 - self.q - exp(self.epsilon) * self.q

    @property
    def beta(self) -> float:
        """The weight beta = e^eps p - q of P(Z = s - 1) in the difference of the two laws.

        Z is the count of 1-bits in other people's reports; the laws are those for a person with 0,
        and with 1.
        """
        return exp(self.epsilon) * (1 - self.q) - self.q

    @property
    def tilt(self) -> float:
        """The tilt z = alpha / beta < 1 under which the threshold outcome s* is the mode.

        A law tilted by z has probabilities proportional to P(s) z^s; counts of 1-bits up to s*
        speak for 0.
        """
        return self.alpha / self.beta

    def tilted_mean(self, m: Floats) -> Floats:
        """Return the mean of other people's count of 1-bits under the tilt, for each m.

        m is the number of other people with a 1. The threshold s*, up to which outcomes favour 0,
        is the integer below or above the mean.
        """
        people = np.full(m.shape, float(self.other_people))
        return tilted(people, m, self.q, np.full(m.shape, self.tilt))[0].mean

    def gain(self, m: Floats, s: Floats) -> Floats:
        """Return P_0(A <= s) - e^eps P_1(A <= s), at most delta, for each m and s.

        P_0 and P_1 are the laws of the count A of 1-bits if the doubted person has 0, or 1; m is
        the number of other people with a 1. Real m and s by analytic extension. Both terms are
        taken under the tilt that centres s, where they are of comparable size: no cancellation
        beyond the square of the tail's distance in deviations.
        """
        people, one_counts, points = broadcast(self.other_people, m, s)
        # At the ends of the support the lower sum is a single term or everything.
        result = self.alpha * np.exp(
            log_pmf(people, one_counts, self.q, np.where(points <= 0, 0, -1))
        )
        full = points >= people
        result[full & (people > 0)] = self.alpha - self.beta
        inside = (points > 0) & ~full
        if inside.any():
            weights = self.alpha, -expm1(self.epsilon)
            log_scale, factor = lower_sum(
                people[inside], one_counts[inside], self.q, points[inside], weights
            )
            result[inside] = np.exp(log_scale) * factor
        return result

    def hockey_stick(self, m: Floats) -> Floats:
        """Return the hockey-stick delta of value 0 against 1, for each m; shape of m.

        m is the number of other people with a 1.
        """
        low = np.clip(np.floor(self.tilted_mean(m)), 0, self.other_people)
        high = np.minimum(low + 1, self.other_people)
        both_gains = self.gain(np.concatenate([m, m]), np.concatenate([low, high]))
        return np.asarray(np.maximum(both_gains.reshape(2, -1).max(axis=0), 0.0))

    def envelope(self, m: Floats) -> Floats:
        """Return an upper envelope of `hockey_stick`, smooth in m, the other people with a 1.

        The threshold s*, a whole count in `hockey_stick`, may be real here: the maximum over nine
        points around the tilted mean, raised by the parabola through the best three.
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
        """Return the real s at which P(Z = s) / P(Z = s - 1) = 1/tilt, for each m.

        Z is the count of 1-bits among the reports of other people, m of whom have a 1; the
        threshold s* is the integer at or below s.
        """
        people = np.full(m.shape, float(self.other_people))
        sums, _ = tilted(people, m, self.q, np.full(m.shape, self.tilt))
        s = np.clip(sums.mean + 0.5, 0.5, self.other_people)
        for _ in range(CROSSING_STEPS):
            # Under the tilt the ratio is 1 at the crossing; it falls by about 1/variance a step.
            ratio = np.log(central(sums, s)) - np.log(central(sums, s - 1))
            s = np.clip(s + np.clip(ratio * sums.variance, -1, 1), 0.5, self.other_people)
        return s

    def probabilistic(self, m: Floats) -> Floats:
        """Return P_0(P_0(A) > e^eps P_1(A)), the probabilistic delta, for each m.

        m is the number of other people with a 1.
        """
        s = np.clip(np.floor(self.tilted_mean(m)), 0, self.other_people)
        # s or s + 1 is the mode, from which on the ratio is too small.
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
        """Return an upper envelope of `probabilistic`, smooth in m, the other people with a 1.

        The crossing point, a whole count in `probabilistic`, may be real here.
        """
        return np.exp(log_lower_tail(self.n, m, self.q, self.crossing(m)))

    def promising(self, first: int, last: int, best: float) -> Floats:
        """Return the m in first .. last for which `probabilistic` may reach `best`.

        m is the number of other people with a 1. The tail is log-concave: rounding the crossing
        down by f divides it by at least e^(slope f), the slope being that of its logarithm just
        above. Crossings are linear in m over this range.
        """
        ends = np.array([float(first), float(last)])
        s = self.crossing(ends)
        at, above = (log_lower_tail(self.n, ends, self.q, s + d) for d in (0.0, 1.0))
        return _by_phase(first, last, s, (at.max() - log(best)) / (above - at).min(), down=True)


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The probabilistic epsilon of shuffled one-bit reports for a delta, from lower quantiles.

    P_0 and P_1 are the laws of the count A of 1-bits if the doubted person has 0 or 1. epsilon_m =
    log(P_0(s) / P_1(s)) at the smallest s with P_0(A <= s) > delta: every smaller s may be
    excluded, this one may not, and the ratio falls in s.

    Attributes:
        n: people.
        q: lie probability, 0 < q < 1/2.
        delta: allowed probability of excluded outcomes, in (0, 1).
    """

    n: int
    q: float
    delta: float

    def epsilon(self, m: Floats) -> Floats:
        """Return epsilon in nats, for each m of other people with a 1; at least 0."""
        s = np.clip(np.floor(self._real(m)), 0, self.n)
        for step in (-1.0, 1.0, 1.0):
            covered = np.exp(log_lower_tail(self.n, m, self.q, s)) <= self.delta
            s = np.where(covered, s + 1, s) if step > 0 else np.where(~covered & (s > 0), s - 1, s)
        return self._log_ratio(m, s)

    def envelope(self, m: Floats) -> Floats:
        """Return an upper envelope of `epsilon`, smooth in m (other people with a 1).

        The ratio is taken at the real quantile, in `epsilon` at a whole number.
        """
        return self._log_ratio(m, np.maximum(self._real(m), 0.0))

    def promising(self, first: int, last: int, best: float) -> Floats:
        """Return the m in first .. last for which `epsilon` may reach `best`.

        m is the number of other people with a 1.
        """
        ends = np.array([float(first), float(last)])
        s = np.maximum(self._real(ends), 0.0)
        at, above = self._log_ratio(ends, s), self._log_ratio(ends, s + 1)
        slope = max(float((at - above).min()), 1e-300)
        return _by_phase(first, last, s, (float(at.max()) - best) / slope, down=False)

    def _log_ratio(self, m: Floats, s: Floats) -> Floats:
        """Return log(P_0(A = s) / P_1(A = s)) in nats, at least 0, for m other people with a 1."""
        with np.errstate(divide="ignore"):
            rho = log_pmf(self.n - 1, m, self.q, s) - log_pmf(self.n - 1, m, self.q, s - 1)
        return np.maximum(log_g(rho, self.q), 0.0)

    def _real(self, m: Floats) -> Floats:
        """Return the real s with P_0(A <= s) = delta, by Newton steps on the logarithm.

        P_0 is the law of the count A of 1-bits if the doubted person has 0.
        """
        from scipy.special import ndtri

        people = np.full(m.shape, float(self.n))
        mean = people * self.q + m * (1 - 2 * self.q)
        spread = np.sqrt(people * self.q * (1 - self.q))
        s = np.maximum(mean + float(ndtri(self.delta)) * spread, 0.25)
        for _ in range(2 * CROSSING_STEPS):
            tail = log_lower_tail(self.n, m, self.q, s)
            # The logarithm rises by about -log z (or the pmf over the tail) for each step of s.
            slope = np.maximum(-np.log(saddle(people, m, self.q, s)), 0.0)
            slope = np.maximum(slope, np.exp(np.minimum(log_pmf(self.n, m, self.q, s) - tail, 3)))
            s = np.clip(
                s + np.clip((log(self.delta) - tail) / slope, -spread, spread), 0.05, self.n
            )
        return s


def log_g(log_rho: Floats, q: float) -> Floats:
    """Return the log privacy ratio g(r) = log((q + p r) / (p + q r)), from the log of r.

    r is the probability ratio P(s) / P(s - 1) of the other people's count, q the lie probability, p
    = 1 - q. Paper 001, Section 6.2: pi_n(s; m) = g(rho_{n-1}(s; m)); infinite r gives log(p/q).
    """
    p = 1 - q
    # Divided by the larger of 1 and r, so that nothing overflows.
    small = np.exp(-np.abs(log_rho))
    up = np.log((q * small + p) / (p * small + q))
    return np.where(log_rho >= 0, up, -up)


def _by_phase(first: int, last: int, ends: Floats, room: float, *, down: bool) -> Floats:
    """Return the m in first .. last at which rounding the real threshold costs little.

    m is the number of other people with a 1. The threshold is linear in m between its values
    `ends`. It is rounded down (`down`) or up, by at most about `room`.
    """
    m = np.arange(first, last + 1, dtype=np.float64)
    position = np.linspace(ends[0], ends[1], len(m))
    rounding_loss = position - np.floor(position) if down else np.ceil(position) - position
    # A margin for the curvature within the interval; a crossing at a whole s is on either side.
    margin = 1.2 * max(room, 0.0) + 0.01
    return m[(rounding_loss <= margin) | (rounding_loss >= 1 - 0.01)]
