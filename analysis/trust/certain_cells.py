"""Number of people certain to a curator that requests several tables of the same people.

Each query of the program `hierarchical` is safe alone; together they may leave few consistent
tables. A cell is a combination of values of some columns. In a requested table that counts rare
values together, the label `other` takes their place in a cell. A cell is CERTAIN if in every
consistent table it holds at least 1 and fewer than k people. A person is certain if it is in such a
cell:

    certain people  =  min over the consistent tables of the people in certain cells

* Exact if the tables can be listed: at most 64 cells of all columns together, 20,000 steps.
* Else bounds. The lower bound is the number of people in cells smaller than k of one requested
  table or of one column. The upper bound is the certified bound for all columns together: a person
  in a small cell of some columns is in a small cell of all columns, and so is exposed.

Before a query, the figure for its answer is the maximum over all answers that consistent tables
allow. The search is limited by numbers, not by time, so it can be repeated with the same result.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import numpy as np
import numpy.typing as npt

from ..composition.group_counts import Group, NamedValues
from ..composition.known_groups import GroupKnowledge
from .fiber import Fibre, TooManyTables, listed

# most cells of all columns together; with more, no tables are listed, only bounds are given
MOST_CELLS = 64
# most steps, each fixing a cell, of the search for tables; beyond it only bounds are given
MOST_STEPS = 20_000

Numbers = npt.NDArray[np.int64]
# a table of counts: its columns, and for each column the values that are counted separately; all
# other values of the column are counted together as `other`
View = tuple[Group, tuple[Group, ...]]


@dataclass(frozen=True, slots=True)
class Certain:
    """Lower and upper bound on the people that a curator knows to be in a cell smaller than k.

    A cell is a combination of values of some columns.

    Attributes:
        low: the least number of such people.
        high: the largest number of such people.
        n: number of all people.
        exact: whether the two bounds are equal.
    """

    low: int
    high: int
    n: int
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Certainty:
    """The number of people certain to a curator, now and after a query.

    A person is certain if the curator knows that the person is in a cell (a combination of values)
    of fewer than k people.

    Attributes:
        now: bounds given all tables counted until now.
        tables: the tables consistent with these counts, if they can be listed; else None.
        promised: certified bound on the people exposed in a release of all columns.
    """

    now: Certain
    tables: "Tables | None"
    promised: int

    @classmethod
    def from_knowledge(cls, knowledge: GroupKnowledge) -> "Certainty":
        """Compute the number of certain people from all tables counted until now.

        A person is certain if the curator knows that it is in a cell of fewer than k people.
        """
        tables = tables_left(knowledge)
        promised = knowledge.promise(range(len(knowledge.singles))).people
        if tables is None:
            return cls(_band(knowledge, promised), None, promised)
        people = tables.worst(())
        return cls(Certain(people, people, knowledge.n, exact=True), tables, promised)

    def certain_people_after(self, groups: Sequence[Group], named_values: NamedValues) -> int:
        """Return an upper bound on the certain people after these tables are requested.

        The bound holds for every answer. A person is certain if the curator knows that it is in a
        cell of fewer than k people. If tables cannot be listed, the bound before the query also
        holds after it: more tables only lower the certified bound for all columns together, as long
        as the same people answer.

        groups: the columns of each requested table. named_values: per column, the values counted
        separately; other values are counted together.
        """
        if self.tables is None:
            return self.now.high
        return self.tables.worst([(g, tuple(named_values[column] for column in g)) for g in groups])


def _band(knowledge: GroupKnowledge, high: int) -> Certain:
    """Return bounds on the people known to be in a cell smaller than k, if tables cannot be listed.

    The lower bound is the number of people in small cells of one counted table or column. `high` is
    the certified bound on exposed people.
    """
    count_tables = [*knowledge.singles, *(table.counts for table in knowledge.tables.values())]
    low = max(int(counts[counts < knowledge.k].sum()) for counts in count_tables)
    return Certain(low, max(low, high), knowledge.n, exact=low >= high)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All tables over all columns that are consistent with a curator's counts.

    Attributes:
        k: people in the smallest cell in which no person is exposed.
        counts: people in each cell of each table, shape (tables, cells).
        cells: value codes of each cell, shape (cells, columns).
        views: for each requested table, its columns, and per column the values counted separately;
            other values are counted together.
    """

    k: int
    counts: Numbers
    cells: Numbers
    views: tuple[View, ...]

    def worst(self, new_views: Sequence[View]) -> int:
        """Return the largest number of certain people over all answers to some further tables.

        A person is certain if the curator knows that it is in a cell smaller than k. An empty
        `new_views` gives the number of certain people now, without a further table.

        new_views: columns of each further table, and per column the values counted separately.
        """
        answers = [self._people_of_tables(view) for view in new_views]
        key = np.hstack(answers) if answers else np.zeros((len(self.counts), 1), np.int64)
        _, answer = np.unique(key, axis=0, return_inverse=True)
        order = np.argsort(answer.ravel(), kind="stable")
        starts = np.flatnonzero(np.diff(answer.ravel()[order], prepend=-1))
        tables = self.counts[order]
        sure = np.zeros((len(starts), len(self.cells)), dtype=bool)
        for view in {*self._by_value(), *self.views, *new_views}:
            label_matrix = self._places(view)
            people = tables @ label_matrix
            lowest, highest = (f.reduceat(people, starts) for f in (np.minimum, np.maximum))
            sure |= ((lowest >= 1) & (highest < self.k)) @ label_matrix.T.astype(bool)
        lengths = np.diff(starts, append=len(tables))
        inside = (tables * np.repeat(sure, lengths, axis=0)).sum(axis=1)
        return int(np.minimum.reduceat(inside, starts).max())

    def _by_value(self) -> Iterator[View]:
        """Yield a table for every set of columns, with each value counted separately."""
        columns = range(self.cells.shape[1])
        values = [tuple(np.unique(self.cells[:, j]).tolist()) for j in columns]
        for size in range(1, len(values) + 1):
            for group in combinations(columns, size):
                yield group, tuple(values[j] for j in group)

    def _people_of_tables(self, view: View) -> Numbers:
        """Return the people in each cell of a requested table, for each consistent table.

        Shape (consistent tables, cells of the requested table).
        """
        return np.asarray(self.counts @ self._places(view))

    def _places(self, view: View) -> Numbers:
        """Return a 0/1 matrix: whether a cell of all columns is in a cell of a requested table.

        Shape (cells of all columns, cells of the requested table).
        """
        labels = [_label(view, cell) for cell in self.cells.tolist()]
        _, place = np.unique(labels, axis=0, return_inverse=True)
        return np.eye(int(place.max()) + 1, dtype=np.int64)[place.ravel()]


