"""Limits of how many people there are, from those who took part: their coverage, exactly."""

import pytest
from scipy.stats import binom
from veilmix.analysis.estimation.sampled_counts import counted_limits
from veilmix.errors import ParameterError


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("k", [1, 5])
def test_they_cover_given_that_the_row_opened(rate: float, k: int) -> None:
    limits = {s: counted_limits(s, rate, k, 0.05, 400) for s in range(k, 121)}
    for people in range(max(k, 1), 121, 7):
        opens = float(binom.sf(k - 1, people, rate))
        covered = sum(
            float(binom.pmf(s, people, rate)) / opens
            for s in range(k, people + 1)
            if limits[s][0] <= people <= limits[s][1]
        )
        assert covered >= 0.95 - 1e-9, (people, covered)


def test_they_hold_what_was_seen_and_end_at_all_people() -> None:
    low, high = counted_limits(5, 0.1, 5, 0.05, 2201)
    assert low == 5
    assert high < 2201
    assert counted_limits(9, 0.1, 5, 0.05, 9) == (9, 9)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ((4, 0.1, 5, 0.05, 9), "sample_size"),
        ((9, 0.1, 5, 0.05, 8), "sample_size"),
        ((9, 1, 5, 0.05, 9), "rate"),
    ],
)
def test_wrong_arguments_are_one_clear_error(given: tuple[object, ...], name: str) -> None:
    with pytest.raises(ParameterError, match=f"^{name}: found"):
        counted_limits(*given)  # type: ignore[arg-type]
