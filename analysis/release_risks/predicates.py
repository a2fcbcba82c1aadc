"""Singling out: how often a predicate from a released row isolates a person.

An attacker takes a row of the release and some columns, and forms a predicate with a condition for
each column. A category must equal the row's. A number must be at least the row's value if that is
above the column's median, else at most the row's value (more extreme values isolate more). A
predicate that only one row of the release fulfils is an attack; it is right if only one person of
the table fulfils it (Cohen, Nissim, *Towards formalizing the GDPR's notion of singling out*, PNAS
2020; Giomi et al. 2023).

The result is not sampled: for all sets of this number of columns, the rows that fulfil each
predicate are counted at once. An array counts the rows with each combination of values, its cells.
It is summed along every column of numbers, from the lowest value up to the median and from the
highest down to it. Then each cell has the number of rows that fulfil its predicate. If there are
too many cells, some rows are counted one by one; if there are too many sets of columns, some are
drawn at random.

The baseline is guessing: predicates with random values and comparisons.
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
from .rates import Rate, ReleaseAttack

SEED = 0x73696E67
# Most combinations of values of a set of columns that are counted in an array, which has an entry
# for each. With more combinations, released rows are tried one by one.
CELLS = 1 << 22
# Most released rows whose predicates are counted one by one, if a set of columns has more than
# CELLS combinations of values. Of more rows a random sample is taken, to save time.
SAMPLE_ROWS = 200
GUESSES = 500  # number of random predicates tried, for the baseline rate of guessing
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
# comparisons of numbers; only the first two, "==" and "!=", apply to categories
SIGNS = tuple(COMPARE)
# approximate limit of the rows and combinations of values counted; beyond it, sets of columns are
# sampled
MAX_COUNTED = 4e9


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """The success of singling out: predicates from released rows that isolate a person.

    A predicate is a condition on some columns that the row itself fulfils.

    Attributes:
        columns: number of columns of a predicate.
        tries: number of predicates tried: each released row with each set of columns.
        isolating: number of these predicates that only one row of the release fulfils.
        right: isolating predicates that only one person of the table fulfils.
        control: isolating predicates that only one person outside the release fulfils; None: there
            are no such people.
        guessed: random predicates that isolate a person: the baseline.
        sets: sets of columns: the number examined, and the number that exist.
        exact: whether all sets and rows were counted; else the numbers are estimates.
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
        """The share of tries that isolate a person of the table, 0 to 1.

        A try is a predicate from one released row over one set of columns.
        """
        return self.isolating / self.tries * self.right.share if self.tries else 0.0

    def attack(self) -> ReleaseAttack:
        """Return the success rates as a `ReleaseAttack`.

        A try is a predicate that only one released row fulfils; it succeeds if only one person of
        the table fulfils it.
        """
        return ReleaseAttack("singling out", (), (), self.right, self.control, self.guessed)


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
        numbers: for each column the number of each code (nan: no number), or None for a category.
        max_counted: approximate limit of the rows and combinations of values counted.
        owners: the person of each row of the people, and of the control. A predicate isolates a
            person if a row of the person fulfils it, and no row of another person does. None: each
            row is a person's own.

    Raises:
        ParameterError: the tables differ in their columns or are empty, or `columns` is not 1 to d.
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
    """Check the tables and the number of columns of a predicate, and return the tables' codes.

    Raises:
        ParameterError: the tables differ in their columns or are empty, or `columns` is not 1 to
            the number of columns.
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
    """A column with codes renumbered: numbers up to the median, larger numbers, categories.

    The predicate of a code is "at most" in the first part, "at least" in the second, "equal" in the
    third. A missing number is a category.

    Attributes:
        size: number of codes.
        low, high: the first code of the second and of the third part.
        codes: renumbered codes of the rows of release, people and control.
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
        """Sum an array of counts along this column, in place, by the predicate of each cell.

        A cell is a combination of values, and then counts all rows that fulfil its predicate. The
        predicate for this column is "at most" for a number up to the median, "at least" for a
        larger number, "equal" for a category.

        cells: an array with an axis for each column.
        axis: the axis of this column.
        accumulate: the cumulative function; a minimum or maximum may take the place of the sum.
        """
        at = np.moveaxis(cells, axis, 0)
        at[: self.low] = accumulate(at[: self.low], axis=0)
        at[self.low : self.high] = accumulate(at[self.low : self.high][::-1], axis=0)[::-1]
        return cells

    def fulfil(self, code: int, table: int) -> NDArray[np.bool_]:
        """Return a mask of the rows of a table that fulfil the predicate of a code.

        The predicate is "at most", "at least" or "equal" to the code, by the part of the column's
        order.

        table: 0 for the release, 1 for the people, 2 for the control.
        """
        if code < self.low:
            return self.compared("<=", code, table)
        return self.compared(">=" if code < self.high else "==", code, table)

    def guess(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """Return a mask of the people that fulfil a random comparison with a random value.

        The value is drawn from the values that occur in the release.
        """
        code = int(self.occurring[rng.integers(len(self.occurring))])
        signs = SIGNS if code < self.high else SIGNS[:2]
        return self.compared(signs[int(rng.integers(len(signs)))], code, 1)

    def compared(self, sign: str, code: int, table: int) -> NDArray[np.bool_]:
        """Return a mask of the rows with a value that compares with a code in this way.

        A missing number (nan) is neither above nor below any code.

        sign: the comparison, such as "<=".
        table: 0 for the release, 1 for the people, 2 for the control.
        """
        comparison = COMPARE[sign](self.codes[table], code)
        if ">" in sign:
            comparison &= self.codes[table] < self.high
        is_true: NDArray[np.bool_] = comparison
        return is_true


def _axes(tables: Sequence[Codes], numbers: Numbers | None) -> list[_Axis]:
    """Return each column with its codes in the order that predicates use, for all tables.

    If the people are the release itself, the same object is given twice; it is prepared once.

    tables: codes of the release, of the people, and of the control if it is given.
    numbers: for each column the number of each code (nan: no number), or None for a category.
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
    """Return a column with its codes in the order: up to the median, larger numbers, categories.

    columns: the codes of this column in each different table.
    places: for release, people and control, the index of the table in `columns`.
    numbers: the number of each code (nan: no number), or None for a category.
    """
    occurring_codes = _occurring(columns[0] if len(columns) == 1 else np.concatenate(columns))
    if numbers is None:
        order, low, high = occurring_codes, 0, 0
    else:
        order = occurring_codes[
            np.argsort(numbers[occurring_codes], kind="stable")
        ]  # codes without a number (nan) are sorted to the end, where categories are
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
    """Return the median of people's values; 0 without people.

    values: the different values, ascending.
    people: the number of people with each value.
    """
    upto = np.cumsum(people)
    n = int(upto[-1]) if len(upto) else 0
    if not n:
        return 0.0
    middle = np.searchsorted(upto, [(n - 1) // 2, n // 2], side="right")
    return float(values[middle].sum()) / 2


def _occurring(codes: Codes) -> NDArray[np.int64]:
    """The codes that occur in an array of codes, ascending."""
    if int(codes.max()) < 4 * len(codes):
        return np.flatnonzero(np.bincount(codes))
    return np.unique(codes).astype(np.int64)


def _sets(
    axes: Sequence[_Axis], rows: int, columns: int, work_limit: float, rng: np.random.Generator
) -> tuple[list[tuple[int, ...]], int]:
    """Return the sets of columns to examine, random if there are too many, and how many exist.

    rows: number of released rows.
    columns: number of columns of each set.
    work_limit: approximate limit of the rows and combinations of values counted.
    """
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
    """Return the approximate work for a set of columns: rows and combinations of values to count.

    cells: number of combinations of values of the columns.
    rows: number of released rows.
    columns: number of columns in the set.
    """
    return rows * columns + 3 * cells if cells <= CELLS else float(SAMPLE_ROWS * rows * columns)


def _by_cells(parts: Sequence[_Axis], persons: Sequence[Owner]) -> NDArray[np.float64]:
    """Count the predicates that isolate a row of the release, and that are right.

    Returns three numbers: predicates that isolate a released row; of these, predicates that isolate
    a person of the table; and predicates that isolate a person of the control. Rows are counted in
    an array over all combinations of values.

    parts: the columns of the predicates.
    persons: the person of each row, for release, people and control; None: each row is its own.
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
    """Return 1 for each combination of values with a predicate that one person fulfils, else 0.

    Exactly one person fulfils it if the smallest and the largest number of the persons with a
    fulfilling row are equal.

    parts: the columns of the predicates.
    table: 1 for the people, 2 for the control.
    owner: the number of the person of each row of the table.
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
    """Return the number of rows of a table with each combination of values, flattened.

    parts: the columns of the combinations.
    table: 0 for the release, 1 for the people, 2 for the control.
    """
    return np.bincount(_keys(parts, table), minlength=prod(axis.size for axis in parts))


def _keys(parts: Sequence[_Axis], table: int) -> NDArray[np.int64]:
    """Return, for each row of a table, the number of its combination of values in some columns.

    table: 0 for the release, 1 for the people, 2 for the control.
    """
    keys = np.zeros(len(parts[0].codes[table]), np.int64)
    for axis in parts:
        keys = keys * axis.size + axis.codes[table]
    return keys


def _fulfilled(
    parts: Sequence[_Axis], cells: NDArray[np.int64], accumulate: Accumulate = np.cumsum
) -> NDArray[np.int64]:
    """Return the number of rows that fulfil the predicate of each combination of values.

    parts: the columns of the predicates.
    cells: the number of rows with each combination, flattened; overwritten.
    accumulate: the cumulative function, such as a sum or a minimum.
    """
    shaped = cells.reshape([axis.size for axis in parts])
    for place, axis in enumerate(parts):
        if axis.high:
            shaped = axis.summed(shaped, place, accumulate)
    return shaped.ravel()


def _by_rows(
    parts: Sequence[_Axis], rng: np.random.Generator, persons: Sequence[Owner]
) -> NDArray[np.float64]:
    """Estimate the numbers of isolating predicates from some random rows, scaled to all.

    Returns predicates that isolate a released row; of these, predicates that isolate a person of
    the table; and predicates that isolate a person of the control.

    parts: the columns of the predicates.
    persons: the person of each row, for release, people and control; None: each row is its own.
    """
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
    """Return the number of rows in a mask, or of different persons if rows have owners.

    is_fulfilled: the mask. owner: the person of each row; None: each row is a person's own.
    """
    if owner is None:
        return int(is_fulfilled.sum())
    return len(np.unique(owner[is_fulfilled]))


def _guesses(axes: Sequence[_Axis], columns: int, rng: np.random.Generator, owner: Owner) -> Rate:
    """Return the rate of random predicates that isolate a person: the baseline of guessing.

    axes: all columns of the tables.
    columns: number of columns of a predicate.
    owner: the person of each row; None: each row is a person's own.
    """
    right = 0
    for _ in range(GUESSES):
        chosen_columns = rng.choice(len(axes), columns, replace=False).tolist()
        is_fulfilled = axes[chosen_columns[0]].guess(rng)
        for j in chosen_columns[1:]:
            is_fulfilled = is_fulfilled & axes[j].guess(rng)
        right += int(_number(is_fulfilled, owner) == 1)
    return Rate(right, GUESSES)
