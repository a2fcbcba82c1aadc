"""Singling out beside a straightforward count of every predicate."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.release_risks import predicates, singling_out
from veilmix.errors import ParameterError

D = 3
NUMBERS = [np.array([0.0, 1.0, 5.0, np.nan]), None, np.array([9.0, np.nan, 3.0, 4.0])]


@st.composite
def tables(draw: st.DrawFn) -> np.ndarray:
    n = draw(st.integers(1, 14))
    cells = draw(st.lists(st.integers(0, 3), min_size=n * D, max_size=n * D))
    return np.array(cells).reshape(n, D)


def fulfil(table: np.ndarray, j: int, code: int, release: np.ndarray) -> np.ndarray:
    """The rows that a row of the release with this code would be told by."""
    numbers = NUMBERS[j]
    if numbers is None or np.isnan(numbers[code]):
        return table[:, j] == code
    known = numbers[release[:, j]]
    median = np.median(known[~np.isnan(known)])
    with np.errstate(invalid="ignore"):
        held = numbers[table[:, j]]
        return held >= numbers[code] if numbers[code] > median else held <= numbers[code]


def straight(release: np.ndarray, people: np.ndarray, columns: int) -> tuple[int, int]:
    isolating = right = 0
    for chosen in combinations(range(D), columns):
        for row in release:
            counts = []
            for table in (release, people):
                holds = np.ones(len(table), bool)
                for j in chosen:
                    holds &= fulfil(table, j, row[j], release)
                counts.append(int(holds.sum()))
            isolating += counts[0] == 1
            right += counts == [1, 1]
    return isolating, right


@given(tables(), tables(), st.integers(1, D))
@settings(max_examples=30, deadline=None)
@pytest.mark.parametrize("by_rows", [False, True])
def test_a_straightforward_count_gives_the_same(
    by_rows: bool, release: np.ndarray, people: np.ndarray, columns: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if by_rows:
            patch.setattr(predicates, "CELLS", 0)
        outcome = singling_out(release, people, columns, people, NUMBERS)
    isolating, right = straight(release, people, columns)
    assert (round(outcome.isolating), round(outcome.right.right)) == (isolating, right)
    assert outcome.control == outcome.right
    assert outcome.exact
    assert outcome.tries == len(release) * len(list(combinations(range(D), columns)))


def test_nobody_is_singled_out_of_a_crowd() -> None:
    table = np.repeat(np.arange(6).reshape(3, 2), 5, axis=0)
    outcome = singling_out(table, table, 2)
    assert (outcome.isolating, outcome.share) == (0, 0)


def test_too_many_sets_are_drawn() -> None:
    table = np.random.default_rng(1).integers(0, 4, (50, 12))
    every, some = singling_out(table, table, 3), singling_out(table, table, 3, max_counted=1e4)
    assert (every.sets, every.exact) == ((220, 220), True)
    assert some.sets[0] < 60
    assert not some.exact
    assert some.share == pytest.approx(every.share, abs=0.1)


@pytest.mark.parametrize("columns", [0, 4])
def test_a_predicate_has_some_of_the_columns(columns: int) -> None:
    with pytest.raises(ParameterError, match="1 to 3"):
        singling_out(np.zeros((2, 3), int), np.zeros((2, 3), int), columns)
