"""The distribution of a sum of two binomials, accurate in the tails, by Fourier inversion.

A = Bin(n1, p1) + Bin(n0, p0). For z > 0 let P_z(s) be proportional to P(A = s) z^s, the tilted law.
P_z is again a sum of two binomials, with odds multiplied by z, and

    P(A = s) = C(z) z^(-s) P_z(s),    C(z) = (1 - p1 + p1 z)^n1 (1 - p0 + p0 z)^n0.

If z is the saddle point, the tilted mean is s. Then P_z(s) is near the mode and is computed without
cancellation, even if P(A = s) is tiny. The computation is a finite Fourier sum with period M, phi
the characteristic function of P_z:

    P_z(s) + aliases = (1/M) sum_k phi(t_k) e^(-i t_k s),     t_k = 2 pi k / M.

The aliases are probabilities at distances of at least M from s. Let var be the variance. By
Bernstein's inequality P_z(|A - mean| >= W) <= 2 e^-R for W = R/3 + sqrt(R^2/9 + 2 R var). Also
|phi(t)| <= exp(-2 var sin^2(t/2)), so frequencies at which this bound is below e^-R are left out.
About 15 frequencies remain for every n. R = 42: e^-42 = 6e-19.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..validation import Floats

Complexes = npt.NDArray[np.complex128]

# Tails of a distribution below e^-REACH are left out, as are frequencies at which its Fourier
# transform is below e^-REACH.
REACH = 42.0
# Most entries of an array of points x frequencies that is computed at once, to limit the memory.
BLOCK = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Distributions of m sums A = Bin(n1, p1) + Bin(n0, p0); each attribute has shape (m,).

    A is the count of reported 1-bits. `n1` and `n0` may be real numbers >= 0, because the Fourier
    sum extends the distribution analytically to them.

    Attributes:
        n1: trials of probability p1: people with a 1.
        n0: trials of probability p0: people with a 0.
        p1: probability that a person with a 1 reports a 1, 0 to 1.
        p0: probability that a person with a 0 reports a 1, 0 to 1.
    """

    n1: Floats
    n0: Floats
    p1: Floats
    p0: Floats

    @property
    def mean(self) -> Floats:
        """The mean of each sum A of two binomials, shape (m,) for m sums."""
        return self.n1 * self.p1 + self.n0 * self.p0

    @property
    def variance(self) -> Floats:
        """The variance of each sum A of two binomials, shape (m,) for m sums."""
        return self.n1 * self.p1 * (1 - self.p1) + self.n0 * self.p0 * (1 - self.p0)

    @property
    def reach(self) -> Floats:
        """The distance from the mean beyond which each sum lies with probability below 2 e^-REACH.

        Shape (m,) for m sums.
        """
        return REACH / 3 + np.sqrt(REACH**2 / 9 + 2 * REACH * self.variance)

    def frequencies(self, period: Floats) -> Floats:
        """Return the number of frequencies of a Fourier sum that matter, for each sum A.

        The frequencies are 2 pi k / period, k = 0, 1, ... A frequency does not matter if the
        characteristic function is below e^-REACH there. `period` and the result have shape (m,) for
        m sums.
        """
        with np.errstate(divide="ignore"):
            sine = np.sqrt(REACH / (2 * self.variance))
        highest = 2 * np.arcsin(np.minimum(1.0, sine))
        count = np.minimum(np.ceil(period * highest / (2 * np.pi)), np.floor(period / 2)) + 1
        return np.asarray(count)

    def select_sums(self, rows: npt.NDArray[np.intp]) -> "Sums":
        """Return the sums with these indices only."""
        return Sums(self.n1[rows], self.n0[rows], self.p1[rows], self.p0[rows])

    def wave(self, t: Floats, s: Floats) -> Complexes:
        """Return the centred characteristic function E e^(i t (A - s)) of each sum A.

        Args:
            t: angular frequencies, shape (m, k) for m sums and k frequencies.
            s: the point at which each sum is centred, shape (m,).

        Returns:
            Complex values of shape (m, k).
        """
        half_sine = np.sin(t / 2) ** 2
        sine = np.sin(t)
        log_size = np.zeros_like(t)
        phase = (self.mean - s)[:, None] * t
        for n, p in ((self.n1[:, None], self.p1[:, None]), (self.n0[:, None], self.p0[:, None])):
            # A trial of probability p has the characteristic function 1 - p + p e^it, of squared
            # size 1 - 4 p (1 - p) sin^2(t/2). The size is 0 only for p = 1/2 and t = pi.
            log_size += 0.5 * n * np.log1p(np.maximum(-4 * p * (1 - p) * half_sine, -1 + 1e-16))
            # The angle of 1 - p + p e^it is p t plus a remainder. The n trials add n times the
            # remainder; n p t is already in the mean, where large n multiply no rounding error.
            phase += n * (np.arctan2(p * sine, 1 - 2 * p * half_sine) - p * t)
        return np.asarray(np.exp(log_size + 1j * phase))


