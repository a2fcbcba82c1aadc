"""E[(X_1 + ... + X_n)_+] of independent copies of a finite variable, between two certified numbers.

The atoms need not share a lattice, so they are moved to one, h apart, in two ways that convexity of
(.)_+ turns into bounds (Jensen):

    upper   each atom is split between its two neighbours with the same mean: a wider spread
    lower   each atom is rounded down, and the sum of the remainders is replaced by its mean given
            the rounded sum: a conditional expectation

Both are off by O(h^2). The sum's law is found by one Fourier transform of an exponentially tilted
law centred at 0, so that expectations of 10^-30 keep their digits.
"""

from math import log

import numpy as np

from .arguments import Floats
from .tilting import REACH, Complexes

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]

# Lattice points to one deviation of a single variable: many for short sums, fewer for long ones.
FINEST, COARSEST, GRID = 256.0, 24.0, 1 << 20
# Relative rounding error allowed for, and what each copy may add: the tests see less.
ROUNDING, PER_COPY = 1e-9, 1e-14


def positive_part(atoms: Floats, weights: Floats, n: int) -> tuple[float, float]:
    """Lower and upper bounds of E[(X_1 + ... + X_n)_+].

    Args:
        atoms: the values of X, shape (k,).
        weights: their probabilities.
        n: number of copies, >= 1.
    """
    kept = weights > 0
    atoms, weights = atoms[kept], weights[kept]
    if atoms.max() <= 0:
        return 0.0, 0.0
    if atoms.min() >= 0:
        mean = n * float(atoms @ weights)
        return mean * (1 - _slack(n)), mean * (1 + _slack(n))
    slope = _centring(atoms, weights)
    leaning = weights * np.exp(slope * (atoms - atoms.max()))
    leaning /= leaning.sum()
    spread = float(np.sqrt(leaning @ atoms**2 - (leaning @ atoms) ** 2))
    points = min(FINEST, max(COARSEST, GRID / (24 * np.sqrt(n))))
    step = spread / points
    return _lower(atoms, weights, n, slope, step), _upper(atoms, weights, n, slope, step)


def _centring(atoms: Floats, weights: Floats) -> float:
    """The tilt t >= 0 with E[X e^(t X)] = 0, or 0 where the mean is already positive."""
    from scipy.optimize import brentq

    def mean(t: float) -> float:
        return float((weights * np.exp(t * (atoms - atoms.max()))) @ atoms)

    if mean(0.0) >= 0:
        return 0.0
    top = 1.0 / float(np.abs(atoms).max())
    while mean(top) < 0:
        top *= 2
    return float(brentq(mean, 0.0, top))


def _upper(atoms: Floats, weights: Floats, n: int, slope: float, step: float) -> float:
    place = (atoms - atoms.min()) / step
    low = np.floor(place)
    share = place - low
    lattice = np.concatenate([low, low + 1])
    mass = np.concatenate([weights * (1 - share), weights * share])
    values = atoms.min() + step * lattice
    law, log_norm, sums = _sum(lattice, values, mass, n, slope, step)
    total = float((np.maximum(sums, 0) * np.exp(-slope * sums) * law).sum())
    return total * float(np.exp(log_norm)) * (1 + _slack(n))


def _lower(atoms: Floats, weights: Floats, n: int, slope: float, step: float) -> float:
    place = (atoms - atoms.min()) / step
    lattice = np.floor(place)
    values = atoms.min() + step * lattice
    law, log_norm, sums = _sum(lattice, values, weights, n, slope, step)
    # E[sum of remainders; rounded sum] = n E[remainder; ...] with one variable set apart.
    left, _, _ = _sum(lattice, values, weights, n, slope, step, atoms - values)
    # Rounded sums are centred below 0 by the mean remainder. Leaving out terms lowers the bound
    # further, and below the centre there is soon nothing but rounding errors.
    leaning = weights * np.exp(slope * (values - values.max()))
    centre = n * float(leaning @ values) / leaning.sum()
    kept = sums > (centre - 8 * step * np.sqrt(n) if slope > 0 else -np.inf)
    gain = np.maximum(sums[kept] * law[kept] + n * left[kept], 0)
    total = float((gain * np.exp(-slope * sums[kept])).sum())
    return total * float(np.exp(log_norm)) * (1 - _slack(n))


def _slack(n: int) -> float:
    return ROUNDING + PER_COPY * n


def _sum(
    lattice: Floats,
    values: Floats,
    weights: Floats,
    n: int,
    slope: float,
    step: float,
    marks: Floats | None = None,
) -> tuple[Floats, float, Floats]:
    """The tilted law of the sum around 0, the logarithm of its normaliser, and the sums.

    With `marks` one of the n variables carries its mark as an additional factor.
    """
    from scipy.fft import irfft, next_fast_len

    shift = slope * values.max()
    tilted = weights * np.exp(slope * values - shift)
    norm = float(tilted.sum())
    tilted = tilted / norm
    mean = float(tilted @ lattice)
    variance = n * float(tilted @ (lattice - mean) ** 2)
    widest = float(np.abs(lattice - mean).max())
    reach = REACH * widest / 3 + np.sqrt((REACH * widest / 3) ** 2 + 2 * REACH * variance)
    # No sum lies outside n times the range of one variable: then the window is all of it.
    everything = n * (lattice.max() - lattice.min())
    period = next_fast_len(int(np.ceil(min(2 * reach, everything))) + 3, real=True)
    centred = lattice.astype(np.int64) - round(mean)
    transform = _power(_wave(period, centred, tilted), n if marks is None else n - 1)
    if marks is not None:
        transform = transform * _wave(period, centred, tilted * marks)
    first = round(n * (mean - round(mean))) - period // 2
    if everything <= 2 * reach:
        first = n * int(centred.min())
    law = irfft(transform * _turn(period, -first), period)
    sums = n * values.min() + step * (np.arange(period) + first + n * (round(mean) - lattice.min()))
    return np.asarray(np.maximum(law, 0)), n * (log(norm) + shift), np.asarray(sums)


def _wave(period: int, lattice: Integers, weights: Floats) -> Complexes:
    total = np.zeros(period // 2 + 1, np.complex128)
    for point, weight in zip(lattice, weights, strict=True):
        total += weight * _turn(period, int(point))
    return total


def _turn(period: int, point: int) -> Complexes:
    """e^(-2 pi i k point / period) for k = 0 .. period/2; whole turns are removed exactly.

    The n-th power multiplies rounding errors of the angle by n.
    """
    turns = (np.arange(period // 2 + 1) * (point % period)) % period
    return np.asarray(np.exp(-2j * np.pi * (turns / period)))


def _power(wave: Complexes, n: int) -> Complexes:
    size = np.abs(wave)
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(n * np.log(size) + 1j * n * np.angle(wave)))
