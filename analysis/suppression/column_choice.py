"""The result of a choice of columns: the kept set, its certificate, and reasons to drop columns.

The bound on exposed people rises with k. So two numbers explain a dropped column: the largest k at
which the column could be kept at this target, and the smallest target at which it could be kept at
this k. The target is the share of people that may be exposed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..exposure.counts import Integers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Promise(Protocol):
    """The interface of an upper bound on exposure for a set of columns."""

    @property
    def value(self) -> float:
        """Upper bound on the share of people in a class smaller than k."""
        ...


# a caller's own rule: from the marginals and k to a bound on exposure
RuleFunction = Callable[[list[Integers], int], Promise]


@dataclass(frozen=True, slots=True)
class Considered:
    """A set of columns with the bound on exposure that the search has computed.

    Attributes:
        columns: numbers of the columns, ascending.
        value: upper bound on the share of people that these columns expose.
        safe: whether the bound is within the target.
    """

    columns: tuple[int, ...]
    value: float
    safe: bool


@dataclass(frozen=True, slots=True)
class Dropped:
    """A dropped column, with the k and the target at which it could be added to the kept columns.

    Attributes:
        column: the number of the column.
        value: upper bound on the share of people exposed if the column is added, at this k.
        largest_k: the largest k >= 1 at which the bound is within this target (at k = 1 no person
            is exposed); None if the rule is a function, which is only called with this k.
        forbidden: whether the caller forbids the column, whatever the bound.
    """

    column: int
    value: float
    largest_k: int | None
    forbidden: bool

    @property
    def smallest_target(self) -> float:
        """The smallest target at which the column could be kept, at this k.

        It is the bound on the share of exposed people if the column is added.
        """
        return self.value


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """The columns to keep, the certificate of their bound, and the reasons to drop columns.

    The result of `choose_columns`.

    Attributes:
        kept: numbers of the kept columns, ascending.
        weight: the sum of the weights that the caller gives to the kept columns.
        certificate: the bound on exposure of the kept columns: a `Certificate`, or the object that
            the caller's own rule returns.
        k: the smallest class in which no person is exposed.
        target: the share of people that may be exposed.
        dropped: an explanation of each column not kept.
        considered: every non-empty set of columns if there are few columns; otherwise the kept set,
            and the kept set with each further column.
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
        """Draw the bound of each considered set of columns, and the target, as a bar chart.

        The chart is drawn on `ax`, or on a new figure if `ax` is None.
        """
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        names = [" ".join(map(str, choice.columns)) for choice in self.considered]
        colours = ["tab:green" if choice.safe else "tab:red" for choice in self.considered]
        ax.barh(names, [choice.value for choice in self.considered], color=colours)
        ax.axvline(self.target, color="black", linestyle="--")
        ax.set(xlabel=f"share that may be exposed at k = {self.k}", ylabel="columns", xlim=(0, 1))
        return ax
