"""Certified bounds of the expected positive part of a sum of independent copies of a variable.

The expectation is E[(X_1 + ... + X_n)_+]; the variable X has finitely many values (atoms). The
atoms need not share a lattice, so they are moved to a lattice with step h. There are two ways.
Because (.)_+ is convex, each gives a bound (Jensen):

    upper   each atom is split between its two neighbours with the same mean: a wider spread
    lower   each atom is moved to the nearest point, and the sum of the remainders is replaced by
            its mean given the rounded sum: a conditional expectation

The error of both is O(h^2). The smallest and the largest atom are on the lattice. One Fourier
transform gives the distribution of the sum S, exponentially tilted so that it is centred at 0. So
expectations of 10^-30 keep their digits.

If the lattice is too coarse, Chernoff's bound with a tilt t may be sharper: E[S_+] <= E[e^(t S)] /
(e t), because x e^(-t x) is at most 1 / (e t). If a Laplace variable of rate L is added to S,
E[e^(t S)] is multiplied by 1 / (1 - t^2 / L^2).
"""

from collections.abc import Callable
from math import e, exp, inf, log, log1p
from typing import Any

import numpy as np

from ..validation import Floats
from .tilting import REACH, Complexes

Integers = np.ndarray[tuple[int], np.dtype[np.int64]]

# Lattice points per standard deviation of one term: FINEST for sums of few terms, down to COARSEST
# for sums of many. With n terms there are about GRID / (24 sqrt(n)) points between these limits.
FINEST, COARSEST, GRID = 256.0, 24.0, 1 << 20
# FEWEST: points per standard deviation of the coarsest lattice tried. A coarse lattice is taken if
# its error is below GOOD times that of the finest. Coarse lattices are tried only for at most
# MAX_ATOMS atoms, because more atoms cannot all be near lattice points.
FEWEST, GOOD, MAX_ATOMS = 6.0, 0.1, 6
# If the values of a term range over more than LONGEST standard deviations, the lattice is coarser
# than the finest. Then it has at most LONGEST * finest steps. This bounds time and memory.
LONGEST = 64
# If the tilt changes the log probability by more nats than this from one lattice point to the next,
# the lattice gives no useful bound. Then the upper bound is Chernoff's, and the lower bound is 0.
STEEP = 10.0
# The search for the exponential tilt that centres a sum at 0 gives up above this tilt, which then
# counts as infinite.
STEEPEST_TILT = 1e200
# Largest exponential tilt of a sum with an added Laplace variable, as a share of the variable's
# rate, because E[e^(t G)] diverges as the tilt t reaches the rate.
STEEPEST = 0.8
# Undoing the tilt multiplies the rounding errors of a probability. A lower bound leaves out the
# sums at which rounding errors would grow by more than this many nats.
FAINT = 15.0
# If the logarithm of Chernoff's bound of E[(X_1 + ... + X_n)_+] is below this, floating point would
# underflow. Then the sum is not computed on a lattice: the lower bound of the expectation is 0, the
# upper bound e^MIN_LOG.
MIN_LOG = -690.0
# Relative rounding error allowed for in the expectation of a sum of n random terms: ROUNDING in
# all, and PER_COPY for each of the n terms. Measured errors are smaller.
ROUNDING, PER_COPY = 1e-9, 1e-14


def positive_part(
    atoms: Floats, weights: Floats, n: int, finest: float = FINEST
) -> tuple[float, float]:
    """Return lower and upper bounds of E[(X_1 + ... + X_n)_+], X_i independent copies of X.

    Args:
        atoms: the values of X, shape (k,).
        weights: probabilities of the values, shape (k,).
        n: number of copies, >= 1.
        finest: most lattice points per standard deviation; fewer are faster and less exact.
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

    Args:
        atoms: the values of X.
        weights: probabilities of the values.
        n: number of copies, >= 1.
        finest: most lattice points per standard deviation; fewer are faster and less exact.
        sharp: if finite, a Laplace variable of scale 1/sharp is added to the sum. The result is
            infinite if this variable is far wider than the sum.
        beyond: Chernoff's bound is returned if it is at most this, because no sharper bound is
            needed.
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
    """Return a lower bound of E[(X_1 + ... + X_n)_+], the X_i independent copies of X.

    Args:
        atoms: the values of X.
        weights: probabilities of the values.
        n: number of copies, >= 1.
        finest: most lattice points per standard deviation; fewer are faster and less exact.
        beyond: the result is 0 if Chernoff's upper bound is below this, because no sharper bound is
            needed.
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
    """Return the atoms with positive weight, their weights, and E[(X_1 + ... + X_n)_+] or None.

    The expectation is returned if all values of X (atoms) have one sign, because it is then exact
    without a lattice: 0 or n E[X].
    """
    is_positive = weights > 0
    atoms, weights = atoms[is_positive], weights[is_positive]
    if atoms.max() <= 0:
        return atoms, weights, 0.0
    return atoms, weights, n * float(atoms @ weights) if atoms.min() >= 0 else None


