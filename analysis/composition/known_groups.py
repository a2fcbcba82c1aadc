"""What is promised of columns when groups of them are known, rare values only as "other".

The hierarchical protocol (paper 000, section 8.2) asks for single columns, then for groups of them,
in which a value that was not named is said as `other`. Two bounds on the exposed people of a set of
columns J, of which the smaller is taken:

* `parts`: J is written as known groups and single columns, each counted as one column, and the
  coverage bound is applied to them (`known_joints.py` has why).
* `margins`: all known tables inside J at once, in whole numbers (`contingency/dual_bound.py`).

In a release everybody says its value, so behind `other` stand unknown ones. Whoever said other is
counted as exposed: at worst each of them has a value of its own, and to refine a table can only
expose more people. The rest hide among those who say the same by name, in known numbers. The same
goes for people who answered fewer questions than others, having left: they are given a value of
their own in what they did not answer.

In a question, `other` is said like a value, so it is one: what is promised of a question is
promised of the table that its answers make.

How much is looked at is limited by numbers, not by time, so that whoever repeats it finds the same:
200 ways of writing J as parts, and the second bound up to 1,000 cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import prod

import numpy as np

from ...errors import VerificationError
from ..contingency import Cuts, FrechetClass, certified_people, priced_weights, relaxed_weights
from ..contingency.cuts import Block
from ..contingency.dual_bound import Weights
from ..contingency.frechet import Margin
from ..contingency.integer_program import Program, relax
from ..validation import Counts
from .bounds import best_bound
from .certificate import Certificate
from .group_counts import (
    Group,
    GroupCounts,
    Said,
    axis_counts,
    consistent,
    labels_of,
    margin_of,
    single_counts,
    values_in_crowds,
)
from .known_parts import Parts, ways_of

MOST_WAYS = 200  # ways of writing a set of columns as parts
FEW = 4  # columns that an estimate writes in every way;
ROUGH_WAYS = 3  # more columns, in so many ways, large groups first
MOST_CELLS = 1_000  # of a joint that the second bound looks at
CLOSE = 2  # people by which two ways to the second bound may differ, having rounded


@dataclass(frozen=True, slots=True)
class Promised:
    """At most `people` of `n` are in a crowd smaller than k, and what proves it.

    Attributes:
        people: at most so many.
        n: people who were counted.
        parts, certificate: of the first bound.
        weights: of the second. One of the two is there.
    """

    people: int
    n: int
    parts: tuple[Group, ...] = ()
    certificate: Certificate | None = None
    weights: Weights | None = None

    @property
    def rule(self) -> str:
        """The name of the bound."""
        return "parts" if self.weights is None else "margins"

    @property
    def value(self) -> float:
        """The share of people."""
        return self.people / self.n


@dataclass(frozen=True, eq=False)
class Knowledge:
    """All that was counted.

    Attributes:
        k: the smallest crowd in which nobody is exposed.
        singles: people per value, of each column.
        tables: the groups known.
    """

    k: int
    singles: tuple[Counts, ...]
    tables: Mapping[Group, GroupCounts]

    @cached_property
    def n(self) -> int:
        """People: as many as answered the question that most of them answered."""
        counted = [int(count.sum()) for count in self.singles]
        return max(counted + [table.people for table in self.tables.values()])

    def promise(self, columns: Sequence[int], said: Said | None = None) -> Promised:
        """The sharpest bound for a set of columns: as a release, or as a question (`said`)."""
        first = self.by_parts(columns, said)
        weights = self.by_margins(columns, said) if first.people else None
        if weights is None:
            return first
        people = self.proved(columns, weights, said)
        return Promised(people, self.n, weights=weights) if people < first.people else first

    def meets(self, columns: Sequence[int], most: int, said: Said | None = None) -> bool:
        """Whether at most so many people can be promised to be exposed."""
        if self.surely(columns, said) > most:
            return False
        if self._within(columns, said, most):
            return True
        people = self._priced(columns, said)
        if people is not None and people > most + CLOSE:
            return False
        # Of a release the promise is worked out afterwards, and may not be above what is said here.
        if people is not None and said is not None and people < most - CLOSE:
            return True
        weights = self.by_margins(columns, said)
        return weights is not None and self.proved(columns, weights, said) <= most

    def _priced(self, columns: Sequence[int], said: Said | None) -> int | None:
        """About what the second bound says, sooner; None where there is none, or too late."""
        tables = self._class(columns, said)
        if tables is None or not 1 < self.k <= self.n:
            return None
        weights = priced_weights(tables, self.k)
        return certified_people(tables, self.k, weights) if weights else None

    def surely(self, columns: Sequence[int], said: Said | None = None) -> int:
        """People who are exposed for certain: those in a small cell of a known part of it."""
        inside = [self._answers((j,), said) for j in columns]
        inside += [self._answers(group, said) for group in self._inside(columns)]
        return max(int(counts[counts < self.k].sum()) for counts in inside)

    def by_parts(
        self, columns: Sequence[int], said: Said | None = None, ways: int = MOST_WAYS
    ) -> Promised:
        """The first bound: the least over so many ways to write the columns as known parts."""
        read, best = Parts(self.k, self.n, lambda part: self.part(part, said)), None
        for parts in self._written(columns, ways):
            if best is None or read.meets(parts, best.people - 1):
                certificate = best_bound([self.part(part, said) for part in parts], self.k)
                best = Promised(certificate.people, self.n, parts, certificate)
        assert best is not None  # noqa: S101 - columns one by one are a way
        return best

    def _within(self, columns: Sequence[int], said: Said | None, most: int) -> bool:
        """Whether the first bound is at most so many people."""
        read = Parts(self.k, self.n, lambda part: self.part(part, said))
        return any(read.meets(parts, most) for parts in self._written(columns))

    def _written(
        self, columns: Sequence[int], ways: int = MOST_WAYS
    ) -> Iterator[tuple[Group, ...]]:
        """The columns written as known parts, one way after the other."""
        return islice(ways_of(tuple(sorted(columns)), self._inside(columns)), ways)

    def roughly(self, columns: Sequence[int]) -> int:
        """About what `promise` says of a release, sooner: with the simplest inequalities alone."""
        ways = MOST_WAYS if len(columns) <= FEW else ROUGH_WAYS
        people = self.by_parts(columns, ways=ways).people
        tables = self._class(columns, None)
        if tables is None or not people or not 1 < self.k <= self.n:
            return people
        weights = relaxed_weights(tables, self.k, Cuts(tables, self.k).margin_cuts())
        return min(people, certified_people(tables, self.k, weights))

    def by_margins(self, columns: Sequence[int], said: Said | None = None) -> Weights | None:
        """What proves the second bound; None where there is no such bound."""
        tables = self._class(columns, said)
        if tables is None or not 1 < self.k <= self.n:
            return None
        cuts, _ = relax(Program(tables, self.k), self.n)
        return relaxed_weights(tables, self.k, cuts)

    def proved(self, columns: Sequence[int], weights: Weights, said: Said | None = None) -> int:
        """How many exposed people at most these weights prove; VerificationError if nothing."""
        tables = self._class(columns, said)
        if tables is None:
            raise VerificationError(f"columns {tuple(columns)}: no tables that weights speak of")
        if len(weights.margins) != sum(margin.counts.size for margin in tables.margins):
            raise VerificationError(f"columns {tuple(columns)}: weights of other tables")
        return min(certified_people(tables, self.k, weights), self.n)

    def verify(self, columns: Sequence[int], promised: Promised) -> None:
        """Raises VerificationError unless what was counted proves what was promised."""
        if promised.weights is not None:
            people = self.proved(columns, promised.weights)
        elif promised.certificate is not None:
            inside = {*self._inside(columns), *((j,) for j in columns)}
            if sorted(j for part in promised.parts for j in part) != sorted(columns):
                raise VerificationError(f"parts {promised.parts}: they are not {tuple(columns)}")
            if not inside.issuperset(promised.parts):
                raise VerificationError(f"parts {promised.parts}: some were not asked for")
            promised.certificate.verify([self.part(part) for part in promised.parts])
            people = promised.certificate.people
        else:
            raise VerificationError("nothing proves it")
        if people > promised.people or promised.n != self.n:
            raise VerificationError(
                f"claims {promised.people:,} of {promised.n:,} people; {people:,} of {self.n:,} "
                "are proved"
            )

    def masks(self, before: Said) -> dict[int, Group]:
        """The values of each column that may still be said by name, of those that were.

        A value stays if it is not rare: in every table known, half of those who say it or more are
        in crowds of k. Then the least frequent go too, until nobody or at least k people say other.
        """
        return {j: self._common(j, before.get(j)) for j in range(len(self.singles))}

    def _common(self, column: int, before: Group | None) -> Group:
        counts = self.singles[column]
        named = range(len(counts)) if before is None else before
        left = [value for value in named if counts[value] >= self.k]
        for table in self.tables.values():
            if column in table.group:
                common = values_in_crowds(table, column, self.k)
                left = [value for value in left if common.get(value, True)]
        left.sort(key=lambda value: (-int(counts[value]), value))
        while left and 0 < self.n - int(counts[left].sum()) < self.k:
            left.pop()
        return tuple(sorted(left))

    def _inside(self, columns: Sequence[int]) -> list[Group]:
        wanted = set(columns)
        return sorted(group for group in self.tables if wanted.issuperset(group))

    def part(self, part: Group, said: Said | None = None) -> Counts:
        """The counts of a group as one column: with values of their own for all who said none."""
        counts = self._answers(part, said)
        alone = np.ones(self.n - int(counts.sum()), dtype=np.int64)
        return np.concatenate([counts, alone])

    def _answers(self, part: Group, said: Said | None) -> Counts:
        """The counts of what is said of a group: in a release, of what is said by name so far."""
        match part:
            case (column,):
                counts = self.singles[column]
                if said is not None and column in said:
                    counts = single_counts(column, counts).narrowed(said).counts
            case _:
                table = self.tables[part]
                counts = table.named if said is None else table.narrowed(said).counts.ravel()
        return np.asarray(counts[counts > 0], dtype=np.int64)

    def _class(self, columns: Sequence[int], said: Said | None) -> FrechetClass | None:
        """The tables with these counts; None if they are not about one set of people, or too many.

        Also None if two of them contradict each other: somebody has not said the same twice.
        """
        return self.joint(columns, said) if self._inside(columns) and len(columns) > 1 else None

    def joint(self, columns: Sequence[int], said: Said | None = None) -> FrechetClass | None:
        """The same, also where no group is known."""
        order = tuple(sorted(columns))
        largest = self._largest(order)
        common = self._named(order, largest, said)
        tables = self._covering(order, largest, common)
        if any(table.people != self.n for table in tables) or not self._agree(tables):
            return None
        # Columns in which nobody is "other": their tables need no place for it.
        spare = {j for t in tables for j in t.group if not axis_counts(t, j)[-1]}
        shape = tuple(len(common[j]) + (j not in spare) for j in order)
        if prod(shape) > MOST_CELLS:
            return None
        margins = tuple(margin_of(table, order, spare) for table in tables)
        closed = said is None
        labels = tuple(labels_of(len(common[j]), closed=closed and j not in spare) for j in order)
        return FrechetClass(shape, margins, labels)

    def margins_within(self, group: Group) -> tuple[tuple[int, ...], tuple[Margin, ...]]:
        """What is known of a group from the tables inside it: how many values its columns have.

        Values that a table does not name are one, the last. With it the margins, of columns
        numbered anew; tables of fewer people than `n` are left out.
        """
        whole = [g for g in self._largest(group) if self.tables[g].people == self.n]
        common = self._named(group, whole, None)
        tables = [table.narrowed(common) for table in self._covering(group, whole, common)]
        margins = tuple(margin_of(table, group, set()) for table in tables)
        return tuple(len(common[j]) + 1 for j in group), margins

    def _largest(self, columns: Sequence[int]) -> list[Group]:
        inside = self._inside(columns)
        return [g for g in inside if not any(set(g) < set(other) for other in inside)]

    def _covering(self, order: Group, largest: Sequence[Group], common: Said) -> list[GroupCounts]:
        """The largest known tables, and single counts of the columns that are in none of them."""
        tables = [self.tables[group].narrowed(common) for group in largest]
        alone = set(order).difference(*largest)
        return [
            *tables,
            *(single_counts(j, self.singles[j]).narrowed(common) for j in sorted(alone)),
        ]

    def _agree(self, tables: Sequence[GroupCounts]) -> bool:
        """Whether tables say the same of what they share, and of every column what round 1 did."""
        once = all(
            np.array_equal(axis_counts(table, j)[:-1], self.singles[j][list(said)])
            for table in tables
            for j, said in zip(table.group, table.said, strict=True)
        )
        return once and consistent(tables)

    def _named(self, order: Group, largest: Sequence[Group], said: Said | None) -> dict[int, Group]:
        """Per column the values that every table used names; of a column alone, those of k."""
        named: dict[int, Group] = {}
        for j in order:
            all_of_it = tuple(range(len(self.singles[j])))
            sets = [
                self.tables[group].said[self.tables[group].group.index(j)]
                for group in largest
                if j in group
            ]
            if not sets and said is None:
                sets = [tuple(np.flatnonzero(self.singles[j] >= self.k).tolist())]
            if said is not None:
                sets.append(said.get(j, all_of_it))
            named[j] = tuple(sorted(set(all_of_it).intersection(*sets)))
        return named


def block_of(within: Sequence[int] | None, parts: Sequence[Sequence[Sequence[int]]]) -> Block:
    """A block from plain lists, as a certificate writes it."""
    place = None if within is None else (int(within[0]), int(within[1]))
    return Block(place, tuple((tuple(group), tuple(values)) for group, values in parts))
