"""The study behind decision 66: what one person changes, and what crowd sizes tell."""

from collections import Counter
from itertools import product
from math import factorial, log2, prod

import crowd_sizes
import numpy as np
import pytest


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_one_person_changes_exposed_people_by_k_and_no_more(k: int) -> None:
    sensitivities = [
        crowd_sizes.sensitivities(k, people, cells) for people in range(1, 8) for cells in (2, 3)
    ]
    replaced, removed, sizes = (max(column) for column in zip(*sensitivities, strict=True))
    assert replaced == (k if k > 1 else 0)
    assert removed == max(k - 1, 0)
    assert sizes == 4


@pytest.mark.parametrize("counts", [(2, 1, 0), (1, 1, 1), (3, 0, 0), (2, 2, 0), (4, 1, 1)])
def test_bits_of_crowd_sizes_are_those_of_every_labelled_table(counts: tuple[int, ...]) -> None:
    people, cells = sum(counts), len(counts)
    same = sum(
        sorted(Counter(rows).values()) == sorted(count for count in counts if count)
        for rows in product(range(cells), repeat=people)
    )
    told = crowd_sizes.bits_of_sizes(np.array(counts), cells)
    assert told == pytest.approx(people * log2(cells) - log2(same), abs=1e-9)
    named = factorial(people) // prod(map(factorial, counts))
    assert same >= named


def test_a_noisy_promise_fails_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    for scale in (3.0, 10.0):
        margin = crowd_sizes.noise_margin(scale, 0.025)
        noise = crowd_sizes.laplace(rng, scale, 200_000)
        assert abs(float(noise.mean())) < 5 * scale * 2**0.5 / 200_000**0.5
        failed = float((noise < -margin).mean())
        assert failed <= 0.025 + 4 * (0.025 / 200_000) ** 0.5
        assert failed > 0.015
