"""Counts of persons in several cells, against all tables that an attacker cannot exclude.

The tables here are multisets of sets of rows, counted with Python's sets: no equation is shared
with the search.
"""

from collections import Counter
from itertools import chain, combinations, combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.printed_counts import audit, close_cells, count_persons, round_cells
from veilmix.errors import ParameterError, VerificationError

ONE, TWO, CHAIN = [(0,)], [(0, 1)], [(0, 1), (1, 2)]
SHAPES = {"one": (ONE, [3]), "two": (TWO, [2, 2]), "chain": (CHAIN, [2, 2, 2])}


def tables_of(shape: str, most: int):
    """Draw persons as sets of rows: up to 2 different rows each."""
    sizes = SHAPES[shape][1]
    row = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    person = st.frozensets(row, min_size=1, max_size=2)
    return st.lists(person, min_size=4, max_size=most)


def rows_of(persons):
    pairs = [(number, row) for number, rows in enumerate(persons) for row in sorted(rows)]
    return np.array([row for _, row in pairs]), np.array([number for number, _ in pairs])


def in_cell(rows, cell) -> bool:
    return any(all(row[c] == v for c, v in zip(*cell, strict=True)) for row in rows)


def in_group(rows, group) -> bool:
    inside = [row for row in rows if in_cell([row], group.total)]
    if group.outside is not None:
        return bool(inside) and not in_cell(inside, group.outside)
    return len({tuple(row[c] for c in group.several) for row in inside}) > 1


class Tables:
    """All tables of as many persons, each person with a set of rows that is held possible.

    more: tables of so many persons more or fewer as well.
    """

    def __init__(self, persons, linked, possible, more=0) -> None:
        self.sets = sorted(possible, key=sorted)
        printed = [cell for cell, shown in zip(linked.cells, linked.printed, strict=True) if shown]
        tests = [[in_cell(rows, cell) for rows in self.sets] for cell in printed]
        tests += [[in_group(rows, group) for rows in self.sets] for group in linked.groups]
        self.inside = np.array(tests).T.astype(int)
        numbers = range(max(1, len(persons) - more), len(persons) + more + 1)
        places = range(len(self.sets))
        choices = chain.from_iterable(combinations_with_replacement(places, n) for n in numbers)
        self.chosen = np.array([np.bincount(c, minlength=len(self.sets)) for c in choices])
        self.counts = self.chosen @ self.inside
        truth = Counter(map(frozenset, persons))
        self.truth = np.array([truth[rows] for rows in self.sets]) @ self.inside
        self.printed = len(printed)
        self.members = [at for at, rows in enumerate(self.sets) if truth[rows]]

    def agreeing(self, open_):
        shown = np.flatnonzero(open_)
        return (self.counts[:, shown] == self.truth[shown]).all(axis=1)

    def is_safe(self, closed, small, k, *, members: bool) -> bool:
        """Whether no attacker can conclude more of a small cell or group than it may."""
        agree = self.agreeing(~closed[: self.printed])
        counts, chosen = self.counts[agree], self.chosen[agree]
        views = [(counts, np.zeros(len(closed), int))]
        if members:
            views += [(counts[chosen[:, own] >= 1], self.inside[own]) for own in self.members]
        return all(
            view[:, cell].max() >= k and view[:, cell].min() <= least[cell]
            for cell in np.flatnonzero(small)
            for view, least in views
        )


def held_possible(persons):
    """The sets of rows that occur, and each row alone."""
    return {frozenset(rows) for rows in persons} | {
        frozenset([row]) for row in chain.from_iterable(persons)
    }


def all_rows(persons):
    """Each combination of values that occur, as the row of a person with no other."""
    values = [sorted(set(column)) for column in zip(*chain.from_iterable(persons), strict=True)]
    return {frozenset([row]) for row in product(*values)}


