"""Rows of a release that fit each person of the original, and people that fit each released row.

A released value may be a generalization, which stands for several original values. A released row
fits a person if each of its values stands for the person's value in that column. The released
values of a column are divided into layers: sets in which no two released values stand for the same
original value. So within a layer each original value has at most one released value. Rows with
values of the same layers are compared with all people at once, by sorting: the counts are exact. A
value that stands for every value (ANY_VALUE) is left out of the comparison.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table, cells_of, different
from ..exposure.counts import Integers

NO_VALUE, ANY_VALUE = -1, -2
# Most people times columns times combinations of layers, because each combination compares all
# people; more are refused. A layer is a set of released values of a column of which no two stand
# for the same original value.
CELLS = 3_000_000_000


@dataclass(frozen=True, slots=True, eq=False)
class CompatibleColumn:
    """The original values that each released value of a column may stand for, divided into layers.

    A layer is a set of released values of which no two stand for the same original value.

    Attributes:
        layers: for each layer, the released code of each original code, or NO_VALUE.
        layer: the number of the layer of each released code; ANY_VALUE if the code stands for all
            values, NO_VALUE if for no original value.
    """

    layers: tuple[Integers, ...]
    layer: Integers

    @classmethod
    def from_values(cls, originals: Sequence[Integers | None], values: int) -> "CompatibleColumn":
        """Divide a column's released codes into layers, by the original codes they stand for.

        A layer is a set of released codes of which no two stand for the same original code.

        Args:
            originals: for each released code the original codes, or None for all of them.
            values: number of original codes.
        """
        layers, layer = list[Integers](), np.full(len(originals), NO_VALUE, np.int64)
        order = sorted(range(len(originals)), key=lambda b: len(_or_empty(originals[b])))
        for b in order:
            codes = originals[b]
            if codes is None:
                layer[b] = ANY_VALUE
            elif len(codes):
                layer[b] = _place(layers, codes, values)
                layers[layer[b]][codes] = b
        return cls(tuple(layers), layer)

    @property
    def finest(self) -> Integers:
        """The least general released code of each original code, or NO_VALUE; shape (values,).

        Released codes are stored in layers, in which no two stand for the same original code. The
        layers are filled from the least general codes on, so the first layer with a code has the
        finest.
        """
        if not self.layers:
            return np.zeros(0, np.int64)
        finest = np.full_like(self.layers[0], NO_VALUE)
        for codes in self.layers:
            finest = np.where(finest == NO_VALUE, codes, finest)
        return finest


@dataclass(frozen=True, slots=True, eq=False)
class RowMatches:
    """Numbers of released rows that fit each person, and of people that fit each released row.

    A row fits a person if each of its values stands for the person's value.

    Attributes:
        rows: the number of released rows that fit each person, shape (people,).
        people: the number of people that fit each released row, shape (rows of the release,).
        pairs: number of people that exactly one released row fits, if that row fits no other
            person.
    """

    rows: Integers
    people: Integers
    pairs: int


@dataclass(frozen=True, slots=True, eq=False)
class FittingCells:
    """Released rows of the same layers, and the original rows comparable with them.

    A layer is a set of released values of one column of which no two stand for the same original
    value.
    Rows are compared by cells: combinations of released values in the compared columns.

    Attributes:
        rows: indices of the rows in the release, shape (r,).
        people: indices of the original rows for which every layer has a released value, shape (p,).
        row_cells, people_cells: the number of the cell of each of these rows; a released row fits
            an original row if their cells are equal.
        size: upper limit of the cell numbers.
    """

    rows: Integers
    people: Integers
    row_cells: Integers
    people_cells: Integers
    size: int


def match_rows(
    original: ArrayLike, release: ArrayLike, columns: Sequence[CompatibleColumn]
) -> RowMatches:
    """Count the released rows that fit each person, and the people that fit each released row.

    A row fits a person if each of its values stands for the person's value.

    Args:
        original: n x d codes of at least 0.
        release: m x d codes of at least 0.
        columns: for each of the d columns, the original values that each released value stands for.

    Raises:
        ParameterError: the tables differ in their columns, or the release mixes generalizations in
            too many combinations.
    """
    people, rows = as_table(original), as_table(release)
    fits, crowds = np.zeros(len(people), np.int64), np.zeros(len(rows), np.int64)
    # sum of the indices of the fitting rows; if a single row fits, it is the index of that row
    places = np.zeros(len(people))
    for part in fitting_cells(people, rows, columns):
        theirs, mine = part.row_cells, part.people_cells
        fits[part.people] += np.bincount(theirs, minlength=part.size)[mine]
        places[part.people] += np.bincount(theirs, part.rows, minlength=part.size)[mine]
        crowds[part.rows] = np.bincount(mine, minlength=part.size)[theirs]
    single = np.flatnonzero(fits == 1)
    pairs = int(np.count_nonzero(crowds[places[single].astype(np.int64)] == 1))
    return RowMatches(fits, crowds, pairs)


def fitting_cells(
    original: ArrayLike, release: ArrayLike, columns: Sequence[CompatibleColumn]
) -> Iterator[FittingCells]:
    """Yield released rows, and the original rows that they may fit, for each combination of layers.

    A layer is a set of released values of one column of which no two stand for the same original
    value. Each released row belongs to one combination, because each of its values is in one layer.

    original: n x d codes of at least 0.
    release: m x d codes of at least 0.
    columns: for each of the d columns, the original values that each released value stands for.

    Raises:
        ParameterError: the tables differ in their columns, or there are too many combinations.
    """
    people, rows = as_table(original), as_table(release)
    if people.shape[1] != rows.shape[1] or len(columns) != people.shape[1]:
        raise ParameterError(
            f"original, release, columns: found {people.shape[1]}, {rows.shape[1]} and "
            f"{len(columns)} columns; the same number is accepted"
        )
    layers = np.stack([c.layer[rows[:, j]] for j, c in enumerate(columns)], axis=1)
    possible = np.flatnonzero((layers != NO_VALUE).all(axis=1))
    if not len(possible):
        return
    kinds = layers[possible] + 2
    firsts, _ = different(kinds)
    if len(firsts) * people.size > CELLS:
        raise ParameterError(
            f"release: found {len(firsts):,} combinations of generalization levels in its "
            f"rows; at most {CELLS // people.size:,} are accepted for {len(people):,} people"
        )
    kind = cells_of(kinds, range(kinds.shape[1]))
    for first in firsts:
        chosen = possible[kind == kind[first]]
        fitting_people, mine, theirs = _cells(
            people, rows[chosen], columns, layers[possible[first]]
        )
        size = int(max(mine.max(initial=-1), theirs.max(initial=-1))) + 1
        yield FittingCells(chosen, fitting_people, theirs, mine, size)


def _cells(
    people: NDArray[np.integer],
    rows: NDArray[np.integer],
    columns: Sequence[CompatibleColumn],
    layers: Integers,
) -> tuple[NDArray[np.intp], Integers, Integers]:
    """Return the comparable people, the numbers of their cells, and the cell numbers of the rows.

    A layer is a set of released values of one column of which no two stand for the same original
    value. A person is comparable if the given layer of each column has a released value for the
    person's. A cell is a combination of these released values.

    people: original codes, n x d.
    rows: released codes with values of the given layers, r x d.
    columns: for each column the layers of its released values.
    layers: for each column the number of the layer of the rows' values.
    """
    compared = [j for j in range(len(columns)) if layers[j] != ANY_VALUE]
    if not compared:
        all_indices = np.arange(len(people))
        return all_indices, np.zeros(len(people), np.int64), np.zeros(len(rows), np.int64)
    values = np.stack([columns[j].layers[layers[j]][people[:, j]] for j in compared], axis=1)
    indices = np.flatnonzero((values != NO_VALUE).all(axis=1))
    joined = np.concatenate((values[indices], rows[:, compared]))
    cells = cells_of(joined, range(len(compared)))
    return indices, cells[: len(indices)], cells[len(indices) :]


def _place(layers: list[Integers], codes: Integers, values: int) -> int:
    """Return the number of the first layer with room for a released code; add a layer if needed.

    A layer holds released codes of a column of which no two stand for the same original code.

    layers: for each layer the released code of each original code, or NO_VALUE; may get a new
    layer.
    codes: the original codes that the released code stands for.
    values: number of original codes.
    """
    for number, layer in enumerate(layers):
        if (layer[codes] == NO_VALUE).all():
            return number
    layers.append(np.full(values, NO_VALUE, np.int64))
    return len(layers) - 1


def _or_empty(codes: Integers | None) -> Integers:
    """Return an array of codes, or an empty array in place of None."""
    return np.zeros(0, np.int64) if codes is None else codes