def central(
    sums: Sums, s: Floats, x: Floats | None = None, weights: tuple[float, float] = (1.0, 1.0)
) -> Floats:
    """Return P(A = s), or a weighted sum of P(A = s) and P(A < s), for s near the mean.

    The weighted sum is w_0 P(A = s) + w_1 sum over j >= 1 of x^j P(A = s - j). The result has shape
    (m,) for m sums.

    Args:
        sums: the sums A.
        s: the point of each sum, may be real, shape (m,).
        x: factors in (0, 1), shape (m,); None: P(A = s) alone. Probabilities down to about R /
            -log(x) below s contribute, R = REACH, so the period of the Fourier sum grows by this
            distance.
        weights: w_0, w_1.
    """
    period = sums.reach + np.abs(s - sums.mean) + 2
    if x is not None:
        period = period + REACH / -np.log(x)
    period = np.ceil(period)
    count = sums.frequencies(period)
    result = np.empty(len(period))
    order, first = np.argsort(count), 0
    while first < len(order):
        # Points that need about equally many frequencies are computed together.
        rows = order[first : first + max(1, int(BLOCK // count[order[first]]))]
        rows = rows[count[rows] <= 1.5 * count[rows[0]] + 8]
        ratio = None if x is None else x[rows]
        top = int(count[rows[-1]])
        result[rows] = _fourier(sums.select_sums(rows), s[rows], period[rows], top, ratio, weights)
        first += len(rows)
    return result


def window(sums: Sums, first: int, length: int) -> Floats:
    """Return P(A = s) of one sum A at consecutive points s, by one Fourier transform.

    All probabilities have the absolute error of the largest. So the points should lie within a
    few standard deviations of the mean.

    Args:
        sums: the single sum A.
        first: the first point.
        length: number of points.
    """
    from scipy.fft import irfft, next_fast_len

    middle = first + length // 2
    needed = float(sums.reach[0]) + abs(middle - float(sums.mean[0])) + length + 2
    period = next_fast_len(int(np.ceil(needed)), real=True)
    count = int(sums.frequencies(np.array([float(period)]))[0])
    t = 2 * np.pi * np.arange(count) / period
    wave = sums.wave(t[None, :], np.array([float(first)]))[0].conj()
    # irfft computes sum_k X_k e^(+i t_k j), but the sum needed has e^(-i t_k j); so the conjugate
    # of the characteristic function is passed.
    return np.asarray(irfft(wave, period)[:length])


def _fourier(
    sums: Sums,
    s: Floats,
    period: Floats,
    top: int,
    x: Floats | None,
    weights: tuple[float, float],
) -> Floats:
    """Return the Fourier sum that `central` needs: the mean over all frequencies of a period M.

    The sum is 1/M times the sum over |k| <= M/2, k the number of a frequency. k = 0 and k = M/2
    count once, other k twice, because negative k are not computed.

    Args:
        sums: the sums A.
        s: the point of each sum.
        period: M for each sum.
        top: number of frequencies computed.
        x: factors of lower probabilities, or None.
        weights: weights of P(A = s) and of the lower probabilities.
    """
    k = np.arange(top)
    double = 2 * k[None, :] - period[:, None]
    weight = np.where((k == 0) | (double == 0), 1.0, 2.0) * (double <= 0)
    t = 2 * np.pi * k / period[:, None]
    terms = sums.wave(t, s)
    if x is not None:
        turned = x[:, None] * np.exp(1j * t)
        terms = terms * (weights[0] + weights[1] * turned / (1 - turned))
    return np.asarray((weight * terms.real).sum(axis=1) / period)
