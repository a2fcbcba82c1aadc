"""Singling out: how often a predicate from a released row isolates a person.

An attacker takes a row of the release and some columns, and forms a predicate: categories are equal
to the row's; numbers are at least the row's value if it is above the column's median, else at most
(more extreme values isolate more). A predicate that only one row of the release fulfils is an
attack; it is right if only one person of the table fulfils it (Cohen, Nissim, *Towards formalizing
the GDPR's notion of singling out*, PNAS 2020; Giomi et al. 2023).

The result is not sampled: for all sets of this number of columns, the rows that fulfil each
predicate are counted at once. A table of counts over the cells of the columns is summed along every
column of numbers, from the lowest value up to the median and from the highest down to it; a cell
then has the number of rows that fulfil its predicate. If there are too many cells, some rows of the
set are counted one by one; if there are too many sets, some are drawn.

Guessing: predicates with random values and comparisons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...deprecated import accepts_old
from ...errors import ParameterError
from ..exposure.cells import as_table
from .nearest import Codes, Floats, Numbers, numbered
from .rates import Attack, Rate

SEED = 0x73696E67
CELLS = 1 << 22  # most cells of a set of columns that are counted in an array
SAMPLE_ROWS = 200  # rows that are counted one by one, for a set with more cells
GUESSES = 500  # random predicates, for the baseline
COMPARE = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
Accumulate = Callable[..., NDArray[np.int64]]
Owner = NDArray[np.integer] | None  # the person of each row; None: each row is a person's own
SIGNS = tuple(COMPARE)  # comparisons of numbers; categories have only the first two
MAX_COUNTED = 4e9  # approximate limit of counted rows and cells; beyond, sets are sampled


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """The success of singling out: predicates from released rows that isolate a person.

    Attributes:
        columns: number of columns of a predicate.
        tries: pairs of a row and a set of columns.
        isolating: predicates among them that only one row of the release fulfils.
        right: among these, the predicates that only one person of the table fulfils.
        control: the rate for people outside the release; None: there are none.
        guessed: random predicates that isolate a person: the baseline.
        sets: sets of columns: the number examined, and the number that exist.
        exact: whether all sets and rows were counted; else these are estimates.
    """

    columns: int
    tries: float
    isolating: float
    right: Rate
    control: Rate | None
    guessed: Rate
    sets: tuple[int, int]
    exact: bool

    @property
    def share(self) -> float:
        """The share of tries that isolate a person of the table, 0 to 1."""
        return self.isolating / self.tries * self.right.share if self.tries else 0.0

    def attack(self) -> Attack:
        """Return the result as an `Attack`.

        Success is to isolate a person, among isolating predicates.
        """
        return Attack("singling out", (), (), self.right, self.control, self.guessed)


@accepts_old(most="max_counted")
def singling_out(
    release: ArrayLike,
    people: ArrayLike,
    columns: int = 3,
    control: ArrayLike | None = None,
    numbers: Numbers | None = None,
    max_counted: float = MAX_COUNTED,
    owners: tuple[Owner, Owner] = (None, None),
) -> SinglingOut:
    """Measure singling out: predicates over `columns` columns that isolate a row or a person.

    Args:
        release: m x d codes of at least 0, a row for each released row.
        people: n x d codes in the same coding: the people of the release.
        columns: columns of a predicate, 1 to d.
        control: people outside the release.
        numbers: for each column the number of each code (nan: none), or None for a category.
        max_counted: limit, about, of the rows and cells counted.
        owners: the person of each row of the people, and of the control: a predicate isolates a
            person if it fulfils it with one row or more, and no other person does. None: each row
            is a person's own.

    Raises:
        ParameterError: tables do not fit each other, or have no such number of columns.
    """
    tables = _tables([release, people, *([] if control is None else [control])], columns)
    axes = _axes(tables, numbers)
    persons = (None, *owners)[: len(tables)]
    rng = np.random.default_rng(SEED)
    column_sets, set_count = _sets(axes, len(tables[0]), columns, max_counted, rng)
    sums = np.zeros((3,))
    tries, exact = 0.0, len(column_sets) == set_count
    for subset in column_sets:
        parts = [axes[j] for j in subset]
        tries += len(tables[0])
        if prod(axis.size for axis in parts) <= CELLS:
            sums += _by_cells(parts, persons)
        else:
            sums += _by_rows(parts, rng, persons)
            exact = exact and len(tables[0]) <= SAMPLE_ROWS
    isolating, right, outside = (float(total) for total in sums)
    n = round(isolating)
    return SinglingOut(
        columns,
        tries,
        isolating,
        Rate(min(right, n), n),
        Rate(min(outside, n), n) if control is not None else None,
        _guesses(axes, columns, rng, owners[0]),
        (len(column_sets), set_count),
        exact,
    )


def _tables(given_tables: Sequence[ArrayLike], columns: int) -> list[Codes]:
    """Check the tables and the number of columns, and return the tables' codes.

    Raises:
        ParameterError: tables do not fit each other, or have no such number of columns.
    """
    tables = [as_table(table) for table in given_tables]
    d = tables[0].shape[1]
    if any(table.shape[1] != d or not len(table) for table in tables):
        raise ParameterError(
            f"release, people, control: found shapes {[t.shape for t in tables]}; the same columns "
            "and at least one row each are needed"
        )
    if not 1 <= columns <= d:
        raise ParameterError(f"columns: found {columns}; 1 to {d} are accepted")
    return tables


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """A column with its codes in the order: numbers up to the median, larger numbers, categories.

    Attributes:
        size: number of codes.
        low, high: the first code of the second and of the third part.
        codes: new codes of release, people and control.
        occurring: the codes that occur in the release.
    """

    size: int
    low: int
    high: int
    codes: tuple[Codes, ...]
    occurring: Codes

    def summed(
        self, cells: NDArray[np.int64], axis: int, accumulate: Accumulate = np.cumsum
    ) -> NDArray[np.int64]:
        """Sum counts along this column in place: each cell counts rows that fulfil its predicate.

        The predicate of a number is "at most" or "at least", that of a category "equal".
        """
        at = np.moveaxis(cells, axis, 0)
        at[: self.low] = accumulate(at[: self.low], axis=0)
        at[self.low : self.high] = accumulate(at[self.low : self.high][::-1], axis=0)[::-1]
        return cells

    def fulfil(self, code: int, table: int) -> NDArray[np.bool_]:
        """Return a mask of the rows of a table that fulfil the predicate of a code."""
        if code < self.low:
            return self.compared("<=", code, table)
        return self.compared(">=" if code < self.high else "==", code, table)

    def guess(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return a mask of the people that fulfil a random comparison with a random value.

        The value occurs in the release.
        """
        code = int(self.occurring[rng.integers(len(self.occurring))])
        signs = SIGNS if code < self.high else SIGNS[:2]
        return self.compared(signs[int(rng.integers(len(signs)))], code, 1)

    def compared(self, sign: str, code: int, table: int) -> NDArray[np.bool_]:
        """Return a mask of the rows with this comparison to a code.

        A missing number (nan) is neither above nor below any code.
        """
        comparison = COMPARE[sign](self.codes[table], code)
        if ">" in sign:
            comparison &= self.codes[table] < self.high
        is_true: NDArray[np.bool_] = comparison
        return is_true


