"""The result of incidence counting: estimated positions set in exactly t of n bit vectors.

It has limits for these counts, and the sizes of the sets' union, intersection and intersections of
k sets (inner products), if a bit vector is the indicator of a set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ...errors import ParameterError
from ..validation import Floats, whole
from .bounds import Rule
from .matrix import epsilon_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Method = Literal[
    "em", "bayes", "likelihood", "minmax", "program", "chebyshev", "analytic", "inverse"
]
METHODS: tuple[Method, ...] = (
    "em",
    "bayes",
    "likelihood",
    "minmax",
    "program",
    "chebyshev",
    "analytic",
    "inverse",
)


@dataclass(frozen=True, slots=True)
class Count:
    """An estimated number of positions of bit vectors, with its confidence limits.

    Attributes:
        value: the estimated number.
        low, high: lower and upper confidence limit.
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the estimate and its limits in whole positions, as in "12 in [9, 15]"."""
        return f"{self.value:,.0f} in [{self.low:,.0f}, {self.high:,.0f}]"


@dataclass(frozen=True, slots=True, eq=False)
class IncidenceEstimate:
    """An estimated incidence vector: positions set in exactly t of n bit vectors, for all t.

    Attributes:
        phi: estimated positions set in exactly t of n vectors, shape (n + 1,), t = 0 .. n. Sums to
            m; only "inverse" has negative entries, and may leave its limits.
        low: lower limits, shape (n + 1,).
        high: upper limits; all true counts lie within at once with probability >= 1 - beta.
        m: number of positions, the length of a vector.
        eta: privacy parameter of the vectors; a bit is flipped with probability (1 - eta)/2.
        beta: probability with which the limits may fail.
        method: the estimator of phi.
        rule: formula of the radius, for methods that search a polytope; None for other methods.
        note: report of the method: steps, fit, Monte Carlo error.
    """

    phi: Floats
    low: Floats
    high: Floats
    m: int
    eta: float
    beta: float
    method: Method
    rule: Rule | None
    note: str

    @property
    def n(self) -> int:
        """The number of bit vectors."""
        return len(self.phi) - 1

    @property
    def epsilon(self) -> float:
        """The privacy budget epsilon of each flipped bit, in nats."""
        return epsilon_of(self.eta)

    @property
    def shares(self) -> Floats:
        """The estimated counts divided by the length m of a bit vector, shape (n + 1,)."""
        return self.phi / self.m

    def exactly(self, t: int) -> Count:
        """Return the estimated number of positions set in exactly t bit vectors, 0 <= t <= n."""
        t = self._as_t(t)
        return Count(float(self.phi[t]), float(self.low[t]), float(self.high[t]))

    def at_least(self, t: int) -> Count:
        """Return the estimated number of positions set in t or more bit vectors, 0 <= t <= n."""
        return self._combine((np.arange(self.n + 1) >= self._as_t(t)).astype(float))

    @property
    def intersection(self) -> Count:
        """The estimated number of positions set in all n bit vectors, their inner product."""
        return self.exactly(self.n)

    @property
    def union(self) -> Count:
        """The estimated number of positions set in at least one bit vector."""
        return self.at_least(1)

    def inner_products(self, k: int) -> Count:
        """Return the sum, over all choices of k of n vectors, of the positions set in all k.

        It is the sum of the k-wise inner products. A position set in t vectors is counted for C(t,
        k) choices, so the sum is that of C(t, k) Phi_t over t, with Phi_t the positions set in
        exactly t.
        """
        from scipy.special import comb

        k = self._as_t(k, "k")
        return self._combine(np.asarray(comb(np.arange(self.n + 1), k), dtype=np.float64))

    def _combine(self, weights: Floats) -> Count:
        """Return a weighted sum of the estimated counts, with its limits.

        The limits are the least and the largest weighted sum of counts that lie within the limits
        of each count and sum to m, the number of positions.
        """
        return Count(
            float(weights @ self.phi),
            0.0 - _maximum(-weights, self.low, self.high, self.m),
            _maximum(weights, self.low, self.high, self.m),
        )

    def _as_t(self, t: int, name: str = "t") -> int:
        """Return t, checked: 0 to n, else ParameterError with the argument's name.

        name: name of the argument in the message.
        """
        if whole(t, name, 0) > self.n:
            raise ParameterError(f"{name}: found {t}; needs 0 to n = {self.n}")
        return t

    def __str__(self) -> str:
        """Return the sizes, the method, and union and intersection with limits in a sentence."""
        rule = f", {self.rule} radius" if self.rule else ""
        return (
            f"incidence of {self.n} vectors over {self.m:,} positions at epsilon = "
            f"{self.epsilon:.3g} by {self.method}{rule}: union {self.union}, intersection "
            f"{self.intersection} (all limits together {1 - self.beta:.4g}; {self.note})"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the estimated numbers of positions set in exactly t vectors, with limits, against t.

        ax: the axes to draw on; None: new axes.
        """
        axes: Any = ax
        if axes is None:
            import matplotlib.pyplot as plt

            axes = plt.subplots()[1]
        t = np.arange(self.n + 1)
        axes.vlines(t, self.low, self.high, color="0.75", lw=4, label=f"limits, {1 - self.beta:g}")
        axes.plot(t, self.phi, "o", ms=4, label=self.method)
        axes.set(xlabel="vectors t", ylabel="positions that are one in exactly t")
        axes.set_yscale("symlog", linthresh=max(1.0, self.m / 1000))
        axes.legend()
        return axes  # type: ignore[no-any-return]


def _maximum(weights: Floats, low: Floats, high: Floats, m: int) -> float:
    """Return the largest weights @ x over low <= x <= high, sum x = m.

    The entries with the largest weights are raised first.
    """
    x = low.copy()
    mass_left = m - float(low.sum())
    for t in np.argsort(-weights):
        more = min(float(high[t] - low[t]), max(mass_left, 0.0))
        x[t] += more
        mass_left -= more
    return float(weights @ x)
