"""What is known by exclusion, against its definition: all small tables are listed.

A set of rows is a known small crowd of a view if every table that gives the view has 1 to k - 1
people in it. Nothing of protocol/rounds/exclusion.py is used to find one.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from crowds_kit import Table, is_crowd_known, tables
from veilmix.protocol.rounds.exclusion import (
    close_further,
    excluded,
    is_unsafe,
    known_to_reader,
    sizes_behind,
)
from veilmix.protocol.rounds.opened_prefixes import opened
from veilmix.protocol.wire.hiding_rules import BLANK

Row = tuple[str, ...]
VALUES = "abcde"


def rows_of(sizes: Sequence[int]) -> list[Row]:
    return list(product(*(VALUES[:size] for size in sizes)))


def views(
    sizes: Sequence[int], n: int, k: int, view: Callable[[dict[Row, int]], Any]
) -> dict[Any, list[Table]]:
    """All tables of n people by what somebody sees of them."""
    rows = rows_of(sizes)
    found: dict[Any, list[Table]] = defaultdict(list)
    for table in tables(n, len(rows)):
        held = {row: people for row, people in zip(rows, table, strict=True) if people}
        found[view(held)].append(table)
    return found


def seen_by_all(held: dict[Row, int], sizes: Sequence[int], k: int, **how: bool) -> Any:
    released = opened(held, k, prefixes=how["prefixes"])
    if how["closed"]:
        behind = sizes_behind(held, k, prefixes=how["prefixes"])
        released = close_further(released, behind, k, sizes, prefixes=how["prefixes"])
    return frozenset(released.items())


def compare(sizes: Sequence[int], most: int, ks: Sequence[int], **how: bool) -> tuple[int, int]:
    """Compare `excluded` with the definition, view by view; gives views, and those with a crowd."""
    seen = unsafe = 0
    for n, k in product(range(1, most + 1), ks):
        found = views(sizes, n, k, lambda held, k=k: seen_by_all(held, sizes, k, **how))  # type: ignore[misc]
        for view, alike in found.items():
            if set(dict(view)) == {(BLANK,) * len(sizes)} and n < k:
                continue  # fewer people than k: their number is all that is known
            known = is_crowd_known(alike, k)
            told = excluded(dict(view), k, sizes, **how)
            assert bool(told.people) == known, (sizes, n, k, how, dict(view), alike)
            seen += 1
            unsafe += known
    return seen, unsafe


SMALL = [((2,), 8), ((3,), 7), ((2, 2), 6), ((4,), 6)]
LARGE = [((2,), 12), ((3,), 11), ((4,), 10), ((5,), 8), ((2, 2), 10), ((3, 2), 7), ((2, 3), 7)]


@pytest.mark.slow
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(("sizes", "most"), SMALL)
def test_the_check_of_whole_rows_equals_enumeration(
    sizes: tuple[int, ...], most: int, closed: bool
) -> None:
    seen, unsafe = compare(sizes, most, (2, 3, 4), prefixes=False, closed=closed)
    assert seen > 20
    assert bool(unsafe) == (not closed or sizes == (2,))  # what is closed leaves one kind of view


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "most"), [((2, 2), 6), ((3, 2), 4)])
@pytest.mark.parametrize("closed", [False, True])
def test_the_check_of_prefixes_equals_enumeration(
    sizes: tuple[int, ...], most: int, closed: bool
) -> None:
    seen, _ = compare(sizes, most, (2, 3), prefixes=True, closed=closed)
    assert seen > 20


@pytest.mark.long
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(("sizes", "most"), LARGE)
def test_whole_rows_of_more_people(sizes: tuple[int, ...], most: int, closed: bool) -> None:
    compare(sizes, most, (2, 3, 4, 5), prefixes=False, closed=closed)


@pytest.mark.parametrize(("sizes", "most"), [((2,), 8), ((3,), 7), ((2, 2), 6)])
def test_the_check_of_sizes(sizes: tuple[int, ...], most: int) -> None:
    """The reader sees what opened and the sizes of closed groups: check and list agree."""
    for n, k in product(range(1, most + 1), (2, 3, 4)):

        def view(held: dict[Row, int], k: int = k) -> Any:
            released = opened(held, k, prefixes=False)
            behind = sizes_behind(held, k, prefixes=False).get((), [])
            return frozenset(released.items()), tuple(sorted(behind))

        for (released, behind), alike in views(sizes, n, k, view).items():
            open_ = [cell for cell, _ in released if BLANK not in cell]
            if n < k:
                assert not known_to_reader({(): behind}, dict(released), k, sizes, prefixes=False)
                continue
            rows = len(rows_of(sizes)) - len(open_)
            assert is_unsafe(behind, rows, k) == is_crowd_known(alike, k)
            told = known_to_reader({(): behind}, dict(released), k, sizes, prefixes=False)
            assert bool(told) == is_unsafe(behind, rows, k)


def test_twenty_eight_no_and_two_yes() -> None:
    held = {("n",): 28, ("y",): 2}
    plain = opened(held, 5, prefixes=False)
    assert excluded(plain, 5, (2,), prefixes=False, closed=False).people == 2
    assert excluded(plain, 5, (2,), prefixes=False, closed=False).cells == 2
    behind = sizes_behind(held, 5, prefixes=False)
    published = close_further(plain, behind, 5, (2,), prefixes=False)
    assert published == {(BLANK,): 30}
    assert excluded(published, 5, (2,), prefixes=False, closed=True).people == 0


def test_of_several_smallest_groups_all_are_closed() -> None:
    held = {("a",): 6, ("b",): 6, ("c",): 9, ("d",): 1}
    plain, behind = opened(held, 5, prefixes=False), sizes_behind(held, 5, prefixes=False)
    published = close_further(plain, behind, 5, (4,), prefixes=False)
    assert published == {("c",): 9, (BLANK,): 13}


def test_an_open_domain_has_no_last_row() -> None:
    held = {("a",): 6, ("b",): 4, ("c",): 4}
    plain, behind = opened(held, 5, prefixes=False), sizes_behind(held, 5, prefixes=False)
    assert close_further(plain, behind, 5, (None,), prefixes=False) == plain
    assert excluded(plain, 5, (None,), prefixes=False, closed=False).people == 0
    few = {("a",): 6, ("b",): 4}
    plain, behind = opened(few, 5, prefixes=False), sizes_behind(few, 5, prefixes=False)
    assert excluded(plain, 5, (None,), prefixes=False, closed=False).people == 4
    assert close_further(plain, behind, 5, (None,), prefixes=False) == {(BLANK,): 10}


def test_an_open_domain_has_no_last_prefix() -> None:
    """All closed groups count together: each by itself is a small crowd."""
    held = {("a",): 6, ("b",): 4, ("c",): 4}
    plain, behind = opened(held, 5, prefixes=True), sizes_behind(held, 5, prefixes=True)
    assert close_further(plain, behind, 5, (None,), prefixes=True) == plain


def test_what_all_closed_rows_agree_on_is_a_known_cell() -> None:
    """Two of four rows are open, both with `a` first: who is blank has `b` there."""
    released = {("a", "a"): 9, ("a", "b"): 9, (BLANK, BLANK): 6}
    told = excluded(released, 5, (2, 2), prefixes=False, closed=True)
    assert (told.people, told.cells) == (0, 6)


BAD: dict[str, tuple[dict[Row, int], Sequence[int | None], int]] = {
    "one value": ({("a",): 8}, (1,), 5),
    "k above the people": ({("a",): 4, ("b",): 3}, (2,), 9),
    "all equal": ({("a", "a"): 8}, (2, 2), 5),
    "nobody": ({}, (2, 2), 5),
    "more values than people": ({("a",): 2, ("b",): 1}, (1000,), 2),
}


@pytest.mark.parametrize("prefixes", [False, True])
@pytest.mark.parametrize("name", ["one value", "k above the people", "all equal", "nobody"])
def test_nobody_is_known_by_exclusion(name: str, prefixes: bool) -> None:
    held, domains, k = BAD[name]
    plain = opened(held, k, prefixes=prefixes)
    behind = sizes_behind(held, k, prefixes=prefixes)
    published = close_further(plain, behind, k, domains, prefixes=prefixes)
    assert published == plain
    for closed in (False, True):
        assert excluded(published, k, domains, prefixes=prefixes, closed=closed).people == 0


def test_a_domain_larger_than_the_people() -> None:
    held, domains, k = BAD["more values than people"]
    plain, behind = opened(held, k, prefixes=False), sizes_behind(held, k, prefixes=False)
    assert close_further(plain, behind, k, domains, prefixes=False) == {(BLANK,): 3}
