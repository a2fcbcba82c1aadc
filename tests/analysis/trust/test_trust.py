"""What a coalition received, against counting every labelled table that its view allows."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.analysis.trust import (
    anonymity_sets,
    cells_certain,
    log2_multinomial,
    minimal,
    received,
    users_linked,
    view_bits,
)
from veilmix.analysis.trust.best_guesses import Method
from veilmix.protocol.knowledge.run_record import CountsSeen
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View

Table = tuple[tuple[str, ...], ...]
VALUES = (("a", "b"), ("x", "y", "z"))
SIZES = (2, 3)


def counts(table: Table, columns: tuple[int, ...]) -> Counter[tuple[str, ...]]:
    return Counter(tuple(row[column] for column in columns) for row in table)


def view_of(
    table: Table,
    seen: tuple[tuple[int, ...], ...] = (),
    pinned: tuple[int, ...] = (),
    *,
    columns: tuple[int, ...] = (0, 1),
    fixed: bool = True,
    everybody: tuple[int, ...] = (),
) -> View:
    """A view of the counts over some column sets, with some people pinned in some columns."""
    return View(
        frozenset({"curator"}),
        len(table),
        fixed,
        {1: {person: {c: table[person][c] for c in columns} for person in pinned}},
        tuple(CountsSeen(len(some), some, counts(table, some)) for some in seen),
        {},
        {1: everybody} if everybody else {},
        Transcript(len(table), summary=bool(everybody)),
    )


def consistent(table: Table, view: View) -> list[Table]:
    """Every labelled table that looks the same through this view."""
    rows = list(product(*VALUES))
    matches = []
    for other in product(rows, repeat=len(table)):
        same_counts = all(counts(other, seen.columns) == seen.counts for seen in view.counted)
        same_rows = all(
            other[person][column] == value
            for person, row in view.pinned.items()
            for column, value in row.items()
        )
        if same_counts and same_rows:
            matches.append(other)
    return matches


tables = st.lists(st.tuples(*map(st.sampled_from, VALUES)), min_size=1, max_size=4).map(tuple)
SEEN: list[tuple[tuple[int, ...], ...]] = [
    (),
    ((0,),),
    ((0,), (1,)),
    ((0, 1),),
    ((0,), (1,), (0, 1)),
    ((1,), (0, 1)),
]


@pytest.mark.slow
@given(tables, st.sampled_from(SEEN), st.sets(st.integers(0, 3)))
def test_bits_and_certain_cells_are_those_of_the_tables_left(
    table: Table, seen: tuple[tuple[int, ...], ...], some: set[int]
) -> None:
    view = view_of(table, seen, tuple(sorted(person for person in some if person < len(table))))
    left = consistent(table, view)
    bits, exact = view_bits(view, SIZES)
    assert exact
    assert bits == pytest.approx(len(table) * log2(6) - log2(len(left)), abs=1e-9)
    sure = sum(
        len({other[person][column] for other in left}) == 1
        for person in range(len(table))
        for column in range(2)
    )
    assert cells_certain(view, SIZES) == sure


@pytest.mark.slow
@given(tables, st.sampled_from(SEEN), st.sets(st.integers(0, 3)), st.sampled_from([(0,), (1,)]))
def test_bits_are_those_of_the_tables_left_when_people_are_pinned_in_part(
    table: Table, seen: tuple[tuple[int, ...], ...], some: set[int], columns: tuple[int, ...]
) -> None:
    pinned = tuple(sorted(person for person in some if person < len(table)))
    view = view_of(table, seen, pinned, columns=columns)
    bits, exact = view_bits(view, SIZES)
    truth = len(table) * log2(6) - log2(len(consistent(table, view)))
    assert exact
    assert bits == pytest.approx(truth, abs=1e-9)


def test_the_formulas_of_the_docstring() -> None:
    table = (("a", "x"), ("a", "y"), ("b", "z"), ("b", "z"))
    assert view_bits(view_of(table), SIZES) == (0.0, True)
    marginal, _ = view_bits(view_of(table, ((0,),)), SIZES)
    assert marginal == pytest.approx(4 - log2(6))
    joint, _ = view_bits(view_of(table, ((0, 1),)), SIZES)
    assert joint == pytest.approx(4 * log2(6) - log2(12))
    linked, exact = view_bits(view_of(table, (), (0, 1, 2, 3)), SIZES)
    assert linked == pytest.approx(4 * log2(6))
    assert exact


class Loose(Mapping[int, dict[int, str]]):
    """Rows that are made anew whenever somebody looks at one."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def __getitem__(self, person: int) -> dict[int, str]:
        return dict(enumerate(self.table[person]))

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.table)))

    def __len__(self) -> int:
        return len(self.table)


@given(tables, st.sampled_from(SEEN), st.sets(st.integers(0, 3)))
def test_it_does_not_matter_whether_people_share_a_row(
    table: Table, seen: tuple[tuple[int, ...], ...], some: set[int]
) -> None:
    """A run's record gives people who said the same one row; others may hand each its own."""
    view = view_of(table, seen, tuple(sorted(person for person in some if person < len(table))))
    records = {row: dict(enumerate(row)) for row in table}
    shared = {person: records[row] for person, row in enumerate(table)}
    pinned = {person: shared[person] for person in view.by_round[1]}
    scores = [
        received(replace(view, by_round={1: rows}), SIZES, truth)
        for rows, truth in product((view.by_round[1], pinned), (shared, Loose(table)))
    ]
    assert scores == [scores[0]] * 4