def shown(linked, flags):
    """Flags of the printed cells and groups, without profiles."""
    return flags[len(linked.profiles) :]


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=25)
@given(st.data())
def test_no_safe_choice_closes_less(shape, data) -> None:
    persons = data.draw(tables_of(shape, 5 if shape == "chain" else 6))
    k, members = data.draw(st.integers(2, 3)), data.draw(st.booleans())
    loss = data.draw(st.sampled_from(["people", "cells"]))
    zeros = data.draw(st.booleans()) and shape != "chain"  # of which there are too many tables
    codes, owner = rows_of(persons)
    counted = count_persons(codes, owner, SHAPES[shape][0], zeros=zeros)
    result = close_cells(counted, k, loss=loss, members=members)
    linked = result.linked
    possible = held_possible(persons) | (all_rows(persons) if zeros else set())
    everything = Tables(persons, linked, possible)
    counts, small = shown(linked, linked.counts), shown(linked, result.small)
    closed = shown(linked, result.closed)
    assert (counts == everything.truth).all()
    assert result.is_best
    assert everything.is_safe(closed, small, k, members=members)
    free = np.flatnonzero(shown(linked, linked.printed) & ~small)
    total = linked.total - len(linked.profiles)
    weights = counts if loss == "people" else np.ones(len(small), int)
    assert result.cost == weights[closed & ~small].sum()
    for size in range(len(free) + 1):
        for chosen in map(list, combinations(free.tolist(), size)):
            if weights[chosen].sum() < result.cost and total not in chosen:
                less = small.copy()
                less[chosen] = True
                assert not everything.is_safe(less, small, k, members=members)


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["one", "two"])
@settings(max_examples=20)
@given(st.data())
def test_it_is_safe_too_if_any_set_of_rows_is_held_possible(shape, data) -> None:
    """All sets of occurring rows, against the search's own: those that occur, and single rows."""
    persons, k = data.draw(tables_of(shape, 5)), 2
    codes, owner = rows_of(persons)
    result = close_cells(count_persons(codes, owner, SHAPES[shape][0]), k)
    rows = sorted(set(chain.from_iterable(persons)))
    possible = {frozenset(c) for n in range(1, len(rows) + 1) for c in combinations(rows, n)}
    linked = result.linked
    everything = Tables(persons, linked, possible)
    assert everything.is_safe(
        shown(linked, result.closed), shown(linked, result.small), k, members=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=20)
