"""Estimates of shares from reports: unbiased, with standard errors and confidence limits.

An unbiased estimate may leave [0, 1], and its shares need not sum to 1. That is not an error: the
mean over many rounds is right. The nearest probability distribution, which is biased, is returned
only on request, by `projected`; maximum likelihood is in `postprocessing.py`.

Standard errors are estimated from the same reports. They include the randomizers' noise for fixed
people; with population=True also the variance of drawing these people from a population. Confidence
limits follow from the known distribution of the reports (`limits.py`). They hold for every number
of people and are between 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import Counts, Floats, open_unit
from .limits import Limiting
from .moment_limits import ShareLaws, limits_of_all, unknown_law

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Kind = Literal["distribution", "bits"]


@keeps_old(of="from_noise")
@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """Unbiased estimates of the shares of people with each value, with standard errors.

    Attributes:
        shares: share of people with each symbol, or with a 1 at each position; shape (inputs,).
            Unbiased, so it may be below 0 or above 1.
        errors: standard error of each share, shape (inputs,).
        people: number of reports.
        randomizer: description of the randomizer.
        kind: "distribution" if the shares estimate a distribution and so should sum to 1; "bits" if
            each is a share of 1-bits of its own.
        population: whether the errors include drawing these people from a larger population.
        limits: function of alpha: the confidence limits of every share, each missed with
            probability alpha at most.
        laws: distributions of a report's contribution to each share, for derived estimates.
    """

    shares: Floats
    errors: Floats
    people: int
    randomizer: str
    kind: Kind = "distribution"
    population: bool = False
    limits: Limiting = field(kw_only=True)
    laws: ShareLaws = field(kw_only=True, default_factory=lambda: unknown_law)

    @classmethod
    def from_noise(
        cls,
        shares: Floats,
        noise: Floats,
        people: int,
        randomizer: str,
        *,
        kind: Kind,
        population: bool,
        laws: ShareLaws | None = None,
        limits: Limiting | None = None,
    ) -> Estimate:
        """Return an estimate, from the variance of each share due to the randomizer alone.

        Args:
            shares: the estimated shares, shape (inputs,).
            noise: the variance of each share due to the randomizer, shape (inputs,).
            people: number of reports.
            randomizer: description of the randomizer.
            kind: whether the shares are a "distribution" or of separate "bits".
            population: whether the variance of drawing the people from a population is added.
            laws: distributions of a report's contribution to each share.
            limits: the confidence limits as a function of alpha; None: they are computed from
                `laws`.
        """
        variance, laws = np.maximum(noise, 0.0), laws or unknown_law
        if population:
            share = np.clip(shares, 0.0, 1.0)
            variance = variance + share * (1 - share) / people
        if limits is None:
            limits = limits_of_all(shares, people, laws, population=population)
        errors = np.sqrt(variance)
        return cls(shares, errors, people, randomizer, kind, population, limits=limits, laws=laws)

    @property
    def counts(self) -> Floats:
        """The estimated numbers of people with each value, shape (inputs,)."""
        return self.shares * self.people

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """Return (low, high) confidence limits of the shares, shape (inputs,) each.

        The limits of each share cover its true value with probability `confidence` at least.
        """
        limits = self.limits(1 - open_unit(confidence, "confidence"))
        return limits.low, limits.high

    def projected(self) -> Floats:
        """Return the probability vector nearest to the shares in Euclidean distance; it is biased.

        For shares of separate bits (kind "bits"), each share is cut to [0, 1] instead.
        """
        return (
            project(self.shares) if self.kind == "distribution" else np.clip(self.shares, 0.0, 1.0)
        )

    def __str__(self) -> str:
        """Return the numbers of shares and reports, the randomizer and the error in a line."""
        spread = sqrt(float(np.mean(self.errors**2)))
        return (
            f"{len(self.shares)} shares from {self.people} reports of {self.randomizer}: unbiased, "
            f"standard error {spread:.2g} (root mean square)"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares with 95 % confidence intervals on `ax` or new axes; return the axes."""
        axes: Any = ax
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots()[1]
        places = np.arange(len(self.shares))
        axes.vlines(places, *self.interval(), lw=1)
        axes.plot(places, self.shares, "o", ms=3)
        axes.axhline(0, color="0.7", lw=0.8)
        axes.set(xlabel="symbol", ylabel="share of people (unbiased, 95 %)")
        return axes  # type: ignore[no-any-return]


def as_counts(counts: npt.ArrayLike, positions: int, people: int) -> Counts:
    """Return `counts` after a check that they are numbers of reports, shape (positions,).

    Each must be a whole number from 0 to `people`.
    """
    support_counts = np.asarray(counts)
    if support_counts.shape != (positions,):
        raise ParameterError(f"counts: shape {support_counts.shape}; needs ({positions},)")
    if (
        support_counts.dtype.kind not in "iu"
        or support_counts.min() < 0
        or support_counts.max() > people
    ):
        raise ParameterError(
            f"counts: needs whole numbers of reports, each from 0 to people = {people}"
        )
    return support_counts


def project(shares: Floats) -> Floats:
    """Return the probability vector nearest to `shares`: subtract a constant, clip at 0.

    The constant is found by sorting, in O(a log a) steps for a shares. A constant added to all
    shares does not change the result. So the largest share is set to 0 first; otherwise shares near
    10^17 would lose a total of 1 in rounding.

    Args:
        shares: estimated shares, shape (inputs,), finite.
    """
    if shares.ndim != 1 or shares.size == 0 or not np.isfinite(shares).all():
        raise ParameterError(f"shares: shape {shares.shape}; needs one axis of finite numbers")
    shares = shares - shares.max()
    falling = np.sort(shares)[::-1]
    excess = (np.cumsum(falling) - 1) / np.arange(1, len(falling) + 1)
    support_places = np.flatnonzero(falling > excess)[-1]
    clipped: Floats = np.maximum(shares - excess[support_places], 0.0)
    return clipped
