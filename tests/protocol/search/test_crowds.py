"""The swap test, crowds and guesses, on views that are known."""

from collections import Counter
from collections.abc import Hashable

import pytest
from veilmix.protocol.search.crowds import (
    Play,
    Rows,
    Worlds,
    another,
    exchanged,
    guess,
    other_joints,
    rotated,
)

ROWS: Rows = (("a", "c"), ("b", "d"), ("a", "d"), ("b", "c"), ("a", "c"), ("b", "d"))
SEEDS = (1, 2, 3, 4, 5, 6)


def worlds(play: Play, honest: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> Worlds:
    return Worlds(play, ROWS, honest, SEEDS)


def totals(rows: Rows, seed: int) -> Hashable:
    return tuple(sorted(Counter(rows).items()))


def first_row(rows: Rows, seed: int) -> Hashable:
    return rows[0], totals(rows[1:], seed)


def without_first(rows: Rows, seed: int) -> Hashable:
    return totals(rows[1:], seed)


def random_row(rows: Rows, seed: int) -> Hashable:
    return rows[seed % 6], totals(rows, seed)


def halves(rows: Rows, seed: int) -> Hashable:
    return totals(rows[:2], seed), totals(rows[2:], seed)


def test_totals_tell_nobody_apart() -> None:
    view = worlds(totals)
    assert not view.are_apart(view.rows, rotated(view.rows, view.honest))
    assert not view.is_free(0)
    assert view.crowds() == (6,)


def test_a_row_that_is_seen_is_a_crowd_of_one() -> None:
    view = worlds(first_row)
    assert view.are_apart(view.rows, rotated(view.rows, view.honest))
    assert [view.is_alone(person) for person in range(6)] == [True, *[False] * 5]
    assert view.crowds() == (1, 5)


def test_whoever_is_left_out_is_free() -> None:
    view = worlds(without_first)
    assert view.is_free(0)
    assert not view.is_alone(0)
    assert view.crowds() == (5,)


def test_people_of_equal_rows_are_told_apart_by_another_row() -> None:
    """Users 1 and 5 have the same row: their crowd shows only if one of them has another."""
    view = worlds(halves)
    assert not view.are_exchangeable(0, 4)
    assert view.are_exchangeable(0, 1)
    assert worlds(totals).are_exchangeable(0, 4)
    assert view.crowds() == (2, 4)


def test_a_difference_that_is_chance_is_not_counted() -> None:
    """In every seed another person's row is seen: over the seeds nobody's is."""
    view = worlds(random_row)
    assert view.crowds() == (6,)
    assert not any(view.is_alone(person) for person in range(6))


def test_members_are_in_no_crowd() -> None:
    assert worlds(totals, (0, 1, 2)).crowds() == (3,)


def test_every_session_is_played_once() -> None:
    played = Counter[tuple[Rows, int]]()

    def counted(rows: Rows, seed: int) -> Hashable:
        played[rows, seed] += 1
        return first_row(rows, seed)

    worlds(counted).crowds()
    assert set(played.values()) == {1}


def test_other_worlds_keep_the_totals() -> None:
    people = (0, 1, 3)
    assert rotated(ROWS, people)[:4] == (("b", "d"), ("b", "c"), ("a", "d"), ("a", "c"))
    assert totals(rotated(ROWS, people), 0) == totals(ROWS, 0)
    assert exchanged(ROWS, 0, 3)[0] == ROWS[3]
    assert another(("a", "c"), ROWS) == ("b", "d")


def counts(rows: Rows, *columns: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(row[column] for column in columns) for row in rows)


def test_other_joints_have_the_same_counts_of_fewer_columns() -> None:
    for other in (worlds := other_joints(ROWS, range(6))):
        assert all(counts(other, column) == counts(ROWS, column) for column in (0, 1))
        assert counts(other, 0, 1) != counts(ROWS, 0, 1)
    assert len(worlds) == 2  # the values of either column change


def test_other_joints_of_three_columns_differ_in_pairs_or_in_all_three() -> None:
    rows = tuple(tuple(row) for row in ("ace", "adf", "bcf", "bde", "ade", "bcf"))
    worlds = other_joints(rows, range(5))
    pairs = [(0, 1), (0, 2), (1, 2)]
    same = [all(counts(other, *p) == counts(rows, *p) for p in pairs) for other in worlds]
    assert {True, False} == set(same)
    assert all(counts(other, 0, 1, 2) != counts(rows, 0, 1, 2) for other in worlds)
    assert all(other[5] == rows[5] for other in worlds)  # the coalition keeps its rows
    assert all(counts(other, c) == counts(rows, c) for other in worlds for c in range(3))


def value(rows: Rows, seed: int) -> Hashable:
    return rows[0][0]


def noise(rows: Rows, seed: int) -> Hashable:
    return rows, seed


@pytest.mark.parametrize(
    ("play", "right"), [(totals, 0.65625), (value, 1.0), (noise, 0.5), (without_first, 0.5)]
)
def test_the_best_guess_of_one_row_from_a_sum_is_counted(play: Play, right: float) -> None:
    """Of the sum of six fair values, the best guess of one is right with probability 21/32.

    Views that are new in every session teach nothing.
    """
    assert guess(worlds(play), 0, (1, 2)) == right


def joint(rows: Rows, seed: int) -> Hashable:
    return totals(rows, seed)


def two_marginals(rows: Rows, seed: int) -> Hashable:
    return tuple(sorted(counts(rows, 0).items())), tuple(sorted(counts(rows, 1).items()))


def test_a_guess_from_joint_counts_is_of_whoever_knows_the_other_values() -> None:
    """Three of six people have "a": the joint counts tell more than one column."""
    by_joint = guess(worlds(joint), 0, (1, 2), 1, knows=True)
    by_marginals = guess(worlds(two_marginals), 0, (1, 2), 1, knows=True)
    assert by_marginals == guess(worlds(totals), 0, (1, 2), 1) == 0.65625
    assert by_joint == 0.75