def _axes(tables: Sequence[Codes], numbers: Numbers | None) -> list[_Axis]:
    """Return the columns with ordered codes, for all tables.

    A table given twice (the people are the release) is read once.
    """
    distinct_tables = list({id(table): table for table in tables}.values())
    places = [
        next(i for i, candidate in enumerate(distinct_tables) if candidate is table)
        for table in tables
    ]
    number_columns = numbered(
        distinct_tables[0] if len(distinct_tables) == 1 else np.concatenate(distinct_tables),
        numbers,
    )
    return [
        _axis([table[:, j] for table in distinct_tables], places, values)
        for j, values in enumerate(number_columns)
    ]


def _axis(columns: Sequence[Codes], places: Sequence[int], numbers: Floats | None) -> _Axis:
    """Return a column with ordered codes.

    `places`: for release, people and control, the number of its data in `columns`.
    """
    occurring_codes = _occurring(columns[0] if len(columns) == 1 else np.concatenate(columns))
    if numbers is None:
        order, low, high = occurring_codes, 0, 0
    else:
        order = occurring_codes[
            np.argsort(numbers[occurring_codes], kind="stable")
        ]  # codes without a number (nan) are sorted to the end
        values = numbers[order]
        high = int((~np.isnan(values)).sum())
        people = np.bincount(columns[0], minlength=int(occurring_codes[-1]) + 1)[order[:high]]
        low = int((values <= _median(values[:high], people)).sum())
    place = np.zeros(int(occurring_codes[-1]) + 1, np.int64)
    place[order] = np.arange(len(order))
    kind = np.min_scalar_type(-len(order))
    small = place.astype(kind)
    codes = [small[column] for column in columns]
    return _Axis(len(order), low, high, tuple(codes[at] for at in places), _occurring(codes[0]))


