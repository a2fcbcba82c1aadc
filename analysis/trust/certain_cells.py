"""How many people a curator can be certain of who has asked for several tables of the same people.

Each question of `hierarchical` is safe by itself; together they may leave few tables that agree
with all answers. A cell (a combination of values of some columns, or of what was said in a table
that was asked for, `other` included) is CERTAIN if in every table that is left it holds at least 1
and fewer than k people. A person is certain if it is in such a cell:

    certain people  =  min over the tables left of the people who are in a certain cell

* Exact where the tables can be listed: at most 64 cells of all columns together, 20,000 steps.
* Else a band: at least the people in small cells of one table that was asked for, or of one column;
  at most what is promised of all columns together, since whoever is in a small cell of some columns
  is in a small cell of all of them, and so is exposed.

Before a question is asked, the same for its answer: the most over all answers that the tables left
allow. Numbers limit the search, not time: whoever repeats it finds the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

import numpy as np
import numpy.typing as npt

from ..composition.group_counts import Group, Said
from ..composition.known_groups import Knowledge
from .fiber import Fibre, TooManyTables, listed

MOST_CELLS = 64  # of all columns together, where tables are listed
MOST_STEPS = 20_000  # cells fixed in the search for tables

Numbers = npt.NDArray[np.int64]
View = tuple[Group, tuple[Group, ...]]  # columns, and of each the values that were said by name


@dataclass(frozen=True, slots=True)
class Certain:
    """At least `low` and at most `high` of n people are certain; the same number where exact.

    Attributes:
        low: people, at least.
        high: people, at most.
        n: people.
        exact: whether both are the same number.
    """

    low: int
    high: int
    n: int
    exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Certainty:
    """What a curator can be certain of.

    Attributes:
        now: by all that it knows.
        left: the tables, if listed.
        promised: people exposed at most in a release of all columns, by all that it knows.
    """

    now: Certain
    left: "Tables | None"
    promised: int

    @classmethod
    def of(cls, known: Knowledge) -> "Certainty":
        """Work it out from all that was counted."""
        left = tables_left(known)
        promised = known.promise(range(len(known.singles))).people
        if left is None:
            return cls(_band(known, promised), None, promised)
        people = left.worst(())
        return cls(Certain(people, people, known.n, exact=True), left, promised)

    def after(self, groups: Sequence[Group], said: Said) -> int:
        """At most so many people are certain once these tables were asked for, whatever is said.

        said: per column the values that are said by name. Where tables cannot be listed, what holds
        before the question holds after it: to know more tables only lowers what is promised of all
        columns together, as long as the same people answer.
        """
        if self.left is None:
            return self.now.high
        return self.left.worst([(g, tuple(said[column] for column in g)) for g in groups])


def _band(known: Knowledge, high: int) -> Certain:
    counted = [*known.singles, *(table.counts for table in known.tables.values())]
    low = max(int(counts[counts < known.k].sum()) for counts in counted)
    return Certain(low, max(low, high), known.n, exact=low >= high)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All tables that agree with what is known.

    Attributes:
        k: the smallest crowd in which nobody is exposed.
        found: tables x cells, people.
        cells: cells x columns, the numbers of the values.
        views: of what was said in the tables that were asked for.
    """

    k: int
    found: Numbers
    cells: Numbers
    views: tuple[View, ...]

    def worst(self, asked: Sequence[View]) -> int:
        """The most certain people over all answers to some tables; (): to nothing more."""
        answers = [self._counted(view) for view in asked]
        key = np.hstack(answers) if answers else np.zeros((len(self.found), 1), np.int64)
        _, answer = np.unique(key, axis=0, return_inverse=True)
        order = np.argsort(answer.ravel(), kind="stable")
        starts = np.flatnonzero(np.diff(answer.ravel()[order], prepend=-1))
        tables = self.found[order]
        sure = np.zeros((len(starts), len(self.cells)), dtype=bool)
        for view in {*self._by_value(), *self.views, *asked}:
            held = self._places(view)
            people = tables @ held
            least, most = (f.reduceat(people, starts) for f in (np.minimum, np.maximum))
            sure |= ((least >= 1) & (most < self.k)) @ held.T.astype(bool)
        lengths = np.diff(starts, append=len(tables))
        inside = (tables * np.repeat(sure, lengths, axis=0)).sum(axis=1)
        return int(np.minimum.reduceat(inside, starts).max())

    def _by_value(self) -> Iterator[View]:
        """Every set of columns, all values by name."""
        columns = range(self.cells.shape[1])
        values = [tuple(np.unique(self.cells[:, j]).tolist()) for j in columns]
        for size in range(1, len(values) + 1):
            for group in combinations(columns, size):
                yield group, tuple(values[j] for j in group)

    def _counted(self, view: View) -> Numbers:
        return np.asarray(self.found @ self._places(view))

    def _places(self, view: View) -> Numbers:
        """Cells x cells of a view: 1 where the one is part of the other."""
        labels = [_label(view, cell) for cell in self.cells.tolist()]
        _, place = np.unique(labels, axis=0, return_inverse=True)
        return np.eye(int(place.max()) + 1, dtype=np.int64)[place.ravel()]


def _sums(known: Knowledge) -> Iterator[tuple[View, dict[Group, int]]]:
    """What was counted: the view, and the people of each of its cells; -1 is `other`."""
    for column, counts in enumerate(known.singles):
        said = tuple(range(len(counts)))
        yield ((column,), (said,)), {(v,): int(n) for v, n in enumerate(counts)}
    for table in known.tables.values():
        cells = product(*((*named, -1) for named in table.said))
        people = table.counts.ravel().tolist()
        yield (table.group, table.said), dict(zip(cells, people, strict=True))


def _label(view: View, cell: Sequence[int]) -> Group:
    """The cell of a view that a cell of all columns is in."""
    return tuple(cell[j] if cell[j] in named else -1 for j, named in zip(*view, strict=True))


def tables_left(known: Knowledge) -> Tables | None:
    """All tables over all columns that agree with what is known.

    None if they cannot be listed, or if not everybody was counted in each (some have left).
    """
    values = [np.flatnonzero(counts).tolist() for counts in known.singles]
    counted = [int(counts.sum()) for counts in known.singles]
    counted += [table.people for table in known.tables.values()]
    if set(counted) != {known.n} or prod(map(len, values)) > MOST_CELLS:
        return None
    cells = list(product(*values))
    sums: list[list[int]] = [[0] for _ in cells]
    totals = [known.n]
    for view, people in _sums(known):
        place: dict[Group, int] = {}
        for at, cell in enumerate(cells):
            said = _label(view, cell)
            if said not in place:
                place[said] = len(totals)
                totals.append(people[said])
            sums[at].append(place[said])
    fibre = Fibre(
        tuple((0, cell) for cell in cells),
        tuple(map(tuple, sums)),
        tuple(totals),
        (0.0,) * len(cells),
        {0: known.n},
    )
    try:
        tables, _ = listed(fibre, MOST_STEPS)
    except TooManyTables:
        return None
    if not tables:
        return None  # answers that contradict each other: somebody has not said the same twice
    views = tuple((table.group, table.said) for table in known.tables.values())
    return Tables(known.k, np.array(tables), np.array(cells), views)
