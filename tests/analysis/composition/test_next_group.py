"""Which group is asked for next: predicted from what is known, parts first, nothing in vain."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from veilmix.analysis.composition import known_parts
from veilmix.analysis.composition.group_counts import GroupCounts, with_parts
from veilmix.analysis.composition.known_groups import GroupKnowledge
from veilmix.analysis.composition.next_group import choose_group, goal_of, outlooks
from veilmix.analysis.contingency import dual_bound

TEN = [4] * 10  # values of ten columns


def people(table: Any, k: int, *groups: tuple[int, ...]) -> GroupKnowledge:
    """What is known of a table: single columns, and some groups."""

    def counted(group: tuple[int, ...]) -> Any:
        return table.sum(axis=tuple(a for a in range(table.ndim) if a not in group))

    singles = tuple(counted((j,)) for j in range(table.ndim))
    asked = {
        group: GroupCounts(
            group,
            tuple(tuple(range(table.shape[j])) for j in group),
            np.pad(counted(group), [(0, 1)] * len(group)),
        )
        for group in groups
    }
    return GroupKnowledge(k, singles, with_parts(asked))


def test_a_part_of_what_was_asked_is_known_and_stays_as_it_was_told() -> None:
    table = np.arange(1, 9).reshape(2, 2, 2)
    known = people(table, 2, (0, 1, 2))
    assert set(known.tables) == {(0, 1, 2), (0, 1), (0, 2), (1, 2)}
    assert known.tables[0, 2].counts[:2, :2].tolist() == table.sum(axis=1).tolist()
    told = people(table * 2, 2, (0, 1)).tables[0, 1]
    both = with_parts({(0, 1): told, (0, 1, 2): known.tables[0, 1, 2]})
    assert both[0, 1] is told


def test_nothing_is_asked_where_nothing_can_help() -> None:
    """Whoever is promised to be exposed at most is exposed for certain."""
    table = np.array([[[50, 3], [50, 0]], [[60, 0], [40, 0]]])
    known = people(table, 5)
    assert known.surely((2,)) == 3
    whole = people(table, 5, (0, 1, 2))
    assert whole.promise((0, 1, 2)).people == whole.surely((0, 1, 2)) == 3
    assert choose_group(whole, (0, 1, 2), 0, lambda _: True) is None


def test_only_what_may_be_asked_is_chosen_and_its_parts_come_first() -> None:
    rng = np.random.default_rng(7)
    table = rng.multinomial(400, rng.dirichlet(np.full(24, 0.4))).reshape(2, 3, 4)
    known = people(table, 8)
    whole = (0, 1, 2)
    ranked = sorted(outlooks(known, whole), key=lambda outlook: outlook.rank)
    assert {outlook.group for outlook in ranked} == {*combinations(range(3), 2), whole}
    assert choose_group(known, whole, 0, lambda _: False) is None
    assert choose_group(known, whole, 0, lambda group: group == (0, 2)) == (0, 2)
    falling = {outlook.group for outlook in ranked if outlook.fall}
    chosen = choose_group(known, whole, 0, lambda _: True)
    assert chosen is not None
    assert not any(set(part) < set(chosen) for part in falling)
    asked = people(table, 8, chosen)
    assert all(not set(outlook.group) <= set(chosen) for outlook in outlooks(asked, whole))


def test_of_many_columns_the_nearest_set_in_reach_is_the_goal() -> None:
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (5_000, 8))
    singles = tuple(np.bincount(codes[:, j], minlength=3) for j in range(8))
    known = GroupKnowledge(5, singles, {})
    everything = tuple(range(8))
    assert known.joint(everything) is None  # 6,561 cells
    goal, promised = goal_of(known, everything, 50)
    assert 1 < len(goal) < 8
    assert promised == known.by_parts(goal).people > 50
    chosen = choose_group(known, everything, 50, lambda _: True)
    assert chosen is not None
    assert set(chosen) <= set(goal)
    assert goal_of(known, everything, 5_000)[0] == everything


@pytest.mark.parametrize(("k", "most"), [(2, 1), (7, 20)])
def test_the_choice_is_a_function_of_what_is_known(k: int, most: int) -> None:
    """The same single counts, other tables behind them: the first choice is the same."""
    chosen = {
        choose_group(people(table, k), (0, 1, 2), most, lambda _: True)
        for table in (
            np.array([[[9, 1], [0, 10]], [[1, 19], [10, 10]]]),
            np.array([[[5, 5], [2, 8]], [[5, 15], [8, 12]]]),
        )
    }
    assert len(chosen) == 1


def drawn(
    seed: int, sizes: list[int], alike: float, spread: float, people: int = 30_000
) -> list[Any]:
    """Codes of columns whose values go together for some people."""
    rng = np.random.default_rng(seed)
    kind, codes = rng.random(people), []
    for size in sizes:
        own = rng.choice(size, people, p=rng.dirichlet(np.full(size, spread)))
        codes.append(np.where(rng.random(people) < alike, (kind**2 * size).astype(int), own))
    return codes


def told(codes: list[Any], sizes: list[int], k: int, *groups: tuple[int, ...]) -> GroupKnowledge:
    """What is known of drawn people: single columns, and some groups, masked as they are asked."""
    singles = tuple(np.bincount(c, minlength=v) for c, v in zip(codes, sizes, strict=True))
    known, asked = GroupKnowledge(k, singles, {}), dict[tuple[int, ...], GroupCounts]()
    for group in groups:
        counts = np.zeros([sizes[j] + 1 for j in group], np.int64)
        np.add.at(counts, tuple(codes[j] for j in group), 1)
        names = tuple(tuple(range(sizes[j])) for j in group)
        asked[group] = GroupCounts(group, names, counts).narrowed(known.masks({}))
        known = GroupKnowledge(k, singles, with_parts(asked))
    return known


Chosen = Callable[[GroupKnowledge, int], tuple[int, ...]]


@pytest.fixture
def chosen_soon(monkeypatch: pytest.MonkeyPatch) -> Chosen:
    """Choose the next group of all columns; few programs are solved, and few bounds compared."""
    calls: Counter[str] = Counter()
    for module, name in ((dual_bound, "solve_linear"), (known_parts, "coverage_meets")):
        whole = getattr(module, name)

        def counted(*given: Any, whole: Any = whole, name: str = name, **more: Any) -> Any:
            calls[name] += 1
            return whole(*given, **more)

        monkeypatch.setattr(module, name, counted)

    def choose(known: GroupKnowledge, most: int) -> tuple[int, ...]:
        calls.clear()
        said = known.masks({})
        columns = tuple(range(len(known.singles)))
        group = choose_group(
            known, columns, most, partial(known.meets, max_exposed=most, named_values=said)
        )
        assert calls["solve_linear"] <= 20
        assert calls["coverage_meets"] <= 4_000
        assert group is not None
        return group

    return choose


@pytest.mark.slow
def test_the_next_table_of_ten_columns_is_chosen_by_few_programs(chosen_soon: Chosen) -> None:
    codes, groups = drawn(1, TEN, 0.5, 0.7), list[tuple[int, ...]]()
    for _ in range(4):
        groups.append(chosen_soon(told(codes, TEN, 10, *groups), 1_500))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "k", "most", "asked", "chosen"),
    [
        (
            (69, [2, 6, 6, 4, 2, 2, 4, 6, 3, 2], 0.4, 0.7, 32_000),
            5,
            1_600,
            [(3, 5, 6, 8, 9), (3, 4, 5, 6, 8, 9), (0, 3, 4, 5, 6, 8, 9)],
            (1, 5),
        ),
        ((5, [2, 2, 5, 9, 7, 6, 16, 15, 3, 4], 0.4, 0.5, 32_000), 10, 960, [(8, 9)], (2, 9)),
    ],
)
def test_nor_are_there_more_where_many_ways_are_nearly_enough(
    chosen_soon: Chosen, draw: Any, k: int, most: int, asked: Any, chosen: Any
) -> None:
    """Two with hundreds of ways to write twelve groups, and with large programs."""
    seed, sizes, alike, spread, people = draw
    known = told(drawn(seed, sizes, alike, spread, people), sizes, k, *asked)
    assert chosen_soon(known, most) == chosen
