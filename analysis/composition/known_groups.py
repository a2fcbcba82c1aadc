"""Certified bounds on exposure if joint counts of some groups of columns are known.

The hierarchical protocol (paper 000, Section 8.2) requests the counts of single columns, then joint
counts of groups of columns. Frequent values are named, that is, counted individually. All other
values of a column are counted together as `other`.

A known group is a group of columns with known joint counts. There are two bounds on the exposed
people of a set of columns J, and the smaller is taken:

* `parts`: J is divided into known groups and single columns, called parts. Each part counts as one
  column with its combinations as values, and the coverage bound (coverage.py) is applied to them
  (docs/adr/0002-pair-tables.md).
* `margins`: a bound from all known counts inside J at once, by the dual prices of a linear program,
  in whole numbers (`contingency/dual_bound.py`).

In a release each person reports the true value, so `other` stands for unknown values. People under
`other` count as exposed: in the worst case each has a unique value, and a finer table can only
expose more people. The rest hide among people with the same named values, in known numbers. A
person who answered fewer queries and left gets a unique value in the columns without an answer.

In a query, people report `other` like any value. So the bound for a query treats `other` as a
value, and holds for the table of its answers.

The work is limited by numbers, not by time, so that results can be repeated: at most 200 partitions
of J into parts, and the bound `margins` for at most 1,000 cells.
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

# limit of the partitions of a set of columns into known groups and single columns; further
# partitions are not tried, so the bound on exposed people may be larger than the least
MOST_WAYS = 200
# up to this number of columns, `roughly` tries all partitions, at most 15; else ROUGH_WAYS
FEW_COLUMNS = 4
# limit of the partitions that `roughly` tries for more columns, large known groups first
ROUGH_WAYS = 3
# limit of the cells of a joint table for the bound by the dual variables (`margins`) of a linear
# program; a larger table has only the bound by `parts`
MOST_CELLS = 1_000
# `_priced` and `by_margins` solve two linear programs that give the same bound, except for the
# rounding of dual prices. Their results may differ by this number of people.
CLOSE = 2


@dataclass(frozen=True, slots=True)
class Promised:
    """A proof that at most `people` of `n` are in a crowd smaller than k.

    Exactly one of `certificate` and `weights` is given.

    Attributes:
        people: upper bound on the exposed people.
        n: people counted.
        parts: the columns, divided into groups with known joint counts and single columns.
        certificate: the proof if each group or column in `parts` counts as one column.
        weights: the proof from all known counts at once: dual prices of a linear program.
    """

    people: int
    n: int
    parts: tuple[Group, ...] = ()
    certificate: Certificate | None = None
    weights: Weights | None = None

    @property
    def rule(self) -> str:
        """The name of the bound: "parts" or "margins".

        "parts": columns with known joint counts are counted as one column. "margins": the bound
        follows from all known counts at once, by dual prices of a linear program.
        """
        return "parts" if self.weights is None else "margins"

    @property
    def value(self) -> float:
        """The bound as a share of people."""
        return self.people / self.n


@dataclass(frozen=True, eq=False)
class GroupKnowledge:
    """All counts that the curator has: of single columns and of groups of columns.

    The counts prove bounds on the exposed people of any set of columns. They also decide which
    values a query may still name, that is, count individually.

    Attributes:
        k: the smallest crowd in which no person is exposed.
        singles: people per value, of each column.
        tables: the known joint counts by group of columns, with rare values counted together as
            `other`.
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
        """Return the smallest certified bound on the people that these columns expose.

        The bound is for a release of the columns, or for a query of their joint counts.
        named_values: for a query, the values that it counts individually in each column; None for
        a release.
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

        named_values: for a query, the values that it counts individually in each column; None for
        a release.
        """
        if self.surely(columns, named_values) > max_exposed:
            return False
        if self._is_first_bound_within(columns, named_values, max_exposed):
            return True
        people = self._priced(columns, named_values)
        if people is not None and people > max_exposed + CLOSE:
            return False
        # For a release the fast bound alone does not suffice, because its certificate is computed
        # later by `by_margins`, and could be above the fast bound.
        if people is not None and named_values is not None and people < max_exposed - CLOSE:
            return True
        weights = self.by_margins(columns, named_values)
        return weights is not None and self.proved(columns, weights, named_values) <= max_exposed

    def _priced(self, columns: Sequence[int], narrowing: NamedValues | None) -> int | None:
        """Return a valid bound on exposed people, close to the bound of `by_margins` but faster.

        Both bounds follow from the dual variables (multipliers of constraints) of a linear program.
        None if the known counts give no program, or if the search did not find all inequalities
        that its solution violates.

        narrowing: for a query, the values that it counts individually in each column; None for a
        release.
        """
        tables = self._class(columns, narrowing)
        if tables is None or not 1 < self.k <= self.n:
            return None
        weights = priced_weights(tables, self.k)
        return certified_people(tables, self.k, weights) if weights else None

    def surely(self, columns: Sequence[int], named_values: NamedValues | None = None) -> int:
        """Return a lower bound on the people that a release of these columns, or a query, exposes.

        Each known table of counts inside the columns shows a number of people in cells of fewer
        than k. The largest of these numbers is returned.

        named_values: for a query, the values that it counts individually in each column; None for a
        release.
        """
        inside = [self._answers((j,), named_values) for j in columns]
        inside += [self._answers(group, named_values) for group in self._inside(columns)]
        return max(int(counts[counts < self.k].sum()) for counts in inside)

    def by_parts(
        self, columns: Sequence[int], named_values: NamedValues | None = None, ways: int = MOST_WAYS
    ) -> Promised:
        """Return the smallest bound on exposed people over partitions of the columns into parts.

        A part is a group with known joint counts, or a single column. The coverage bound, a formula
        in the counts of columns, treats each part as one column.

        Args:
            columns: the columns to bound.
            named_values: for a query, the values that it counts individually in each column; None
                for a release.
            ways: limit of the partitions that are tried, large groups first.
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
        """Whether some partition of the columns into known groups exposes at most `people_limit`.

        A known group has known joint counts. The exposed people are bounded by the coverage bound,
        a formula in the counts of columns, with each known group as one column.

        narrowing: the values that a query counts individually; None for a release.
        """
        reader = PartCounts(self.k, self.n, lambda part: self.part(part, narrowing))
        return any(reader.meets(parts, people_limit) for parts in self._partitions_of(columns))

    def _partitions_of(
        self, columns: Sequence[int], ways: int = MOST_WAYS
    ) -> Iterator[tuple[Group, ...]]:
        """Yield the partitions of columns into known groups and single columns, at most `ways`.

        A known group is a group of columns with known joint counts.
        """
        return islice(ways_of(tuple(sorted(columns)), self._inside(columns)), ways)

    def roughly(self, columns: Sequence[int]) -> int:
        """Return a faster, larger bound than `promise` on the people exposed by a release.

        The bound is valid: no table exposes more. It is the dual bound of a linear program with
        only the simplest inequalities. For many columns, it tries fewer partitions into known
        groups.
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
        """Return the dual prices that prove a bound on exposed people from all known counts.

        The prices are multipliers of a linear program, which uses all these counts at once. None if
        no joint counts are known inside the columns, or unless 1 < k <= n. None also if the known
        counts contradict each other, or if their joint is too large.

        named_values: for a query, the values that it counts individually in each column; None for a
        release.
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

        Weights are multipliers of a linear program: a weight for each known count and each
        inequality used. named_values: for a query, the values that it counts individually; None for
        a release.

        Raises VerificationError if the weights belong to other counts.
        """
        tables = self._class(columns, named_values)
        if tables is None:
            raise VerificationError(
                f"columns {tuple(columns)}: no tables to which the weights apply; they need "
                "known joint counts of these columns that agree and have few enough cells"
            )
        if len(weights.margins) != sum(margin.counts.size for margin in tables.margins):
            raise VerificationError(
                f"columns {tuple(columns)}: the number of weights (multipliers) of the proof does "
                "not fit the known counts"
            )
        return min(certified_people(tables, self.k, weights), self.n)

    def verify(self, columns: Sequence[int], promised: Promised) -> None:
        """Raise VerificationError unless the known counts prove the claimed bound for columns.

        promised: the claimed bound on exposed people, with its proof.
        """
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
                    f"parts {promised.parts}: each must be one of the columns {tuple(columns)}, "
                    "or a group of these columns with known joint counts"
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
        """Return, for each column, the values that further queries may name (count individually).

        A named value stays named on two conditions. At least k people have it, and in every known
        table at least half of its people are in cells of k or more. All other values of the column
        are counted together. If these are fewer than k people in total, but not 0, the least
        frequent named values join them.

        named_values: the values named before, by column; all values of a column that is left out.
        """
        return {j: self._common(j, named_values.get(j)) for j in range(len(self.singles))}

    def _common(self, column: int, narrowed_values: Group | None) -> Group:
        """Return the values of one column that further queries may name (count individually).

        These values have at least k people, and in every known table at least half of their people
        are in cells of k or more. All other values are counted together; they have no person at
        all, or at least k.

        narrowed_values: the values named before; None: all values.
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
        """Return the groups with known joint counts inside these columns, sorted."""
        column_set = set(columns)
        return sorted(group for group in self.tables if column_set.issuperset(group))

    def part(self, part: Group, named_values: NamedValues | None = None) -> Counts:
        """Return the counts of a known group as one column with its combinations as values.

        A known group is a group of columns with known joint counts, or a single column. People
        without an answer get a unique value each, so the counts sum to n. In a release, so do
        people with a value that is counted only together with other values.

        named_values: for a query, the values that it counts individually in each column; None for
        a release.
        """
        counts = self._answers(part, named_values)
        unique_people = np.ones(self.n - int(counts.sum()), dtype=np.int64)
        return np.concatenate([counts, unique_people])

    def _answers(self, part: Group, narrowing: NamedValues | None) -> Counts:
        """Return the positive counts of the combinations of a group's values, flattened.

        The group has known joint counts, with rare values counted together as `other`. For a
        release (`narrowing` is None), combinations with `other` are left out. For a query,
        `narrowing` has the values that the query counts individually in each column; `other` is a
        value then.
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
        """Return the class of all tables over the columns that have the known counts.

        None if no joint counts are known inside the columns, or if the tables have too many cells.
        None also if the counts are of different people, or contradict each other (a person gave
        different answers).

        narrowing: for a query, the values that it counts individually in each column; None for a
        release.
        """
        return (
            self.joint(columns, narrowing) if self._inside(columns) and len(columns) > 1 else None
        )

    def joint(
        self, columns: Sequence[int], named_values: NamedValues | None = None
    ) -> FrechetClass | None:
        """Return the class of all tables over the columns that have the known counts.

        The counts of single columns suffice; no joint counts need be known. None if the known
        counts are of different people, need too many cells together, or contradict each other.

        named_values: for a query, the values that it counts individually in each column; None for
        a release.
        """
        order = tuple(sorted(columns))
        largest = self._largest(order)
        common = self._common_values(order, largest, named_values)
        tables = self._covering(order, largest, common)
        if any(table.people != self.n for table in tables) or not self._agree(tables):
            return None
        # `other` counts the values without a name together. If it has no people in a column, the
        # tables need no entry for it, and have fewer cells.
        spare = {j for t in tables for j in t.group if not axis_counts(t, j)[-1]}
        shape = tuple(len(common[j]) + (j not in spare) for j in order)
        if prod(shape) > MOST_CELLS:
            return None
        margins = tuple(margin_of(table, order, spare) for table in tables)
        closed = named_values is None
        labels = tuple(labels_of(len(common[j]), closed=closed and j not in spare) for j in order)
        return FrechetClass(shape, margins, labels)

    def margins_within(self, group: Group) -> tuple[tuple[int, ...], tuple[Margin, ...]]:
        """Return the shape of a group's joint counts, and the known counts inside the group.

        These known counts are the margins of the joint. Values that some of them do not name are
        counted together as the last value. The columns of the margins are renumbered from 0. Counts
        of fewer people than `n` are left out.
        """
        whole = [g for g in self._largest(group) if self.tables[g].people == self.n]
        common = self._common_values(group, whole, None)
        tables = [table.narrowed(common) for table in self._covering(group, whole, common)]
        margins = tuple(margin_of(table, group, set()) for table in tables)
        return tuple(len(common[j]) + 1 for j in group), margins

    def _largest(self, columns: Sequence[int]) -> list[Group]:
        """Return the largest groups of these columns with known joint counts.

        A group inside a larger group with known joint counts is left out.
        """
        inside = self._inside(columns)
        return [g for g in inside if not any(set(g) < set(wider) for wider in inside)]

    def _covering(
        self, order: Group, largest: Sequence[Group], common: NamedValues
    ) -> list[GroupCounts]:
        """Return the joint counts of the largest known groups, and counts of the other columns.

        Args:
            order: all the columns.
            largest: the groups of these columns with known joint counts that no larger group
                contains.
            common: for each column, the values to count individually; other values are counted
            together.
        """
        tables = [self.tables[group].narrowed(common) for group in largest]
        single_columns = set(order).difference(*largest)
        return [
            *tables,
            *(single_counts(j, self.singles[j]).narrowed(common) for j in sorted(single_columns)),
        ]

    def _agree(self, tables: Sequence[GroupCounts]) -> bool:
        """Whether tables of joint counts agree on shared columns, and with the counts of round 1.

        Round 1 is the first collection of answers; it gave the counts of single columns.
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
        """Return, per column, the values that all known counts inside these columns name.

        A named value is counted individually; the other values of a column are counted together.

        Args:
            order: the columns.
            largest: the groups of these columns with known joint counts that no larger group
                contains. A column outside them names its values of at least k people in a release.
            narrowing: the values that a query names, by column; only these count then. None for a
                release.
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
    """Return a block of a proof (cells with given values) from plain lists, as JSON has them.

    within: a column and a value that the counted people have; None: all people. parts: groups of
    columns, each with the flat indices of the values (of the group's combinations) in the block.
    """
    place = None if within is None else (int(within[0]), int(within[1]))
    return Block(place, tuple((tuple(group), tuple(values)) for group, values in parts))