def _sums(knowledge: GroupKnowledge) -> Iterator[tuple[View, dict[Group, int]]]:
    """Yield each counted table: its columns, the values counted separately, and people per cell.

    A value code of -1 in a cell is `other`: all values that are not counted separately. knowledge:
    the counts that the curator has received.
    """
    for column, counts in enumerate(knowledge.singles):
        values = tuple(range(len(counts)))
        yield ((column,), (values,)), {(v,): int(n) for v, n in enumerate(counts)}
    for table in knowledge.tables.values():
        cells = product(*((*axis_values, -1) for axis_values in table.named_values))
        people = table.counts.ravel().tolist()
        yield (table.group, table.named_values), dict(zip(cells, people, strict=True))


def _label(view: View, cell: Sequence[int]) -> Group:
    """Return the cell of a requested table that contains a cell of all columns.

    -1 stands for `other`, the values that the table counts together.
    """
    return tuple(
        cell[j] if cell[j] in axis_values else -1 for j, axis_values in zip(*view, strict=True)
    )


def tables_left(knowledge: GroupKnowledge) -> Tables | None:
    """Return all tables over all columns that are consistent with a curator's counts.

    None if the tables cannot be listed, if a table counts fewer people (some have left), or if no
    table is consistent. knowledge: the counts that the curator has received.
    """
    values = [np.flatnonzero(counts).tolist() for counts in knowledge.singles]
    totals_of_columns = [int(counts.sum()) for counts in knowledge.singles]
    totals_of_columns += [table.people for table in knowledge.tables.values()]
    if set(totals_of_columns) != {knowledge.n} or prod(map(len, values)) > MOST_CELLS:
        return None
    cells = list(product(*values))
    sums: list[list[int]] = [[0] for _ in cells]
    totals = [knowledge.n]
    for view, people in _sums(knowledge):
        place: dict[Group, int] = {}
        for at, cell in enumerate(cells):
            label = _label(view, cell)
            if label not in place:
                place[label] = len(totals)
                totals.append(people[label])
            sums[at].append(place[label])
    fibre = Fibre(
        tuple((0, cell) for cell in cells),
        tuple(map(tuple, sums)),
        tuple(totals),
        (0.0,) * len(cells),
        {0: knowledge.n},
    )
    try:
        tables, _ = listed(fibre, MOST_STEPS)
    except TooManyTables:
        return None
    if not tables:
        return None  # no table fits the counts: a person submitted different values in two rounds
    views = tuple((table.group, table.named_values) for table in knowledge.tables.values())
    return Tables(knowledge.k, np.array(tables), np.array(cells), views)