def _lattice(atoms: Floats, weights: Floats, n: int, finest: float) -> tuple[float, float]:
    """Return the tilt (weights e^(tilt x)) that centres the sum at 0, and the lattice's step.

    The lattice holds the rounded values of one term. `finest`: most points per standard deviation.

    atoms, weights: the values of a term, and their probabilities. n: number of terms.
    """
    slope = _centring(atoms, weights)
    leaning = weights * np.exp(slope * (atoms - atoms.max()))
    leaning /= leaning.sum()
    spread = float(np.sqrt(leaning @ (atoms - leaning @ atoms) ** 2))
    points = min(finest, max(COARSEST, GRID / (24 * np.sqrt(n))))
    wide = float(atoms.max() - atoms.min())
    most_steps = int(np.ceil(wide / max(spread / points, wide / (LONGEST * finest))))
    if len(atoms) > MAX_ATOMS:
        return slope, wide / most_steps
    # `slope` is the exponential tilt that centres the sum. If it changes the log weight by more
    # than a nat from point to point, the expectation of the positive part rests on few points. So
    # the lattice has at least slope * wide steps.
    fewest = max(most_steps * FEWEST / points, slope * wide)
    return slope, wide / _fitting(atoms, leaning, most_steps, int(min(fewest, most_steps)))


def _fitting(atoms: Floats, weights: Floats, most_steps: int, fewest: int) -> int:
    """Return the number of lattice steps into which the range of the atoms (values of X) is cut.

    The upper bound splits an atom at a share f of the way between two lattice points. The variance
    of X then grows by f (1 - f) step^2. The lower bound moves the atom, and the variance falls by
    no more. So few steps are enough if most atoms are near a lattice point (f near 0 or 1).

    Args:
        atoms: the values of X.
        weights: their tilted probabilities.
        most_steps: number of steps that is enough for any f.
        fewest: least number of steps tried.
    """
    steps = np.arange(min(max(fewest, 1), most_steps), most_steps + 1)[:, None]
    share = (atoms - atoms.min()) / (atoms.max() - atoms.min()) * steps
    share -= np.floor(share)
    error = (share * (1 - share)) @ weights / steps[:, 0] ** 2
    return int(steps[np.argmax(error <= max(GOOD / (6 * most_steps**2), float(error.min()))), 0])


def _chernoff(atoms: Floats, weights: Floats, n: int, slope: float) -> float:
    """Return the logarithm of Chernoff's bound of E[S_+], S the sum of n independent terms X.

    The result is +inf if the tilt `slope` is 0, as for terms with a mean of at least 0.

    atoms, weights: the values of X, and their probabilities.
    """
    if slope == 0:
        return np.inf
    top = slope * float(atoms.max())
    return n * (log(float(weights @ np.exp(slope * atoms - top))) + top) - log(e * slope)


def _centring(atoms: Floats, weights: Floats) -> float:
    """Return the tilt t >= 0 with E[X e^(t X)] = 0 for one term X, or 0 if its mean is positive."""

    def mean(t: float) -> float:
        """Return E[X e^(t X)] for one term X of the sum, up to a positive factor.

        Only the sign matters: the search looks for the tilt t at which this expectation is 0.
        """
        return float((weights * np.exp(t * (atoms - atoms.max()))) @ atoms)

    if mean(0.0) >= 0:
        return 0.0
    return rising_root(mean, 1.0 / float(np.abs(atoms).max()))


def rising_root(mean: Callable[[float], float], top: float) -> float:
    """Return the tilt above 0 at which an increasing function `mean` is 0; infinity if none.

    `top` is the first upper limit of the search; it is doubled until the mean at `top` is not
    negative.
    """
    from scipy.optimize import brentq

    while mean(top) < 0:
        top *= 2
        if top > STEEPEST_TILT:
            return inf
    return float(brentq(mean, 0.0, top))


