"""Cells for l, t and persons: against every release of small tables, counted in plain words."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure.persons import Persons
from veilmix.analysis.release_risks.k_l_t import class_diversity
from veilmix.analysis.suppression.cheapest_cells import CheapestCells, suppress_cheapest
from veilmix.analysis.suppression.class_targets import ClassTargets, ValueTarget
from veilmix.analysis.suppression.target_cells import suppress_for_targets
from veilmix.errors import ParameterError

COSTS = (1.0, 2.5, 0.4)
EPSILON = 1e-9
Row = tuple[int, ...]


@dataclass(frozen=True)
class Asked:
    """The targets of one sensitive column, in numbers."""

    k: int
    l: int = 1
    entropy_l: float = 1.0
    t: float = 1.0
    ordered: bool = False


def misses(members: list[int], values: Sequence[int], owner: Sequence[int], asked: Asked) -> bool:
    """Whether rows as a class miss a target, by the definitions."""
    people = {owner[row] for row in members}
    if len(people) < asked.k:
        return True
    pairs = {(values[row], owner[row]) for row in members}
    counts = Counter(value for value, _ in pairs)
    certain = max(counts.values()) == len(people)
    different = 1 if certain else len(counts)
    total = sum(counts.values())
    shares = [counts[value] / total for value in range(max(values) + 1)]
    entropy = 0.0 if certain else -sum(share * log(share) for share in shares if share)
    everybody = Counter(value for value, _ in set(zip(values, owner, strict=True)))
    law = [everybody[value] / sum(everybody.values()) for value in range(max(values) + 1)]
    gaps = [share - part for share, part in zip(shares, law, strict=True)]
    far = sum(map(abs, gaps)) / 2
    if asked.ordered:
        far = sum(abs(sum(gaps[: at + 1])) for at in range(len(gaps))) / max(1, len(gaps) - 1)
    short = different < asked.l or exp(entropy) < asked.entropy_l - EPSILON
    return short or far > asked.t + EPSILON


def classes_of(rows: Sequence[Row], sets: Sequence[set[int]]) -> list[list[int]]:
    """Rows by their released cells."""
    classes: dict[Row, list[int]] = defaultdict(list)
    for at, (row, gone) in enumerate(zip(rows, sets, strict=True)):
        classes[tuple(-1 if j in gone else code for j, code in enumerate(row))].append(at)
    return list(classes.values())


def cost_of_all(
    rows: Sequence[Row], values: Sequence[int], owner: Sequence[int], asked: Asked
) -> float:
    """The least cost over every release; infinite without one."""
    d = len(rows[0])
    sets = [set(gone) for size in range(d + 1) for gone in combinations(range(d), size)]
    costs = [sum(COSTS[j] for j in gone) for gone in sets]
    best = float("inf")
    for chosen in product(range(len(sets)), repeat=len(rows)):
        cost = sum(costs[i] for i in chosen)
        if cost < best - EPSILON and not any(
            misses(members, values, owner, asked)
            for members in classes_of(rows, [sets[i] for i in chosen])
        ):
            best = cost
    return best


def targets_of(values: Sequence[int], owner: Sequence[int] | None, asked: Asked) -> ClassTargets:
    """The same for the search."""
    codes = np.array(values)
    pairs = codes if owner is None else np.array(sorted(set(zip(values, owner, strict=True))))[:, 0]
    law = np.bincount(pairs, minlength=max(values) + 1) / len(pairs)
    column = ValueTarget(codes, law, asked.ordered, asked.l, asked.entropy_l, asked.t)
    if owner is None:
        return ClassTargets(asked.k, (column,))
    return ClassTargets(asked.k, (column,), np.array(owner), max(owner) + 1)


def check(
    found: CheapestCells, rows: Sequence[Row], values: Sequence[int], owner: Sequence[int], a: Asked
) -> None:
    """The release meets the targets, and its cost is what it says."""
    sets = [set(np.flatnonzero(gone).tolist()) for gone in found.mask]
    assert not any(misses(members, values, owner, a) for members in classes_of(rows, sets))
    costs = np.array(COSTS[: len(rows[0])])
    assert found.cost == pytest.approx((found.mask * costs).sum())
    assert found.lower <= found.cost + EPSILON


ASKED = (
    Asked(2),
    Asked(2, l=2),
    Asked(1, l=3),
    Asked(2, entropy_l=1.8),
    Asked(1, entropy_l=2.0),
    Asked(2, t=0.3),
    Asked(1, t=0.2, ordered=True),
    Asked(2, l=2, t=0.4),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Row], list[int]]:
    n = draw(st.integers(3, 5))
    rows = draw(st.lists(st.tuples(*[st.integers(0, 1)] * 2), min_size=n, max_size=n))
    values = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return rows, np.unique(values, return_inverse=True)[1].tolist()


@given(tables(), st.sampled_from(ASKED))
@settings(max_examples=60, deadline=None)
def test_small_tables_are_solved_exactly(table: tuple[list[Row], list[int]], asked: Asked) -> None:
    """By the program; the greedy release lies between its bound and the optimum."""
    rows, values = table
    owner = list(range(len(rows)))
    best = cost_of_all(rows, values, owner, asked)
    targets = targets_of(values, None, asked)
    found = suppress_for_targets(rows, targets, COSTS[:2], nodes=1000)
    greedy = suppress_for_targets(rows, targets, COSTS[:2], nodes=0)
    if best == float("inf"):
        assert found is greedy is None
        return
    assert found is not None
    assert greedy is not None
    check(found, rows, values, owner, asked)
    check(greedy, rows, values, owner, asked)
    assert found.cost == pytest.approx(best)
    assert found.lower <= best + EPSILON
    assert greedy.lower - EPSILON <= best <= greedy.cost + EPSILON


@given(tables(), st.lists(st.integers(0, 3), min_size=5, max_size=5), st.sampled_from(ASKED))
@settings(max_examples=60, deadline=None)
def test_small_tables_of_persons_are_solved_exactly(
    table: tuple[list[Row], list[int]], people: list[int], asked: Asked
) -> None:
    """A crowd is of different persons, and a person counts once for each of its values."""
    rows, values = table
    owner = np.unique(people[: len(rows)], return_inverse=True)[1].tolist()
    best = cost_of_all(rows, values, owner, asked)
    targets = targets_of(values, owner, asked)
    found = suppress_for_targets(rows, targets, COSTS[:2], nodes=1000)
    greedy = suppress_for_targets(rows, targets, COSTS[:2], nodes=0)
    if found is not None:
        check(found, rows, values, owner, asked)
        assert found.cost == pytest.approx(best)
        assert found.lower <= best + EPSILON
    else:
        assert best == float("inf")
    if greedy is not None:
        check(greedy, rows, values, owner, asked)
        assert greedy.lower - EPSILON <= best <= greedy.cost + EPSILON
    else:
        assert best == float("inf") or not targets.joins_keep


@given(st.integers(0, 10_000), st.sampled_from(ASKED), st.booleans(), st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_release_meets_its_targets(
    seed: int,
    asked: Asked,
    persons: bool,
    kept: bool,
) -> None:
    """Greedily, with columns that stay visible too."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 60))
    rows = rng.integers(0, rng.integers(1, 6), (n, 3))
    values = np.unique(rng.integers(0, 4, n) ** 2 // 4, return_inverse=True)[1].tolist()
    fixed = rng.integers(0, 2, n) if kept else np.zeros(n, int)
    owner = np.unique(rng.integers(0, n // 2, n), return_inverse=True)[1].tolist()
    from_rows = owner if persons else list(range(n))
    targets = targets_of(values, owner if persons else None, asked)
    found = suppress_for_targets(rows, targets, COSTS, fixed, nodes=0)
    halves = [np.flatnonzero(fixed == half).tolist() for half in set(fixed.tolist())]
    if found is None:
        assert not targets.joins_keep or any(misses(h, values, from_rows, asked) for h in halves)
        return
    wide = [(*row, half) for row, half in zip(rows.tolist(), fixed.tolist(), strict=True)]
    sets = [set(np.flatnonzero(gone).tolist()) for gone in found.mask]
    assert not any(misses(c, values, from_rows, asked) for c in classes_of(wide, sets))
    assert found.lower <= found.cost + EPSILON


def test_rows_that_no_class_takes_are_released_together() -> None:
    """The open rows of two classes meet a target only with each other."""
    asked = Asked(1, entropy_l=2.0)
    rng = np.random.default_rng(259)
    n = int(rng.integers(6, 60))
    rows = rng.integers(0, rng.integers(1, 6), (n, 3))
    values = np.unique(rng.integers(0, 4, n) ** 2 // 4, return_inverse=True)[1].tolist()
    targets = targets_of(values, None, asked)
    found = suppress_for_targets(rows, targets, COSTS, rng.integers(0, 2, n), nodes=0)
    assert found is not None
    assert found.lower <= found.cost


def test_k_alone_costs_what_the_search_for_k_finds() -> None:
    """Without sensitive columns the program solves the problem of `suppress_cheapest`."""
    rng = np.random.default_rng(7)
    for n, k in ((12, 2), (20, 3), (30, 3)):
        table = rng.integers(0, 3, (n, 3)) ** 2 // 2
        found = suppress_for_targets(table, ClassTargets(k), COSTS, nodes=1000)
        other = suppress_cheapest(table, k, COSTS, nodes=1000)
        assert found is not None
        assert other is not None
        assert found.optimal
        assert found.cost == pytest.approx(other.cost)


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
@settings(max_examples=40, deadline=None)
def test_classes_are_judged_as_a_score_counts_them(
    seed: int,
    persons: bool,
    ordered: bool,
) -> None:
    """Two counts of l, entropy and t agree."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 50))
    classes = np.unique(rng.integers(0, 6, n), return_inverse=True)[1]
    values = np.unique(rng.integers(0, 5, n), return_inverse=True)[1]
    owner = np.unique(rng.integers(0, n, n), return_inverse=True)[1] if persons else None
    people = None if owner is None else Persons.from_table(values[:, None], owner)
    numbers = np.arange(float(values.max() + 1)) if ordered else None
    said = class_diversity(classes, values, numbers, people)
    for l, entropy_l, t in ((2, 1.0, 1.0), (1, 1.7, 1.0), (1, 1.0, 0.35)):
        asked = Asked(1, l, entropy_l, t, ordered)
        targets = targets_of(values.tolist(), None if owner is None else owner.tolist(), asked)
        missed = (said.l < l) | (np.exp(said.entropy) < entropy_l - EPSILON)
        missed |= said.t > t + EPSILON
        short = targets.shortfall(classes, np.arange(n))
        assert ((short > 0) == missed).all()
        assert ((targets.leaving(classes) > 0) == missed).all()


@pytest.mark.parametrize("costs", [[1], [1, 0], [1, -1]])
def test_each_column_needs_a_cost_above_0(costs: list[float]) -> None:
    """A cost above 0 for each column."""
    with pytest.raises(ParameterError, match="costs"):
        suppress_for_targets([[0, 1]] * 4, ClassTargets(2), costs)
