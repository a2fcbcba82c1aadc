"""Upper bound of E[(S + G)_+], S a sum of groups of independent terms, G a Laplace variable.

G smooths the sum. A group is a number of independent copies of one variable with finitely many
values (atoms); the variable differs from group to group. All atoms are moved to lattices of one
step: each atom is split between its two neighbouring lattice points, with the same mean. One
Fourier transform then gives the distribution of S. All groups are tilted exponentially by the same
tilt, so that S is centred at 0 and small expectations stay accurate. `iid_sums.py` does this for a
single group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf, log, log1p

import numpy as np

from ..validation import Floats
from .iid_sums import (
    LONGEST,
    MIN_LOG,
    STEEP,
    STEEPEST,
    Integers,
    inverse_transform,
    phase,
    rising_root,
    rounding_slack,
    split,
    transform,
)
from .tilting import REACH

Group = tuple[Floats, Floats, int]  # values of a term, their probabilities, number of copies

# Lattice points per standard deviation of one term of the sum.
POINTS = 16.0


@dataclass(frozen=True, slots=True, eq=False)
class _Tilted:
    """A group of independent copies of one term on a lattice, exponentially tilted.

    Attributes:
        places: lattice points of the term's values, in steps from the tilted mean rounded to a
            point.
        weights: tilted probabilities of these points.
        copies: number of copies in the group.
        mean: tilted mean of one term less the rounded mean, in steps.
        centre: value of the term at place 0.
        variance: tilted variance of one term, in steps squared.
        log_norm: logarithm of the moment generating function of one term at the tilt.
    """

    places: Integers
    weights: Floats
    copies: int
    mean: float
    centre: float
    variance: float
    log_norm: float

    @classmethod
    def from_group(cls, group: Group, slope: float, step: float) -> "_Tilted":
        """Put the values of a group's term on a lattice of this step, and tilt by e^(slope x)."""
        atoms, weights, copies = group
        lattice, mass = split(atoms, weights, step)
        values = atoms.min() + step * lattice
        shift = slope * float(values.max())
        tilted = mass * np.exp(slope * values - shift)
        norm = float(tilted.sum())
        tilted /= norm
        mean = float(tilted @ lattice)
        return cls(
            lattice.astype(np.int64) - round(mean),
            tilted,
            copies,
            mean - round(mean),
            float(atoms.min()) + step * round(mean),
            float(tilted @ (lattice - mean) ** 2),
            log(norm) + shift,
        )


def groups_at_most(groups: Sequence[Group], sharp: float) -> float:
    """Return an upper bound of E[(S + G)_+], S a sum of independent terms, G a Laplace variable.

    Args:
        groups: groups of independent copies of one term: the values of the term, the probabilities
            of these values, the number of copies. The mean of S is below 0.
        sharp: rate of G (1 / the scale of G), finite.

    Returns:
        The bound; infinite if G is far wider than the sum, or if no value is above 0.
    """
    groups = [group for group in groups if group[2] > 0]
    n = sum(copies for *_, copies in groups)
    slope = _centring(groups)
    if slope > STEEPEST * sharp:
        return inf
    step = _step(groups, slope, n)
    parts = [_Tilted.from_group(group, slope, step) for group in groups]
    log_norm = sum(part.copies * part.log_norm for part in parts)
    # Chernoff's bound for the sum S and a Laplace variable G of rate `sharp`, with the tilt t =
    # slope. E[(S + G)_+] <= E[e^(t (S + G))] / (e t).
    limit = log_norm - log1p(-((slope / sharp) ** 2)) - log(slope) - 1
    if limit < MIN_LOG or slope * step > STEEP:
        return float(np.exp(np.clip(limit, MIN_LOG, -MIN_LOG)))
    law, sums = _sum(parts, step)
    tilt = log_norm - slope * sums
    above = sums > 0
    total = float((sums[above] * np.exp(np.minimum(tilt[above], -MIN_LOG))) @ law[above])
    tails = np.exp(np.minimum(tilt - sharp * np.abs(sums), -MIN_LOG))
    total += float(tails @ law) / (2 * sharp)
    return min(float(np.exp(min(limit, -MIN_LOG))), total * (1 + rounding_slack(n)))


def _leaning(group: Group, slope: float) -> Floats:
    """Return the probabilities of the values of a group's term, tilted by e^(slope x)."""
    atoms, weights, _ = group
    leaning = weights * np.exp(slope * (atoms - atoms.max()))
    return np.asarray(leaning / leaning.sum())


def _centring(groups: Sequence[Group]) -> float:
    """Return the tilt (weights e^(tilt S)) under which the mean of the sum S of all groups is 0.

    The tilt is infinite if S is never above 0.
    """

    def mean(slope: float) -> float:
        """Return the mean of the sum S of all groups under a tilt (weights e^(slope S))."""
        return float(sum(group[2] * (_leaning(group, slope) @ group[0]) for group in groups))

    return rising_root(mean, 1.0 / max(float(np.abs(atoms).max()) for atoms, *_ in groups))


def _step(groups: Sequence[Group], slope: float, n: int) -> float:
    """Return the distance of lattice points for a sum of n terms.

    `slope` is the exponential tilt. The distance is a fixed share of a term's mean tilted
    deviation; terms of a wide range limit the number of points.

    groups: the values, their probabilities and the number of copies of each term.
    """
    variance, widest = 0.0, 0.0
    for group in groups:
        leaning, atoms = _leaning(group, slope), group[0]
        variance += group[2] * float(leaning @ (atoms - leaning @ atoms) ** 2)
        widest = max(widest, float(np.ptp(atoms)))
    return max(float(np.sqrt(variance / n)) / POINTS, widest / (LONGEST * POINTS))


def _sum(parts: Sequence[_Tilted], step: float) -> tuple[Floats, Floats]:
    """Return the tilted distribution of the sum on a lattice, and the values of the sum.

    The lattice points lie in a window around the tilted mean, `step` apart. `parts` are the groups
    of terms that are summed.
    """
    from scipy.fft import next_fast_len

    variance = sum(part.copies * part.variance for part in parts)
    widest = float(max(np.abs(part.places).max() + 1 for part in parts))
    reach = REACH * widest / 3 + np.sqrt((REACH * widest / 3) ** 2 + 2 * REACH * variance)
    period = next_fast_len(ceil(2 * reach) + 3, real=True)
    waves = [transform(period, part.places, part.weights) for part in parts]
    # The transform of one group's sum is already negligible at most frequencies, so these are left
    # out.
    frequencies = np.arange(period // 2 + 1)
    for wave, part in zip(waves, parts, strict=True):
        frequencies = frequencies[np.abs(wave[frequencies]) >= np.exp(-REACH / part.copies)]
    power = sum(
        part.copies * np.log(wave[frequencies]) for wave, part in zip(waves, parts, strict=True)
    )
    first = round(sum(part.copies * part.mean for part in parts)) - period // 2
    law = inverse_transform(period, frequencies, np.exp(power) * phase(period, -first, frequencies))
    centre = sum(part.copies * part.centre for part in parts)
    sums = centre + step * (np.arange(period) + float(first))
    return np.maximum(law, 0), np.asarray(sums, np.float64)
