"""The result of a choice of columns: the kept set, its certificate, and reasons to drop columns.

A bound rises with k. So a dropped column is explained by the LARGEST k that would admit it at this
target, and by the SMALLEST target that would admit it at this k.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..exposure.counts import Integers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Promise(Protocol):
    """The interface of a bound on exposure: the result of a rule for a set of columns."""

    @property
    def value(self) -> float:
        """Upper bound on the share of exposed people."""
        ...


RuleFunction = Callable[[list[Integers], int], Promise]  # (marginals, k)


@dataclass(frozen=True, slots=True)
class Considered:
    """A set of columns with its bound on exposure, which the search has computed.

    Attributes:
        columns: numbers of the columns, ascending.
        value: upper bound on the share of people that the set exposes.
        safe: whether the bound is within the target.
    """

    columns: tuple[int, ...]
    value: float
    safe: bool


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped column, with the k and the target that would admit it beside the kept columns.

    Attributes:
        column: its number.
        value: the bound with it at this k, which is also `smallest_target`, the smallest target
            that admits it.
        largest_k: the largest k >= 1 that admits it at this target (at k = 1 no person is exposed);
            None if the rule is a function, which is only called with this k.
        forbidden: whether the caller excludes it, whatever its bound.
    """

    column: int
    value: float
    largest_k: int | None
    forbidden: bool

    @property
    def smallest_target(self) -> float:
        """The smallest target that would admit the column at this k: the bound with it."""
        return self.value


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns to keep, the certificate of their bound, and the reasons to drop columns.

    The result of `choose_columns`.

    Attributes:
        kept: numbers of the kept columns, ascending.
        weight: the sum of their weights.
        certificate: a `Certificate`, or the result of the caller's rule.
        k: smallest safe class size.
        target: the share of people that may be exposed.
        dropped: an explanation of each column not kept.
        considered: every non-empty set if there are few columns; otherwise the kept set, and it
            with one more column.
    """

    kept: tuple[int, ...]
    weight: float
    certificate: Promise
    k: int
    target: float
    dropped: tuple[Dropped, ...]
    considered: tuple[Considered, ...]

    def __repr__(self) -> str:
        """Return the kept columns, their bound and the target."""
        total = len(self.kept) + len(self.dropped)
        if not self.kept:
            return (
                f"<ColumnChoice of {total} columns: nothing is safe at k = {self.k}, "
                f"target {self.target:.4g}; no column is kept>"
            )
        return (
            f"<ColumnChoice of {total} columns: keep {', '.join(map(str, self.kept))}; at most "
            f"{self.certificate.value:.4g} exposed at k = {self.k}, target {self.target:.4g}>"
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bound of each considered set against the target on `ax` or a new figure."""
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        names = [" ".join(map(str, choice.columns)) for choice in self.considered]
        colours = ["tab:green" if choice.safe else "tab:red" for choice in self.considered]
        ax.barh(names, [choice.value for choice in self.considered], color=colours)
        ax.axvline(self.target, color="black", linestyle="--")
        ax.set(xlabel=f"share that may be exposed at k = {self.k}", ylabel="columns", xlim=(0, 1))
        return ax
