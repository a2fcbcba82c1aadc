"""Persons with several rows: crowds, k, l, t, bounds and advice, beside counting one by one."""

from collections import defaultdict
from itertools import combinations
from math import exp, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.advice import Ladder, LadderLevel, search
from veilmix.analysis.composition.person_bound import PersonBounds
from veilmix.analysis.exposure.persons import Persons, people_below
from veilmix.analysis.release_risks.k_l_t import diversity
from veilmix.analysis.scoring import score_table
from veilmix.analysis.scoring.set_scores import score_sets
from veilmix.errors import ParameterError

K = 5
Rows = list[tuple[int, ...]]


def crowds_by_hand(rows: Rows, owner: list[int], columns: tuple[int, ...]) -> dict[int, int]:
    """The crowd of each person: the fewest persons with a row like one of its own."""
    there: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for row, person in zip(rows, owner, strict=True):
        there[tuple(row[j] for j in columns)].add(person)
    crowds: dict[int, int] = {}
    for row, person in zip(rows, owner, strict=True):
        here = len(there[tuple(row[j] for j in columns)])
        crowds[person] = min(here, crowds.get(person, here))
    return crowds


@pytest.fixture(scope="module")
def visits() -> tuple[np.ndarray, np.ndarray]:
    """Forty patients with six visits each: sex, ward, diagnosis; rows in any order."""
    rng = np.random.default_rng(7)
    owner = rng.permutation(np.repeat(np.arange(40), 6))
    sex = np.arange(40)[owner] % 2
    return np.stack([sex, rng.integers(0, 3, 240), rng.integers(0, 4, 240)], axis=1), owner


