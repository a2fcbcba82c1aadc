"""The sum of two binomials, with relative accuracy at any point and any size, by Fourier inversion.

A = Bin(n1, p1) + Bin(n0, p0). For z > 0 the tilted law proportional to P(A = s) z^s is again such a
sum, with odds multiplied by z, and

    P(A = s) = C(z) z^(-s) P_z(s),    C(z) = (1 - p1 + p1 z)^n1 (1 - p0 + p0 z)^n0.

With z at the saddle point the tilted mean is s, so P_z(s) is a value in the middle of a law and is
found without cancellation, even if P(A = s) is tiny: a finite Fourier sum with period M,

    P_z(s) + aliases = (1/M) sum_k phi(t_k) e^(-i t_k s),     t_k = 2 pi k / M.

Aliases lie M away. By Bernstein's inequality P_z(|A - mean| >= W) <= 2 e^-R for W = R/3 +
sqrt(R^2/9 + 2 R var), and |phi(t)| <= exp(-2 var sin^2(t/2)); frequencies below e^-R are left out.
About 15 remain for every n. R = 42: e^-42 = 6e-19.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..validation import Floats

Complexes = npt.NDArray[np.complex128]

# Tails of a distribution, and frequencies of its Fourier transform, below e^-REACH are left out.
REACH = 42.0
# Entries of a block of points x frequencies: bounds the memory.
BLOCK = 1 << 18


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Laws of sums A = Bin(n1, p1) + Bin(n0, p0), one for each entry; arrays of shape (m,).

    A is the count of reported 1-bits. `n1`, `n0` may be real numbers >= 0: the Fourier sum extends
    the
    law analytically in them.

    Attributes:
        n1: trials of probability p1: people with a 1.
        n0: trials of probability p0: people with a 0.
        p1: 0 to 1.
        p0: 0 to 1.
    """

    n1: Floats
    n0: Floats
    p1: Floats
    p0: Floats

    @property
    def mean(self) -> Floats:
        """The mean of each sum, shape (m,)."""
        return self.n1 * self.p1 + self.n0 * self.p0

    @property
    def variance(self) -> Floats:
        """The variance of each sum, shape (m,)."""
        return self.n1 * self.p1 * (1 - self.p1) + self.n0 * self.p0 * (1 - self.p0)

    @property
    def reach(self) -> Floats:
        """The distance from the mean beyond which less than 2 e^-REACH of each law lies; (m,)."""
        return REACH / 3 + np.sqrt(REACH**2 / 9 + 2 * REACH * self.variance)

    def frequencies(self, period: Floats) -> Floats:
        """Return the number of frequencies k = 0, 1, ... of this period that matter."""
        with np.errstate(divide="ignore"):
            sine = np.sqrt(REACH / (2 * self.variance))
        highest = 2 * np.arcsin(np.minimum(1.0, sine))
        count = np.minimum(np.ceil(period * highest / (2 * np.pi)), np.floor(period / 2)) + 1
        return np.asarray(count)

    def take(self, rows: npt.NDArray[np.intp]) -> "Sums":
        """Return the laws at these places only."""
        return Sums(self.n1[rows], self.n0[rows], self.p1[rows], self.p0[rows])

    def wave(self, t: Floats, s: Floats) -> Complexes:
        """Return the centred characteristic function E e^(i t (A - s)) of each sum A.

        t are the frequencies, s is the point at which it is centred; shape (m, k) for m sums and k
        frequencies.
        """
        half_sine = np.sin(t / 2) ** 2
        sine = np.sin(t)
        log_size = np.zeros_like(t)
        phase = (self.mean - s)[:, None] * t
        for n, p in ((self.n1[:, None], self.p1[:, None]), (self.n0[:, None], self.p0[:, None])):
            # |1 - p + p e^it|^2 = 1 - 4 p (1 - p) sin^2(t/2); 0 only for p = 1/2, t = pi.
            log_size += 0.5 * n * np.log1p(np.maximum(-4 * p * (1 - p) * half_sine, -1 + 1e-16))
            # The angle beyond p t, so that large n do not multiply rounding errors.
            phase += n * (np.arctan2(p * sine, 1 - 2 * p * half_sine) - p * t)
        return np.asarray(np.exp(log_size + 1j * phase))


def central(
    sums: Sums, s: Floats, x: Floats | None = None, weights: tuple[float, float] = (1.0, 1.0)
) -> Floats:
    """Return P(A = s), or w_0 P(A = s) + w_1 sum over j >= 1 of x^j P(A = s - j), s near the mean.

    s may be real; the result has shape (m,).

    Args:
        sums: the laws.
        s: where, shape (m,).
        x: in (0, 1), shape (m,). Its powers reach back about R / -log(x): the period grows by it.
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
        # Points that need about as many frequencies are done together.
        rows = order[first : first + max(1, int(BLOCK // count[order[first]]))]
        rows = rows[count[rows] <= 1.5 * count[rows[0]] + 8]
        ratio = None if x is None else x[rows]
        top = int(count[rows[-1]])
        result[rows] = _fourier(sums.take(rows), s[rows], period[rows], top, ratio, weights)
        first += len(rows)
    return result


def window(sums: Sums, first: int, length: int) -> Floats:
    """Return P(A = s) of one sum A at `length` consecutive points s from `first`, by one FFT.

    The relative accuracy of each value is that of the largest: use it within a few deviations.
    """
    from scipy.fft import irfft, next_fast_len

    middle = first + length // 2
    needed = float(sums.reach[0]) + abs(middle - float(sums.mean[0])) + length + 2
    period = next_fast_len(int(np.ceil(needed)), real=True)
    count = int(sums.frequencies(np.array([float(period)]))[0])
    t = 2 * np.pi * np.arange(count) / period
    wave = sums.wave(t[None, :], np.array([float(first)]))[0].conj()
    # irfft computes sum_k X_k e^(+i t_k j): the characteristic function enters conjugated.
    return np.asarray(irfft(wave, period)[:length])


def _fourier(
    sums: Sums,
    s: Floats,
    period: Floats,
    top: int,
    x: Floats | None,
    weights: tuple[float, float],
) -> Floats:
    """Return the Fourier sum of `central`: (1/M) times the sum over |k| <= M/2 for periods M.

    k are frequencies; k = 0 and k = M/2 count once, other k twice. Other arguments as of `central`.
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
