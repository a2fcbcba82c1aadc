"""Choose whole columns with full knowledge of the table: by the TRUE exposure.

Global suppression leaves out whole columns. Paper 000, section 1, names it as a rival of every
release that is decided without the joint counts. With n people, the true exposure Q_J(k/n) of a set
J of columns is the share of people in an equivalence class of fewer than k. It never falls when a
column is added. So each subset of a safe set (true exposure within the target) is safe too, and the
search is exact and short.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..exposure import joint_counts, users_below
from ..exposure.cells import as_columns, as_table
from ..validation import whole
from .weights import as_gains, as_weights

# most sets of columns whose exposure a search computes, in about a minute; beyond it an error
MOST_SETS = 60_000


@dataclass(frozen=True, slots=True)
class BestColumns:
    """The columns that a curator with the whole table releases, and their true exposure.

    The result of `best_columns`.

    Attributes:
        kept_columns: numbers of the released columns, ascending.
        weight: total of the released columns' weights, which the caller chose.
        exposed: people in an equivalence class of fewer than k in these columns.
        n: number of people.
        k: the smallest equivalence class in which no person is exposed.
        looked: number of sets of columns for which the search computed the exposure.
    """

    kept_columns: tuple[int, ...]
    weight: float
    exposed: int
    n: int
    k: int
    looked: int

    @property
    def value(self) -> float:
        """The true exposure of the released columns, as a share of people, 0 to 1."""
        return self.exposed / self.n

    def __repr__(self) -> str:
        """Return the released columns, the exposed people and the number of examined sets."""
        return (
            f"<BestColumns {self.kept_columns}: {self.exposed:,} of {self.n:,} people in a crowd "
            "smaller "
            f"than {self.k:,}, {self.looked:,} sets counted>"
        )


def best_columns(
    table: ArrayLike,
    k: int,
    target: float,
    weights: Sequence[float] | None = None,
    required: Sequence[int] = (),
    forbidden: Sequence[int] = (),
) -> BestColumns:
    """Return the heaviest set of columns with a true exposure within `target`; exact.

    The true exposure is the share of people in an equivalence class of fewer than k. Of sets with
    equal weight the function returns the set with most columns, then with fewest exposed people,
    then the first in lexicographic order. If the required columns alone are above the target, no
    column is kept.

    Args:
        table: n x d integer codes of at least 0: a row for each of n >= 1 people, d columns.
        k: a person in an equivalence class of fewer than k people is exposed.
        target: largest accepted exposure, as a share of people, 0 to 1.
        weights: weight of each column for the user of the release, >= 0; 1 each by default.
        required: columns that must be kept.
        forbidden: columns that are never kept.

    Raises:
        ParameterError: for arguments outside these ranges, or after 60,000 sets of columns.
    """
    codes, k = as_table(table), whole(k, "k")
    n, d = codes.shape
    if not n:
        raise ParameterError("table: it has no rows; at least one person is needed")
    if not 0 <= target <= 1:
        raise ParameterError(f"target: found {target!r}; a share in [0, 1] is accepted")
    must, forbidden_columns = set(as_columns(required, d)), set(as_columns(forbidden, d))
    exact = as_weights(weights, d)
    gains = as_gains(exact)
    search = _TrueColumnSearch(codes, k, target, gains)
    free = [j for j in range(d) if j not in forbidden_columns | must]
    kept_columns = search.best(tuple(sorted(must)), sorted(free, key=lambda j: -gains[j]))
    exposed = search.exposed(kept_columns)
    weight = float(sum(exact[j] for j in kept_columns))
    return BestColumns(kept_columns, weight, exposed, n, k, len(search.memory))


class _TrueColumnSearch:
    """The search for the safe set of columns with the largest total weight.

    A set is safe if its true exposure is within the target. The search keeps or drops each column,
    from the largest weight on. The exposure of a set that contains an unsafe pair of columns is
    never computed.
    """

    def __init__(self, codes: Any, k: int, target: float, gains: Sequence[int]) -> None:
        """Start the search; no set of columns is examined yet.

        codes: the table, people x columns. k: smallest safe equivalence class. target: largest
        accepted share of exposed people. gains: integer weight of each column.
        """
        self.codes, self.k, self.target, self.gains = codes, k, target, gains
        self.memory: dict[tuple[int, ...], int] = {}

    def exposed(self, columns: tuple[int, ...]) -> int:
        """Return the number of people in an equivalence class of fewer than k; cached.

        Without columns no person is exposed.

        Raises:
            ParameterError: `MOST_SETS` sets of columns were examined already.
        """
        if not columns:
            return 0
        if columns not in self.memory:
            if len(self.memory) >= MOST_SETS:
                raise ParameterError(
                    f"table: {MOST_SETS:,} sets of its {self.codes.shape[1]} columns were counted "
                    "and more are left; list columns that are never released as `forbidden`"
                )
            self.memory[columns] = users_below(joint_counts(self.codes, columns), self.k)
        return self.memory[columns]

    def safe(self, columns: tuple[int, ...]) -> bool:
        """Whether the true exposure of a set of columns is within the target."""
        return self.exposed(columns) / len(self.codes) <= self.target

    def key(self, columns: tuple[int, ...]) -> tuple[int, int, tuple[int, ...]]:
        """Return a sort key of a set of columns, larger is better.

        The key holds the set's total weight, its exposed people (negative) and its negative column
        numbers.
        """
        gain = sum(self.gains[j] for j in columns)
        return gain, -self.exposed(columns), tuple(-j for j in columns)

    def best(self, required: tuple[int, ...], order: Sequence[int]) -> tuple[int, ...]:
        """Return the best safe set: all required columns, and some of the columns in `order`.

        Safe: the true exposure is within the target. By branch and bound; () if the required
        columns alone are not safe.
        """
        if not self.safe(required):
            return ()
        pairs = {
            pair for pair in combinations(sorted((*required, *order)), 2) if not self.safe(pair)
        }
        best = self.key(required)
        stack = [(0, best[0], required)]
        while stack:
            position, gain, columns = stack.pop()
            if gain >= best[0]:
                best = max(best, self.key(columns))
            if position == len(order):
                continue
            if gain + sum(self.gains[j] for j in order[position:]) < best[0]:
                continue
            stack.append((position + 1, gain, columns))
            j = order[position]
            wider = tuple(sorted((*columns, j)))
            if any((min(i, j), max(i, j)) in pairs for i in columns):
                continue
            if self.safe(wider):
                stack.append((position + 1, gain + self.gains[j], wider))
        return tuple(-j for j in best[2])
