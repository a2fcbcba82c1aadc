"""The joint distribution of a person U and the person's value X, dense or sparse.

A joint table has one row for each person and one column for each symbol. Whole numbers are counts
of a person's events with a symbol and are divided by their sum. Other numbers are probabilities and
sum to 1. The attacker sees a report of X and tries to learn U.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import SUM_TOLERANCE, Floats, as_array

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The joint distribution p(U, X) of a person U and the person's value X: positive entries.

    Attributes:
        people, symbols: shape of the table.
        row, column: person and symbol of each positive entry, shape (entries,), in the order of the
            rows.
        mass: probability of each positive entry, shape (entries,); sums to 1.
    """

    people: int
    symbols: int
    row: Indices
    column: Indices
    mass: Floats

    @property
    def users(self) -> Floats:
        """The probability p(U) of each person U, shape (people,)."""
        return weighted_counts(self.row, self.mass, self.people)

    @property
    def values(self) -> Floats:
        """The probability p(X) of each symbol as a person's value X, shape (symbols,)."""
        return weighted_counts(self.column, self.mass, self.symbols)

    def dense(self) -> Floats:
        """Return the table of probabilities, shape (people, symbols)."""
        table = np.zeros((self.people, self.symbols))
        np.add.at(table, (self.row, self.column), self.mass)
        return table

    def relabelled(self, column: Indices, symbols: int) -> Joint:
        """Return the joint distribution with a new symbol for each positive entry.

        column: the new symbol of each positive entry, shape (entries,).
        symbols: the number of new symbols.
        """
        key, place = np.unique(self.row * symbols + column, return_inverse=True)
        mass = weighted_counts(place, self.mass, len(key))
        return Joint(self.people, symbols, key // symbols, key % symbols, mass)


def weighted_counts(place: npt.NDArray[Any], weight: Floats, length: int) -> Floats:
    """Return the sum of the weights at each index 0 .. length - 1.

    place: the index of each weight.
    """
    return np.asarray(np.bincount(place, weight, minlength=length), dtype=np.float64)


def as_joint(joint: Any, name: str = "joint") -> Joint:
    """Check a table of persons and symbols, and return it as their joint distribution.

    joint: people x symbols of at least two people, as an array, a SciPy sparse array or matrix, or
    a `Joint`; whole numbers are counts, other numbers are probabilities.
    name: the parameter's name, for errors.

    Raises:
        ParameterError: not two axes, a negative or infinite entry, fewer than two people, or
            probabilities that do not sum to 1.
    """
    if isinstance(joint, Joint):
        return joint
    shape, row, column, mass = _entries(joint, name)
    if shape[0] < 2 or shape[1] < 1:
        raise ParameterError(
            f"{name}: shape {shape}; needs people x symbols with at least two people: one person "
            "alone is always found"
        )
    if not np.isfinite(mass).all() or (mass.size and mass.min() < 0):
        raise ParameterError(f"{name}: holds {mass.min():g}; needs finite numbers >= 0")
    counts, total = mass.dtype.kind in "iub", float(mass.sum())
    if not total > 0:
        raise ParameterError(f"{name}: all entries are 0; needs a positive sum")
    if not counts and not abs(total - 1) <= SUM_TOLERANCE:
        raise ParameterError(
            f"{name}: sums to {total:.12g}; needs probabilities that sum to 1, or whole counts"
        )
    is_positive = mass > 0
    return Joint(
        shape[0], shape[1], row[is_positive], column[is_positive], mass[is_positive] / total
    )


def _entries(joint: Any, name: str) -> tuple[tuple[int, int], Indices, Indices, npt.NDArray[Any]]:
    """Return the shape of a table, and the row, column and number of each entry.

    joint: a table of people x symbols.
    name: the parameter's name, for errors.

    Raises:
        ParameterError: not two axes, or no numbers.
    """
    # SciPy is imported only for a SciPy array, because importing it takes long
    if hasattr(joint, "tocsr"):
        from scipy.sparse import csr_array

        whole: Any = joint
        rows = csr_array(whole).copy()
        rows.sum_duplicates()
        entries = rows.tocoo()
        row, column = entries.row.astype(np.int64), entries.col.astype(np.int64)
        return (int(entries.shape[0]), int(entries.shape[1])), row, column, entries.data
    array = as_array(joint, name, "numbers, people x symbols")
    if array.ndim != 2 or array.dtype.kind not in "iubf":
        raise ParameterError(
            f"{name}: {array.ndim} axes of {array.dtype}; needs numbers, people x symbols"
        )
    row, column = np.nonzero(array)
    return (array.shape[0], array.shape[1]), row, column, array[row, column]