def test_every_figure_of_a_score_counts_persons(visits: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    codes, owner = visits
    people = duckdb.connect()
    people.execute("CREATE TABLE visit (who INT, sex INT, ward INT, diagnosis INT)")
    rows = [[who, *row] for who, row in zip(owner.tolist(), codes.tolist(), strict=True)]
    people.executemany("INSERT INTO visit VALUES (?, ?, ?, ?)", rows)
    score = score_table(codes, ["sex", "ward", "diagnosis"], 8, 0.1, persons=owner)
    assert (score.n, score.rows) == (40, 240)
    for columns, found in (
        ("sex", score.columns[0]),
        ("diagnosis", score.columns[2]),
        ("sex, ward, diagnosis", score.joint),
    ):
        crowds = people.execute(
            f"SELECT min(crowd) FROM visit JOIN (SELECT {columns}, count(DISTINCT who) AS crowd "
            f"FROM visit GROUP BY {columns}) USING ({columns}) GROUP BY who"
        ).fetchall()
        worst = np.array(crowds)[:, 0]
        assert found.crowds.smallest == worst.min()
        assert [found.crowds.users_below(k) for k in range(1, 41)] == [
            int((worst < k).sum()) for k in range(1, 41)
        ]
    assert score.risk.prosecutor.largest == 1 / worst.min()
    assert score.risk.prosecutor.mean == pytest.approx((1 / worst).mean())
    assert score.risk.prosecutor.above == pytest.approx((worst < 8).mean())
    assert not score.questions.attacks  # they are on rows
    assert score_table(codes, ["s", "w", "d"], 8).joint.crowds.n == 240  # each row a person


def test_one_row_a_person_is_what_it_was(visits: Any) -> None:
    codes, _ = visits
    alone = score_table(codes, "abc", 8, 0.1)
    assert score_table(codes, "abc", 8, 0.1, persons=np.arange(240) * 3) == alone


def test_k_l_and_t_count_persons(visits: Any) -> None:
    codes, owner = visits
    owned = Persons.from_table(codes, owner)
    found = diversity(codes, [0, 1], 2, None, owned)
    classes: dict[Any, dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for (sex, ward, what), who in zip(codes.tolist(), owner.tolist(), strict=True):
        classes[sex, ward][what].add(who)
    everybody = defaultdict(set)
    for values in classes.values():
        for value, who in values.items():
            everybody[value] |= who
    law = {v: len(w) / sum(map(len, everybody.values())) for v, w in everybody.items()}
    people, different, entropies, far = [], [], [], []
    for values in classes.values():
        whole = set().union(*values.values())
        pairs = sum(map(len, values.values()))
        shares = {v: len(who) / pairs for v, who in values.items()}
        certain = any(who == whole for who in values.values())
        people.append(len(whole))
        different.append(1 if certain else len(values))
        entropies.append(1.0 if certain else exp(-sum(p * log(p) for p in shares.values())))
        far.append(sum(abs(shares.get(v, 0) - p) for v, p in law.items()) / 2)
    assert (found.k, found.l) == (min(people), min(different))
    assert found.entropy_l == pytest.approx(min(entropies))
    assert found.t == pytest.approx(max(far))


def test_a_value_that_everybody_of_a_class_has_is_told() -> None:
    """Two persons, each with both diagnoses: their class tells that each has both."""
    codes = np.array([[0, 0], [0, 1], [0, 0], [0, 1], [1, 0], [1, 1]])
    found = diversity(codes, [0], 1, None, Persons.from_table(codes, np.array([0, 0, 1, 1, 2, 3])))
    assert (found.k, found.l, found.entropy_l) == (2, 1, 1.0)
    assert diversity(codes, [0], 1).l == 2


@st.composite
def tables(draw: Any) -> tuple[Rows, list[int]]:
    d = draw(st.integers(1, 4))
    row = st.tuples(*[st.integers(0, 2)] * d)
    rows = draw(st.lists(row, min_size=2, max_size=40))
    owner = draw(st.lists(st.integers(0, 12), min_size=len(rows), max_size=len(rows)))
    return rows, owner


@settings(max_examples=25, deadline=None)
@given(tables(), st.integers(1, 6))
def test_crowds_bounds_and_sets_hold(table: tuple[Rows, list[int]], k: int) -> None:
    """Of every set of columns: persons below k, one by one; never above the bound; never fewer."""
    rows, owner = table
    codes, d = np.array(rows), len(rows[0])
    owned = Persons.from_table(codes, np.array(owner))
    bounds = PersonBounds([owned.by_cell([j]) for j in range(d)], k, owned.n)
    below: dict[tuple[int, ...], int] = {}
    for size in range(1, d + 1):
        for columns in combinations(range(d), size):
            crowds = crowds_by_hand(rows, owner, columns)
            assert sorted(owned.crowd_sizes(columns).tolist()) == sorted(crowds.values())
            below[columns] = sum(crowd < k for crowd in crowds.values())
            assert (
                owned.below(columns, k) == below[columns] <= bounds.max_exposed(columns) <= owned.n
            )
            assert owned.crowds(columns).users_below(k) == below[columns]
            for j in columns:
                rest = tuple(i for i in columns if i != j)
                assert not rest or below[rest] <= below[columns]
    most = owned.n // 3
    marginals = [owned.by_cell([j]) for j in range(d)]
    sets = score_sets(codes, marginals, k, most, owned, lambda _stage: None)
    assert {s.columns: s.truth for s in sets.sets} == below
    safe = [s for s, people in below.items() if people <= most]
    assert len(sets.truth.kept_columns) == max(map(len, safe), default=0)


def test_wide_tables_are_searched_for_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    from veilmix.analysis.scoring import set_scores

    rng = np.random.default_rng(3)
    codes, owner = rng.integers(0, 3, (120, 5)), rng.integers(0, 40, 120)
    owned = Persons.from_table(codes, owner)
    marginals = [owned.by_cell([j]) for j in range(5)]
    every = score_sets(codes, marginals, 4, 10, owned, lambda _stage: None)
    monkeypatch.setattr(set_scores, "EVERY", 2)
    wide = score_sets(codes, marginals, 4, 10, owned, lambda _stage: None)
    assert not wide.every
    assert len(wide.truth.kept_columns) == len(every.truth.kept_columns) > 0
    assert set(wide.maximal_truth) <= set(every.maximal_truth)
    assert all(score in every.sets for score in wide.sets)


@settings(max_examples=20, deadline=None)
@given(tables(), st.integers(1, 5))
def test_the_least_loss_is_that_of_all_choices(table: tuple[Rows, list[int]], k: int) -> None:
    rows, owner = table
    codes, d = np.array(rows), len(rows[0])
    owned = Persons.from_table(codes, np.array(owner))
    if k > owned.n:
        return
    levels = [np.array([0, 1, 2]), np.array([0, 1, 1]), np.array([0, 0, 0])]
    rungs = tuple(LadderLevel(str(i), codes, i / 2) for i, codes in enumerate(levels))
    ladders = [Ladder(str(j), rungs) for j in range(d)]
    most = owned.n // 4
    found = search(codes, ladders, k, most, persons=np.array(owner))
    losses = []
    for choice in np.ndindex(*[3] * d):
        coarse = [
            tuple(int(levels[i][v]) for i, v in zip(choice, row, strict=True)) for row in rows
        ]
        crowds = crowds_by_hand(coarse, owner, tuple(range(d)))
        people = sum(crowd < k for crowd in crowds.values())
        loss = sum(i / 2 for i in choice) / d
        if people <= most:
            losses.append(loss + (1 - loss) * people / owned.n)
        if choice == found.best.levels:
            assert found.best.people == people
    assert found.exact
    assert found.best.loss == pytest.approx(min(losses))


@given(st.data())
def test_persons_below_k_are_those_that_are_counted_one_by_one(data: st.DataObject) -> None:
    """Few rows decide some cells, many rows others, and the rest is sorted."""
    people, k = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 6))
    pairs = st.tuples(st.sampled_from([0, 1, 2, 3, 2**40]), st.integers(0, people - 1))
    rows = data.draw(st.lists(pairs, min_size=1, max_size=30))
    cells, owner = np.array(rows).T
    persons = [{person for at, person in rows if at == cell} for cell in {at for at, _ in rows}]
    below = set[int]().union(*(some for some in persons if len(some) < k))
    assert people_below(cells, owner, people, k) == (len(below) if k > 1 else 0)


def test_many_cells_are_numbered_anew() -> None:
    cells, owner = np.array([2**62, 2**62, 5, 7]), np.array([0, 1, 2, 2])
    assert people_below(cells, owner, 3, 2) == 1
    assert people_below(cells, owner, 3, 1) == 0


@pytest.mark.parametrize(
    ("owner", "match"),
    [
        ([0, 1], r"persons: found shape \(2,\)"),
        ([0.5, 1, 2], "of float64"),
        ([1, 1, 1], "all rows belong to one person"),
    ],
)
def test_persons_are_one_whole_number_a_row(owner: list[float], match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        score_table(np.zeros((3, 1), int), ["a"], persons=np.array(owner))


def test_what_is_not_counted_in_persons_is_refused(visits: Any) -> None:
    codes, owner = visits
    with pytest.raises(ParameterError, match="found wildcard, and persons with several rows"):
        score_table(codes, "abc", 5, missing="wildcard", persons=owner)
    with pytest.raises(ParameterError, match="take one row of each person"):
        score_table(codes, "abc", 5, worst_case_nodes=10, persons=owner)
    with pytest.raises(ParameterError, match="k, people: found 0 and 3"):
        PersonBounds([[1, 2]], 0, 3)
    assert PersonBounds([[1, 2]], 4, 3).max_exposed([]) == 3
