"""Supports whose sums match: what they propose are tables, and the worst of the census is one."""

from itertools import islice

import numpy as np
import pytest
from census_kit import CENSUS, marginals_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_kit import sampled
from veilmix.analysis.composition.exact_worst_case import worst_case
from veilmix.analysis.contingency import matching
from veilmix.analysis.contingency.frechet import frechet_class
from veilmix.analysis.contingency.integer_program import FrechetProgram
from veilmix.analysis.contingency.matching import matching_supports
from veilmix.analysis.contingency.supports import Supports

SHAPES = ((2, 3), (4, 2), (2, 2, 2), (2, 3, 2), (5, 1, 2), (3, 2, 2, 2))


def program_of(marginals: list[np.ndarray], k: int) -> FrechetProgram:
    return FrechetProgram(frechet_class(marginals, k), k)


def worst_met(program: FrechetProgram, many: int, seed: int = 0) -> int:
    """Exposed people of the worst table of so many supports; -1 where none has a table."""
    supports, worst = Supports(program), -1
    for cells in islice(matching_supports(program, seed), many):
        supports.hold(cells)
        if supports.value() > worst and (table := supports.table()) is not None:
            worst = max(worst, table.exposed(program.k))
    return worst


@pytest.mark.parametrize("seed", range(5))
def test_the_worst_table_of_the_census_is_met(seed: int) -> None:
    """1,191 people at k = 10: 20,000 swaps of each of five seeds end at 1,186."""
    assert worst_met(program_of(CENSUS, 10), 200, seed) == 1_191


@pytest.mark.parametrize("shape", sampled([(shape,) for shape in SHAPES], 1, 2, 4))
@given(st.integers(1, 6), st.data())
@settings(max_examples=6, deadline=None)
def test_only_tables_are_met_and_none_above_the_worst(
    shape: tuple[int, ...], k: int, data: st.DataObject
) -> None:
    cells = int(np.prod(shape))
    people = data.draw(st.lists(st.integers(0, 12), min_size=cells, max_size=cells).filter(any))
    marginals = marginals_of(np.array(people).reshape(shape))
    met = worst_met(program_of(marginals, k), 10)
    assert met <= worst_case(marginals, k, nodes=200, rounds=0).upper


def test_a_seed_says_which_supports() -> None:
    program = program_of(CENSUS, 10)
    first, again, other = (list(islice(matching_supports(program, seed), 3)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize(("here", "there"), [(7, 8), (5, 2)])
def test_sums_that_can_be_had_are_had(here: int, there: int) -> None:
    """Four cells along a staircase, and of the third column exactly two of them have each value."""
    people = np.array([10 * here, 10 * there, 300, 400])
    wanted = np.array([people[0] + people[3], people[1] + people[2]])
    (values,) = matching._matched(people, [wanted], np.random.default_rng(0))
    assert [people[values == value].sum() for value in (0, 1)] == list(wanted)


def test_of_too_many_choices_some_are_drawn() -> None:
    rng = np.random.default_rng(0)
    assert matching._choices(3, [2, 3], rng).shape == (6**3, 3, 2)
    drawn = matching._choices(9, [2, 3], rng)
    assert drawn.shape == (matching.CHOICES, 9, 2)
    assert drawn.max(axis=(0, 1)).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("marginals", "known"),
    [
        ([[30, 20], [25, 25]], {(0, 1): [[20, 10], [5, 15]]}),
        ([[30, 20]], None),
        ([[3, 2], [4, 1]], None),
    ],
    ids=["joint counts are known", "one column", "all are exposed"],
)
def test_where_nothing_is_left_to_match_nothing_is_proposed(
    marginals: object, known: object
) -> None:
    tables = frechet_class([np.array(counts) for counts in marginals], 10, known)  # type: ignore[attr-defined,arg-type]
    assert next(matching_supports(FrechetProgram(tables, 10)), None) is None
