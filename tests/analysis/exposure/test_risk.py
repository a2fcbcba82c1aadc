"""Crowds and the three attackers: worked examples, definitions, ranges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure import Crowds, exposure_curve, risk, risk_within, users_below
from veilmix.errors import ParameterError

CELLS = [1, 1, 3, 5]  # two people alone, three together, five together
counts = st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any)


def test_crowds_are_counted_from_cells_without_empty_ones() -> None:
    crowds = Crowds.from_cells([0, *CELLS])
    assert (crowds.sizes, crowds.people) == ((1, 3, 5), (2, 3, 5))
    assert (crowds.n, crowds.smallest, crowds.exposure(4)) == (10, 1, 0.5)


@given(counts, st.integers(-1, 12))
@settings(deadline=None)
def test_crowds_and_cells_agree(cells: list[int], k: int) -> None:
    crowds = Crowds.from_cells(cells)
    assert crowds.users_below(k) == users_below(cells, k)
    assert crowds.curve() == exposure_curve(cells)


@pytest.mark.parametrize(
    ("sizes", "people"), [((), ()), ((2, 2), (1, 1)), ((3, 2), (1, 1)), ((0,), (1,)), ((1,), (0,))]
)
def test_crowds_are_valid_once_they_exist(sizes: tuple[int, ...], people: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="sizes"):
        Crowds(sizes, people)


def test_risks_of_the_worked_example_are_those_by_hand() -> None:
    risks = risk(Crowds.from_cells(CELLS), k=4)
    assert (risks.prosecutor.largest, risks.prosecutor.mean, risks.prosecutor.above) == (
        1,
        0.4,
        0.5,
    )
    assert risks.journalist == risks.prosecutor
    assert risks.marketer == 4 / 10  # number of cells / n


def test_a_population_ten_times_the_table() -> None:
    risks = risk(Crowds.from_cells(CELLS), k=31, factor=10)
    assert risks.prosecutor.above == 1
    # Crowds of 10, 30 and 50 in the population: exactly those below 31 are above 1 / 31.
    assert (risks.journalist.largest, risks.journalist.above) == (0.1, 0.5)
    assert risks.marketer == risks.journalist.mean == pytest.approx(0.04)


def test_the_factor_is_the_decimal_number_it_is_written_as() -> None:
    # 1.1 * 10 = 11 exactly, so a crowd of 10 is not below 11; in floats it is 11.000000000000002.
    assert risk(Crowds((10,), (10,)), k=11, factor=1.1).journalist.above == 0
    assert risk(Crowds((10,), (10,)), k=12, factor=1.1).journalist.above == 1


@given(counts, st.integers(1, 12), st.floats(1, 1e6))
@settings(deadline=None)
def test_definitions_person_by_person(cells: list[int], k: int, factor: float) -> None:
    crowd = np.repeat([c for c in cells if c], [c for c in cells if c])
    risks = risk(Crowds.from_cells(cells), k, factor)
    assert risks.prosecutor.largest == pytest.approx((1 / crowd).max())
    assert risks.prosecutor.mean == pytest.approx((1 / crowd).mean())
    assert risks.prosecutor.above == (crowd < k).mean()
    assert risks.journalist.mean == pytest.approx((1 / crowd).mean() / factor)
    assert risks.journalist.largest <= risks.prosecutor.largest
    assert risks.journalist.above <= risks.prosecutor.above


@pytest.mark.parametrize(
    ("k", "factor", "said"),
    [(0, 1, "k: found 0"), (5, 0.5, "factor: found 0.5"), (5, float("nan"), "factor: found nan")],
)
def test_bad_arguments_of_risk_are_named(k: int, factor: float, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        risk(Crowds((1,), (1,)), k, factor)


def test_a_population_that_is_known_is_counted() -> None:
    sample, population = [1, 1, 3, 5], [4, 1, 3, 20]
    among = Crowds.from_rows(np.array(population), np.array(sample))
    risks = risk_within(Crowds.from_cells(sample), among, k=4)
    assert risks.prosecutor == risk(Crowds.from_cells(sample), k=4).prosecutor
    assert risks.journalist.largest == 1  # one person is alone in both
    assert risks.journalist.mean == pytest.approx((1 / 4 + 1 + 1 + 5 / 20) / 10)
    assert risks.journalist.above == (1 + 3) / 10
    assert risks.factor == pytest.approx((4 + 1 + 9 + 100) / (1 + 1 + 9 + 25))
    same = risk_within(Crowds.from_cells(sample), Crowds.from_cells(sample), k=4)
    assert same == risk(Crowds.from_cells(sample), k=4)
    for wrong in ([1, 1, 2, 5], [1, 1, 3, 6]):
        with pytest.raises(ParameterError, match="among"):
            risk_within(Crowds.from_cells(sample), Crowds.from_cells(wrong), k=4)
