"""Which rows of a release are nearest to what is known of somebody, ties included.

The distance of two rows is Gower's (1971), a sum over columns: 0 or 1 for whether categories
differ; |x - y| over the range of the column for numbers. What is no number (a missing cell) is a
category of its own. Distances that differ by less than 1e-9 are equal, so that no tie is broken by
rounding. Whoever attacks takes one of the nearest rows at random.

Rows that agree are looked at once. A row that is nearest in all columns but some is no further off
in all columns than the nearest row there plus one for each column left out: only such rows are
looked at again.
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
    """The numbers of each column's codes, or None for categories. Raises ParameterError."""
    d = table.shape[1]
    given: list[Floats | None] = [None] * d if numbers is None else list(numbers)
    if len(given) != d:
        raise ParameterError(f"numbers: found {len(given)} for {d} columns")
    for j, values in enumerate(given):
        if values is not None and len(values) <= int(table[:, j].max()):
            raise ParameterError(f"numbers[{j}]: {len(values)} for code {int(table[:, j].max())}")
    return given


class Near:
    """One person beside all different rows of a release: which are nearest, in any columns.

    weights: people who have each of these rows. codes: the person's.
    """

    def __init__(self, release: "_Release", place: int, *, own: bool) -> None:
        self.release, self.place = release, place
        self.codes = release.people[place]
        self.every = range(len(release.sides))
        self.whole = release.distances(place, self.every)
        self.weights = release.weights
        self.gone: int | None = None
        if own:
            self._leave_out()
        self.least = float(self.whole.min())

    def _leave_out(self) -> None:
        """Take the person itself out of the release."""
        same = np.flatnonzero(self.whole == 0)
        me = int(same[(self.release.rows(same) == self.codes).all(axis=1)][0])
        if self.weights[me] > 1:
            self.weights = self.weights.copy()
            self.weights[me] -= 1
        else:
            self.gone = me
            self.whole[me] = np.inf

    def held(self, places: NDArray[np.intp], column: int) -> Codes:
        """What rows have in a column."""
        held: Codes = self.release.held[self.release.found[places], column]
        return held

    def nearest(self, columns: Sequence[int]) -> NDArray[np.intp]:
        """The places of the nearest rows in some columns."""
        left_out = [j for j in self.every if j not in columns]
        if len(left_out) < len(columns):
            places = np.flatnonzero(self.whole <= self.least + len(left_out) + TIE)
            far = self.whole[places] - self.release.distances(self.place, left_out, places)
        else:
            places = np.arange(len(self.whole))
            far = self.release.distances(self.place, columns)
            if self.gone is not None:
                far[self.gone] = np.inf
        near: NDArray[np.intp] = places[far <= far.min() + TIE]
        return near


def neighbours(
    release: Codes, people: Codes, numbers: Numbers | None = None, *, own: bool = False
) -> Iterator[Near]:
    """Yield people, one after the other, with the rows of the release.

    Args:
        release: m x d codes, a row for each row of the release; m >= 1, and 2 where `own`.
        people: t x d codes of those who are attacked.
        numbers: for each column the number of each code (nan: none), or None for a category.
        own: whether each of the people is in the release, and is left out of it.
    """
    held = _Release(as_table(release), as_table(people), numbers)
    for place in range(len(people)):
        yield Near(held, place, own=own)


class _Release:
    """The different rows of a release and how many people have each, by column."""

    def __init__(self, release: Codes, people: Codes, numbers: Numbers | None) -> None:
        self.held, self.people = release, people
        self.found, counts = different(release)
        self.weights = counts.astype(np.float64)
        numbered(people, numbers)
        self.sides = [
            _side(release[self.found, j], people[:, j], column)
            for j, column in enumerate(numbered(release, numbers))
        ]

    def rows(self, places: NDArray[np.intp]) -> Codes:
        """Some of the different rows: they stay where they are, and are not copied."""
        return self.held[self.found[places]]

    def distances(
        self, place: int, columns: Sequence[int], places: NDArray[np.intp] | None = None
    ) -> Floats:
        """Distances of a person from rows (None: all), in some columns."""
        size = len(self.found) if places is None else len(places)
        different = np.zeros(size, np.uint16)
        total: Floats | None = None
        for j in columns:
            rows, people, gaps = self.sides[j]
            held = rows if places is None else rows[places]
            if rows.dtype.kind == "i":
                different += held != people[place]
            else:
                apart = _apart(held, float(people[place]), gaps=gaps)
                total = apart if total is None else total + apart
        return different.astype(np.float64) if total is None else total + different


def _apart(held: Floats, number: float, *, gaps: bool) -> Floats:
    """Distances of numbers; 1 from what is none, and 0 between such. gaps: whether there is one."""
    if np.isnan(number):
        return (~np.isnan(held)).astype(np.float64)
    apart: Floats = np.abs(held - number)
    if gaps:
        apart[np.isnan(apart)] = 1.0
    return apart


def _side(
    rows: Codes, people: Codes, numbers: Floats | None
) -> tuple[NDArray[Any], NDArray[Any], bool]:
    """A column of the rows and of the people: codes, or numbers scaled to a range of 1.

    Last whether some of them are none.
    """
    if numbers is None:
        size = max(int(rows.max()), int(people.max(initial=0)))
        kind = np.int8 if size < 1 << 7 else np.int16 if size < 1 << 15 else np.int64
        return rows.astype(kind), people.astype(kind), False
    values, others = numbers[rows], numbers[people]
    known = np.concatenate((values[~np.isnan(values)], others[~np.isnan(others)]))
    span = float(np.ptp(known)) if len(known) else 0.0
    return values / (span or 1.0), others / (span or 1.0), len(known) < len(values) + len(others)