def test_a_unanimous_column_is_certain_without_linking_anybody() -> None:
    table = (("a", "x"), ("a", "y"), ("a", "z"))
    score = received(view_of(table, ((0,),)), SIZES)
    assert (score.linked, score.cells_certain, score.crowd) == (0, 3, 3)
    assert score.verdict == "crowd of 3"


def test_the_last_ones_left_are_certain_when_they_agree() -> None:
    table = (("a", "x"), ("b", "y"), ("b", "y"))
    assert cells_certain(view_of(table, ((0,), (1,)), (0,)), SIZES) == 6


def test_everybody_linked_is_everything() -> None:
    table = (("a", "x"), ("b", "y"))
    score = received(view_of(table, ((0,), (1,)), (0, 1)), SIZES)
    assert (score.linked, score.cells_certain, score.crowd) == (2, 4, 1)
    assert score.verdict == "everything"
    assert score.bits_per_person == pytest.approx(log2(6))
    assert anonymity_sets(view_of(table, (), (0,))) == [1, 1]


def test_the_summary_form_says_the_same() -> None:
    table = (("a", "x"), ("b", "y"), ("b", "z"))
    single = received(view_of(table, ((0,), (1,)), (0, 1, 2)), SIZES)
    summary = received(view_of(table, ((0,), (1,)), everybody=(0, 1)), SIZES)
    assert single == summary
    assert users_linked(view_of(table, ((0,),), everybody=(0,))) == 3


def test_other_people_in_every_round_add_up() -> None:
    table = (("a", "x"), ("b", "y"), ("b", "z"))
    view = view_of(table, ((0,),), fixed=False)
    both = View(
        view.parties,
        6,
        False,
        {},
        (CountsSeen(1, (0,), counts(table, (0,))), CountsSeen(2, (0, 1), counts(table, (0, 1)))),
        {},
        {},
        view.transcript,
    )
    alone = (
        view_bits(view_of(table, ((0,),)), SIZES)[0]
        + view_bits(view_of(table, ((0, 1),)), SIZES)[0]
    )
    assert view_bits(both, SIZES) == (pytest.approx(alone), True)


def test_somebody_left_and_nobody_knows_who() -> None:
    """The prior probability of both counts, whoever of the three left: by listing tables."""
    table = (("a", "x"), ("b", "y"), ("b", "z"))
    view = view_of(table, ((0,),))
    fewer = CountsSeen(2, (0, 1), counts(table[:2], (0, 1)))
    both = View(view.parties, 3, True, {}, (*view.counted, fewer), {}, {}, view.transcript)
    ways = [
        (left, other)
        for other in consistent(table, view)
        for left in range(3)
        if counts(other[:left] + other[left + 1 :], (0, 1)) == fewer.counts
    ]
    score = received(both, SIZES)
    assert score.bits == pytest.approx(3 * log2(6) - log2(len(ways) / 3))
    # That would be told to who saw who left; of the rows alone it is less, by no more than log2 3.
    shares = [times / len(ways) for times in Counter(other for _, other in ways).values()]
    bits = 3 * log2(6) + sum(share * log2(share) for share in shares)
    assert score.bits_are == "at most"
    assert score.bits - log2(3) <= bits < score.bits
    assert score.cells_certain == sum(
        len({other[person][column] for _, other in ways}) == 1
        for person in range(3)
        for column in range(2)
    )
    best = [
        max(Counter(other[person] for _, other in ways).values()) / len(ways) for person in range(3)
    ]
    assert score.rows_guessed == pytest.approx(sum(best))


@pytest.mark.parametrize(
    ("cells", "ways"), [([], 1), ([5], 1), ([1, 1, 1], 6), ([2, 2], 6), ([3, 0, 1], 4)]
)
def test_the_logarithm_of_a_multinomial_counts_ways(cells: list[int], ways: int) -> None:
    assert log2_multinomial(cells) == pytest.approx(log2(ways))


def test_minimal_coalitions_are_those_of_which_no_part_links_anybody() -> None:
    links = {("a",): 0, ("a", "b"): 3, ("a", "b", "c"): 3, ("b", "c"): 0, ("c", "d"): 1}
    assert minimal(links) == [("a", "b"), ("c", "d")]
    assert minimal({("a",): 0}) == []


def test_a_lie_in_one_round_leaves_the_counts_that_agree() -> None:
    """Somebody said "b" at first and "a" then: no table has both counts."""
    table = (("a", "x"), ("b", "y"), ("b", "z"))
    lied = (("a", "x"), ("a", "y"), ("b", "z"))
    first = view_of(table, ((0,),))
    then = CountsSeen(2, (0, 1), counts(lied, (0, 1)))
    score = received(replace(first, counted=(*first.counted, then)), SIZES)
    assert not score.exact
    assert score.method is Method.BOUNDED
    assert score.bits == pytest.approx(received(first, SIZES).bits)
