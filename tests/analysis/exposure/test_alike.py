"""People who are alike: against the definition, read off a table person by person."""

from collections import Counter
from itertools import product
from math import comb

import pytest
from veilmix.analysis.exposure.equal_people import shared_values
from veilmix.protocol.wire.hiding_rules import BLANK, HIDDEN

ROWS = list(product("xy", "pq"))


def tables(n: int, rows: list[tuple[str, ...]]) -> list[Counter[tuple[str, ...]]]:
    """All tables of n people over these rows."""
    if len(rows) == 1:
        return [Counter({rows[0]: n})]
    return [
        Counter({rows[0]: first}) + more
        for first in range(n + 1)
        for more in tables(n - first, rows[1:])
    ]


def check(cells: Counter[tuple[str, ...]]) -> None:
    """Judge every person by itself: what do all people say who share one of its values?"""
    people = [cell for cell, number in cells.items() for _ in range(number)]
    found = shared_values(cells, HIDDEN)
    assert found.people == len(people)
    columns = [{cell[j] for cell in people} for j in range(2)]
    same = {(j, *values) for j, values in enumerate(columns) if len(values) == 1}
    assert set(found.unanimous) == {(j, value) for j, value in same if value not in HIDDEN}
    followers = 0
    for person in people:
        told = False
        for a, b in ((0, 1), (1, 0)):
            if len(columns[a]) == 1 or len(columns[b]) == 1 or columns[a] & HIDDEN:
                continue  # everybody has it, or who has the value may have left it blank
            like = {other[b] for other in people if other[a] == person[a]}
            told = told or (len(like) == 1 and not like & HIDDEN)
        followers += told
    assert found.followers == followers
    assert (found.widest is None) == (followers == 0)
    if found.widest is not None:
        (a, value), (b, learnt) = found.widest.known_value, found.widest.learnt
        assert {other[b] for other in people if other[a] == value} == {learnt}
        assert found.widest.people == sum(other[a] == value for other in people)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_every_small_table_is_judged_as_by_hand(n: int) -> None:
    rows: list[tuple[str, ...]] = [*ROWS, ("x", BLANK), (BLANK, BLANK)]
    every = tables(n, rows)
    assert len(every) == comb(n + len(rows) - 1, n)
    for cells in every:
        check(+cells)


def test_everybody_in_one_cell() -> None:
    found = shared_values({("x", "p"): 8})
    assert found.is_whole
    assert (found.followers, found.widest) == (0, None)


@pytest.mark.parametrize("cells", [{}, {(): 5}, {(BLANK, BLANK): 5}])
def test_nothing_is_alike_where_nothing_is_said(cells: dict[tuple[str, ...], int]) -> None:
    found = shared_values(cells, HIDDEN)
    assert not found.is_whole
    assert (found.unanimous, found.followers) == ((), 0)
