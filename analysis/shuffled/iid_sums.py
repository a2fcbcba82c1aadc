"""Certified bounds of the expected positive part of a sum of independent copies of a variable.

The expectation is E[(X_1 + ... + X_n)_+], the variable has finitely many values (atoms). The atoms
need not share a lattice, so they are moved to one, h apart, in two ways that convexity of
(.)_+ turns into bounds (Jensen):

    upper   each atom is split between its two neighbours with the same mean: a wider spread
    lower   each atom is moved to the nearest, and the sum of the remainders is replaced by its mean
            given the rounded sum: a conditional expectation

Both are off by O(h^2). The sum's law is found by one Fourier transform of an exponentially tilted
law centred at 0, so that expectations of 10^-30 keep their digits. The smallest and the largest
atom are on the lattice. If the lattice is too coarse, Chernoff's bound may be sharper:
E[S_+] <= E[e^(t S)] / (e t), because x e^(-t x) is at most 1 / (e t). A Laplace variable of rate L
beside them multiplies E[e^(t S)] by 1 / (1 - t^2 / L^2).
"""

from collections.abc import Callable
from math import e, exp, inf, log, log1p
from typing import Any

import numpy as np

from ..validation import Floats
from .tilting import REACH, Complexes

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]

# Lattice points per standard deviation of one term: FINEST for sums of few terms, down to COARSEST
# for sums of many; GRID sets how fast their number falls.
FINEST, COARSEST, GRID = 256.0, 24.0, 1 << 20
# The coarsest lattice tried, points to one deviation; it is taken if its error is below GOOD of the
# finest lattice's. Tried for few atoms only, which can all be near its points.
FEWEST, GOOD, MAX_ATOMS = 6.0, 0.1, 6
# Most standard deviations from the smallest value of a term to the largest: bounds time and memory.
LONGEST = 64
# With more nats of tilt from one lattice point to the next, the lattice gives no useful bound.
STEEP = 10.0
# The search for the exponential tilt that centres a sum ends at this tilt.
STEEPEST_TILT = 1e200
# Largest exponential tilt of a sum with a Laplace variable, as a part of that variable's rate.
STEEPEST = 0.8
# In a lower bound, rounding errors of a law may be raised by this many nats.
FAINT = 15.0
# If the log of a bound is below this, only 0 and Chernoff's bound are used.
MIN_LOG = -690.0
# Relative rounding error that is allowed for, in all and for each copy; tests find less.
ROUNDING, PER_COPY = 1e-9, 1e-14


def positive_part(
    atoms: Floats, weights: Floats, n: int, finest: float = FINEST
) -> tuple[float, float]:
    """Return lower and upper bounds of E[(X_1 + ... + X_n)_+], X_i independent copies of X.

    Args:
        atoms: the values of X, shape (k,).
        weights: their probabilities.
        n: number of copies, >= 1.
        finest: lattice points to one deviation, at most; fewer are faster and less exact.
    """
    upper = at_most(atoms, weights, n, finest)
    return min(at_least(atoms, weights, n, finest), upper), upper


def at_most(
    atoms: Floats,
    weights: Floats,
    n: int,
    finest: float = FINEST,
    sharp: float = inf,
    *,
    beyond: float = 0.0,
) -> float:
    """Return an upper bound of E[(X_1 + ... + X_n)_+], the X_i independent copies of X.

    If `sharp` is finite, the bound is of E[(X_1 + ... + X_n + G)_+], G a Laplace variable of scale
    1/sharp; infinite if G is far wider than the sum. Chernoff's bound is returned if it is at most
    `beyond`. Other arguments as of `positive_part`.
    """
    atoms, weights, edge = _edges(atoms, weights, n)
    if edge is not None:
        return (edge + (0.0 if sharp == inf else 1 / (2 * sharp))) * (1 + rounding_slack(n))
    slope, step = _lattice(atoms, weights, n, finest)
    if slope > STEEPEST * sharp:
        return inf
    limit = _chernoff(atoms, weights, n, slope) - log1p(-((slope / sharp) ** 2))
    if limit < MIN_LOG:
        return exp(MIN_LOG)
    if beyond > 0 and limit <= log(beyond):
        return exp(limit)
    if slope * step > STEEP:
        return exp(min(limit, -MIN_LOG))
    return min(exp(min(limit, -MIN_LOG)), _upper(atoms, weights, n, slope, step, sharp))


def at_least(
    atoms: Floats, weights: Floats, n: int, finest: float = FINEST, beyond: float = 0.0
) -> float:
    """Return a lower bound of E[(X_1 + ... + X_n)_+]; 0 if Chernoff's bound is at most `beyond`.

    Other arguments as of `positive_part`.
    """
    atoms, weights, edge = _edges(atoms, weights, n)
    if edge is not None:
        return edge * (1 - rounding_slack(n))
    slope, step = _lattice(atoms, weights, n, finest)
    least_log = max(MIN_LOG, log(beyond)) if beyond > 0 else MIN_LOG
    if _chernoff(atoms, weights, n, slope) < least_log or slope * step > STEEP:
        return 0.0
    return _lower(atoms, weights, n, slope, step)


