"""The released rows that are nearest to the known values of a person, ties included.

The distance of two rows is Gower's (1971), a sum over columns: 0 or 1 for equal or different
categories; |x - y| divided by the range of the column for numbers. A missing number is a category
of its own. Distances that differ by less than 1e-9 are equal, so that no tie is broken by rounding.
The attacker takes one of the nearest rows at random.

Equal rows are treated once. A column adds at most 1 to a distance. So the rows nearest in some of
the columns are, in all columns, farther than the nearest row by at most 1 for each column left out.
Only such rows are compared again if few columns are left out.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table, different

Codes = NDArray[np.integer]
Floats = NDArray[np.float64]
Numbers = Sequence[Floats | None]
TIE = 1e-9


def numbered(table: Codes, numbers: Numbers | None) -> list[Floats | None]:
    """Return the numbers of each column's codes, or None for columns of categories.

    Raises:
        ParameterError: `numbers` has another number of columns, or a code has no number.
    """
    d = table.shape[1]
    column_values: list[Floats | None] = [None] * d if numbers is None else list(numbers)
    if len(column_values) != d:
        raise ParameterError(
            f"numbers: found {len(column_values)} for {d} columns; one for each column is needed"
        )
    for j, values in enumerate(column_values):
        if values is not None and len(values) <= int(table[:, j].max()):
            raise ParameterError(
                f"numbers[{j}]: found {len(values)}, but the column has code "
                f"{int(table[:, j].max())}; a number for each code from 0 is needed"
            )
    return column_values


class Near:
    """The released rows nearest to an attacked person, for any set of columns.

    Equal released rows are treated once, as one different row with a weight.

    Attributes:
        release, place: the prepared release, and the index of the person among the attacked people.
        codes: the person's codes.
        every: numbers of all columns.
        whole: distance of the person from each different released row in all columns.
        weights: the number of released rows equal to each different row.
        removed_row: index of the person's own row, if it is left out of the release; else None.
        min_distance: distance of the nearest row in all columns.
    """

    def __init__(self, release: "_Release", place: int, *, is_member: bool) -> None:
        """Compare a person with all different rows of the release.

        release: the prepared release.
        place: index of the person among the attacked people.
        is_member: whether the release has a row of this person, which is then left out.
        """
        self.release, self.place = release, place
        self.codes = release.people[place]
        self.every = range(len(release.sides))
        self.whole = release.distances(place, self.every)
        self.weights = release.weights
        self.removed_row: int | None = None
        if is_member:
            self._leave_out()
        self.min_distance = float(self.whole.min())

    def _leave_out(self) -> None:
        """Remove the person's own row from the release, since it would be the nearest row.

        If several released rows are equal to it, one of them is removed.
        """
        equal_places = np.flatnonzero(self.whole == 0)
        me = int(equal_places[(self.release.rows(equal_places) == self.codes).all(axis=1)][0])
        if self.weights[me] > 1:
            self.weights = self.weights.copy()
            self.weights[me] -= 1
        else:
            self.removed_row = me
            self.whole[me] = np.inf

    def row_codes(self, places: NDArray[np.intp], column: int) -> Codes:
        """Return the codes in a column of some of the different released rows.

        places: indices among the different rows.
        """
        release_column: Codes = self.release.released_codes[
            self.release.distinct_rows[places], column
        ]
        return release_column

    def nearest(self, columns: Sequence[int]) -> NDArray[np.intp]:
        """Return the indices of the different rows nearest in these columns, ties included."""
        left_out = [j for j in self.every if j not in columns]
        if len(left_out) < len(columns):
            places = np.flatnonzero(self.whole <= self.min_distance + len(left_out) + TIE)
            distances = self.whole[places] - self.release.distances(self.place, left_out, places)
        else:
            places = np.arange(len(self.whole))
            distances = self.release.distances(self.place, columns)
            if self.removed_row is not None:
                distances[self.removed_row] = np.inf
        near_places: NDArray[np.intp] = places[distances <= distances.min() + TIE]
        return near_places


def neighbours(
    release: Codes, people: Codes, numbers: Numbers | None = None, *, is_member: bool = False
) -> Iterator[Near]:
    """Yield, for each attacked person, the object that finds the nearest released rows.

    Args:
        release: m x d codes, a row for each row of the release; m >= 1, and 2 if `is_member`.
        people: t x d codes of the attacked people.
        numbers: for each column the number of each code (nan: no number), or None for a category.
        is_member: whether the release has a row of each person, which is left out in the search.
    """
    prepared_release = _Release(as_table(release), as_table(people), numbers)
    for place in range(len(people)):
        yield Near(prepared_release, place, is_member=is_member)


class _Release:
    """A release prepared for comparisons: its different rows, their copies, and its columns."""

    def __init__(self, release: Codes, people: Codes, numbers: Numbers | None) -> None:
        """Find the different rows of the release, and prepare each column for comparisons.

        release: codes of the released rows.
        people: codes of the attacked people.
        numbers: for each column the number of each code (nan: no number), or None for a category.
        """
        self.released_codes, self.people = release, people
        self.distinct_rows, counts = different(release)
        self.weights = counts.astype(np.float64)
        numbered(people, numbers)
        self.sides = [
            _side(release[self.distinct_rows, j], people[:, j], column)
            for j, column in enumerate(numbered(release, numbers))
        ]

    def rows(self, places: NDArray[np.intp]) -> Codes:
        """Return the codes of some of the different rows.

        places: indices among the different rows.
        """
        return self.released_codes[self.distinct_rows[places]]

    def distances(
        self, place: int, columns: Sequence[int], places: NDArray[np.intp] | None = None
    ) -> Floats:
        """Return a person's distances from different rows of the release in these columns.

        place: index of the person among the attacked people.
        columns: numbers of the compared columns.
        places: indices of the compared different rows; None: all of them.
        """
        size = len(self.distinct_rows) if places is None else len(places)
        different = np.zeros(size, np.uint16)
        total: Floats | None = None
        for j in columns:
            rows, people, gaps = self.sides[j]
            release_values = rows if places is None else rows[places]
            if rows.dtype.kind == "i":
                different += release_values != people[place]
            else:
                column_distances = _distances(release_values, float(people[place]), gaps=gaps)
                total = column_distances if total is None else total + column_distances
        return different.astype(np.float64) if total is None else total + different


def _distances(release_values: Floats, number: float, *, gaps: bool) -> Floats:
    """Return the distances of released values of a column from a person's number.

    Numbers are scaled to a range of 1. A missing number (nan) has distance 1 from a number, and 0
    from a missing number.

    gaps: whether some of the released values may be missing.
    """
    if np.isnan(number):
        return (~np.isnan(release_values)).astype(np.float64)
    distances: Floats = np.abs(release_values - number)
    if gaps:
        distances[np.isnan(distances)] = 1.0
    return distances


def _side(
    rows: Codes, people: Codes, numbers: Floats | None
) -> tuple[NDArray[Any], NDArray[Any], bool]:
    """Return a column of rows and of people, as codes or as numbers scaled to a range of 1.

    The last result is whether some of the numbers are nan.

    rows, people: codes of the column in the different released rows and in the attacked people.
    numbers: the number of each code (nan: no number), or None for a category.
    """
    if numbers is None:
        size = max(int(rows.max()), int(people.max(initial=0)))
        kind = np.int8 if size < 1 << 7 else np.int16 if size < 1 << 15 else np.int64
        return rows.astype(kind), people.astype(kind), False
    values, people_values = numbers[rows], numbers[people]
    values_present = np.concatenate(
        (values[~np.isnan(values)], people_values[~np.isnan(people_values)])
    )
    span = float(np.ptp(values_present)) if len(values_present) else 0.0
    return (
        values / (span or 1.0),
        people_values / (span or 1.0),
        len(values_present) < len(values) + len(people_values),
    )
