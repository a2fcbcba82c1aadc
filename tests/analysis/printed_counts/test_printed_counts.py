"""Closed and rounded counts, against all tables that an attacker could take for the true one."""

import csv
from itertools import combinations, combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from veilmix.analysis.printed_counts import audit, close_cells, count_linked, round_cells
from veilmix.errors import ParameterError, VerificationError

ROOT = Path(__file__).resolve().parents[3]
ADULT = "adult/adult4_contingency.csv"
ONE, TWO, THREE = [(0,)], [(0, 1)], [(0, 1, 2)]
CHAIN, CYCLE = [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]


def people(columns: int, most: int):
    """Draw rows of up to 3 values in the first column, and 2 in each other column."""
    return st.integers(4, most).flatmap(
        lambda n: arrays(np.int64, (n, columns), elements=st.integers(0, 1)).flatmap(
            lambda codes: arrays(np.int64, n, elements=st.integers(0, 2)).map(
                lambda first: np.column_stack((first, codes[:, 1:])) if columns < 3 else codes
            )
        )
    )


class Tables:
    """All tables of n persons, each as its counts in the cells of a system."""

    def __init__(self, codes, linked, *, zeros: bool) -> None:
        columns = range(codes.shape[1])
        joint = list(product(*(sorted(set(codes[:, c].tolist())) for c in columns)))
        inside = np.array(
            [
                [all(row[c] == v for c, v in zip(*cell, strict=True)) for cell in linked.cells]
                for row in joint
            ]
        )
        if not zeros:  # everybody knows which cells are empty
            rows = [
                all(any((codes[:, t] == np.array(row)[list(t)]).all(axis=1)) for t in linked.tables)
                for row in joint
            ]
            joint = [row for row, may in zip(joint, rows, strict=True) if may]
            inside = inside[np.array(rows)]
        counts = [
            np.bincount(choice, minlength=len(joint))
            for choice in combinations_with_replacement(range(len(joint)), len(codes))
        ]
        self.joint = np.array(counts)
        self.cells = self.joint @ inside.astype(int)
        self.inside = inside
        occurring = {tuple(row) for row in codes.tolist()}
        self.members = [at for at, row in enumerate(joint) if row in occurring]

    def is_safe(self, linked, closed, small, k, *, members: bool) -> bool:
        """Whether no attacker can conclude more of a small cell than it may."""
        open_ = linked.printed & ~closed
        agree = (self.cells[:, open_] == linked.counts[open_]).all(axis=1)
        cells, joint = self.cells[agree], self.joint[agree]
        for cell in np.flatnonzero(small):
            views = [(cells, 0)]
            if members:
                views += [
                    (cells[joint[:, own] >= 1], int(self.inside[own, cell])) for own in self.members
                ]
            for view, least in views:
                if view[:, cell].max() < k or view[:, cell].min() > least:
                    return False
        return True


@pytest.mark.slow
@pytest.mark.parametrize("tables", [ONE, TWO, THREE, CHAIN, CYCLE], ids=str)
@settings(max_examples=12)
@given(st.data())
def test_no_safe_choice_closes_less(tables, data) -> None:
    codes = data.draw(people(len({c for table in tables for c in table}), 7))
    k, zeros, members = (
        data.draw(st.integers(2, 3)),
        data.draw(st.booleans()),
        data.draw(st.booleans()),
    )
    loss = data.draw(st.sampled_from(["people", "cells"]))
    linked = count_linked(codes, tables, zeros=zeros)
    result = close_cells(linked, k, loss=loss, members=members)
    everything = Tables(codes, linked, zeros=zeros)
    small = linked.printed & (linked.counts < k)
    assert (result.small == small).all()
    assert result.closed[small].all()
    assert result.is_best
    assert everything.is_safe(linked, result.closed, small, k, members=members)
    free = np.flatnonzero(linked.printed & ~small)
    weights = linked.counts if loss == "people" else np.ones(len(small), int)
    assert result.cost == weights[result.closed & ~small].sum()
    for size in range(len(free) + 1):
        for chosen in map(list, combinations(free.tolist(), size)):
            if weights[chosen].sum() < result.cost and linked.total not in chosen:
                closed = small.copy()
                closed[chosen] = True
                assert not everything.is_safe(linked, closed, small, k, members=members)


