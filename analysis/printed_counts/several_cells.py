"""Counts of persons that may be in several cells of a table: each person as a set of rows.

A person with rows in two wards is counted in both wards and once in their total, so totals are not
sums of cells. A *profile* is the set of different rows of a person. An attacker's unknowns are the
numbers of persons with each profile:

    count(S, v) = sum over the profiles with a row in (S, v) of persons(profile)

where S is a set of columns and v a value of each. These equations are exact. Inequalities between
cells and totals are not enough: some counts fulfil all of them, and no persons have such counts.
The system has the profiles that occur, and each single row as a profile. An attacker that holds
further profiles possible has more tables, and can conclude less.

Subtraction of printed counts also reveals groups of persons that form no cell:

    total - cell                 the persons of a total outside a cell of it
    sum of the cells - total     0 if no person of the total is in several of its cells

A group of 1 to k - 1 persons is protected like a small cell. Its count is not printed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError
from .linked import (
    MOST_CELLS,
    Cell,
    Integers,
    LinkedCounts,
    PersonGroup,
    Profile,
    Subset,
    join_cycles,
    maximal_tables,
    subsets_of,
)


def count_persons(
    codes: NDArray[np.integer[Any]],
    owner: NDArray[np.integer[Any]],
    tables: Iterable[Sequence[int]],
    *,
    zeros: bool = False,
) -> LinkedCounts:
    """Count the different persons in each cell of tables; a person may have several rows.

    Args:
        codes: values of rows, shape (rows, columns).
        owner: the person of each row, shape (rows,).
        tables: column numbers of each table, 1 to 4 different ones.
        zeros: whether an empty cell is protected like any other cell. If not, attackers know which
            cells are empty.

    Raises:
        ParameterError: no table or row, a table of another size, or more than `MOST_CELLS` cells
            and profiles (different sets of rows of a person).
    """
    rows_given: Integers = np.asarray(codes, np.int64)
    row_tables = maximal_tables(tables, rows_given.shape[1])
    if not row_tables or not len(rows_given):
        raise ParameterError("tables: at least one table of at least one person is needed")
    columns = sorted({column for table in row_tables for column in table})
    persons_of = _profiles(rows_given[:, columns], np.asarray(owner))
    occurring = len(persons_of)
    for row in _single_rows(rows_given[:, columns], zeros=zeros):
        persons_of.setdefault((row,), 0)
    profiles = tuple(persons_of)
    persons = np.array([persons_of[profile] for profile in profiles], np.int64)
    places = dict[Cell, list[int]]()
    _check_size(len(profiles))
    for subset in dict.fromkeys(part for table in row_tables for part in subsets_of(table)):
        at = [columns.index(column) for column in subset]
        for number, profile in enumerate(profiles):
            for values in {tuple(row[place] for place in at) for row in profile}:
                places.setdefault((subset, values), []).append(number)
    _check_size(len(profiles) + len(places))
    names: list[Cell] = [((-1,), (number,)) for number in range(len(profiles))]
    parts = tuple(map(tuple, places.values()))
    return LinkedCounts(
        row_tables,
        join_cycles(row_tables),
        (*names, *places),
        np.r_[persons, [persons[list(numbers)].sum() for numbers in parts]].astype(np.int64),
        np.arange(len(profiles) + len(places)) >= len(profiles),
        tuple(range(len(profiles), len(profiles) + len(places))),
        parts,
        np.arange(occurring)[:, None],
        len(profiles) + list(places).index(((), ())),
        profiles,
    )


def add_small_groups(linked: LinkedCounts, k: int) -> LinkedCounts:
    """Return the counts with the groups of 1 to k - 1 persons that subtractions of counts reveal.

    `linked`: counts from `count_persons`, in which a person may be in several cells. Only such
    counts have these groups.

    Raises:
        ParameterError: more than `MOST_CELLS` cells and groups.
    """
    members_of = {
        linked.cells[parent]: frozenset(parts)
        for parent, parts in zip(linked.parents, linked.children, strict=True)
        if linked.printed[parent]
    }
    member_sets = set(members_of.values())
    groups, children, counts = list[PersonGroup](), list[tuple[int, ...]](), list[int]()
    for group, members in _groups(linked, members_of, k):
        persons = int(linked.counts[list(members)].sum())
        if 0 < persons < k and members not in member_sets:
            member_sets.add(members)
            groups.append(group)
            children.append(tuple(sorted(members)))
            counts.append(persons)
    _check_size(len(linked.cells) + len(groups))
    first = len(linked.cells)
    return replace(
        linked,
        cells=(*linked.cells, *(((-2,), (number,)) for number in range(len(groups)))),
        counts=np.r_[linked.counts, counts].astype(np.int64),
        printed=np.r_[linked.printed, np.zeros(len(groups), bool)],
        parents=(*linked.parents, *range(first, first + len(groups))),
        children=(*linked.children, *children),
        groups=tuple(groups),
    )


def _profiles(rows: Integers, owner: NDArray[np.integer[Any]]) -> dict[Profile, int]:
    """Return the number of persons with each profile (set of a person's different rows), sorted.

    rows: the values of all rows, shape (rows, columns). owner: the person of each row.
    """
    pairs = np.unique(np.column_stack((owner, rows)), axis=0)
    ends = np.flatnonzero(np.append(pairs[1:, 0] != pairs[:-1, 0], True)) + 1
    persons, start = dict[Profile, int](), 0
    for end in ends.tolist():
        profile = tuple(map(tuple, pairs[start:end, 1:].tolist()))
        persons[profile] = persons.get(profile, 0) + 1
        start = end
    return {profile: persons[profile] for profile in sorted(persons)}


def _single_rows(rows: Integers, *, zeros: bool) -> list[tuple[int, ...]]:
    """Return the rows that an attacker must hold possible as the only row of a person.

    They are the rows that occur. With `zeros` they are all combinations of the columns' values,
    because the attacker must not know which cells are empty.

    rows: the values of all rows, shape (rows, columns).
    """
    if not zeros:
        return list(map(tuple, np.unique(rows, axis=0).tolist()))
    values = [np.unique(column).tolist() for column in rows.T]
    _check_size(int(np.prod([float(len(column)) for column in values])))
    return list(product(*values))


def _groups(
    linked: LinkedCounts, members_of: dict[Cell, frozenset[int]], k: int
) -> Iterator[tuple[PersonGroup, frozenset[int]]]:
    """Yield groups of persons that a subtraction of printed counts gives, with their profiles.

    A profile is the set of a person's rows, given by number. A group has the persons of a total
    that are outside a cell of it, or in several of its cells. A group outside a cell is left out if
    it has k persons or more.

    Args:
        linked: counts from `count_persons`.
        members_of: the profiles that each printed cell counts.
        k: the smallest number of persons that is safe.
    """
    count_of = dict(zip(linked.cells, linked.counts.tolist(), strict=True))
    longer_of = _longer_subsets(linked)
    cells_of = dict[tuple[Cell, Subset], list[frozenset[int]]]()
    for cell, members in members_of.items():
        subset, values = cell
        value_of = dict(zip(subset, values, strict=True))
        for shorter in subsets_of(subset):
            if shorter == subset:
                continue
            total = shorter, tuple(value_of[column] for column in shorter)
            cells_of.setdefault((total, subset), []).append(members)
            if 0 < count_of[total] - count_of[cell] < k:
                yield PersonGroup(total, cell, None), members_of[total] - members
    for total in members_of:
        for longer in longer_of[total[0]]:
            counted_people, several = set[int](), set[int]()
            for members in cells_of[total, longer]:
                several |= counted_people & members
                counted_people |= members
            yield PersonGroup(total, None, longer), frozenset(several)


def _longer_subsets(linked: LinkedCounts) -> dict[Subset, list[Subset]]:
    """Return for each set of columns within a table the larger sets of columns within that table.

    Counts of all these sets are printed, as totals of the table.
    """
    longer_of = dict[Subset, dict[Subset, None]]()
    for table in linked.tables:
        for longer in subsets_of(table):
            longer_of.setdefault(longer, {})
            for shorter in subsets_of(longer):
                if shorter != longer:
                    longer_of[shorter][longer] = None
    return {subset: list(longer) for subset, longer in longer_of.items()}


def _check_size(cells: int) -> None:
    """Raise a ParameterError if there are more than `MOST_CELLS` cells, totals and sets of rows."""
    if cells > MOST_CELLS:
        raise ParameterError(
            f"tables: {cells:,} cells, totals and different sets of rows of persons; at most "
            f"{MOST_CELLS:,} are accepted: fewer columns, coarser values, or one row of each "
            "person (--one-row first, last, earliest:COLUMN or latest:COLUMN)"
        )
