"""Blanks: covers make a crowd as often as stated, promises hold, and most is said by name."""

from itertools import product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.estimation.binomial_covers import COVERS, cover, covers_within
from veilmix.analysis.suppression.value_suppression import (
    SuppressionColumn,
    choose,
    column,
    promise,
    proved,
)
from veilmix.errors import ParameterError


def tail(most: int, n: int, p: float) -> float:
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(min(most, n) + 1))


@pytest.mark.parametrize(
    ("listed", "others", "k", "delta"),
    [(1, 29, 5, 0.05), (0, 40, 3, 0.01), (2, 12, 4, 0.2), (6, 300, 10, 0.001)],
)
def test_a_cover_is_the_smallest_that_makes_a_crowd(
    listed: int, others: int, k: int, delta: float
) -> None:
    parts = cover(listed, others, k, delta)
    assert parts is not None
    assert tail(k - listed - 1, others, parts / COVERS) <= delta + 1e-12
    assert tail(k - listed - 1, others, (parts - 1) / COVERS) > delta - 1e-12


def test_no_cover_is_needed_by_a_crowd_and_none_helps_too_few() -> None:
    assert cover(5, 100, 5, 0.05) == 0
    assert cover(1, 3, 5, 0.05) is None
    assert cover(1, 4, 5, 1e-12) is None  # all four must cover, and with 1 - 2^-32 one might not
    with pytest.raises(ParameterError):
        cover(1, 30, 5, 0.0)


@pytest.mark.parametrize("parts", [0, 1 << 20, 1 << 28, 1 << 31])
@pytest.mark.parametrize("people", [0, 1, 7, 500])
def test_covers_stay_within_their_bounds(people: int, parts: int) -> None:
    low, high = covers_within(people, parts, 0.1)
    rate = parts / COVERS
    assert 0 <= low <= high <= people
    assert tail(low - 1, people, rate) <= 0.05 + 1e-9
    assert 1 - tail(high, people, rate) <= 0.05 + 1e-9


def certain(*counts: int) -> SuppressionColumn:
    return SuppressionColumn(counts, counts, float(sum(counts)))


def slow(columns: list[SuppressionColumn], k: int, n: int) -> int:
    """The bound again, from its formula: every set of thresholds, nothing left out."""
    best = n
    for thresholds in product(
        *[sorted({*answers.high, max(answers.high) + 1}) for answers in columns]
    ):
        rare = [
            sum(h for h in answers.high if h < t) + answers.missing
            for answers, t in zip(columns, thresholds, strict=True)
        ]
        common = [
            [low for low, high in zip(answers.low, answers.high, strict=True) if high >= t]
            for answers, t in zip(columns, thresholds, strict=True)
        ]
        cells = int(np.prod([len(c) for c in common]))
        spared = max(
            sum(low - (sum(rare) - r) > (k - 1) * cells / len(c) for low in c) if c else 0
            for c, r in zip(common, rare, strict=True)
        )
        best = min(best, sum(rare) + (k - 1) * (cells - spared))
    return best


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(1, 30), min_size=1, max_size=4), min_size=1, max_size=3),
    st.integers(2, 6),
    st.integers(0, 3),
)
def test_the_least_bound_is_found(counts: Any, k: int, apart: int) -> None:
    n = max(sum(count) for count in counts)
    columns = [
        SuppressionColumn(
            tuple(max(c - apart, 0) for c in count),
            tuple(count),
            float(sum(count)),
            n - sum(count),
        )
        for count in counts
    ]
    proof = promise(columns, k, n)
    assert proof is not None
    assert proof.people == slow(columns, k, n)
    assert proved(columns, k, n, proof.thresholds) == proof.people
    assert promise(columns, k, n, proof.people - 1) is None


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 5))
def test_what_is_promised_of_a_table_with_blanks_holds(seed: int, k: int) -> None:
    """People apply the rules with their own randomness: more are exposed less often than delta."""
    rng = np.random.default_rng(seed)
    n, delta = 120, 0.2
    codes = np.stack([np.minimum(rng.geometric(0.45, n) - 1, 4) for _ in range(2)], axis=1)
    counts = [np.sort(np.bincount(codes[:, j], minlength=5))[::-1] for j in range(2)]
    order = [np.argsort(-np.bincount(codes[:, j], minlength=5), kind="stable") for j in range(2)]
    counts = [count[count > 0] for count in counts]
    levels = [int((count >= k).sum()) for count in counts]
    columns = [column(c, m, n, k, delta / 2) for c, m in zip(counts, levels, strict=True)]
    assert all(answers is not None for answers in columns)
    told = [answers for answers in columns if answers is not None]
    proof = promise(told, k, n)
    assert proof is not None
    failed = 0
    for _ in range(30):
        said = np.empty_like(codes)
        for j, answers in enumerate(told):
            rank = np.argsort(order[j])[codes[:, j]]
            blank = (rank >= levels[j]) | (rng.random(n) < answers.cover / COVERS)
            said[:, j] = np.where(blank, 9, rank)
        _, people = np.unique(said, axis=0, return_counts=True)
        failed += int(people[people < k].sum()) > proof.people
    assert failed <= 14  # of 30, where 6 are allowed on average: probability below 0.001


def test_rare_values_are_never_said_and_others_only_if_they_are_affordable() -> None:
    rare = [np.array([50, 48, 2]), np.array([60, 40])]
    choice = choose(rare, 3, 100, [1.0, 1.0], 0.1, (0, 1))
    assert choice.levels == (2, 2)
    assert 1.9 < choice.utility < 2
    tight = choose(rare, 3, 0, [1.0, 1.0], 0.1, (0, 1))
    assert sum(level > 0 for level in tight.levels) == 1
    assert tight.proof.people == 0


def test_blanks_can_be_better_than_whole_columns() -> None:
    """Census at 3 %: coverage promises 3.7 % of all four columns, so one would have to go."""
    counts = [
        np.array(c)
        for c in (
            [21790, 10771],
            [24720, 7841],
            [27816, 3124, 1039, 311, 271],
            [22696, 2541, 2093, 1836, 1298, 1116, 960, 14, 7],
        )
    ]
    choice = choose(counts, 10, 976, [1.0] * 4, 0.05, range(4))
    assert all(choice.levels)
    assert choice.levels[:2] == (2, 2)
    assert choice.proof.people <= 976
    assert choice.utility > 3.9
    assert choice.exact


def test_what_is_required_is_kept_or_nothing_and_what_is_forbidden_is_not() -> None:
    counts = [np.array([20, 20]), np.array([15, 15, 10]), np.array([30, 10])]
    assert choose(counts, 4, 9, [1, 1, 1], 0.1, (0, 1, 2), (1,)).levels[1] > 0
    assert choose(counts, 4, 9, [1, 1, 1], 0.1, (0, 2)).levels[1] == 0
    assert choose([np.array([1, 1, 1])], 4, 0, [1], 0.1, (0,), (0,)).levels == (0,)


def test_many_values_are_tried_in_steps() -> None:
    counts = [np.arange(200, 0, -1), np.array([10100, 10000])]
    choice = choose(counts, 5, 900, [1.0, 1.0], 0.1, (0, 1))
    assert choice.levels[1] == 2
    assert 0 < choice.levels[0] < 200


def test_missing_answers_are_exposed() -> None:
    answers = column(np.array([20, 10]), 2, 33, 3, 0.1)
    assert answers is not None
    assert answers.missing == 3
    proof = promise([answers], 3, 33)
    assert proof is not None
    assert proof.people == 3
    assert promise([certain(20, 13)], 3, 33) is not None
