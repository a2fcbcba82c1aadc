"""Risk by value, minimal uniques and single changes, beside counting row by row."""

from collections.abc import Sequence
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.advice.next_steps import Coarser, StepKind, next_steps
from veilmix.analysis.exposure import minimal_uniques as uniques_module
from veilmix.analysis.exposure import value_risk as value_module
from veilmix.analysis.exposure.minimal_uniques import minimal_uniques, set_size
from veilmix.analysis.exposure.other_columns import DistinctRows
from veilmix.analysis.exposure.value_risk import value_risks
from veilmix.errors import ParameterError

Rows = list[tuple[int, ...]]
tables = st.integers(1, 3).flatmap(
    lambda d: st.lists(st.tuples(*[st.integers(0, 3)] * d), min_size=1, max_size=25)
)
owners = st.lists(st.integers(0, 8), min_size=25, max_size=25)


def below_by_hand(rows: Sequence[tuple[int, ...]], owner: Sequence[int], k: int) -> set[int]:
    """The people with a row that fewer than k people have."""
    having = {
        row: {who for other, who in zip(rows, owner, strict=True) if other == row} for row in rows
    }
    return {who for row, who in zip(rows, owner, strict=True) if len(having[row]) < k}


def merged(rows: Rows, column: int, codes: tuple[int, int]) -> Rows:
    """The rows with two codes of a column as one."""
    return [
        tuple(codes[1] if (j, code) == (column, codes[0]) else code for j, code in enumerate(row))
        for row in rows
    ]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables, st.integers(1, 5))
def test_every_value_and_its_best_merge(rows: Rows, k: int) -> None:
    people = range(len(rows))
    bad = below_by_hand(rows, people, k)
    risks = value_risks(np.array(rows), k)
    assert risks.below == len(bad)
    assert len(risks.values) == sum(len(set(column)) for column in zip(*rows, strict=True))
    for value in risks.values:
        having = {who for who in people if rows[who][value.column] == value.code}
        assert (value.people, value.below) == (len(having), len(having & bad))
        assert value.excess == pytest.approx(value.below - len(bad) / len(rows) * len(having))
        others = {row[value.column] for row in rows} - {value.code}
        freed = [
            len(bad)
            - len(below_by_hand(merged(rows, value.column, (value.code, other)), people, k))
            for other in others
        ]
        assert (value.merged.freed if value.merged else 0) == max(freed, default=0)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables, owners, st.integers(1, 5))
def test_persons_with_several_rows(rows: Rows, all_owners: list[int], k: int) -> None:
    owner = all_owners[: len(rows)]
    before = len(below_by_hand(rows, owner, k))
    distinct = DistinctRows.from_table(np.array(rows), persons=np.array(owner))
    risks = value_risks(distinct, k)
    assert (distinct.n, risks.below) == (len(set(owner)), before)
    for value in risks.values:
        mine = [
            (row, who)
            for row, who in zip(rows, owner, strict=True)
            if row[value.column] == value.code
        ]
        small = {
            row
            for row in rows
            if len({w for r, w in zip(rows, owner, strict=True) if r == row}) < k
        }
        assert value.people == len({who for _, who in mine})
        assert value.below == len({who for row, who in mine if row in small})
    for merge in risks.merges:
        after = below_by_hand(merged(rows, merge.column, merge.codes), owner, k)
        assert merge.freed == before - len(after)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables, owners, st.integers(1, 5), st.booleans())