def _edges(atoms: Floats, weights: Floats, n: int) -> tuple[Floats, Floats, float | None]:
    """Return the atoms with a weight, and the expectation if it needs no lattice, else None.

    It needs none if all atoms have one sign.
    """
    is_positive = weights > 0
    atoms, weights = atoms[is_positive], weights[is_positive]
    if atoms.max() <= 0:
        return atoms, weights, 0.0
    return atoms, weights, n * float(atoms @ weights) if atoms.min() >= 0 else None


def _lattice(atoms: Floats, weights: Floats, n: int, finest: float) -> tuple[float, float]:
    """Return the tilt (weights e^(tilt x)) that centres the sum at 0, and the lattice's step."""
    slope = _centring(atoms, weights)
    leaning = weights * np.exp(slope * (atoms - atoms.max()))
    leaning /= leaning.sum()
    spread = float(np.sqrt(leaning @ (atoms - leaning @ atoms) ** 2))
    points = min(finest, max(COARSEST, GRID / (24 * np.sqrt(n))))
    wide = float(atoms.max() - atoms.min())
    most_steps = int(np.ceil(wide / max(spread / points, wide / (LONGEST * finest))))
    if len(atoms) > MAX_ATOMS:
        return slope, wide / most_steps
    # A step that tilts by more than a nat resolves the points above 0 badly.
    fewest = max(most_steps * FEWEST / points, slope * wide)
    return slope, wide / _fitting(atoms, leaning, most_steps, int(min(fewest, most_steps)))


def _fitting(atoms: Floats, weights: Floats, most_steps: int, fewest: int) -> int:
    """Return the number of lattice steps into which the range of the atoms (values of X) is cut.

    A few steps are enough if most atoms are then near a lattice point. An atom at a share f of the
    way between two points is split between them, which adds f (1 - f) step^2 to the variance. So it
    is in the upper bound; in the lower bound the atom is moved, which reduces the variance by no
    more. `most_steps` steps are enough for any f.
    """
    steps = np.arange(min(max(fewest, 1), most_steps), most_steps + 1)[:, None]
    share = (atoms - atoms.min()) / (atoms.max() - atoms.min()) * steps
    share -= np.floor(share)
    error = (share * (1 - share)) @ weights / steps[:, 0] ** 2
    return int(steps[np.argmax(error <= max(GOOD / (6 * most_steps**2), float(error.min()))), 0])


def _chernoff(atoms: Floats, weights: Floats, n: int, slope: float) -> float:
    """Return the logarithm of Chernoff's bound of E[S_+], S the sum of n terms.

    It is +inf if the mean is not below 0; `slope` is the tilt of the bound.
    """
    if slope == 0:
        return np.inf
    top = slope * float(atoms.max())
    return n * (log(float(weights @ np.exp(slope * atoms - top))) + top) - log(e * slope)


def _centring(atoms: Floats, weights: Floats) -> float:
    """Return the tilt t >= 0 with E[X e^(t X)] = 0 for one term X, or 0 if its mean is positive."""

    def mean(t: float) -> float:
        """Return the mean of one term X under the tilt e^(t X), up to a positive factor."""
        return float((weights * np.exp(t * (atoms - atoms.max()))) @ atoms)

    if mean(0.0) >= 0:
        return 0.0
    return rising_root(mean, 1.0 / float(np.abs(atoms).max()))


def rising_root(mean: Callable[[float], float], top: float) -> float:
    """Return the tilt above 0 at which a rising mean is 0, from `top` up; infinity if none."""
    from scipy.optimize import brentq

    while mean(top) < 0:
        top *= 2
        if top > STEEPEST_TILT:
            return inf
    return float(brentq(mean, 0.0, top))


def split(atoms: Floats, weights: Floats, step: float) -> tuple[Floats, Floats]:
    """Split each atom between its two neighbours on a lattice, with the same mean.

    Returns:
        The lattice points with a weight, counted from the smallest atom in steps, and the weights.
    """
    place = (atoms - atoms.min()) / step
    low = np.floor(place)
    share = place - low
    lattice = np.concatenate([low, low + 1])
    mass = np.concatenate([weights * (1 - share), weights * share])
    return lattice[mass > 0], mass[mass > 0]


def _upper(
    atoms: Floats, weights: Floats, n: int, slope: float, step: float, sharp: float
) -> float:
    """Return the upper bound on a lattice: each atom is split between its two neighbours."""
    lattice, mass = split(atoms, weights, step)
    values = atoms.min() + step * lattice
    law, _, log_norm, sums = _sum(lattice, values, mass, n, slope, step, np.zeros_like(values))
    above = sums > 0  # other sums add 0, and e^(-slope sums) may overflow for them
    total = float(
        (
            sums[above] * np.exp(np.minimum(log_norm - slope * sums[above], -MIN_LOG)) * law[above]
        ).sum()
    )
    if sharp < inf:  # E[(x + G)_+] = x_+ + e^(-L |x|) / (2 L), convex too
        tails = np.exp(np.minimum(log_norm - slope * sums - sharp * np.abs(sums), -MIN_LOG))
        total += float((tails * law).sum()) / (2 * sharp)
    return total * (1 + rounding_slack(n))


