"""Bits about persons with several rows: never above what all tables, one by one, tell."""

from collections import Counter
from itertools import chain, combinations, product
from math import log2
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.trust import received_of_persons
from veilmix.protocol.knowledge.run_record import CountsSeen, all_values
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View

SIZES, ROWS, N = (2, 2), 2, 3
CELLS = tuple(product("ab", "xy"))
PERSONS = tuple(chain.from_iterable(combinations(CELLS, size) for size in (1, 2)))
TABLES = tuple(product(PERSONS, repeat=N))


def counts(table: Any, columns: tuple[int, ...]) -> dict[tuple[str, ...], int]:
    cells = Counter(
        cell for own in table for cell in {tuple(row[j] for j in columns) for row in own}
    )
    blank = ROWS * N - sum(cells.values())
    return {**cells, ("",) * len(columns): blank} if blank else dict(cells)


def sets(own: Any) -> dict[int, str]:
    return {j: all_values(row[j] for row in own) for j in range(2)}


def view(linked: dict[int, Any], counted: tuple[CountsSeen, ...]) -> View:
    by_round = {1: {person: sets(own) for person, own in linked.items()}} if linked else {}
    return View(frozenset({"curator"}), N, True, by_round, counted, {}, {}, Transcript(N), {}, {})


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(TABLES),
    st.sets(st.integers(0, N - 1)),
    st.sampled_from([(), ((0,), (1,)), ((1,),), ((0, 1),)]),
)
def test_bits_are_at_most_those_of_all_tables(table: Any, known: set[int], asks: Any) -> None:
    seen = tuple(CountsSeen(1, columns, counts(table, columns)) for columns in asks)
    received = received_of_persons(view({i: table[i] for i in known}, seen), SIZES, ROWS)
    left = sum(
        all(counts(other, columns) == counts(table, columns) for columns in asks)
        and all(sets(other[i]) == sets(table[i]) for i in known)
        for other in TABLES
    )
    assert -1e-9 <= received.bits <= log2(len(TABLES) / left) + 1e-9
    assert received.linked == len(known)
    alike = [
        j
        for j in range(2)
        if (j,) in asks or (0, 1) in asks
        if len({row[j] for own in table for row in own}) == 1
    ]
    assert received.cells_certain == 2 * len(known) + len(alike) * (N - len(known))
    assert received.exact == (not known and not asks)
    if len(known) == N:
        assert received.verdict == "everything"
        assert received.bits > 0
    assert sum(people * times for people, times in received.sets) == N


def test_the_bound_of_counts_is_near_the_truth_for_many_persons() -> None:
    """Of 200 persons with one of two values each, or both: the exact number of tables is known."""
    from math import comb

    n, a, b = 200, 120, 130  # 50 have both
    held = {("a",): a, ("b",): b, ("",): 2 * n - a - b}
    people = View(
        frozenset({"curator"}), n, True, {}, (CountsSeen(1, (0,), held),), {}, {}, Transcript(n)
    )
    truth = n * log2(3) - log2(comb(n, a) * comb(a, a + b - n))
    bits = received_of_persons(people, (2,), 2).bits
    assert truth - 12 < bits <= truth


@pytest.mark.parametrize("rows", [41, 1_000])
def test_many_rows_of_a_person_tell_no_bound(rows: int) -> None:
    held = {("a",): 3, ("",): 3 * rows - 3}
    people = View(
        frozenset({"curator"}), 3, True, {}, (CountsSeen(1, (0,), held),), {}, {}, Transcript(3)
    )
    received = received_of_persons(people, (2, 9), rows)
    assert (received.bits, received.exact) == (0.0, False)
    assert received.cells_certain == 3
