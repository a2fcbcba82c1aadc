"""The estimate of unrelated columns: its law by enumeration, its range, its seed, its limits."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from census_kit import CENSUS
from veilmix.analysis.exposure import unrelated_columns
from veilmix.analysis.exposure.unrelated_columns import UnrelatedExposure, unrelated_exposure
from veilmix.errors import ParameterError

FEW = [np.array([3, 2]), np.array([2, 2, 1])]
DRAWS = 4_000
# The work of a value at which columns are always dealt to cells, and always permuted.
WAYS = {"dealt": -(10**9), "shuffled": 10**9}


def exact_law(k: int) -> Counter[int]:
    """Exposed people of every permutation of the second of two columns."""
    first, second = ([v for v, c in enumerate(column) for _ in range(c)] for column in FEW)
    law: Counter[int] = Counter()
    for permuted in permutations(second):
        cells = Counter(zip(first, permuted, strict=True))
        law[sum(count for count in cells.values() if count < k)] += 1
    return law


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("k", [2, 3])
def test_exposures_are_drawn_by_the_law_of_permutations(
    way: str, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each frequency is within four standard deviations of its probability; the seed is fixed."""
    monkeypatch.setattr(unrelated_columns, "VALUE_WORK", WAYS[way])
    rng, law = np.random.default_rng(7), exact_law(k)
    draw = unrelated_columns._permuted
    met = Counter(draw(FEW[::-1], k, rng, 10**9)[0] for _ in range(DRAWS))
    assert set(met) <= set(law)
    for people, ways in law.items():
        chance = ways / law.total()
        spread = (chance * (1 - chance) / DRAWS) ** 0.5
        assert abs(met[people] / DRAWS - chance) < 4 * spread + 1e-12


@pytest.mark.parametrize("split", [unrelated_columns._dealt, unrelated_columns._shuffled])
def test_a_split_of_all_cells_keeps_both_columns(split) -> None:  # type: ignore[no-untyped-def]
    cells, column = np.array([40, 30, 20]), np.array([60, 25, 5])
    parts = split(cells, column, np.random.default_rng(1))
    assert parts.sum() == 90
    some = split(cells[:2], column, np.random.default_rng(1))
    assert some.sum() == 70  # the other 20 are below k already


def test_the_range_holds_95_of_100_permutations_and_its_seed_repeats_it() -> None:
    estimate = unrelated_exposure(CENSUS, 10)
    assert estimate == unrelated_exposure(CENSUS, 10, seed=0)
    assert estimate != unrelated_exposure(CENSUS, 10, seed=1)
    assert estimate is not None
    rng = np.random.default_rng(0)
    ascending = [np.sort(column) for column in CENSUS]
    columns = [ascending[j] for j in (3, 2, 1, 0)]  # most values first, then the rarest value
    drawn = [unrelated_columns._permuted(columns, 10, rng, 10**9)[0] for _ in range(200)]
    assert estimate.mean == pytest.approx(np.mean(drawn))
    assert sum(estimate.low <= people <= estimate.high for people in drawn) >= 190
    assert sum(people < estimate.low for people in drawn) <= 5
    assert sum(people > estimate.high for people in drawn) <= 5


def test_the_order_of_columns_and_of_values_changes_nothing() -> None:
    turned = [column[::-1] for column in CENSUS]
    assert unrelated_exposure(turned, 10) == unrelated_exposure(CENSUS, 10)
    widest_last = sorted(CENSUS, key=len)
    assert unrelated_exposure(widest_last, 10) == unrelated_exposure(CENSUS, 10)


@pytest.mark.parametrize(
    ("marginals", "k", "people"),
    [
        ([[1] * 50, [25, 25]], 2, 50),  # an own value for each person
        ([[30, 20], [50]], 5, 0),  # one value for all: the other column alone
        ([[48, 2], [50]], 5, 2),
        ([[30, 20], [25, 25]], 51, 50),
        ([[30, 20], [25, 25]], 1, 0),
    ],
)
def test_tables_whose_permutations_expose_alike(
    marginals: list[list[int]], k: int, people: int
) -> None:
    estimate = unrelated_exposure(marginals, k)
    assert estimate == UnrelatedExposure(people, people, people, 200, 0)


def test_nothing_is_estimated_of_one_column_or_of_too_many_people() -> None:
    assert unrelated_exposure([[3, 4]], 2) is None
    assert unrelated_exposure([[10**9, 10**9]] * 2, 2) is None
    large = [np.full(1_000, 100), np.full(500, 200)]
    assert unrelated_exposure(large, 2, most_work=200 * 100_000 - 1) is None


def test_bad_arguments_are_named() -> None:
    for arguments, name in ((([[1, 2], [3]], 0), "k:"), (([[1, 2], [4]], 2), "marginals")):
        with pytest.raises(ParameterError, match=name):
            unrelated_exposure(*arguments)
    with pytest.raises(ParameterError, match="seed:"):
        unrelated_exposure([[1, 2], [3]], 2, seed=-1)
