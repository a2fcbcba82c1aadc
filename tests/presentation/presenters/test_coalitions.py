"""The table of coalitions: nothing that differs stands in one row, and it fits 80 columns."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.analysis.trust import Method, Received
from veilmix.cli.text.layout import broken
from veilmix.presentation.presenters.coalitions import baseline_text, key, kinds, table

READERS = ("analyst", "curator")


def received(parties: Sequence[str], linked: int, **more: object) -> Received:
    """What a coalition of 200 people with 800 cells has learnt."""
    given_: dict[str, object] = {
        "parties": tuple(sorted(parties)),
        "users": 200,
        "cells": 800,
        "linked": linked,
        "cells_certain": 4 * linked,
        "bits": 200.0,
        "exact": True,
        "crowd": 1 if linked else 200,
    }
    return Received(**(given_ | more))  # type: ignore[arg-type]


def every(shufflers: int) -> list[tuple[str, ...]]:
    """Every coalition of the readers and so many shufflers, and of nobody."""
    names = (*READERS, *(f"shuffler-{hop + 1}" for hop in range(shufflers)))
    return [some for size in range(len(names) + 1) for some in combinations(names, size)]


@given(st.integers(1, 3), st.data())
def test_a_row_holds_only_what_learnt_the_same(shufflers: int, data: st.DataObject) -> None:
    coalitions = [
        received(parties, data.draw(st.sampled_from([0, 7]))) for parties in every(shufflers)
    ]
    by_members = {frozenset(coalition.parties): coalition for coalition in coalitions}
    grouped = kinds(coalitions)
    assert sorted(map(sorted, by_members)) == sorted(
        sorted(members) for row in grouped for members in row.members
    )
    for row in grouped:
        assert {by_members[members].linked for members in row.members} == {row.received.linked}
        assert len({members & set(READERS) for members in row.members}) == 1


@pytest.mark.parametrize("shufflers", [1, 2, 6, 7, 64])
def test_it_fits_80_columns_for_any_number_of_shufflers(shufflers: int) -> None:
    names = [f"shuffler-{hop + 1}" for hop in range(shufflers)]
    coalitions = [
        received((), 0, rows_guessed=123.4, method=Method.SAMPLED),
        *(received([name], 0) for name in names),
        received(["curator", *names[1:]], 0, exact=False),
        received(["curator", *names], 200),
    ]
    grid = table(coalitions)
    widths = [
        max(len(str(cell)) for cell in column)
        for column in zip(grid.headings, *grid.rows, strict=True)
    ]
    assert 1 + sum(widths) + 2 * len(widths) <= 80
    assert ">=1.00" in {cell for row in grid.rows for cell in row}  # a bound says that it is one
    assert "~123.4" in {cell for row in grid.rows for cell in row}


def test_people_and_the_network_have_columns_where_a_coalition_has_them() -> None:
    coalitions = [received((), 0), received(["curator", "network", "user-3"], 1)]
    grid = table(coalitions)
    assert grid.headings[0] == "C N P"
    assert grid.rows[1][0] == "● ● ●"
    assert "N network, P people" in "\n".join(key(coalitions))


def test_what_was_known_before_is_one_number_or_a_range() -> None:
    coalition = received((), 0, rows_guessed_before=3.75)
    assert baseline_text([coalition]) == "3.8 rows guessed"
    assert (
        baseline_text([coalition, received((), 0, rows_guessed_before=5.0)])
        == "3.8 to 5.0 rows guessed"
    )


@given(st.text(st.sampled_from("ab -/"), max_size=400))
def test_a_line_is_broken_between_words_and_loses_none(line: str) -> None:
    said = broken(line)
    assert said.split() == line.split()
    for part in said.split("\n"):
        assert len(part) <= 118 or max(map(len, part.split())) > 100


def test_a_short_line_stays_as_it_is() -> None:
    assert broken("  two  spaces ") == "  two  spaces "


def test_cells_that_a_bound_is_about_say_so() -> None:
    """A closed certificate is taken for the counts it follows from; a bound leaves evidence out."""
    marks = {Method.AT_MOST: ("0", "<=40", "<=800"), Method.BOUNDED: (">=0", ">=40", "800")}
    for method, said in marks.items():
        for linked, expected in zip((0, 10, 200), said, strict=True):
            (row,) = table([received(("analyst",), linked, method=method, exact=False)]).rows
            assert row[3] == expected
            (row,) = table([received(("analyst",), linked)]).rows
            assert row[3] == expected.strip("<=>")
