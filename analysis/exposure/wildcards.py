"""Crowds (people that cannot be distinguished) if a missing cell matches any value.

Two rows are compatible if in every column they agree or a value is missing. A person's crowd is the
number of people with a row compatible with the person's row, including that person. `users_below`
counts the people with a crowd smaller than k; the table is k-anonymous if this number is 0.

Compatible is not transitive: (a, ?) is compatible with (a, x) and with (a, y), but (a, x) is not
compatible with (a, y). So crowds overlap. They are never smaller than with missing as a separate
value, for which only equal rows match. A further column never enlarges a crowd.

The count is exact. Equal rows are one row with a weight. Rows with different values in the columns
without missing cells are never compared. Then, column by column, one array holds all pairs (prefix
of a row, complete row compatible with this prefix). A row with a value is paired with the longer
prefixes with that value or with a missing value; a row without a value, with all longer
prefixes. The cost is the number of pairs: about rows times columns with few missing values, at
worst rows squared times columns. More than `MAX_PAIRS` pairs raise an error.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from .cells import as_columns, as_table, dense, extend_keys, row_keys
from .counts import Integers
from .equivalence_classes import Crowds

# most pairs of a row and a row prefix in one count; beyond, ParameterError is raised
MAX_PAIRS = 500_000_000
# number of pairs of a row and a row prefix that are extended together, which bounds the memory
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Wildcards:
    """The distinct rows of a table with missing cells, to count crowds in any columns.

    A person's crowd is the people with a row that agrees wherever both rows have a value.

    Attributes:
        digits: digits[j]: code of each distinct row in column j, 0 where the value is missing.
        weights: number of people with each distinct row.
        place: place[i]: the distinct row of person i.
    """

    digits: tuple[Integers, ...]
    weights: Integers
    place: Integers

    @classmethod
    def from_table(cls, table: ArrayLike, missing: Sequence[int | None]) -> "Wildcards":
        """Compress a table to its distinct rows, with missing cells as code 0.

        Args:
            table: n x d integer codes of at least 0, n >= 1, one row a person.
            missing: for each column the code that stands for a missing cell; None for a column
                without missing cells.
        """
        codes = as_table(table)
        n, d = codes.shape
        if n == 0 or len(missing) != d:
            raise ParameterError(
                f"missing: found {len(missing)} codes for {d} columns of {n} rows; one for each "
                "column of at least one row is accepted"
            )
        columns = [_digits(codes[:, j].astype(np.int64), missing[j]) for j in range(d)]
        keys = _joint(columns, n)
        _, first, place, weights = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        return cls(
            tuple(column[first] for column in columns),
            weights.astype(np.int64),
            place.astype(np.int64),
        )

    def crowds(self, columns: Sequence[int], max_pairs: int = MAX_PAIRS) -> Crowds:
        """Return how many people have a crowd of each size in these columns.

        A person's crowd is the people with a row that agrees wherever both rows have a value.
        Raises ParameterError when more than `max_pairs` pairs of rows would have to be compared.
        """
        rows, weights, place = self._distinct(columns)
        return Crowds.from_rows(_compatible(rows, weights, max_pairs)[place], self.weights)

    def crowd_sizes(self, columns: Sequence[int], max_pairs: int = MAX_PAIRS) -> Integers:
        """Return the size of each person's crowd in these columns, shape (n,).

        A person's crowd is the people with a row that agrees wherever both rows have a value.
        Raises ParameterError when more than `max_pairs` pairs of rows would have to be compared.
        """
        rows, weights, place = self._distinct(columns)
        return _compatible(rows, weights, max_pairs)[place][self.place]

    def _distinct(self, columns: Sequence[int]) -> tuple[list[Integers], Integers, Integers]:
        """Return the rows that are distinct in some columns, with their people.

        Returns:
            The codes of these rows, an array for each column, 0 where a value is missing; the
            columns without missing values are joined into the first array. The number of people
            with each row. For each distinct row of the whole table, the index of its row in this
            result.
        """
        column_digits = [self.digits[j] for j in as_columns(columns, len(self.digits))]
        whole = [column for column in column_digits if column.min() > 0]
        lacking = sorted((c for c in column_digits if c.min() == 0), key=self._agreement)
        # The columns without missing cells are joined into the first array, with codes from 1,
        # because 0 stands for a missing value.
        ordered = [_joint(whole, self.weights.size) + 1, *lacking]
        keys = _joint(ordered, self.weights.size)
        _, first, place = np.unique(keys, return_index=True, return_inverse=True)
        weights = np.bincount(place, self.weights).astype(np.int64)
        return [column[first] for column in ordered], weights, place.astype(np.int64)

    def _agreement(self, column: Integers) -> float:
        """Return the share of pairs of people that agree or lack a value in this column."""
        shares = np.bincount(column, self.weights) / self.weights.sum()
        return float((shares[1:] ** 2).sum() + 2 * shares[0] - shares[0] ** 2)


def _digits(codes: Integers, missing: int | None) -> Integers:
    """Return the codes of a column renumbered from 1 without gaps, 0 where the value is missing.

    missing: the code that stands for a missing value; None: no value is missing.
    """
    digits = np.zeros(codes.size, dtype=np.int64)
    is_known = np.ones(codes.size, dtype=bool) if missing is None else codes != missing
    if is_known.any():
        digits[is_known] = dense(codes[is_known])[0] + 1
    return digits


def _joint(columns: Sequence[Integers], rows: int) -> Integers:
    """Return a number for each row, equal for equal rows, in lexicographic order of the rows."""
    return dense(row_keys(columns, rows)[0])[0]


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """One column in the count of compatible rows, as a level in the tree of all row prefixes.

    A prefix is a combination of values that occurs in the first columns. Prefix s of the columns
    before this one is extended by this column to the prefixes first[s] .. first[s + 1] - 1, in the
    order of `value`, their codes in this column. `keys`, ascending, is s * radix + value of each
    longer prefix.
    """

    digit: Integers  # the code of each row in this column, from 1; 0 where the value is missing
    radix: int
    keys: Integers
    value: Integers
    first: Integers

    def children(self, starts: Integers, rows: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """Return the most longer prefixes for each pair of a prefix and a compatible row.

        A prefix is the values of a row in the first columns; this column extends it. A row with a
        value is compatible with at most two extensions: by its value, and by a missing value. The
        second result flags the rows without a value, which are compatible with all extensions.
        """
        lacks = self.digit[rows] == 0
        return np.where(lacks, self.first[starts + 1] - self.first[starts], 2), lacks

    def extend(self, starts: Integers, rows: Integers) -> tuple[Integers, Integers]:
        """Extend pairs of a prefix (first columns of a row) and a compatible row by one column.

        Returns the prefixes and the rows of all pairs that stay compatible.
        """
        child_counts, lacks = self.children(starts, rows)
        known_starts, known_rows = starts[~lacks], rows[~lacks]
        wanted_keys, _ = extend_keys(
            known_starts, len(self.first), self.digit[known_rows], self.radix
        )
        at = np.minimum(np.searchsorted(self.keys, wanted_keys), self.keys.size - 1)
        is_match = self.keys[at] == wanted_keys
        leading = self.first[known_starts]
        lacks_value = self.value[leading] == 0
        child_counts = child_counts[lacks]
        ends = np.cumsum(child_counts)
        child_places = np.arange(ends[-1] if ends.size else 0) - np.repeat(
            ends - child_counts, child_counts
        )
        all_children = np.repeat(self.first[starts[lacks]], child_counts) + child_places
        return (
            np.concatenate((at[is_match], leading[lacks_value], all_children)),
            np.concatenate(
                (
                    known_rows[is_match],
                    known_rows[lacks_value],
                    np.repeat(rows[lacks], child_counts),
                )
            ),
        )


def _compatible(digits: list[Integers], weights: Integers, limit: int) -> Integers:
    """Return the crowd of each distinct row: the number of people with a compatible row.

    Two rows are compatible if in every column they agree or a value is missing.

    digits: the codes of the rows by column, 0 for missing; rows in lexicographic order. weights:
    people with each row. limit: most pairs of a row and a row prefix to compare; ParameterError is
    raised if there are more.
    """
    starts, levels = _levels(digits)
    crowds = np.zeros(weights.size, dtype=np.int64)
    stack = [(0, starts, np.arange(weights.size))]
    visited = 0
    while stack:
        level, starts, rows = stack.pop()
        if level == len(levels):
            crowds += np.bincount(starts, weights[rows], minlength=crowds.size).astype(np.int64)
            continue
        child_count = int(levels[level].children(starts, rows)[0].sum())
        if child_count > 2 * CHUNK and starts.size > 1:
            half = starts.size // 2
            stack += [(level, starts[:half], rows[:half]), (level, starts[half:], rows[half:])]
            continue
        visited += child_count
        if visited > limit:
            raise ParameterError(
                f"missing: as wildcards, {weights.size:,} different rows need more than {limit:,} "
                "comparisons; read missing as a category, or leave out columns with many missing "
                "cells"
            )
        stack.append((level + 1, *levels[level].extend(starts, rows)))
    return crowds


def _levels(digits: list[Integers]) -> tuple[Integers, list[_Level]]:
    """Return the code of each row in the first column, and a level for every other column.

    A level lists the prefixes, distinct combinations of values in the first columns, that end in
    its column.
    """
    starts = dense(digits[0])[0]
    root, levels = starts, []
    for digit in digits[1:]:
        radix = int(digit.max()) + 1
        span = int(starts.max()) + 1
        wider_starts, _ = extend_keys(starts, span, digit, radix)
        keys, child = np.unique(wider_starts, return_inverse=True)
        first = np.searchsorted(keys // radix, np.arange(span + 1))
        levels.append(_Level(digit, radix, keys, keys % radix, first))
        starts = child.astype(np.int64)
    return root, levels