def split(atoms: Floats, weights: Floats, step: float) -> tuple[Floats, Floats]:
    """Split each atom (value of a term) between its two lattice neighbours, with the same mean.

    Returns:
        The lattice points with positive weight, in steps from the smallest atom, and their weights.
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
    """Return an upper bound of E[(X_1 + ... + X_n)_+]: each value of X is split on a lattice.

    Splitting a value between its two neighbouring lattice points keeps the mean and widens the
    spread, so the expectation can only grow.

    Args:
        atoms: the values of X.
        weights: their probabilities.
        n: number of copies of X.
        slope: exponential tilt that centres the sum at 0.
        step: distance of lattice points.
        sharp: rate of a Laplace variable that is added to the sum; infinite: none.
    """
    lattice, mass = split(atoms, weights, step)
    values = atoms.min() + step * lattice
    law, _, log_norm, sums = _sum(lattice, values, mass, n, slope, step, np.zeros_like(values))
    above = sums > 0  # other sums S contribute 0, and e^(-slope S) may overflow for them
    total = float(
        (
            sums[above] * np.exp(np.minimum(log_norm - slope * sums[above], -MIN_LOG)) * law[above]
        ).sum()
    )
    # A Laplace variable G of rate L = sharp may be added to the sum x to smooth it. Then E[(x +
    # G)_+] = x_+ + e^(-L |x|) / (2 L). This is convex in x, so splitting the values of X between
    # lattice points still gives an upper bound.
    if sharp < inf:
        tails = np.exp(np.minimum(log_norm - slope * sums - sharp * np.abs(sums), -MIN_LOG))
        total += float((tails * law).sum()) / (2 * sharp)
    return total * (1 + rounding_slack(n))


def _lower(atoms: Floats, weights: Floats, n: int, slope: float, step: float) -> float:
    """Return a lower bound of E[(X_1 + ... + X_n)_+]: each value of X is moved to a lattice point.

    The nearest point is taken. The sum of the remainders is replaced by its mean given the rounded
    sum, so the expectation can only fall (Jensen).

    Args:
        atoms: the values of X.
        weights: their probabilities.
        n: number of copies of X.
        slope: exponential tilt that centres the sum at 0.
        step: distance of lattice points.
    """
    place = (atoms - atoms.min()) / step
    lattice = np.rint(place)
    values = atoms.min() + step * lattice
    # A remainder is a value minus its lattice point. E[...; S] is an expectation restricted to the
    # event that the rounded sum is S. For n independent terms, E[sum of remainders; S] = n
    # E[remainder of one term; S], and `_sum` computes the second expectation.
    law, sum_of_marks, log_norm, sums = _sum(
        lattice, values, weights, n, slope, step, atoms - values
    )
    # The tilted sum of rounded values is not centred exactly at 0, because the remainders (value
    # minus lattice point) have a mean. Far below the centre only rounding errors remain, so such
    # sums are left out. This only lowers the bound.
    leaning = weights * np.exp(slope * (values - values.max()))
    centre = n * float(leaning @ values) / leaning.sum()
    reach = min(8 * step * np.sqrt(n), FAINT / slope) if slope > 0 else np.inf
    is_near = sums > centre - reach
    gain = np.maximum(sums[is_near] * law[is_near] + n * sum_of_marks[is_near], 0)
    total = float((gain * np.exp(np.minimum(log_norm - slope * sums[is_near], -MIN_LOG))).sum())
    return total * (1 - rounding_slack(n))


def rounding_slack(n: int) -> float:
    """Return the relative error that rounding may add to the expectation of a sum of n copies."""
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
    """Return the tilted distribution of a sum of n terms on a lattice, and two related quantities.

    Args:
        lattice: values of one term, in steps.
        values: values of one term, not divided by the step.
        weights: probabilities of the values.
        n: number of independent terms.
        slope: exponential tilt that centres the sum at 0.
        step: distance of lattice points.
        marks: a further number for each value of a term, such as the rounding remainder.

    Returns:
        The tilted probability of each sum; the tilted expectation of one term's mark on the event
        that the sum has this value; the logarithm of the normalising factor; the sums.
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
    # All sums lie within n times the range of one term. If this is shorter than the window, the
    # window covers just all sums.
    full_range = n * (lattice.max() - lattice.min())
    period = next_fast_len(int(np.ceil(min(2 * reach, full_range))) + 3, real=True)
    centred = lattice.astype(np.int64) - round(mean)
    first = round(n * (mean - round(mean))) - period // 2
    if full_range <= 2 * reach:
        first = n * int(centred.min())
    wave = transform(period, centred, tilted)
    # The n-th power of the transform is negligible at most frequencies. About sqrt(n) of n
    # frequencies remain.
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
    """Return the distribution whose Fourier transform has these amplitudes at these frequencies.

    At all other frequencies of the period, the transform is taken as 0.
    """
    from scipy.fft import irfft

    spectrum = np.zeros(period // 2 + 1, np.complex128)
    spectrum[frequencies] = amplitudes
    return np.asarray(irfft(spectrum, period), np.float64)


def transform(period: int, lattice: Integers, weights: Floats) -> Complexes:
    """Return the Fourier transform of weights on a lattice, with an error of about 1e-16.

    A sum of n terms has the n-th power of this transform, and n times the error.

    Args:
        period: number of lattice points after which the transform repeats.
        lattice: whole numbers of steps.
        weights: weight of each lattice point.
    """
    from scipy.fft import rfft

    pulses = np.bincount(lattice % period, weights, minlength=period)
    return np.asarray(rfft(pulses), np.complex128)


def phase(period: int, point: int, frequencies: Any) -> Complexes:
    """Return e^(-2 pi i k point / period) for frequencies k.

    Whole turns of k point / period are removed exactly, before rounding.
    """
    turns = (np.arange(period // 2 + 1)[frequencies] * (point % period)) % period
    return np.asarray(np.exp(-2j * np.pi * (turns / period)))