@given(st.data())
def test_intervals_are_those_of_all_tables(shape, data) -> None:
    persons = data.draw(tables_of(shape, 6))
    codes, owner = rows_of(persons)
    result = close_cells(count_persons(codes, owner, SHAPES[shape][0]), 3, members=False)
    linked, found = result.linked, audit(result)
    everything = Tables(persons, linked, held_possible(persons))
    agree = everything.agreeing(~shown(linked, result.closed)[: everything.printed])
    counts = everything.counts[agree][:, found.places - len(linked.profiles)]
    assert linked.printed[found.places].all()
    assert (found.low == counts.min(axis=0)).all()
    assert (found.high == counts.max(axis=0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("shape", ["one", "two"])
@settings(max_examples=20)
@given(st.data())
def test_rounded_counts_hide_what_they_say(shape, data) -> None:
    """Each count is the nearest multiple; the conclusions are those of all tables."""
    persons, base = data.draw(tables_of(shape, 5)), data.draw(st.integers(2, 3))
    codes, owner = rows_of(persons)
    tables = SHAPES[shape][0]
    rounded = round_cells(count_persons(codes, owner, tables, zeros=True), base, k=3)
    linked = rounded.linked
    everything = Tables(persons, linked, held_possible(persons) | all_rows(persons), more=base)
    first, printed = len(linked.profiles), everything.printed
    rounded_truth = nearest(everything.truth[:printed], base)
    assert not rounded.adds_up
    assert (rounded.values[first : first + printed] == rounded_truth).all()
    agree = (nearest(everything.counts[:, :printed], base) == rounded_truth).all(axis=1)
    counts = everything.counts[agree][:, rounded.intervals.places - first]
    assert (rounded.intervals.low == counts.min(axis=0)).all()
    assert (rounded.intervals.high == counts.max(axis=0)).all()


def nearest(counts, base):
    """The nearest multiples, half a base upwards."""
    return (2 * counts + base) // (2 * base) * base


def repeated(*groups):
    """Persons as sets of single-column rows, each set as often as said."""
    return [
        frozenset((value,) for value in values) for values, times in groups for _ in range(times)
    ]


def test_one_person_outside_a_cell_is_not_shown_by_a_subtraction() -> None:
    """Of 31 persons 30 were in ward 0: both counts together show the one that was not."""
    persons = repeated(((0,), 10), ((0, 1), 20), ((1,), 1))
    codes, owner = rows_of(persons)
    result = close_cells(count_persons(codes, owner, ONE), 5)
    linked = result.linked
    by_cell = dict(zip(linked.cells, zip(linked.counts, result.closed, strict=True), strict=True))
    assert by_cell[(), ()] == (31, False)
    assert by_cell[(0,), (0,)] == (30, True)
    assert by_cell[(0,), (1,)] == (21, False)
    assert [group.outside for group in linked.groups] == [((0,), (0,))]


def test_few_persons_in_several_cells_are_not_shown_by_a_sum() -> None:
    """20 and 22 persons with a total of 40: two persons were in both wards."""
    persons = repeated(((0,), 18), ((0, 1), 2), ((1,), 20))
    codes, owner = rows_of(persons)
    result = close_cells(count_persons(codes, owner, ONE), 5)
    assert [group.several for group in result.linked.groups] == [(0,)]
    assert result.cost == 20
    assert audit(result).width >= 5


def test_a_small_cell_may_need_no_complement() -> None:
    """Totals of distinct persons do not give the cell that is closed."""
    persons = repeated(((0,), 2), ((1,), 20), ((2,), 20), ((1, 2), 9), ((0, 1), 1), ((0, 1, 2), 6))
    codes, owner = rows_of(persons)
    result = close_cells(count_persons(codes, owner, ONE), 5)
    assert not result.small[len(result.linked.profiles) :].sum()
    persons = [rows for rows in persons if len(rows) < 3]
    codes, owner = rows_of(persons)
    result = close_cells(count_persons(codes, owner, ONE), 5)
    assert result.small.sum() == 1
    assert result.cost == 0


def test_an_audit_refuses_a_group_that_can_be_concluded() -> None:
    persons = repeated(((0,), 10), ((0, 1), 20), ((1,), 1))
    codes, owner = rows_of(persons)
    result = close_cells(count_persons(codes, owner, ONE), 5)
    closed = result.closed.copy()
    closed[result.linked.cells.index(((0,), (0,)))] = False
    fields = {name: getattr(result, name) for name in result.__dataclass_fields__}
    with pytest.raises(VerificationError):
        audit(type(result)(**{**fields, "closed": closed}))


def test_too_many_sets_of_rows_are_refused() -> None:
    owner = np.repeat(np.arange(7_000), 3)
    codes = np.random.default_rng(1).integers(0, 60, (len(owner), 1))
    with pytest.raises(ParameterError, match="different sets of rows of persons"):
        count_persons(codes, owner, ONE)


def test_inequalities_allow_counts_that_no_persons_have() -> None:
    """Decision 125: so the search is not by inequalities between cells and totals."""
    cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
    sets = [set(c) for size in range(1, 5) for c in combinations(cells, size)]
    sums = [1, 1], [2, 1]  # of each value of both columns, cells of one person each, two persons
    for side, totals in enumerate(sums):
        for value, total in enumerate(totals):
            assert 1 <= total <= sum(cell[side] == value for cell in cells)
    for persons in combinations_with_replacement(sets, 2):
        counts = [sum(cell in rows for rows in persons) for cell in cells]
        found = [
            [sum(any(row[side] == value for row in rows) for rows in persons) for value in (0, 1)]
            for side in (0, 1)
        ]
        assert counts != [1] * 4 or found != [*sums]