def test_tables_of_a_cycle_are_parts_of_one_table(monkeypatch) -> None:
    """By the equations of three tables alone a choice looks safe that is not."""
    rows = [[1, 1, 0]] * 3 + [[1, 0, 1]] * 2 + [[0, 1, 0], [0, 0, 1], [0, 1, 1]]
    codes, k = np.array(rows), 2

    def is_safe() -> bool:
        linked = count_linked(codes, CYCLE)
        result = close_cells(linked, k, members=False)
        small = linked.printed & (linked.counts < k)
        return Tables(codes, linked, zeros=False).is_safe(
            linked, result.closed, small, k, members=False
        )

    assert is_safe()
    monkeypatch.setattr("veilmix.analysis.printed_counts.linked.join_cycles", lambda tables: tables)
    assert not is_safe()


@pytest.mark.slow
@pytest.mark.parametrize("tables", [TWO, THREE, CHAIN, CYCLE], ids=str)
@settings(max_examples=8)
@given(st.data())
def test_intervals_are_those_of_all_tables(tables, data) -> None:
    codes = data.draw(people(len({c for table in tables for c in table}), 7))
    linked = count_linked(codes, tables)
    result = close_cells(linked, 3, members=False)
    everything = Tables(codes, linked, zeros=False)
    open_ = linked.printed & ~result.closed
    agree = everything.cells[(everything.cells[:, open_] == linked.counts[open_]).all(axis=1)]
    found = audit(result)
    assert (found.low == agree[:, found.places].min(axis=0)).all()
    assert (found.high == agree[:, found.places].max(axis=0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("tables", [ONE, TWO, THREE, CHAIN, CYCLE], ids=str)
@settings(max_examples=8)
@given(st.data())
def test_rounded_counts_add_up_and_hide_what_they_say(tables, data) -> None:
    codes = data.draw(people(len({c for table in tables for c in table}), 7))
    base = data.draw(st.integers(2, 4))
    linked = count_linked(codes, tables, zeros=True)
    rounded = round_cells(linked, base)
    assert (rounded.values % base == 0)[linked.printed].all()
    away = np.abs(rounded.values - linked.counts)[linked.printed]
    assert (away < base * rounded.reach).all()
    assert rounded.change == away.sum()
    for table in linked.tables:  # each total is the sum of the table's cells
        cells = {cell: rounded.values[place] for place, cell in linked.table_cells(table)}
        for (subset, codes_of), value in cells.items():
            at = [table.index(column) for column in subset]
            parts = [
                count
                for (columns, row), count in cells.items()
                if columns == table and tuple(np.array(row)[at]) == codes_of
            ]
            assert sum(parts) == value


def test_known_intervals_of_rounded_counts() -> None:
    codes = np.repeat([[0], [1]], [7, 4], axis=0)
    rounded = round_cells(count_linked(codes, ONE, zeros=True), 5)
    assert rounded.values.tolist() == [10, 5, 5]  # 11, 7, 4
    assert rounded.intervals.low.tolist() == [6, 1, 1]  # 10 says 6 to 14; 5 says 1 to 9
    assert rounded.intervals.high.tolist() == [14, 9, 9]
    assert (rounded.small(5), rounded.small(10)) == (0, 2)


def test_a_total_of_two_cells_is_not_enough() -> None:
    """Two small cells hide each other, but not that they are small."""
    codes = np.repeat([[0], [1], [2], [3]], [1, 2, 30, 40], axis=0)
    closed = close_cells(count_linked(codes, ONE), 5)
    assert closed.closed.tolist() == [False, True, True, True, False]
    assert (closed.cost, closed.bound) == (30, 30)
    found = audit(closed)
    assert (found.low.tolist(), found.high.tolist()) == ([0, 0, 0], [33, 33, 33])


def test_a_person_of_a_cell_learns_more_than_an_outsider() -> None:
    """Of 5 closed persons a person of the larger cell knows that 4 at most are elsewhere."""
    codes = np.repeat([[0], [1], [2]], [1, 4, 20], axis=0)
    linked = count_linked(codes, ONE)
    assert close_cells(linked, 5, members=False).cost == 0
    assert close_cells(linked, 5, members=True).cost == 20


def test_an_audit_refuses_what_can_be_concluded() -> None:
    codes = np.repeat([[0], [1], [2]], [1, 9, 20], axis=0)
    safe = close_cells(count_linked(codes, ONE), 5)
    audit(safe)
    closed = safe.closed.copy()
    closed[2] = False  # its total tells the other
    with pytest.raises(VerificationError):
        audit(type(safe)(**{**fields(safe), "closed": closed}))
    with pytest.raises(VerificationError, match="no table proves the cell safe from an outsider"):
        audit(type(safe)(**{**fields(safe), "witnesses": safe.witnesses[:0]}))
    linked = count_linked(np.repeat([[0], [1], [2]], [1, 4, 20], axis=0), ONE)
    of_outsiders = close_cells(linked, 5, members=False)
    audit(of_outsiders)
    with pytest.raises(VerificationError, match="no table proves the cell safe from a person"):
        audit(type(safe)(**{**fields(of_outsiders), "members": True}))


def fields(record):
    return {name: getattr(record, name) for name in record.__dataclass_fields__}


def test_of_many_closed_cells_witnesses_give_the_intervals(monkeypatch) -> None:
    codes = np.repeat([[0], [1], [2]], [1, 9, 20], axis=0)
    closed = close_cells(count_linked(codes, ONE), 5)
    exact = audit(closed)
    monkeypatch.setattr("veilmix.analysis.printed_counts.intervals.MOST_AUDITED", 1)
    inner = audit(closed)
    assert (inner.low >= exact.low).all()
    assert (inner.high <= exact.high).all()
    assert (inner.low[0], inner.high[0] >= 5) == (0, True)


@pytest.mark.slow
@pytest.mark.data(ADULT)
def test_the_census_is_closed_with_a_proof() -> None:
    with (ROOT.parent / "shared" / "data" / ADULT).open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = ["sex", "income", "race", "workclass"]
    values = {name: sorted({row[name] for row in rows}) for name in names}
    codes = np.array([[values[name].index(row[name]) for name in names] for row in rows])
    persons = np.array([int(row["count"]) for row in rows])
    linked = count_linked(codes, [(0, 2, 3), (1, 3)], persons)
    closed = close_cells(linked, 10)
    assert (linked.n, closed.is_best) == (32561, True)
    assert (closed.cost, int(closed.small.sum())) == (2_928, 39)
    assert audit(closed).width >= 10


def test_empty_cells_are_closed_if_asked() -> None:
    codes = np.array([[0, 0]] * 9 + [[0, 1]] * 9 + [[1, 0]] * 9)
    known = close_cells(count_linked(codes, TWO), 5)
    assert not known.closed.any()
    hidden = count_linked(codes, TWO, zeros=True)
    closed = close_cells(hidden, 5)
    assert closed.closed[hidden.cells.index(((0, 1), (1, 1)))]
    assert (audit(closed).high >= 5).all()


@pytest.mark.parametrize(
    ("codes", "tables", "k", "message"),
    [
        ([[0], [1]], [(0, 0)], 5, "different columns"),
        ([[0], [1]], [(1,)], 5, "columns are 0 to 0"),
        ([[0], [1]], [], 5, "at least one table"),
        ([[0], [1]], [(0,)], 1, "k: found 1"),
        ([[0]] * 5, [(0,)], 5, "n: found 5 persons; at least 6 are"),
    ],
)
def test_wrong_arguments_of_closed_cells_are_named(codes, tables, k, message) -> None:
    with pytest.raises(ParameterError, match=message):
        close_cells(count_linked(np.array(codes), tables), k)


def test_a_table_with_too_many_cells_is_refused() -> None:
    codes = np.repeat(np.arange(200)[:, None], 3, axis=1)
    with pytest.raises(ParameterError, match="cells with their totals"):
        count_linked(codes, THREE, zeros=True)
    with pytest.raises(ParameterError, match="cells with their totals"):
        count_linked(codes, CYCLE, zeros=True)
