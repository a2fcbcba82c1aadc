"""Singling out: how often what a release says of a row isolates one person.

An attacker takes a row of the release and some columns, and says: the values of the categories are
these; numbers are at least so much where the row's is above the column's median, else at most so
much (more extreme values isolate more). Such a predicate that one row of the release alone fulfils
is an attack; it is right if one person alone of the table fulfils it (Cohen, Nissim, *Towards
formalizing the GDPR's notion of singling out*, PNAS 2020; Giomi et al. 2023).

Nothing is drawn: for all sets of so many columns, the rows that fulfil each predicate are counted
at once. A table of counts over the cells of the columns is summed along every column of numbers,
from the lowest value up to the median and from the highest down to it; what stands in a cell then
is the number of rows that fulfil the predicate of that cell. Where cells would be too many, some
rows of the set are counted one by one; where sets are too many, some are drawn.

Guessing: predicates with random values and comparisons, as often isolating as not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table
from .nearest import Codes, Floats, Numbers, numbered
from .rates import Attack, Rate

SEED = 0x73696E67
CELLS = 1 << 22  # of a set of columns that are counted in an array
SOME = 200  # rows of a set that are counted one by one
GUESSES = 500  # predicates at random
COMPARE = {
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
SIGNS = tuple(COMPARE)  # of categories the first two only
MOST = 4e9  # rows and cells that are counted, about; beyond, sets of columns are drawn


@dataclass(frozen=True, slots=True)
class SinglingOut:
    """What predicates over so many columns isolate.

    Attributes:
        columns: of a predicate.
        tries: pairs of a row and a set of columns.
        isolating: predicates among them that one row of the release alone fulfils.
        right: of those, the predicates that one person of the table alone fulfils.
        control: the same of the people who are not in the release; None: there are none.
        guessed: random predicates that isolate a person.
        sets: of columns: how many were looked at, and how many there are.
        exact: whether everything was counted; else these are estimates.
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
        """The share of tries that isolate a person of the table."""
        return self.isolating / self.tries * self.right.share if self.tries else 0.0

    def attack(self) -> Attack:
        """As a question: of predicates that isolate a row, those that isolate a person."""
        return Attack("singling out", (), (), self.right, self.control, self.guessed)


def singling_out(
    release: ArrayLike,
    people: ArrayLike,
    columns: int = 3,
    control: ArrayLike | None = None,
    numbers: Numbers | None = None,
    most: float = MOST,
) -> SinglingOut:
    """Count what predicates over `columns` columns isolate.

    Args:
        release: m x d codes of at least 0, a row for each row that was released.
        people: n x d codes in the same coding: those whose rows made the release.
        columns: of a predicate, 1 to d.
        control: people who are not in the release.
        numbers: for each column the number of each code (nan: none), or None for a category.
        most: rows and cells that are counted at most, about.

    Raises:
        ParameterError: tables do not fit each other, or have no such number of columns.
    """
    tables = _tables([release, people, *([] if control is None else [control])], columns)
    axes = _axes(tables, numbers)
    rng = np.random.default_rng(SEED)
    chosen, every = _sets(axes, len(tables[0]), columns, most, rng)
    sums = np.zeros((3,))
    tries, exact = 0.0, len(chosen) == every
    for subset in chosen:
        parts = [axes[j] for j in subset]
        tries += len(tables[0])
        if prod(axis.size for axis in parts) <= CELLS:
            sums += _by_cells(parts)
        else:
            sums += _by_rows(parts, rng)
            exact = exact and len(tables[0]) <= SOME
    isolating, right, outside = (float(total) for total in sums)
    n = round(isolating)
    return SinglingOut(
        columns,
        tries,
        isolating,
        Rate(min(right, n), n),
        Rate(min(outside, n), n) if control is not None else None,
        _guesses(axes, columns, rng),
        (len(chosen), every),
        exact,
    )


def _tables(given: Sequence[ArrayLike], columns: int) -> list[Codes]:
    tables = [as_table(table) for table in given]
    d = tables[0].shape[1]
    if any(table.shape[1] != d or not len(table) for table in tables):
        raise ParameterError(f"release, people, control: found shapes {[t.shape for t in tables]}")
    if not 1 <= columns <= d:
        raise ParameterError(f"columns: found {columns}; 1 to {d} are accepted")
    return tables


