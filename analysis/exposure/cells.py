"""Cells of a table: groups of people with equal values in some columns.

A table is n x d integer codes of at least 0. Each row gets a number (key) for its cell, its
combination of codes in some columns. The key is a number in mixed radix: a digit for each column,
with as many possible digits as the column has codes. If the keys would pass 2**63, the keys so far
are renumbered without gaps, and at most n remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import sequence, whole
from .counts import Integers

LARGEST = 2**63 - 1
# The keys of rows are renumbered without sorting if fewer than NARROW keys per row and fewer than
# WIDEST in all are possible: an array marks the keys that occur, and takes at most 170 MB.
NARROW = 8
WIDEST = 1 << 25
# limit of the cells that are counted in an array (of 32 MB); with more cells, rows are sorted
DIRECT = 1 << 22


def as_table(table: ArrayLike) -> NDArray[np.integer]:
    """Return a table as a 2-D array of integer codes >= 0; ParameterError for any other input."""
    try:
        array = np.asarray(table)
    except ValueError:
        raise ParameterError(
            "table: ragged rows; an n x d array of integer codes is accepted"
        ) from None
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise ParameterError(
            f"table: found {array.ndim} dimensions of {array.dtype}; "
            "an n x d array of integer codes is accepted"
        )
    if array.size and array.min() < 0:
        raise ParameterError(f"table: found code {array.min()}; codes of at least 0 are accepted")
    if array.size and array.max() >= LARGEST:
        raise ParameterError(f"table: found code {array.max()}; codes below 2**63 - 1 are accepted")
    return array


def as_columns(columns: Sequence[int], width: int) -> list[int]:
    """Return `columns` as a list of distinct column indices below `width`; else ParameterError."""
    column_list = sequence(columns, "columns", "column numbers")
    numbers = [whole(column, "columns") for column in column_list]
    for number in numbers:
        if not 0 <= number < width:
            raise ParameterError(f"columns: found {number}; 0 to {width - 1} are accepted")
    if len(set(numbers)) < len(numbers):
        raise ParameterError(f"columns: found {numbers}; each column once is accepted")
    return numbers


def joint_counts(table: ArrayLike, columns: Sequence[int]) -> Integers:
    """Return the number of people in each cell that occurs, in any order (paper 000, Section 4).

    A cell is a combination of values of these columns.

    Args:
        table: n x d integer codes of at least 0, one row a person.
        columns: distinct column indices; an empty list puts all people in one cell.

    Returns:
        1-D array of positive counts that add up to n.
    """
    codes = as_table(table)
    return people_by_cell(codes, as_columns(columns, codes.shape[1]))


def people_by_cell(codes: NDArray[np.integer], columns: Sequence[int]) -> Integers:
    """Return the people in each occupied cell, in any order: `joint_counts` without checks.

    A cell is a combination of values of these columns.
    """
    return occupied(*_keys(codes, columns))


def occupied(keys: NDArray[np.integer], cells: int, direct: int = DIRECT) -> Integers:
    """Return how often each key occurs, in ascending order of the keys; absent keys are left out.

    The array `keys` may be sorted in place.

    Args:
        keys: a number for each row, at least 0 and below `cells`.
        cells: a number above all keys.
        direct: up to this number of cells, occurrences are counted in an array; beyond, keys are
            sorted.
    """
    if cells <= direct:
        counts = np.bincount(keys, minlength=1)
        return counts[counts > 0]
    ordered = keys.astype(np.int32, copy=False) if cells < 2**31 else keys
    ordered.sort()
    last = np.flatnonzero(ordered[1:] != ordered[:-1])
    return np.diff(last, prepend=-1, append=keys.size - 1)


def anonymity(table: ArrayLike, columns: Sequence[int]) -> Integers:
    """Return each row's cell size: the largest k for which the person is k-anonymous.

    The cell of a row has all rows with equal values in these columns.

    >>> from veilmix.analysis.exposure import anonymity
    >>> anonymity([[0, 1], [0, 1], [1, 0]], [0, 1]).tolist()
    [2, 2, 1]

    Args:
        table: n x d integer codes of at least 0, one row a person.
        columns: distinct column indices; an empty list puts all people in one cell.
    """
    codes = as_table(table)
    keys, cells = _keys(codes, as_columns(columns, codes.shape[1]))
    if cells > DIRECT:
        keys = np.unique(keys, return_inverse=True)[1]
    return np.bincount(keys, minlength=1)[keys].astype(np.int64)


def cells_of(table: ArrayLike, columns: Sequence[int]) -> Integers:
    """Return, for each row, the number of its cell (combination of values) in these columns.

    Cells are numbered 0, 1, ... without gaps.
    """
    codes = as_table(table)
    keys, cells = _keys(codes, as_columns(columns, codes.shape[1]))
    if cells > DIRECT:
        return dense(keys)[0]
    occurring = np.zeros(cells, dtype=np.int64)
    occurring[keys] = 1
    return (np.cumsum(occurring) - 1)[keys]


def distinct(table: ArrayLike) -> tuple[NDArray[np.integer], Integers]:
    """Return the distinct rows of a table, and the number of people with each row."""
    codes = as_table(table)
    places, people = different(codes)
    return codes[places], people


def different(codes: NDArray[np.integer]) -> tuple[Integers, Integers]:
    """Return, for each distinct row, the index of a row equal to it, and its number of people.

    codes: the table, n x d codes of at least 0, one row a person.
    """
    keys, cells = _keys(codes, range(codes.shape[1]))
    if cells > DIRECT:
        keys, cells = dense(keys)
    people = np.bincount(keys, minlength=cells).astype(np.int64, copy=False)
    representative = np.zeros(cells, dtype=np.int64)
    representative[keys] = np.arange(len(keys))
    occurring = np.flatnonzero(people)
    return representative[occurring], people[occurring]


def _keys(codes: NDArray[np.integer], columns: Sequence[int]) -> tuple[Integers, int]:
    """Return a key per row, equal exactly for rows that agree in these columns, and a limit.

    The limit is a number above all keys.
    """
    return row_keys((codes[:, column].astype(np.int64) for column in columns), codes.shape[0])


def row_keys(columns: Iterable[Integers], n: int) -> tuple[Integers, int]:
    """Return a key for each row, equal exactly for equal rows, and a number above all keys.

    Keys ascend in the lexicographic order of the rows: the first column counts most.

    Args:
        columns: for each column, the codes of all rows, at least 0, shape (n,).
        n: number of rows.
    """
    keys, cells = np.zeros(n, dtype=np.int64), 1
    for digits in columns:
        keys, cells = extend_keys(keys, cells, digits, int(digits.max(initial=0)) + 1, out=keys)
    return keys, cells


def extend_keys(
    keys: NDArray[np.integer],
    cells: int,
    digits: NDArray[np.integer],
    radix: int,
    dtype: type[np.integer] = np.int64,
    out: Integers | None = None,
) -> tuple[Integers, int]:
    """Return keys with one more digit, key * radix + digit, and a number above all of them.

    A key is the number of a row's cell; the digit splits the cell by a further column, or by the
    cells of further columns. Keys and digits are renumbered without gaps first if the result could
    pass 2**63.

    Args:
        keys: the number of each row's cell, at least 0 and below `cells`, shape (n,).
        cells: a number above all keys, at least 1.
        digits: the further number of each row, at least 0 and below `radix`, shape (n,).
        radix: a number above all digits, at least 1.
        dtype: type of the result, which has to hold cells * radix.
        out: the array for the result; it may be `keys`.
    """
    if cells * radix > LARGEST:
        keys, cells = dense(keys)
    if cells * radix > LARGEST:
        digits, radix = dense(digits)
    extended: Integers = np.multiply(keys, radix, dtype=dtype, out=out)
    extended += digits
    return extended, cells * radix


def dense(keys: NDArray[np.integer]) -> tuple[Integers, int]:
    """Renumber keys 0, 1, ... without gaps; return the new keys and the number of distinct keys.

    Equal keys stay equal, and their order is kept. keys: a number for each row.
    """
    if keys.size and keys.min() >= 0 and keys.max() < min(NARROW * keys.size, WIDEST):
        occurring = np.zeros(int(keys.max()) + 1, dtype=bool)
        occurring[keys] = True
        number = np.cumsum(occurring, dtype=np.int32)
        return number[keys] - np.int64(1), int(number[-1])
    occurring, coded = np.unique(keys, return_inverse=True)
    return coded.astype(np.int64, copy=False), occurring.size
