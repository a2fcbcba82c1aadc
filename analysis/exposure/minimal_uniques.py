"""Minimal sample uniques and SUDA scores: combinations of values that single people out.

A minimal sample unique (MSU) of a person is a set of columns in which no other person has the same
values. In every smaller part of the set, another person has them. (Elliot, Manning and Ford, A
computational algorithm for handling the special uniques problem, 2002; Manning, Haglin and Keane, A
recursive search algorithm for statistical disclosure assessment, 2008.) With d columns, an MSU of s
columns scores (d - s)!. The score of a person is the sum over its MSUs. The score of a column, or
of a value, is the share of all scores that belongs to MSUs with it. The shares of columns add up to
more than 1, because an MSU has several columns.

Let the rows be a simple random sample with a known fraction of the population. DIS is then the
probability that an attacker's match with a unique row is right (Skinner and Elliot, A measure of
disclosure risk for microdata, 2002). It is divided among the persons by their scores. Scores,
shares of columns and DIS are as in sdcMicro's `suda2` (version 5.7), which examines sets of every
size. Here all sets up to a stated size are counted, and no larger set.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..validation import whole
from .cells import DIRECT, as_columns, as_table, cells_of
from .counts import Integers
from .persons import Persons

SIZE = 3  # columns of the largest set that is examined, unless the caller asks for larger sets
# limit of the number of rows times the number of column sets, unless the caller sets another limit;
# beyond, `set_size` allows smaller sets only
WORK = 100_000_000
# For a set of columns with more than DIRECT combinations of values, rows are sorted. Sorting takes
# this many times as long as counting rows in an array, which is done for all other sets.
SORTED = 8
Bits = NDArray[np.uint8]
Codes = NDArray[np.integer]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class MinimalUniques:
    """Minimal sample uniques (MSUs) of the people of a table, and their scores.

    A set of columns is an MSU of a person if no other person has the person's values in it, but
    another person has them in every part of the set. Small MSUs score most.

    Attributes:
        size: columns of the largest set that was examined.
        complete: whether all sets of columns were examined.
        counts: number of MSUs by their number of columns, from 1 up to `size`.
        scores: for each person, the sum of the scores of its MSUs, shape (n,).
        people: number of people with at least one MSU.
        columns: for each column, the share of all scores that belongs to MSUs with this column, 0
            to 1; 0 without MSUs.
        values: for each column, an array with such a share for each of its codes.
        unique: number of people who are unique in all columns together.
        in_pairs: number of people who share all columns with exactly one other person.
    """

    size: int
    complete: bool
    counts: tuple[int, ...]
    scores: NDArray[np.float64]
    people: int
    columns: NDArray[np.float64]
    values: tuple[NDArray[np.float64], ...]
    unique: int
    in_pairs: int

    def dis(self, fraction: float) -> float:
        """Return the probability that a match with a unique row is right (DIS), 0 to 1.

        Args:
            fraction: the share of the population that is in the table, above 0 and below 1.
        """
        if not 0 < fraction < 1:
            raise ParameterError(f"fraction: found {fraction}; above 0 and below 1 is accepted")
        weight = self.unique * fraction
        return weight / (weight + self.in_pairs * (1 - fraction)) if weight else 0.0


def set_size(table: ArrayLike, work: int = WORK) -> int:
    """Return the largest size of column sets, at most `SIZE`, that a limit of work allows.

    All sets up to this size are to be searched for minimal sample uniques. 0 if even single columns
    exceed the limit.

    Args:
        table: n x d integer codes of at least 0.
        work: limit of the number of rows times the number of column sets; a set of more than DIRECT
            combinations of values counts SORTED times.
    """
    codes = as_table(table)
    radices = [int(column.max(initial=0)) + 1 for column in codes.T]
    size, steps = 0, 0
    while size < min(SIZE, len(radices)):
        steps += len(codes) * comb(len(radices), size + 1)
        if steps > work:
            break
        sets = combinations(radices, size + 1)
        steps += len(codes) * (SORTED - 1) * sum(prod(chosen) > DIRECT for chosen in sets)
        if steps > work:
            break
        size += 1
    return size


def minimal_uniques(
    table: ArrayLike,
    size: int | None = None,
    *,
    columns: Sequence[int] | None = None,
    persons: ArrayLike | None = None,
) -> MinimalUniques:
    """Find all minimal sample uniques of at most `size` columns.

    A minimal sample unique of a person is a set of columns in which no other person has its values.
    In every smaller part of the set, another person has them.

    Args:
        table: n x d integer codes of at least 0; n >= 1, d >= 1.
        size: columns of the largest set, at least 1; None: d, every set.
        columns: the columns that an attacker knows; None: all.
        persons: an integer for each row, equal for rows of one person: then a set of values is
            unique if a single person has it, in any number of rows. None: each row is a person.

    Raises:
        ParameterError: an argument is wrong.
    """
    return _search(table, size, columns, persons).run()


class _UniqueSearch:
    """The search for minimal sample uniques (MSUs), over sets of columns from small to large.

    An MSU is a set of columns in which a person is unique, but not in any part of the set. A row
    that is unique in a part is unique in the whole set too, so it has no MSU there.
    """

    def __init__(self, codes: NDArray[np.integer], size: int, owned: Persons | None) -> None:
        """Prepare a search for minimal sample uniques.

        Args:
            codes: the table in the columns that an attacker knows.
            size: columns of the largest set to examine.
            owned: the persons of the rows; None: each row is a person.
        """
        self.codes, self.size = codes, size
        self.n, self.d = codes.shape
        self.owned = owned if owned is not None and owned.repeated else None
        self.people = self.n if self.owned is None else self.owned.n
        self.order = None if owned is None or owned.repeated else owned.owner
        self.scores = np.zeros(self.people)
        self.columns = [_small(column) for column in codes.T]
        self.of_columns = np.zeros(self.d)
        self.of_values = [np.zeros(int(column.max()) + 1) for column in codes.T]

    def run(self) -> MinimalUniques:
        """Examine and score all sets of at most `size` columns, and return the results."""
        counts = [0] * self.size
        for chosen, rows in self.sets():
            counts[len(chosen) - 1] += self._note(chosen, rows)
        total = float(self.scores.sum()) or 1.0
        crowds = self._crowds(range(self.d))
        return MinimalUniques(
            *(self.size, self.size == self.d, tuple(counts), self._by_person()),
            int(np.count_nonzero(self.scores)),
            self.of_columns / total,
            tuple(scores / total for scores in self.of_values),
            *(int(np.count_nonzero(crowds == crowd)) for crowd in (1, 2)),
        )

    def _by_person(self) -> NDArray[np.float64]:
        """Return the scores in ascending order of the numbers that the caller gave the persons."""
        if self.order is None:
            return self.scores
        scores = np.empty_like(self.scores)
        scores[self.order] = self.scores
        return scores

    def sets(self) -> Iterator[tuple[tuple[int, ...], Integers]]:
        """Yield each set of columns, and the rows with a minimal sample unique (MSU) in it."""
        parts = dict[tuple[int, ...], Bits]()
        for size in range(1, self.size + 1):
            unique = dict[tuple[int, ...], Bits]()
            for chosen in combinations(range(self.d), size):
                unique[chosen], rows = self._minimal(chosen, parts)
                yield chosen, rows
            parts = unique

    def _minimal(
        self, chosen: tuple[int, ...], parts: dict[tuple[int, ...], Bits]
    ) -> tuple[Bits, Integers]:
        """Return the rows that are unique in a set of columns, and the rows with an MSU in it.

        A row has a minimal sample unique (MSU) in the set if it is unique in the set and in no part
        of it.

        Args:
            chosen: the set of columns.
            parts: for each set with one column less, packed flags of its unique rows.

        Returns:
            The unique rows of the set as packed flags, and the numbers of the rows with an MSU.
        """
        covered = np.zeros((self.n + 7) // 8, np.uint8)
        if len(chosen) > 1:
            for part in combinations(chosen, len(chosen) - 1):
                covered |= parts[part]
        unique = np.packbits(self._unique(chosen))
        return unique, np.flatnonzero(np.unpackbits(unique & ~covered, count=self.n))

    def _unique(self, chosen: Sequence[int]) -> Flags:
        """Flag the rows with a combination of values, in a set of columns, of a single person.

        chosen: the columns of the set.
        """
        if prod(len(self.of_values[column]) for column in chosen) > DIRECT:
            cells: Codes = cells_of(self.codes, chosen)
        else:
            cells = self.columns[chosen[0]]
            for column in chosen[1:]:
                cells = cells * np.int32(len(self.of_values[column])) + self.columns[column]
        single_cells: Flags = np.bincount(cells) == 1 if self.owned is None else self._single(cells)
        flags: Flags = single_cells[cells]
        return flags

    def _single(self, cells: Codes) -> Flags:
        """Flag the cells in which all rows belong to a single person.

        cells: the number of each row's cell (combination of values).
        """
        owner = self.owned.owner if self.owned is not None else np.arange(self.n)
        of_some_row = np.zeros(int(cells.max()) + 1, np.int64)
        of_some_row[cells] = owner
        single = np.ones(len(of_some_row), bool)
        single[cells[of_some_row[cells] != owner]] = False
        return single

    def _crowds(self, columns: Sequence[int]) -> Integers:
        """Return the size of each person's crowd: the people in the smallest cell of its rows.

        A cell has all rows with equal values in these columns.
        """
        if self.owned is not None:
            return self.owned.crowd_sizes(columns)
        cells = cells_of(self.codes, columns)
        return np.bincount(cells)[cells]

    def _note(self, chosen: tuple[int, ...], rows: Integers) -> int:
        """Add the scores of a set's minimal sample uniques (MSUs); return their number.

        The scores are added to persons, columns and values.

        Args:
            chosen: the set of columns.
            rows: the indices of the rows with an MSU in the set.
        """
        # several rows of one person with equal values in the set count as one MSU
        if self.owned is not None and len(rows):
            cells = cells_of(self.codes[rows], chosen)
            rows = rows[np.unique(cells, return_index=True)[1]]
        owners = rows if self.owned is None else self.owned.owner[rows]
        score = float(factorial(self.d - len(chosen)))
        np.add.at(self.scores, owners, score)
        for column in chosen:
            self.of_columns[column] += score * len(rows)
            scores = self.of_values[column]
            scores += score * np.bincount(self.codes[rows, column], minlength=len(scores))
        return len(rows)


def _search(
    table: ArrayLike, size: int | None, columns: Sequence[int] | None, persons: ArrayLike | None
) -> _UniqueSearch:
    """Check the arguments of `minimal_uniques`, and return a prepared search.

    table: n x d integer codes. size: columns of the largest set; None: all. columns: the known
    columns; None: all. persons: the person of each row; None: each row is a person.
    """
    codes = as_table(table)
    known_columns = (
        range(codes.shape[1]) if columns is None else as_columns(columns, codes.shape[1])
    )
    codes = np.asfortranarray(codes[:, list(known_columns)])
    n, d = codes.shape
    if not n or not d:
        raise ParameterError(
            f"table: found {n} rows and {d} columns; at least one row and one column are accepted"
        )
    largest = d if size is None else whole(size, "size")
    if largest < 1:
        raise ParameterError(f"size: found {size}; an integer of at least 1 is accepted")
    owned = None if persons is None else Persons.from_table(codes, persons)
    return _UniqueSearch(codes, min(largest, d), owned)


def _small(column: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return a column as int32, to save memory, if its codes are below `DIRECT`; else unchanged."""
    return column.astype(np.int32) if int(column.max()) < DIRECT else column
