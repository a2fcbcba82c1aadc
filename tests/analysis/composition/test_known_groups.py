"""Bounds from known groups, some values masked: never below the truth, and what masks cost."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.composition.certificate import Certificate
from veilmix.analysis.composition.group_counts import GroupCounts
from veilmix.analysis.composition.heaviest_columns import heaviest
from veilmix.analysis.composition.known_groups import GroupKnowledge, Promised
from veilmix.analysis.contingency.dual_bound import Weights
from veilmix.analysis.exposure import users_below
from veilmix.analysis.exposure.cells import joint_counts
from veilmix.errors import ParameterError, VerificationError
from veilmix.scenarios.populations.tables import shipped


def joint(codes: Any, group: tuple[int, ...], sizes: list[int]) -> Any:
    counts = np.zeros([sizes[j] for j in group], dtype=np.int64)
    np.add.at(counts, tuple(codes[:, j] for j in group), 1)
    return counts


def known(codes: Any, group: tuple[int, ...], sizes: list[int], said: Any = None) -> GroupCounts:
    whole = np.pad(joint(codes, group, sizes), [(0, 1)] * len(group))
    everything = tuple(tuple(range(sizes[j])) for j in group)
    return GroupCounts(group, everything, whole).narrowed(said or {})


def truth(codes: Any, columns: tuple[int, ...], k: int) -> int:
    return int(users_below(joint_counts(codes, list(columns)), k))


def climbed(
    codes: Any, sizes: list[int], k: int, depth: int
) -> tuple[GroupKnowledge, dict[int, Any]]:
    """What is known after all groups of up to `depth` columns were asked, masked round by round."""
    singles = tuple(joint(codes, (j,), sizes) for j in range(len(sizes)))
    knowledge = GroupKnowledge(k, singles, {})
    said: dict[int, Any] = {}
    for size in range(2, depth + 1):
        said = knowledge.masks(said)
        groups = combinations(range(len(sizes)), size)
        tables = {group: known(codes, group, sizes, said) for group in groups}
        knowledge = GroupKnowledge(k, singles, {**knowledge.tables, **tables})
    return knowledge, said


@st.composite
def tables(draw: Any) -> tuple[Any, list[int], int]:
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=4))
    n, k = draw(st.integers(4, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = rng.random(n)
    columns = [
        np.where(rng.random(n) < 0.6, (kind * size).astype(int), rng.integers(0, size, n))
        for size in sizes
    ]
    return np.stack(columns, axis=1), sizes, k


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(tables(), st.integers(1, 3))
def test_no_promise_is_below_the_truth(case: Any, depth: int) -> None:
    codes, sizes, k = case
    knowledge, _ = climbed(codes, sizes, k, min(depth, len(sizes)))
    for size in range(1, len(sizes) + 1):
        for columns in combinations(range(len(sizes)), size):
            promised = knowledge.promise(columns)
            exposed = truth(codes, columns, k)
            assert exposed <= promised.people <= len(codes)
            assert knowledge.surely(columns) <= exposed
            knowledge.verify(columns, promised)
            assert knowledge.meets(columns, promised.people)
            assert not knowledge.meets(columns, exposed - 1)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(tables())
def test_what_is_promised_of_a_question_holds_for_the_table_asked_for(case: Any) -> None:
    """Other is a value in it, so people who are rare hide among those who are rare too."""
    codes, sizes, k = case
    knowledge, said = climbed(codes, sizes, k, len(sizes) - 1)
    said = knowledge.masks(said)
    for group in combinations(range(len(sizes)), len(sizes)):
        asked = known(codes, group, sizes, said).counts
        exposed = int(asked[asked < k].sum())
        assert knowledge.surely(group, said) <= exposed <= knowledge.promise(group, said).people


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(tables())
def test_masks_hide_in_a_crowd_and_only_grow(case: Any) -> None:
    codes, sizes, k = case
    before: dict[int, Any] = {}
    for depth in range(1, len(sizes) + 1):
        knowledge, _ = climbed(codes, sizes, k, depth)
        said = knowledge.masks(before)
        for j, left in said.items():
            hidden = len(codes) - int(knowledge.singles[j][list(left)].sum())
            assert hidden == 0 or hidden >= min(k, len(codes))
            assert all(knowledge.singles[j][value] >= k for value in left)
            assert set(left) <= set(before.get(j, left))
        before = said


def test_people_who_left_are_as_exposed_as_they_can_be() -> None:
    """A later table counts fewer people: the promise still holds for all who came at first."""
    rng = np.random.default_rng(3)
    codes, sizes = rng.integers(0, 2, (60, 3)), [2, 2, 2]
    singles = tuple(joint(codes, (j,), sizes) for j in range(3))
    stayed = codes[:49]
    tables = {g: known(stayed, g, sizes) for g in combinations(range(3), 2)}
    knowledge = GroupKnowledge(4, singles, tables)
    promised = knowledge.promise((0, 1, 2))
    assert promised.n == 60
    assert promised.people >= truth(codes, (0, 1, 2), 4)
    assert knowledge.by_margins((0, 1, 2)) is None  # tables of different people are no one table
    assert knowledge.by_parts((0, 1)).people >= truth(stayed, (0, 1), 4)


def test_tables_that_contradict_each_other_are_not_put_together() -> None:
    """Somebody has said one thing in one round and another in the next."""
    codes = np.random.default_rng(1).integers(0, 2, (40, 3))
    sizes = [2, 2, 2]
    knowledge, _ = climbed(codes, sizes, 5, 2)
    lied = codes.copy()
    lied[0, 0] = 1 - lied[0, 0]
    changed = {**knowledge.tables, (0, 1): known(lied, (0, 1), sizes)}
    assert knowledge.by_margins((0, 1, 2)) is not None
    assert GroupKnowledge(5, knowledge.singles, changed).by_margins((0, 1, 2)) is None


@pytest.mark.slow
def test_each_level_halves_what_must_be_promised_of_census() -> None:
    """ERRATA 000.15, from masked tables: singles 1,218, pairs 666, triples 307; truth 179."""
    table = shipped("census")
    sizes = [len(values) for values in table.values]
    everything = (0, 1, 2, 3)
    people = []
    for depth in (1, 2, 3):
        knowledge, said = climbed(table.codes, sizes, 10, depth)
        promised = knowledge.promise(everything)
        knowledge.verify(everything, promised)
        people.append(promised.people)
        if depth > 1:
            assert {
                j: sizes[j] - len(left) for j, left in said.items() if len(left) < sizes[j]
            } == {3: 2}
    assert people == [1218, 666, 307]
    assert truth(table.codes, everything, 10) == 179


def test_a_proof_that_claims_too_little_or_the_wrong_thing_is_refused() -> None:
    codes = np.random.default_rng(5).integers(0, 3, (90, 3))
    knowledge, _ = climbed(codes, [3, 3, 3], 8, 2)
    columns = (0, 1, 2)
    promised = knowledge.promise(columns)
    weights = knowledge.by_margins(columns)
    assert weights is not None
    parts = knowledge.by_parts(columns)
    assert parts.certificate is not None
    wrong = {
        "fewer": Promised(promised.people - 1, 90, promised.parts, promised.certificate, weights),
        "of others": Promised(promised.people, 91, weights=weights),
        "no weights": Promised(90, 90, weights=Weights(weights.margins[1:], weights.blocks)),
        "nothing": Promised(90, 90),
        "a part missing": Promised(90, 90, ((0, 1),), parts.certificate),
        "a part not asked for": Promised(90, 90, (columns,), parts.certificate),
        "other thresholds": Promised(
            parts.people,
            90,
            parts.parts,
            Certificate("refined", 8, 90, 0, parts.certificate.thresholds),  # type: ignore[arg-type]
        ),
    }
    for claim in wrong.values():
        with pytest.raises(VerificationError):
            knowledge.verify(columns, claim)
    knowledge.verify(columns, parts)
    with pytest.raises(VerificationError, match="no tables"):
        knowledge.verify((0,), Promised(90, 90, weights=weights))


@pytest.mark.slow
def test_the_heaviest_set_is_found_and_what_is_required_is_kept_or_nothing() -> None:
    codes = np.random.default_rng(8).integers(0, 3, (300, 4))
    knowledge, _ = climbed(codes, [3, 3, 3, 3], 5, 2)
    most = knowledge.promise((1, 2, 3)).people
    assert most < knowledge.promise((0, 1, 2, 3)).people
    gains = [1.0, 1.0, 1.0, 1.0]
    chosen = heaviest(knowledge, gains, most, range(4))
    assert len(chosen) == 3
    assert knowledge.meets(chosen, most)
    assert heaviest(knowledge, [1, 1, 1, 9], most, range(4))[-1] == 3
    assert heaviest(knowledge, gains, most, (1, 3)) == (1, 3)
    assert 0 in heaviest(knowledge, gains, most, range(4), required=(0,))
    assert heaviest(knowledge, gains, -1, range(4), required=(0,)) == ()
    assert heaviest(knowledge, gains, most, range(4), start=(1, 2, 3), sets=1) == (1, 2, 3)


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(ParameterError):
        GroupCounts((0, 1), ((0, 1), (0,)), np.zeros((3, 3), dtype=np.int64))


def test_narrowing_moves_people_to_other() -> None:
    table = GroupCounts((0, 2), ((0, 1, 2), (0, 1)), np.arange(12).reshape(4, 3))
    narrowed_table = table.narrowed({0: (1,), 1: (0,)})
    assert narrowed_table.named_values == ((1,), (0, 1))
    assert narrowed_table.counts.tolist() == [[3, 4, 5], [0 + 6 + 9, 1 + 7 + 10, 2 + 8 + 11]]
    assert narrowed_table.people == table.people


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(tables())
def test_what_is_enough_is_what_is_promised(drawn: Any) -> None:
    """Also where a smaller program decides of a question: as release, and as question."""
    codes, sizes, k = drawn
    knowledge, said = climbed(codes, sizes, k, 2)
    columns = tuple(range(len(sizes)))
    for way in (None, said):
        people = knowledge.promise(columns, way).people
        for most in (people - 4, people - 1, people, people + 4):
            assert knowledge.meets(columns, most, way) == (people <= most)
