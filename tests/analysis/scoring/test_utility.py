"""What a release is still good for, against what can be worked out by hand."""

from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.analysis.scoring.release_utility import (
    ReleasedRows,
    bits_of_release,
    entropy_of,
    errors_of_tables,
    pair_errors,
    pair_shares,
)
from veilmix.analysis.suppression.cell_patterns import BLANK
from veilmix.analysis.trust import log2_multinomial
from veilmix.errors import ParameterError

CODES = np.array([[0, 0, 0]] * 4 + [[0, 1, 1]] * 2 + [[1, 0, 1]] * 2)
SIZES = (2, 2, 2)


def whole(codes: np.ndarray, kept: tuple[int, ...]) -> ReleasedRows:
    counts: dict[tuple[int, ...], int] = {}
    for row in codes.tolist():
        shown = tuple(code if j in kept else BLANK for j, code in enumerate(row))
        counts[shown] = counts.get(shown, 0) + 1
    return ReleasedRows.from_counts(counts, codes.shape[1])


def test_releasing_everything_keeps_everything() -> None:
    release = whole(CODES, (0, 1, 2))
    assert release.cells == 24
    assert release.entropy == pytest.approx(entropy_of(CODES)) == pytest.approx(1.5)
    errors = pair_errors(CODES, SIZES, release)
    assert errors.pairs == ((0, 1), (0, 2), (1, 2))
    assert errors.mean == errors.largest == 0


def test_a_dropped_column_is_guessed_uniform_and_independent() -> None:
    release = whole(CODES, (0, 1))
    assert release.columns == (0, 1)
    assert release.entropy == pytest.approx(1.5)  # the third follows from the first two
    made = pair_errors(CODES, SIZES, release)
    errors = dict(zip(made.pairs, made.distances, strict=True))
    assert errors[0, 1] == 0
    # truth of (0, 2): .5 .25 / 0 .25; guess: .375 .375 / .125 .125
    assert errors[0, 2] == pytest.approx((0.125 + 0.125 + 0.125 + 0.125) / 2)


def test_a_published_marginal_helps() -> None:
    release, truth = whole(CODES, (0,)), [0.75, 0.25]
    blind = pair_errors(CODES, SIZES, release)
    told = pair_errors(CODES, SIZES, release, {1: truth})
    assert told.distances[0] < blind.distances[0]


def test_nothing_released_is_a_uniform_guess() -> None:
    errors = pair_errors(CODES, SIZES, ReleasedRows.from_counts({}, 3))
    assert errors.distances[0] == pytest.approx(
        np.abs(pair_shares(CODES, SIZES, (0, 1)) - 0.25).sum() / 2
    )
    assert ReleasedRows.from_counts({}, 3).entropy == 0


def test_blanks_at_random_leave_the_table_unbiased() -> None:
    """Half of everybody's second column blank: EM gives the full table's shares back."""
    counts = {(0, 0): 30, (0, 1): 10, (1, 0): 10, (1, 1): 50}
    blanked = {(a, b): n // 2 for (a, b), n in counts.items()}
    for (a, _), n in counts.items():
        blanked[a, BLANK] = blanked.get((a, BLANK), 0) + n - n // 2
    codes = np.repeat(np.array(list(counts)), list(counts.values()), axis=0)
    errors = pair_errors(codes, (2, 2), ReleasedRows.from_counts(blanked, 2))
    assert errors.largest < 1e-9


def test_entropy_of_blanks_is_that_of_what_is_shown() -> None:
    release = ReleasedRows.from_counts({(0, 0): 2, (0, 1): 2, (BLANK, 0): 4}, 2)
    assert release.entropy == pytest.approx(0.5 * 1.0 + 0.5 * 0.0)
    assert release.cells == 12


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6))
def test_bits_without_blanks_are_those_of_the_joint_counts(people: list[int]) -> None:
    release = ReleasedRows.from_counts({(i,): many for i, many in enumerate(people)}, 1)
    n = sum(people)
    exact = n * log2(6) - log2_multinomial(people)
    assert bits_of_release(release, n, (6,)) == pytest.approx(exact)


def test_bits_with_blanks_are_at_most_the_truth() -> None:
    """Against counting: tables of 3 people over 2 binary columns that a release allows."""
    from itertools import permutations, product

    release = ReleasedRows.from_counts({(0, 0): 1, (1, BLANK): 2}, 2)
    rows = list(product((0, 1), repeat=2))
    patterns = [(0, 0), (1, BLANK), (1, BLANK)]
    allowed = {
        table
        for table in product(rows, repeat=3)
        if any(
            all(
                code in (BLANK, own)
                for pattern, row in zip(order, table, strict=True)
                for code, own in zip(pattern, row, strict=True)
            )
            for order in permutations(patterns)
        )
    }
    truth = 3 * 2 - log2(len(allowed))
    assert bits_of_release(release, 3, (2, 2)) == pytest.approx(truth)
    looser = ReleasedRows.from_counts({(0, BLANK): 1, (BLANK, 0): 2}, 2)
    assert bits_of_release(looser, 3, (2, 2)) >= 0


def test_tables_of_an_estimate_are_held_against_the_people() -> None:
    exact = {(0, 1): pair_shares(CODES, SIZES, (0, 1))}
    assert errors_of_tables(CODES, SIZES, exact).largest == 0
    with pytest.raises(ParameterError, match="another width; 3 cells"):
        ReleasedRows.from_counts({(0, 1): 3}, 3)


def test_an_analyst_who_knows_the_rule_finds_what_blanks_at_random_would_hide() -> None:
    """Value 2 is always blank, others one time in ten: the rule gives its share back."""
    truth = {(0, 0): 300, (1, 0): 100, (2, 0): 50, (0, 1): 100, (1, 1): 300, (2, 1): 150}
    released: dict[tuple[int, ...], int] = {}
    for (v, w), many in truth.items():
        blank = many if v == 2 else many // 10
        for row, people in (((v, w), many - blank), ((BLANK, w), blank)):
            if people:
                released[row] = released.get(row, 0) + people
    codes = np.repeat(np.array(list(truth)), list(truth.values()), axis=0)
    release = ReleasedRows.from_counts(released, 2)
    told = pair_errors(codes, (3, 2), release, left_blank={0: [0.1, 0.1, 1.0]})
    blind = pair_errors(codes, (3, 2), release)
    assert told.largest < 1e-6
    assert blind.largest > 0.05


def test_a_rule_helps_beside_a_column_that_is_not_released() -> None:
    truth = [600, 200, 200]
    codes = np.array([[v, i % 2] for v, many in enumerate(truth) for i in range(many)])
    counts = {(0, BLANK): 540, (1, BLANK): 180, (BLANK, BLANK): 280}
    told = pair_errors(
        codes, (3, 2), ReleasedRows.from_counts(counts, 2), left_blank={0: [0.1, 0.1, 1.0]}
    )
    assert told.largest < 1e-6


def test_rows_without_any_cell_say_nothing_without_a_rule() -> None:
    codes = np.array([[0, 0]] * 6 + [[1, 1]] * 3)
    counts = {(0, 0): 4, (1, 1): 2, (BLANK, BLANK): 3}
    assert pair_errors(codes, (2, 2), ReleasedRows.from_counts(counts, 2)).largest < 1e-9
