"""Certified bounds on exposure if joint counts of some groups of columns are known.

Rare values are known only together, as `other`. The hierarchical protocol (paper 000, section 8.2)
requests single columns, then groups of them; in a group an unnamed value is reported as `other`.
There are two bounds on the exposed people of a set of columns J, and the smaller is taken:

* `parts`: J is written as known groups and single columns, each counted as one column, and the
  coverage bound is applied to them: it holds for any columns, and a group is a column with its
  combinations as values (docs/adr/0002-pair-tables.md).
* `margins`: all known tables inside J at once, in whole numbers (`contingency/dual_bound.py`).

In a release each person reports its value, so `other` stands for unknown values. People under
`other` are counted as exposed: in the worst case each has a unique value, and refining a table can
only expose more people. The rest hide among people with the same named values, in known numbers.
The same applies to people that answered fewer queries and left: they get a unique value in the
columns without an answer.

In a query, `other` is reported like a value, so it is a value: the bound for a query holds for the
table of its answers.

The work is limited by numbers, not by time, so that it can be repeated with the same result: 200
ways of writing J as parts, and the second bound up to 1,000 cells.
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
from ..contingency.integer_program import FrechetProgram, relax
from ..validation import Counts
from .bounds import smallest_bound
from .certificate import Certificate
from .group_counts import (
    Group,
    GroupCounts,
    NamedValues,
    axis_counts,
    consistent,
    labels_of,
    margin_of,
    single_counts,
    values_in_crowds,
)
from .known_parts import PartCounts, ways_of

MOST_WAYS = 200  # limit of the ways in which a set of columns is written as parts
FEW_COLUMNS = 4  # an estimate writes at most this number of columns as parts in every way
ROUGH_WAYS = 3  # limit of the ways of an estimate for more columns, large groups first
MOST_CELLS = 1_000  # limit of the cells of a joint table for the bound `margins`
CLOSE = 2  # people by which two computations of the bound `margins` may differ by rounding


@dataclass(frozen=True, slots=True)
class Promised:
    """A proof that at most `people` of `n` are in a crowd smaller than k.

    Attributes:
        people: upper bound on the exposed people.
        n: people counted.
        parts, certificate: the proof of the bound `parts`: columns grouped by known joint counts.
        weights: the proof of the bound `margins`: dual prices. Exactly one of the two is given.
    """

    people: int
    n: int
    parts: tuple[Group, ...] = ()
    certificate: Certificate | None = None
    weights: Weights | None = None

    @property
    def rule(self) -> str:
        """The name of the bound: "parts" or "margins"."""
        return "parts" if self.weights is None else "margins"

    @property
    def value(self) -> float:
        """The bound as a share of people."""
        return self.people / self.n


@dataclass(frozen=True, eq=False)
class GroupKnowledge:
    """All counts that the curator has: of single columns and of groups of columns.

    They prove bounds on the exposed people of any set of columns, and say which values may still be
    named in a query.

    Attributes:
        k: the smallest crowd in which no person is exposed.
        singles: people per value, of each column.
        tables: the known groups, with rare values as `other`.
    """

    k: int
    singles: tuple[Counts, ...]
    tables: Mapping[Group, GroupCounts]

    @cached_property
    def n(self) -> int:
        """The largest number of people in any table of counts."""
        totals = [int(count.sum()) for count in self.singles]
        return max(totals + [table.people for table in self.tables.values()])

    def promise(self, columns: Sequence[int], named_values: NamedValues | None = None) -> Promised:
        """Return the sharpest bound for columns: of a release, or of a query.

        named_values: the values that the query names in each column; None: a release.
        """
        first = self.by_parts(columns, named_values)
        weights = self.by_margins(columns, named_values) if first.people else None
        if weights is None:
            return first
        people = self.proved(columns, weights, named_values)
        return Promised(people, self.n, weights=weights) if people < first.people else first

    def meets(
        self, columns: Sequence[int], max_exposed: int, named_values: NamedValues | None = None
    ) -> bool:
        """Whether it can be proved that columns expose at most `max_exposed` people.

        named_values: the values that a query names in each column; None: a release.
        """
        if self.surely(columns, named_values) > max_exposed:
            return False
        if self._is_first_bound_within(columns, named_values, max_exposed):
            return True
        people = self._priced(columns, named_values)
        if people is not None and people > max_exposed + CLOSE:
            return False
        # The certificate of a release is computed later, and may not be above the bound used here.
        if people is not None and named_values is not None and people < max_exposed - CLOSE:
            return True
        weights = self.by_margins(columns, named_values)
        return weights is not None and self.proved(columns, weights, named_values) <= max_exposed

    def _priced(self, columns: Sequence[int], narrowing: NamedValues | None) -> int | None:
        """Return a valid bound near the bound `margins`, in people, but faster.

        None if there is no such bound, or its dual prices did not settle.
        """
        tables = self._class(columns, narrowing)
        if tables is None or not 1 < self.k <= self.n:
            return None
        weights = priced_weights(tables, self.k)
        return certified_people(tables, self.k, weights) if weights else None

    def surely(self, columns: Sequence[int], named_values: NamedValues | None = None) -> int:
        """Return a lower bound on the exposed people: the most below k in any known counts.

        named_values: the values that a query names in each column; None: a release.
        """
        inside = [self._answers((j,), named_values) for j in columns]
        inside += [self._answers(group, named_values) for group in self._inside(columns)]
        return max(int(counts[counts < self.k].sum()) for counts in inside)

    def by_parts(
        self, columns: Sequence[int], named_values: NamedValues | None = None, ways: int = MOST_WAYS
    ) -> Promised:
        """Return the bound `parts`: the least over ways to write columns as known groups.

        A way is a partition of the columns into groups with known joint counts and single columns;
        the coverage bound treats each as one column. At most `ways` are tried, large groups first.
        """
        reader, best = PartCounts(self.k, self.n, lambda part: self.part(part, named_values)), None
        for parts in self._partitions_of(columns, ways):
            if best is None or reader.meets(parts, best.people - 1):
                certificate = smallest_bound(
                    [self.part(part, named_values) for part in parts], self.k
                )
                best = Promised(certificate.people, self.n, parts, certificate)
        assert best is not None  # noqa: S101 - columns one by one are a way
        return best

    def _is_first_bound_within(
        self, columns: Sequence[int], narrowing: NamedValues | None, people_limit: int
    ) -> bool:
        """Whether a partition of columns into known groups exposes at most `people_limit`.

        The exposed people are bounded by the coverage bound, a group counting as one column.
        """
        reader = PartCounts(self.k, self.n, lambda part: self.part(part, narrowing))
        return any(reader.meets(parts, people_limit) for parts in self._partitions_of(columns))

    def _partitions_of(
        self, columns: Sequence[int], ways: int = MOST_WAYS
    ) -> Iterator[tuple[Group, ...]]:
        """Yield the partitions of columns into known groups and single columns, at most `ways`."""
        return islice(ways_of(tuple(sorted(columns)), self._inside(columns)), ways)

    def roughly(self, columns: Sequence[int]) -> int:
        """Return a faster, larger bound than `promise` on the people exposed by a release.

        It is valid: no table exposes more. It uses the simplest inequalities of the bound
        `margins`,
        and fewer partitions into known groups for many columns.
        """
        ways = MOST_WAYS if len(columns) <= FEW_COLUMNS else ROUGH_WAYS
        people = self.by_parts(columns, ways=ways).people
        tables = self._class(columns, None)
        if tables is None or not people or not 1 < self.k <= self.n:
            return people
        weights = relaxed_weights(tables, self.k, Cuts(tables, self.k).margin_cuts())
        return min(people, certified_people(tables, self.k, weights))

    def by_margins(
        self, columns: Sequence[int], named_values: NamedValues | None = None
    ) -> Weights | None:
        """Return the weights that prove the bound `margins`, from all known counts at once.

        None if the known counts contradict each other or their joint is too large.
        """
        tables = self._class(columns, named_values)
        if tables is None or not 1 < self.k <= self.n:
            return None
        cuts, _ = relax(FrechetProgram(tables, self.k), self.n)
        return relaxed_weights(tables, self.k, cuts)

    def proved(
        self, columns: Sequence[int], weights: Weights, named_values: NamedValues | None = None
    ) -> int:
        """Return the upper bound on exposed people that these weights prove for columns.

        Raises VerificationError if the weights are of other tables.
        """
        tables = self._class(columns, named_values)
        if tables is None:
            raise VerificationError(
                f"columns {tuple(columns)}: no tables to which the weights apply"
            )
        if len(weights.margins) != sum(margin.counts.size for margin in tables.margins):
            raise VerificationError(f"columns {tuple(columns)}: weights are not of these tables")
        return min(certified_people(tables, self.k, weights), self.n)

    def verify(self, columns: Sequence[int], promised: Promised) -> None:
        """Raise VerificationError unless the known counts prove the claimed bound for columns."""
        if promised.weights is not None:
            people = self.proved(columns, promised.weights)
        elif promised.certificate is not None:
            inside = {*self._inside(columns), *((j,) for j in columns)}
            if sorted(j for part in promised.parts for j in part) != sorted(columns):
                raise VerificationError(
                    f"parts {promised.parts}: are not exactly the columns {tuple(columns)}"
                )
            if not inside.issuperset(promised.parts):
                raise VerificationError(
                    f"parts {promised.parts}: some are not known groups of the columns"
                )
            promised.certificate.verify([self.part(part) for part in promised.parts])
            people = promised.certificate.people
        else:
            raise VerificationError("bound: has neither a certificate nor weights that prove it")
        if people > promised.people or promised.n != self.n:
            raise VerificationError(
                f"bound: claims {promised.people:,} of {promised.n:,} people; {people:,} of "
                f"{self.n:,} are proved"
            )

    def masks(self, named_values: NamedValues) -> dict[int, Group]:
        """Return the values of each column that may still be named, among the named values before.

        A named value stays if it is not rare: in every known table, at least half of its people are
        in crowds of k. Then the least frequent go too, until no person or at least k people are
        under `other`.
        """
        return {j: self._common(j, named_values.get(j)) for j in range(len(self.singles))}

    def _common(self, column: int, narrowed_values: Group | None) -> Group:
        """Return the values of one column that may still be named; see `masks`.

        narrowed_values: the values named before; None: all.
        """
        counts = self.singles[column]
        values = range(len(counts)) if narrowed_values is None else narrowed_values
        common_values = [value for value in values if counts[value] >= self.k]
        for table in self.tables.values():
            if column in table.group:
                common = values_in_crowds(table, column, self.k)
                common_values = [value for value in common_values if common.get(value, True)]
        common_values.sort(key=lambda value: (-int(counts[value]), value))
        while common_values and 0 < self.n - int(counts[common_values].sum()) < self.k:
            common_values.pop()
        return tuple(sorted(common_values))

    def _inside(self, columns: Sequence[int]) -> list[Group]:
        """Return the groups with known joint counts inside these columns, in order."""
        column_set = set(columns)
        return sorted(group for group in self.tables if column_set.issuperset(group))

    def part(self, part: Group, named_values: NamedValues | None = None) -> Counts:
        """Return the counts of a known group as one column with its combinations as values.

        People with a value that is not named, and people without an answer, get a unique value
        each, so the counts sum to n.
        """
        counts = self._answers(part, named_values)
        unique_people = np.ones(self.n - int(counts.sum()), dtype=np.int64)
        return np.concatenate([counts, unique_people])

    def _answers(self, part: Group, narrowing: NamedValues | None) -> Counts:
        """Return the positive counts of a known group's combinations, flattened.

        Without `narrowing` (a release), combinations with `other` are left out; with it (a query
        that names these values), `other` is a value.
        """
        match part:
            case (column,):
                counts = self.singles[column]
                if narrowing is not None and column in narrowing:
                    counts = single_counts(column, counts).narrowed(narrowing).counts
            case _:
                table = self.tables[part]
                counts = (
                    table.named if narrowing is None else table.narrowed(narrowing).counts.ravel()
                )
        return np.asarray(counts[counts > 0], dtype=np.int64)

    def _class(self, columns: Sequence[int], narrowing: NamedValues | None) -> FrechetClass | None:
        """Return the class of all tables with the counts known inside two columns or more.

        None if no group is known inside the columns, if the tables have different people or too
        many cells, or if two tables contradict each other: a person gave different answers.
        """
        return (
            self.joint(columns, narrowing) if self._inside(columns) and len(columns) > 1 else None
        )

    def joint(
        self, columns: Sequence[int], named_values: NamedValues | None = None
    ) -> FrechetClass | None:
        """Return the class of all tables with the counts known inside columns.

        Unlike the bound `margins`, it needs no known group. None if the known counts are of
        different people, have too many cells together, or contradict each other.
        """
        order = tuple(sorted(columns))
        largest = self._largest(order)
        common = self._common_values(order, largest, named_values)
        tables = self._covering(order, largest, common)
        if any(table.people != self.n for table in tables) or not self._agree(tables):
            return None
        # If no person of a column is counted under "other", its tables need no entry for it.
        spare = {j for t in tables for j in t.group if not axis_counts(t, j)[-1]}
        shape = tuple(len(common[j]) + (j not in spare) for j in order)
        if prod(shape) > MOST_CELLS:
            return None
        margins = tuple(margin_of(table, order, spare) for table in tables)
        closed = named_values is None
        labels = tuple(labels_of(len(common[j]), closed=closed and j not in spare) for j in order)
        return FrechetClass(shape, margins, labels)

    def margins_within(self, group: Group) -> tuple[tuple[int, ...], tuple[Margin, ...]]:
        """Return the shape and the margins of a group, from the known tables inside it.

        Unnamed values of a table are one value, the last. The columns of the margins are
        renumbered; tables of fewer people than `n` are left out.
        """
        whole = [g for g in self._largest(group) if self.tables[g].people == self.n]
        common = self._common_values(group, whole, None)
        tables = [table.narrowed(common) for table in self._covering(group, whole, common)]
        margins = tuple(margin_of(table, group, set()) for table in tables)
        return tuple(len(common[j]) + 1 for j in group), margins

    def _largest(self, columns: Sequence[int]) -> list[Group]:
        """Return the groups with known joint counts inside columns.

        Groups that are part of a larger such group are left out.
        """
        inside = self._inside(columns)
        return [g for g in inside if not any(set(g) < set(wider) for wider in inside)]

    def _covering(
        self, order: Group, largest: Sequence[Group], common: NamedValues
    ) -> list[GroupCounts]:
        """Return the joint counts of the largest known groups, and counts of the other columns.

        common: the values that stay named in each column.
        """
        tables = [self.tables[group].narrowed(common) for group in largest]
        single_columns = set(order).difference(*largest)
        return [
            *tables,
            *(single_counts(j, self.singles[j]).narrowed(common) for j in sorted(single_columns)),
        ]

    def _agree(self, tables: Sequence[GroupCounts]) -> bool:
        """Whether count tables agree on shared columns, and with the counts of round 1.

        Round 1 counted single columns.
        """
        has_equal_margins = all(
            np.array_equal(axis_counts(table, j)[:-1], self.singles[j][list(values)])
            for table in tables
            for j, values in zip(table.group, table.named_values, strict=True)
        )
        return has_equal_margins and consistent(tables)

    def _common_values(
        self, order: Group, largest: Sequence[Group], narrowing: NamedValues | None
    ) -> dict[int, Group]:
        """Return, per column, the values that count by name in all tables inside a set of columns.

        largest: the largest known groups inside the set. A column outside these has its values of
        at least k people; under `narrowing`, only the values that the query names count.
        """
        values_of_columns: dict[int, Group] = {}
        for j in order:
            all_of_it = tuple(range(len(self.singles[j])))
            sets = [
                self.tables[group].named_values[self.tables[group].group.index(j)]
                for group in largest
                if j in group
            ]
            if not sets and narrowing is None:
                sets = [tuple(np.flatnonzero(self.singles[j] >= self.k).tolist())]
            if narrowing is not None:
                sets.append(narrowing.get(j, all_of_it))
            values_of_columns[j] = tuple(sorted(set(all_of_it).intersection(*sets)))
        return values_of_columns


def block_of(within: Sequence[int] | None, parts: Sequence[Sequence[Sequence[int]]]) -> Block:
    """Return a block of a proof (cells with given values) from plain lists.

    within: column and value of its people; None: all people. parts: groups of columns, each with
    the flat indices of its values.
    """
    place = None if within is None else (int(within[0]), int(within[1]))
    return Block(place, tuple((tuple(group), tuple(values)) for group, values in parts))