def test_each_step_is_what_a_recount_says(
    rows: Rows, all_owners: list[int], k: int, several: bool
) -> None:
    owner = all_owners[: len(rows)] if several else list(range(len(rows)))
    distinct = DistinctRows.from_table(np.array(rows), persons=np.array(owner))
    halves = [Coarser(j, "halves", np.arange(4) // 2) for j in range(len(rows[0]))]
    steps = next_steps(distinct, k, halves, value_risks(distinct, k).merges)
    before = len(below_by_hand(rows, owner, k))
    assert [step.rate for step in steps] == sorted((step.rate for step in steps), reverse=True)
    for step in steps:
        match step.change:
            case StepKind.LEFT_OUT:
                small = below_by_hand(rows, owner, k)
                assert (step.below, step.freed) == (0, len(small))
                continue
            case StepKind.DROPPED:
                after = [row[: step.column] + row[step.column + 1 :] for row in rows]
            case StepKind.COARSER:
                after = [
                    tuple(c // 2 if j == step.column else c for j, c in enumerate(row))
                    for row in rows
                ]
            case _:
                assert step.codes is not None
                after = merged(rows, step.column, step.codes)
        assert step.below == len(below_by_hand(after, owner, k)) == before - step.freed
        assert step.bits >= 0


def test_rows_left_out_are_those_in_small_crowds() -> None:
    rows = DistinctRows.from_table([[0, 0]] * 3 + [[0, 1]], persons=None)
    step = next(s for s in next_steps(rows, 2, (), ()) if s.change is StepKind.LEFT_OUT)
    assert (step.rows, step.below) == (1, 0)
    assert step.bits == pytest.approx(0.25 * 0.8112781244591328)  # a quarter of the columns' bits


def test_numbers_are_merged_with_their_neighbours_only() -> None:
    table = np.array([[0]] + [[1]] * 2 + [[2]] * 3 + [[3]] * 5)
    free = value_risks(table, 4).values
    assert {value.code: value.merged.codes for value in free if value.merged}[0] == (0, 2)
    ranked = value_risks(table, 4, ranks=[np.array([0, 1, 2, -1])])
    codes = {value.code: value.merged.codes for value in ranked.values if value.merged}
    assert codes[0] == (0, 3)  # 0 and 1 are three people, 2 is no neighbour, 3 is no number
    assert codes[2] == (1, 2)


def test_many_values_have_frequent_partners_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.repeat(np.arange(60), 1)[:, None]
    table = np.concatenate((table, np.full((9, 1), 60)))
    assert value_risks(table, 5).limited == ()
    monkeypatch.setattr(value_module, "PAIRS", 100)
    risks = value_risks(table, 5)
    assert risks.limited == (0,)
    assert {
        value.merged.codes[1] for value in risks.values if value.merged and value.code < 60
    } == {60}


def uniques_by_hand(
    rows: Rows, owner: Sequence[int]
) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """Each person, set of columns and values that this person alone has, and no part of it."""
    found = []
    pairs = list(zip(rows, owner, strict=True))
    alone = set()
    for size in range(1, len(rows[0]) + 1):
        for chosen in combinations(range(len(rows[0])), size):
            for row, who in pairs:
                values = tuple(row[j] for j in chosen)
                if {w for r, w in pairs if tuple(r[j] for j in chosen) == values} == {who}:
                    alone.add((chosen, values))
                    parts = list(combinations(range(size), size - 1))
                    smaller = [
                        (tuple(chosen[p] for p in part), tuple(values[p] for p in part))
                        for part in parts
                    ]
                    if not any(part in alone for part in smaller):
                        found.append((who, chosen, values))
    return sorted(set(found))


@settings(max_examples=120, deadline=None, derandomize=True)
@given(tables, owners, st.booleans())
def test_minimal_uniques_and_their_scores(rows: Rows, all_owners: list[int], several: bool) -> None:
    owner = all_owners[: len(rows)] if several else list(range(len(rows)))
    by_hand = uniques_by_hand(rows, owner)
    found = minimal_uniques(np.array(rows), persons=np.array(owner))
    d, names = len(rows[0]), sorted(set(owner))
    scores = dict.fromkeys(names, 0)
    for who, chosen, _ in by_hand:
        scores[who] += factorial(d - len(chosen))
    assert found.scores.tolist() == [scores[who] for who in names]
    assert found.counts == tuple(sum(len(c) == s for _, c, _ in by_hand) for s in range(1, d + 1))
    total = sum(scores.values()) or 1
    for j in range(d):
        share = sum(factorial(d - len(c)) for _, c, _ in by_hand if j in c) / total
        assert found.columns[j] == pytest.approx(share)
        for code in {row[j] for row in rows}:
            share = sum(
                factorial(d - len(c)) for _, c, v in by_hand if j in c and v[c.index(j)] == code
            )
            assert found.values[j][code] == pytest.approx(share / total)


def test_shares_are_those_of_sdcmicro() -> None:
    """The table and shares of sdcMicro's own test `suda2 simple example contrubtion`."""
    found = minimal_uniques(np.array([[2, 0, 0], [1, 3, 6], [1, 0, 0]]))
    assert (100 * found.columns).tolist() == [50, 37.5, 37.5]
    assert found.scores.tolist() == [2, 4, 2]  # (3 - 1)!, twice that, and two of (3 - 2)!
    assert found.complete


def test_dis_of_a_sample() -> None:
    """By the formulas of sdcMicro's Suda2.h, written out: 3 unique rows, one pair, 5 columns."""
    table = np.array([[0] * 5, [0] * 5, [1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 1, 0, 1, 1]])
    found = minimal_uniques(table)
    assert (found.unique, found.in_pairs) == (3, 2)
    dis = 3 * 0.1 / (3 * 0.1 + 2 * 0.9)
    assert found.dis(0.1) == pytest.approx(dis)
    assert found.scores[0] == 0 < found.scores[2]
    with pytest.raises(ParameterError, match="above 0 and below 1"):
        found.dis(1.0)


def test_a_smaller_size_counts_the_same_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.random.default_rng(3).integers(0, 4, (60, 5))
    whole, part = minimal_uniques(table), minimal_uniques(table, 2)
    assert part.counts == whole.counts[:2]
    assert (part.complete, whole.complete) == (False, True)
    assert set_size(table) == 3
    assert set_size(table, work=60 * 15) == 2  # 5 columns and 10 pairs of 60 rows
    assert set_size(table, work=60 * 4) == 0
    monkeypatch.setattr(uniques_module, "DIRECT", 15)  # pairs of 16 values are sorted
    assert minimal_uniques(table, 2).scores.tolist() == part.scores.tolist()
    assert set_size(table, work=60 * 15) == 1


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda: value_risks([[0]], 0), "k: found 0"),
        (lambda: value_risks(np.zeros((0, 1), int), 2), "found 0 rows"),
        (lambda: value_risks([[0]], 2, ranks=[]), "ranks: found 0 for 1 columns"),
        (lambda: minimal_uniques([[0]], 0), "size: found 0"),
        (lambda: minimal_uniques(np.zeros((0, 2), int)), "found 0 rows"),
        (lambda: minimal_uniques([[0]], columns=[1]), "columns: found 1"),
    ],
)
def test_wrong_arguments_of_risk_by_value_are_named(call, found: str) -> None:
    with pytest.raises(ParameterError, match=found):
        call()
