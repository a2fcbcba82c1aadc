"""Exposure: the share of people with too few other people in their cell (paper 000, Definition 1).

    users_below(k) = sum of the counts c with 0 < c < k,       Q(k/n) = users_below(k) / n.

A cell is all people with equal values, and c its number of people. A person is k-anonymous if its
cell has at least k people. So the exposure Q(1/n) is 0, and unique people count from k = 2 on.
(Paper 000 writes Q(1/n) for them in the discussion of Proposition 9; with the strict "<" of
Definition 1 it must be Q(2/n).) Integers are compared, never floats.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import as_array, as_counts, whole
from .cells import anonymity, joint_counts
from .counts import Integers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "ExposureCurve",
    "anonymity",
    "exposure",
    "exposure_curve",
    "joint_counts",
    "users_below",
]


@overload
def users_below(counts: ArrayLike, k: int) -> int: ...  # for one k; the definition follows below
@overload
def users_below(counts: ArrayLike, k: ArrayLike) -> Any: ...  # an array, an entry for each k
def users_below(counts: ArrayLike, k: ArrayLike) -> int | Integers:
    """Return the number of people in cells of fewer than k people.

    Args:
        counts: 1-D array of non-negative integers, people per cell; zeros are ignored.
        k: people in the smallest cell that is not exposed: an integer, or an array of
            integers of any shape.

    Returns:
        An int for one k, otherwise an int64 array of the shape of `k`.
    """
    values = np.sort(as_counts(counts, people=0))
    thresholds = as_array(k, "k", "whole numbers")
    if thresholds.size and thresholds.dtype.kind not in "iu":
        raise ParameterError(f"k: found {thresholds.dtype} numbers; integers are accepted")
    below = np.concatenate(([0], np.cumsum(values)))
    people: Integers = below[np.searchsorted(values, thresholds)]
    return int(people) if thresholds.ndim == 0 else people


@overload
def exposure(counts: ArrayLike, k: int) -> float: ...  # for one k; the definition follows below
@overload
def exposure(counts: ArrayLike, k: ArrayLike) -> Any: ...  # an array, an entry for each k
def exposure(counts: ArrayLike, k: ArrayLike) -> float | NDArray[np.float64]:
    """Return the exposure Q(k/n): the share of people in cells of fewer than k people, in [0, 1].

    It is equation (1) of paper 000, for n people.

    Args:
        counts: 1-D array of non-negative integers, people per cell; zeros are ignored.
        k: people in the smallest cell that is not exposed: an integer, or an array of
            integers of any shape.

    Returns:
        A float for one k, otherwise an array of the shape of `k`.

    Raises:
        ParameterError: the counts have no people, or an argument is no integer.
    """
    n = int(as_counts(counts, people=0).sum())
    if n == 0:
        raise ParameterError(
            "counts: found no people; the exposure is a share of at least one person"
        )
    share: float | NDArray[np.float64] = users_below(counts, k) / n
    return share


@dataclass(frozen=True, slots=True)
class ExposureCurve:
    """The exposed people (in cells of fewer than k) at every k, as a step function of k.

    Attributes:
        n: number of people.
        breakpoints: for each step, the smallest k on it; integers, ascending. The first is 1, the
            last is 1 + the largest count of a cell.
        people: for each step, the people exposed on it; 0 on the first, n on the last.
    """

    n: int
    breakpoints: tuple[int, ...]
    people: tuple[int, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of people exposed on each step of the curve."""
        return tuple(people / self.n for people in self.people)

    def __call__(self, k: int) -> int:
        """Return the people in cells of fewer than k people; k is an integer."""
        step = bisect_left(self.breakpoints, whole(k, "k") + 1) - 1
        return self.people[step] if step >= 0 else 0

    def __repr__(self) -> str:
        """Return the people, the number of steps and the range of k in a line."""
        smallest = self.breakpoints[1] - 1
        return (
            f"<ExposureCurve of {self.n:,} people: {len(self.breakpoints) - 1} steps, "
            f"nobody below k = {smallest:,}, everybody above k = {self.breakpoints[-1] - 1:,}>"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of exposed people against k (logarithmic) and return the axes.

        ax: the axes to draw on; None: a new figure.
        """
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        ax.step(self.breakpoints, self.shares, where="post")
        ax.set(xscale="log", xlabel="k", ylabel="share of people in a cell of fewer than k")
        ax.set_ylim(0, 1.02)
        return ax


def exposure_curve(counts: ArrayLike) -> ExposureCurve:
    """Return the exposed people at every k at once, as a step function.

    Args:
        counts: 1-D array of non-negative integers, people per cell; zeros are ignored.

    Raises:
        ParameterError: the counts have no people.
    """
    values = as_counts(counts, people=0)
    distinct, times = np.unique(values[values > 0], return_counts=True)
    if distinct.size == 0:
        raise ParameterError("counts: found no people; a curve needs at least one person")
    below = np.cumsum(distinct * times)
    return ExposureCurve(
        n=int(below[-1]),
        breakpoints=(1, *(distinct + 1).tolist()),
        people=(0, *below.tolist()),
    )