@dataclass(frozen=True, slots=True, eq=False)
class _Axis:
    """A column, its codes ordered: numbers up to the median, numbers above, categories.

    low, high: where the second and the third part begin. codes: of release, people and control.
    occurring: codes of the release.
    """

    size: int
    low: int
    high: int
    codes: tuple[Codes, ...]
    occurring: Codes

    def summed(self, cells: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
        """Cells summed to what fulfils a predicate: at most, at least, or equal."""
        at = np.moveaxis(cells, axis, 0)
        at[: self.low] = np.cumsum(at[: self.low], axis=0)
        at[self.low : self.high] = np.cumsum(at[self.low : self.high][::-1], axis=0)[::-1]
        return cells

    def fulfil(self, code: int, table: int) -> NDArray[np.bool_]:
        """Which rows of a table fulfil the predicate of a code."""
        if code < self.low:
            return self.compared("<=", code, table)
        return self.compared(">=" if code < self.high else "==", code, table)

    def guess(self, rng: np.random.Generator) -> NDArray[np.bool_]:
        """People who fulfil a random comparison with a random value that occurs."""
        code = int(self.occurring[rng.integers(len(self.occurring))])
        signs = SIGNS if code < self.high else SIGNS[:2]
        return self.compared(signs[int(rng.integers(len(signs)))], code, 1)

    def compared(self, sign: str, code: int, table: int) -> NDArray[np.bool_]:
        """Which rows compare so with a code; what is no number is neither more nor less."""
        held = COMPARE[sign](self.codes[table], code)
        if ">" in sign:
            held &= self.codes[table] < self.high
        holds: NDArray[np.bool_] = held
        return holds


def _axes(tables: Sequence[Codes], numbers: Numbers | None) -> list[_Axis]:
    """The columns, ordered. A table that is there twice (people who are the release) is once."""
    once = list({id(table): table for table in tables}.values())
    places = [next(i for i, other in enumerate(once) if other is table) for table in tables]
    given = numbered(once[0] if len(once) == 1 else np.concatenate(once), numbers)
    return [
        _axis([table[:, j] for table in once], places, values) for j, values in enumerate(given)
    ]


def _axis(columns: Sequence[Codes], places: Sequence[int], numbers: Floats | None) -> _Axis:
    """places: for release, people and control, which of the columns is theirs."""
    held = _occurring(columns[0] if len(columns) == 1 else np.concatenate(columns))
    if numbers is None:
        order, low, high = held, 0, 0
    else:
        order = held[np.argsort(numbers[held], kind="stable")]  # nan comes last
        values = numbers[order]
        high = int((~np.isnan(values)).sum())
        people = np.bincount(columns[0], minlength=int(held[-1]) + 1)[order[:high]]
        low = int((values <= _median(values[:high], people)).sum())
    place = np.zeros(int(held[-1]) + 1, np.int64)
    place[order] = np.arange(len(order))
    kind = np.min_scalar_type(-len(order))
    small = place.astype(kind)
    codes = [small[column] for column in columns]
    return _Axis(len(order), low, high, tuple(codes[at] for at in places), _occurring(codes[0]))


def _median(values: Floats, people: NDArray[np.int64]) -> float:
    """Of everybody, `people` having each of these ascending values; 0 where nobody has one."""
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
    axes: Sequence[_Axis], rows: int, columns: int, most: float, rng: np.random.Generator
) -> tuple[list[tuple[int, ...]], int]:
    """The sets of columns to look at, and how many there are."""
    d = len(axes)
    every = comb(d, columns)
    if every <= 5000:
        chosen = list(combinations(range(d), columns))
    else:
        drawn = (rng.choice(d, columns, replace=False) for _ in range(5000))
        chosen = list(dict.fromkeys(tuple(sorted(row.tolist())) for row in drawn))
    costs = [_cost(prod(axes[j].size for j in picked), rows, columns) for picked in chosen]
    if sum(costs) <= most:
        return chosen, every
    few = max(8, int(most / (sum(costs) / len(costs))))
    if few >= len(chosen):
        return chosen, every
    places = np.sort(rng.choice(len(chosen), few, replace=False)).tolist()
    return [chosen[place] for place in places], every


def _cost(cells: int, rows: int, columns: int) -> float:
    return rows * columns + 3 * cells if cells <= CELLS else float(SOME * rows * columns)


def _by_cells(parts: Sequence[_Axis]) -> NDArray[np.float64]:
    """Predicates that isolate a row of the release, and those of them that isolate a person."""
    own = _cells(parts, 0)
    counts = [_fulfilled(parts, own.copy())]
    for table, codes in enumerate(parts[0].codes[1:], 1):
        same = codes is parts[0].codes[0]
        counts.append(counts[0] if same else _fulfilled(parts, _cells(parts, table)))
    alone = np.flatnonzero((own == 1) & (counts[0] == 1))
    people = [float(len(alone)), *(float((cells[alone] == 1).sum()) for cells in counts[1:])]
    return np.array([*people, 0.0][:3])


def _cells(parts: Sequence[_Axis], table: int) -> NDArray[np.int64]:
    """The rows of a table in each cell of some columns."""
    keys = np.zeros(len(parts[0].codes[table]), np.int64)
    for axis in parts:
        keys = keys * axis.size + axis.codes[table]
    return np.bincount(keys, minlength=prod(axis.size for axis in parts))


def _fulfilled(parts: Sequence[_Axis], cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows that fulfil the predicate of each cell; overwrites `cells`."""
    shaped = cells.reshape([axis.size for axis in parts])
    for place, axis in enumerate(parts):
        if axis.high:
            shaped = axis.summed(shaped, place)
    return shaped.ravel()


def _by_rows(parts: Sequence[_Axis], rng: np.random.Generator) -> NDArray[np.float64]:
    """The same from some rows of the release, scaled to all."""
    rows = len(parts[0].codes[0])
    taken = rng.choice(rows, min(rows, SOME), replace=False)
    sums = np.zeros(3)
    for row in taken.tolist():
        codes = [int(axis.codes[0][row]) for axis in parts]
        counts = []
        for table in range(len(parts[0].codes)):
            holds = np.ones(len(parts[0].codes[table]), np.bool_)
            for axis, code in zip(parts, codes, strict=True):
                holds &= axis.fulfil(code, table)
            counts.append(int(holds.sum()))
            if not table and counts[0] != 1:
                break
        if counts[0] == 1:
            sums[: len(counts)] += [1, *(many == 1 for many in counts[1:])]
    return sums * (rows / len(taken))


def _guesses(axes: Sequence[_Axis], columns: int, rng: np.random.Generator) -> Rate:
    """Random predicates, and how many of them isolate a person."""
    right = 0
    for _ in range(GUESSES):
        chosen = rng.choice(len(axes), columns, replace=False).tolist()
        holds = axes[chosen[0]].guess(rng)
        for j in chosen[1:]:
            holds = holds & axes[j].guess(rng)
        right += int(np.count_nonzero(holds) == 1)
    return Rate(right, GUESSES)