def _lower(atoms: Floats, weights: Floats, n: int, slope: float, step: float) -> float:
    """Return the lower bound on a lattice: each atom is moved to the nearest point."""
    place = (atoms - atoms.min()) / step
    lattice = np.rint(place)
    values = atoms.min() + step * lattice
    # E[sum of remainders; rounded sum] = n E[remainder; ...] with one variable set apart.
    law, sum_of_marks, log_norm, sums = _sum(
        lattice, values, weights, n, slope, step, atoms - values
    )
    # Rounded sums are centred beside 0 by the mean remainder. Leaving out terms lowers the bound
    # further, and below the centre only rounding errors soon remain.
    leaning = weights * np.exp(slope * (values - values.max()))
    centre = n * float(leaning @ values) / leaning.sum()
    reach = min(8 * step * np.sqrt(n), FAINT / slope) if slope > 0 else np.inf
    is_near = sums > centre - reach
    gain = np.maximum(sums[is_near] * law[is_near] + n * sum_of_marks[is_near], 0)
    total = float((gain * np.exp(np.minimum(log_norm - slope * sums[is_near], -MIN_LOG))).sum())
    return total * (1 - rounding_slack(n))


def rounding_slack(n: int) -> float:
    """Return the relative error that rounding may add to an expectation over n copies."""
    return ROUNDING + PER_COPY * n


def _sum(
    lattice: Floats,
    values: Floats,
    weights: Floats,
    n: int,
    slope: float,
    step: float,
    marks: Floats,
) -> tuple[Floats, Floats, float, Floats]:
    """Return the tilted law of a sum around 0, the law with marks, log normaliser, and sums.

    In the law with marks, one of the n terms carries a number of its own (mark) as an additional
    factor.
    """
    from scipy.fft import next_fast_len

    shift = slope * values.max()
    tilted = weights * np.exp(slope * values - shift)
    norm = float(tilted.sum())
    tilted = tilted / norm
    mean = float(tilted @ lattice)
    variance = n * float(tilted @ (lattice - mean) ** 2)
    widest = float(np.abs(lattice - mean).max())
    reach = REACH * widest / 3 + np.sqrt((REACH * widest / 3) ** 2 + 2 * REACH * variance)
    # No sum lies outside n times the range of one variable: then the window is all of it.
    full_range = n * (lattice.max() - lattice.min())
    period = next_fast_len(int(np.ceil(min(2 * reach, full_range))) + 3, real=True)
    centred = lattice.astype(np.int64) - round(mean)
    first = round(n * (mean - round(mean))) - period // 2
    if full_range <= 2 * reach:
        first = n * int(centred.min())
    wave = transform(period, centred, tilted)
    # The n-th power is negligible at most frequencies: about sqrt(n) of n are left.
    frequencies = np.flatnonzero(np.abs(wave) >= exp(-REACH / max(n - 1, 1))) if n > 1 else np.s_[:]
    rest = np.exp((n - 1) * np.log(wave[frequencies])) * phase(period, -first, frequencies)
    law = inverse_transform(period, frequencies, rest * wave[frequencies])
    marks_law = np.zeros_like(law)
    if marks.any():
        marks_law = inverse_transform(
            period, frequencies, rest * transform(period, centred, tilted * marks)[frequencies]
        )
    sums = n * values.min() + step * (np.arange(period) + first + n * (round(mean) - lattice.min()))
    return np.maximum(law, 0), marks_law, n * (log(norm) + shift), np.asarray(sums)


def inverse_transform(period: int, frequencies: Any, amplitudes: Complexes) -> Floats:
    """Return the law with these Fourier amplitudes at the frequencies, and 0 elsewhere."""
    from scipy.fft import irfft

    spectrum = np.zeros(period // 2 + 1, np.complex128)
    spectrum[frequencies] = amplitudes
    return np.asarray(irfft(spectrum, period), np.float64)


def transform(period: int, lattice: Integers, weights: Floats) -> Complexes:
    """Return the Fourier transform of weights on a lattice, to about 1e-16.

    The n-th power makes the error n times that.
    """
    from scipy.fft import rfft

    pulses = np.bincount(lattice % period, weights, minlength=period)
    return np.asarray(rfft(pulses), np.complex128)


def phase(period: int, point: int, frequencies: Any) -> Complexes:
    """Return e^(-2 pi i k point / period) for frequencies k; whole turns are removed exactly."""
    turns = (np.arange(period // 2 + 1)[frequencies] * (point % period)) % period
    return np.asarray(np.exp(-2j * np.pi * (turns / period)))