def _median(values: Floats, people: NDArray[np.int64]) -> float:
    """Return the median of ascending values, each of a number of people; 0 without people."""
    upto = np.cumsum(people)
    n = int(upto[-1]) if len(upto) else 0
    if not n:
        return 0.0
    middle = np.searchsorted(upto, [(n - 1) // 2, n // 2], side="right")
    return float(values[middle].sum()) / 2


def _occurring(codes: Codes) -> NDArray[np.int64]:
    """The codes that occur, ascending."""
    if int(codes.max()) < 4 * len(codes):
        return np.flatnonzero(np.bincount(codes))
    return np.unique(codes).astype(np.int64)


def _sets(
    axes: Sequence[_Axis], rows: int, columns: int, work_limit: float, rng: np.random.Generator
) -> tuple[list[tuple[int, ...]], int]:
    """Return the sets of columns to examine, random if there are too many, and how many exist."""
    d = len(axes)
    set_count = comb(d, columns)
    if set_count <= 5000:
        column_sets = list(combinations(range(d), columns))
    else:
        random_sets = (rng.choice(d, columns, replace=False) for _ in range(5000))
        column_sets = list(dict.fromkeys(tuple(sorted(row.tolist())) for row in random_sets))
    costs = [_cost(prod(axes[j].size for j in picked), rows, columns) for picked in column_sets]
    if sum(costs) <= work_limit:
        return column_sets, set_count
    sample_size = max(8, int(work_limit / (sum(costs) / len(costs))))
    if sample_size >= len(column_sets):
        return column_sets, set_count
    places = np.sort(rng.choice(len(column_sets), sample_size, replace=False)).tolist()
    return [column_sets[place] for place in places], set_count


def _cost(cells: int, rows: int, columns: int) -> float:
    """Return the approximate number of rows and cells to count for a set of columns."""
    return rows * columns + 3 * cells if cells <= CELLS else float(SAMPLE_ROWS * rows * columns)


def _by_cells(parts: Sequence[_Axis], persons: Sequence[Owner]) -> NDArray[np.float64]:
    """Count, from a table of cells, the predicates that isolate a row of the release, or a person.

    Returns three numbers: isolating a row; of these, a person of the table; a person of the
    control. `persons`: the owner of each row, of release, people and control.
    """
    cell_counts = _cells(parts, 0)
    counts = [_fulfilled(parts, cell_counts.copy())]
    for table, codes in enumerate(parts[0].codes[1:], 1):
        owner = persons[table]
        if owner is not None:
            counts.append(_one_person(parts, table, owner))
            continue
        is_same_table = codes is parts[0].codes[0]
        counts.append(counts[0] if is_same_table else _fulfilled(parts, _cells(parts, table)))
    singled_out = np.flatnonzero((cell_counts == 1) & (counts[0] == 1))
    people = [
        float(len(singled_out)),
        *(float((cells[singled_out] == 1).sum()) for cells in counts[1:]),
    ]
    return np.array([*people, 0.0][:3])


def _one_person(
    parts: Sequence[_Axis], table: int, owner: NDArray[np.integer]
) -> NDArray[np.int64]:
    """Return 1 for each cell with a predicate that exactly one person fulfils, else 0.

    A single person does so if the least and the largest number of such persons are equal.
    """
    keys, size = _keys(parts, table), prod(axis.size for axis in parts)
    smallest, largest = np.full(size, len(owner), np.int64), np.full(size, -1, np.int64)
    np.minimum.at(smallest, keys, owner)
    np.maximum.at(largest, keys, owner)
    ends = (
        _fulfilled(parts, numbers, accumulate)
        for numbers, accumulate in (
            (smallest, np.minimum.accumulate),
            (largest, np.maximum.accumulate),
        )
    )
    return np.equal(*ends).astype(np.int64)


def _cells(parts: Sequence[_Axis], table: int) -> NDArray[np.int64]:
    """Return the number of rows of a table in each cell of some columns, flattened."""
    return np.bincount(_keys(parts, table), minlength=prod(axis.size for axis in parts))


def _keys(parts: Sequence[_Axis], table: int) -> NDArray[np.int64]:
    """Return the number of the cell of each row of a table."""
    keys = np.zeros(len(parts[0].codes[table]), np.int64)
    for axis in parts:
        keys = keys * axis.size + axis.codes[table]
    return keys


def _fulfilled(
    parts: Sequence[_Axis], cells: NDArray[np.int64], accumulate: Accumulate = np.cumsum
) -> NDArray[np.int64]:
    """Return the number of rows that fulfil the predicate of each cell; overwrites `cells`."""
    shaped = cells.reshape([axis.size for axis in parts])
    for place, axis in enumerate(parts):
        if axis.high:
            shaped = axis.summed(shaped, place, accumulate)
    return shaped.ravel()


def _by_rows(
    parts: Sequence[_Axis], rng: np.random.Generator, persons: Sequence[Owner]
) -> NDArray[np.float64]:
    """Estimate the counts of `_by_cells` from some random rows of the release, scaled to all."""
    rows = len(parts[0].codes[0])
    sampled_rows = rng.choice(rows, min(rows, SAMPLE_ROWS), replace=False)
    sums = np.zeros(3)
    for row in sampled_rows.tolist():
        codes = [int(axis.codes[0][row]) for axis in parts]
        counts = []
        for table in range(len(parts[0].codes)):
            is_fulfilled = np.ones(len(parts[0].codes[table]), np.bool_)
            for axis, code in zip(parts, codes, strict=True):
                is_fulfilled &= axis.fulfil(code, table)
            counts.append(_number(is_fulfilled, persons[table]))
            if not table and counts[0] != 1:
                break
        if counts[0] == 1:
            sums[: len(counts)] += [1, *(fulfilled_counts == 1 for fulfilled_counts in counts[1:])]
    return sums * (rows / len(sampled_rows))


def _number(is_fulfilled: NDArray[np.bool_], owner: Owner) -> int:
    """Return the number of rows in a mask, or of different persons if rows have owners."""
    if owner is None:
        return int(is_fulfilled.sum())
    return len(np.unique(owner[is_fulfilled]))


def _guesses(axes: Sequence[_Axis], columns: int, rng: np.random.Generator, owner: Owner) -> Rate:
    """Return the rate of random predicates that isolate a person: the baseline of guessing."""
    right = 0
    for _ in range(GUESSES):
        chosen_columns = rng.choice(len(axes), columns, replace=False).tolist()
        is_fulfilled = axes[chosen_columns[0]].guess(rng)
        for j in chosen_columns[1:]:
            is_fulfilled = is_fulfilled & axes[j].guess(rng)
        right += int(_number(is_fulfilled, owner) == 1)
    return Rate(right, GUESSES)
