"""The search for the choice that loses least: against brute force, with its gap when stopped."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.advice.choice import Choice
from veilmix.analysis.advice.ladder import Ladder, LadderLevel, entropy, entropy_losses, nested
from veilmix.analysis.advice.lattice_search import Advice, search
from veilmix.analysis.exposure.cells import joint_counts
from veilmix.analysis.exposure.curves import users_below
from veilmix.errors import ParameterError


def halving(name: str, counts: np.ndarray, weight: float = 1.0) -> Ladder:
    """Values in pairs, in fours, ..., all one."""
    codes, steps = np.arange(len(counts)), []
    while True:
        steps.append(codes)
        if codes.max() == 0:
            break
        codes = codes // 2
    losses = entropy_losses(counts, steps)
    return Ladder(
        name,
        tuple(
            LadderLevel(f"{i}", c, x) for i, (c, x) in enumerate(zip(steps, losses, strict=True))
        ),
        weight,
    )


def random_case(seed: int, people: int = 60, columns: int = 3) -> tuple[np.ndarray, list[Ladder]]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, columns)
    table = np.stack([rng.binomial(s - 1, rng.uniform(0.1, 0.6), people) for s in sizes], axis=1)
    ladders = [
        halving(f"c{j}", np.bincount(table[:, j], minlength=s), float(rng.uniform(0.5, 2)))
        for j, s in enumerate(sizes)
    ]
    return table, ladders


def brute(table: np.ndarray, ladders: list[Ladder], k: int, most: int, *, charged: bool) -> float:
    """The least loss over every choice, counted one by one from the definition."""
    whole, best = sum(ladder.weight for ladder in ladders), np.inf
    for levels in product(*(range(len(ladder.levels)) for ladder in ladders)):
        picked = [ladder.levels[i] for ladder, i in zip(ladders, levels, strict=True)]
        coarse = np.stack([lv.codes[table[:, j]] for j, lv in enumerate(picked)], axis=1)
        people = int(users_below(joint_counts(coarse, range(len(picked))), k))
        base = sum(lv.loss * la.weight for lv, la in zip(picked, ladders, strict=True)) / whole
        loss = base + (1 - base) * people / len(table) if charged else base
        if people <= most:
            best = min(best, loss)
    return float(best)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 8), st.integers(0, 12), st.booleans())
def test_it_is_the_least_of_all_choices(seed: int, k: int, most: int, charged: bool) -> None:
    table, ladders = random_case(seed)
    advice = search(table, ladders, k, most, charged=charged)
    assert advice.exact
    assert advice.best.loss == pytest.approx(brute(table, ladders, k, most, charged=charged))
    assert advice.best.people <= most


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 30))
def test_where_a_promise_is_asked_for_it_is_the_least_of_those_that_are_promised(
    seed: int, k: int, most: int
) -> None:
    """Promises are any numbers that say no less than the truth, however they rise and fall."""
    table, ladders = random_case(seed)

    def truth(levels: tuple[int, ...]) -> int:
        picked = [ladder.levels[i] for ladder, i in zip(ladders, levels, strict=True)]
        coarse = np.stack([lv.codes[table[:, j]] for j, lv in enumerate(picked)], axis=1)
        return int(users_below(joint_counts(coarse, range(len(picked))), k))

    top = tuple(len(ladder.levels) - 1 for ladder in ladders)

    def promise(levels: tuple[int, ...]) -> int:
        return truth(levels) + (0 if levels == top else hash((seed, levels)) % 20)

    advice = search(table, ladders, k, most, promise=promise)
    whole, best = sum(ladder.weight for ladder in ladders), np.inf
    for levels in product(*(range(len(ladder.levels)) for ladder in ladders)):
        if promise(levels) <= most:
            lost = [la.levels[i].loss * la.weight for la, i in zip(ladders, levels, strict=True)]
            base = sum(lost) / whole
            best = min(best, base + (1 - base) * truth(levels) / len(table))
    assert advice.exact
    assert promise(advice.best.levels) <= most
    assert advice.best.loss == pytest.approx(best)


@pytest.mark.slow
def test_more_columns_take_few_counts() -> None:
    table, ladders = random_case(3, people=3000, columns=9)
    advice = search(table, ladders, 5, 30)
    assert advice.exact
    choices = np.prod([len(ladder.levels) for ladder in ladders])
    assert advice.counted < choices / 4


def test_stopped_it_says_how_much_may_be_left() -> None:
    table, ladders = random_case(3, people=2000, columns=10)
    advice: Advice = search(table, ladders, 5, 20, steps=0)
    whole = search(table, ladders, 5, 20)
    assert not advice.exact
    assert advice.bound <= whole.best.loss <= advice.best.loss
    assert advice.best.people <= 20


def test_the_frontier_is_not_beaten() -> None:
    table, ladders = random_case(5)
    points = search(table, ladders, 3, 6).frontier()
    assert all(a.people < b.people and a.loss > b.loss for a, b in pairwise(points))


def test_nothing_to_do_and_nothing_possible() -> None:
    table, ladders = random_case(1)
    assert search(table, ladders, 1, 0).best.loss == 0
    assert search(table, ladders, 2, len(table), charged=False).best.loss == 0
    with pytest.raises(ParameterError, match="no choice is safe"):
        search(table, ladders, 61, 0)
    with pytest.raises(ParameterError, match="ladders: found 2 for 3 columns"):
        search(table, ladders[:2], 2, 0)


def test_a_ladder_goes_up() -> None:
    fine, coarse, other = np.arange(4), np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])
    assert nested(fine, coarse)
    assert not nested(coarse, other)
    constant = np.zeros(4, int)
    with pytest.raises(ParameterError, match="is no coarsening of"):
        Ladder(
            "a",
            (
                LadderLevel("x", coarse, 0),
                LadderLevel("y", other, 0.5),
                LadderLevel("z", constant, 1),
            ),
        )
    with pytest.raises(ParameterError, match="needs ascending losses"):
        Ladder("a", (LadderLevel("x", coarse, 0.5), LadderLevel("z", constant, 0.1)))
    with pytest.raises(ParameterError, match="has several values"):
        Ladder("a", (LadderLevel("x", coarse, 0.5),))
    assert entropy([2, 2, 0]) == 1
    assert entropy_losses(np.array([1, 1, 1, 1]), [fine, coarse, constant]) == [0, 0.5, 1]


def test_a_solver_may_round_and_the_search_is_exact() -> None:
    best = Choice((0,), 0.25, 0)
    assert Advice(best, 0.25 - 1e-10, (best,), 1).exact
    assert not Advice(best, 0.25 - 1e-8, (best,), 1).exact
