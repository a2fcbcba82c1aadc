"""A table's score: the census, both meanings of missing, and what must hold of any table."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure import Crowds
from veilmix.analysis.exposure.wildcards import Wildcards
from veilmix.analysis.scoring import set_scores as score_sets
from veilmix.analysis.scoring import table_score
from veilmix.analysis.scoring.table_score import Missing, TableScore, allowed, score_table
from veilmix.errors import ParameterError
from veilmix.scenarios.populations.tables import shipped

CENSUS = shipped("census")
UNKNOWN = CENSUS.values[3].index("?")


def census(**more: object) -> TableScore:
    lacking = [None, None, None, UNKNOWN]
    return score_table(CENSUS.codes, CENSUS.columns, 10, missing_codes=lacking, **more)  # type: ignore[arg-type]


def test_the_score_of_the_census_has_its_known_figures() -> None:
    score = census()
    assert score.joint.crowds.users_below(10) == 179
    bounds = score.bounds
    assert (bounds.printed, bounds.refined, bounds.coverage) == (9750, 1412, 1218)
    assert bounds.lower == 7  # the people of the rarest work class
    assert bounds.worst is None
    assert [column.values for column in score.columns] == [2, 2, 5, 9]
    assert (score.joint.values, score.joint.missing) == (131, 1836)
    assert score.risk.marketer == pytest.approx(131 / 32_561)
    assert score.people_limit == 325
    assert score.safe


def test_which_sets_of_the_census_are_safe() -> None:
    sets = census().sets
    assert (sets.every, sets.counted, len(sets.sets)) == (True, 15, 15)
    assert sets.maximal_truth == ((0, 1, 2, 3),)
    assert sets.maximal_promised == ((0, 1, 2), (0, 1, 3), (2, 3))
    assert (sets.promised.kept_columns, sets.promised.people) == ((0, 1, 2), 135)
    assert [(column.column, column.people) for column in sets.promised.dropped] == [(3, 1218)]


def test_as_wildcards_crowds_are_larger_and_the_same_bounds_hold() -> None:
    category, wildcard = census(), census(missing="wildcard")
    assert wildcard.joint.crowds.users_below(10) == 56
    assert wildcard.columns[3].crowds.smallest == 7 + 1836
    assert (category.columns[3].values, wildcard.columns[3].values) == (9, 8)
    assert wildcard.bounds.coverage == category.bounds.coverage
    assert wildcard.bounds.lower == 0
    for narrow, wide in zip(category.sets.sets, wildcard.sets.sets, strict=True):
        assert wide.truth <= narrow.truth
        assert wide.truth <= wide.promised <= narrow.promised


@st.composite
def small_tables(draw: st.DrawFn) -> np.ndarray:
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    return np.array(draw(st.lists(st.integers(0, 3), min_size=n * d, max_size=n * d))).reshape(n, d)


@given(small_tables(), st.integers(1, 9), st.sampled_from(list(Missing)), st.floats(0, 1))
@settings(max_examples=80, deadline=None)
def test_bounds_enclose_the_truth(
    table: np.ndarray, k: int, missing: Missing, share: float
) -> None:
    d = table.shape[1]
    names = [f"c{j}" for j in range(d)]
    score = score_table(table, names, k, share, missing=missing, missing_codes=[0] * d)
    below = score.joint.crowds.users_below(k)
    bounds = score.bounds
    assert bounds.lower <= below <= bounds.coverage <= bounds.refined
    assert bounds.coverage <= bounds.printed
    assert below <= len(table)
    assert score.sets.truth.people <= score.people_limit
    for chosen in score.sets.sets:
        assert chosen.truth <= chosen.promised
    assert set(score.sets.promised.kept_columns) <= set(range(d))
    assert len(score.sets.promised.kept_columns) <= len(score.sets.truth.kept_columns)


@given(small_tables(), st.integers(2, 6), st.sampled_from(list(Missing)))
@settings(max_examples=40, deadline=None)
def test_the_search_of_wide_tables_agrees_with_counting_every_set(
    table: np.ndarray, k: int, missing: Missing
) -> None:
    d = table.shape[1]
    lacking: list[int | None] = [0] * d
    wild = Wildcards.from_table(table, lacking) if missing is Missing.WILDCARD else None
    marginals = [np.bincount(table[:, j]) for j in range(d)]
    most = len(table) // 4
    every = score_sets.score_sets(table, marginals, k, most, wild, lambda _: None)
    assert every.every
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_sets, "EVERY", 0)
        wide = score_sets.score_sets(table, marginals, k, most, wild, lambda _: None)
    assert not wide.every
    assert len(wide.truth.kept_columns) == len(every.truth.kept_columns)
    assert len(wide.promised.kept_columns) == len(every.promised.kept_columns)
    counted = {chosen.columns: (chosen.truth, chosen.promised) for chosen in every.sets}
    assert all(counted[chosen.columns] == (chosen.truth, chosen.promised) for chosen in wide.sets)
    assert set(wide.maximal_truth) <= set(every.maximal_truth)


def test_a_wide_table_says_what_was_searched() -> None:
    rng = np.random.default_rng(4)
    table = np.stack([rng.integers(0, 2 + j % 4, 300) for j in range(14)], axis=1)
    sets = score_table(table, [f"c{j}" for j in range(14)], 5, 0.05).sets
    assert not sets.every
    assert sets.counted > 14
    assert {(j,) for j in range(14)} <= {chosen.columns for chosen in sets.sets}
    assert len(sets.truth.dropped) == 14 - len(sets.truth.kept_columns)
    most = 15
    assert all(column.people > most for column in sets.truth.dropped)
    assert all(column.people > most for column in sets.promised.dropped)


def test_the_estimate_stands_beside_the_truth_and_decides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Columns of the census depend on each other: 179 people are exposed, fewer than typical."""
    score = census()
    estimate = score.unrelated
    assert estimate is not None
    assert (estimate.permutations, estimate.seed) == (200, 0)
    assert score.joint.crowds.users_below(10) < estimate.low <= estimate.mean <= estimate.high
    assert estimate.high <= score.bounds.proved
    assert census(missing="wildcard").unrelated is None
    assert score_table(CENSUS.codes[:, :1], ["sex"]).unrelated is None
    monkeypatch.setattr(table_score, "unrelated_exposure", lambda *_: None)
    assert replace(score, unrelated=None) == census()


def test_the_worst_case_on_request() -> None:
    table = np.array([[0, 0]] * 4 + [[1, 1]] * 4)
    worst = score_table(table, ["a", "b"], 3, worst_case_nodes=10).bounds.worst
    assert worst is not None
    assert (worst.people, worst.proven) == (8, True)


def test_k_above_everybody_and_k_of_one() -> None:
    table = np.array([[0, 0], [0, 1], [0, 1]])
    everybody = score_table(table, ["a", "b"], 4)
    assert (everybody.joint.crowds.users_below(4), everybody.bounds.coverage) == (3, 3)
    assert everybody.sets.truth.kept_columns == ()
    nobody = score_table(table, ["a", "b"], 1, 0)
    assert (nobody.bounds.coverage, nobody.sets.promised.kept_columns) == (0, (0, 1))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"table": np.zeros((1, 2), int)}, "found 1 people"),
        ({"table": np.zeros((5, 0), int), "names": []}, "and 0 columns"),
        ({"names": ["a"]}, "names, missing_codes: found 1"),
        ({"missing_codes": [None]}, "missing_codes: found 2 and 1"),
        ({"k": 0}, "k: found 0"),
        ({"max_exposure": 1.5}, "max_exposure: found 1.5"),
        ({"max_exposure": float("nan")}, "max_exposure: found nan"),
        ({"missing": "ignore"}, "missing: found 'ignore'; category and wildcard"),
        ({"factor": 0}, "factor: found 0"),
    ],
)
def test_bad_arguments_of_a_score_are_named(changed: dict[str, object], said: str) -> None:
    given = {"table": np.zeros((5, 2), int), "names": ["a", "b"]} | changed
    with pytest.raises(ParameterError, match=said):
        score_table(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("share", "n", "people"),
    [(0, 5, 0), (1, 5, 5), (0.01, 32_561, 325), (0.1, 30, 3), (0.3, 10, 3)],
)
def test_allowed_people_compare_integers(share: float, n: int, people: int) -> None:
    assert allowed(share, n) == people


def test_it_draws_itself() -> None:
    from matplotlib.figure import Figure

    score = census()
    ax = score.plot(Figure().add_subplot())
    labels = [text.get_text() for text in ax.get_legend().get_texts()]  # type: ignore[union-attr]
    curves = ["sex", "income", "race", "workclass", "all columns"]
    assert labels == [*curves, "at most (proved)", "if unrelated (estimate)"]
    wild = census(missing="wildcard").plot(Figure().add_subplot()).get_legend_handles_labels()[1]
    assert wild == [*curves, "at most (proved)"]
    assert score.plot().get_xlabel() == "k (crowd size, people)"
    assert repr(score).startswith("<TableScore of 32,561 people, 4 columns")
    assert repr(Crowds.from_cells([3])) == "<Crowds of 3 people: from 3 to 3>"


def test_a_figure_is_drawn_where_the_mean_of_the_estimate_is_outside_of_its_range() -> None:
    score = census()
    estimate = score.unrelated
    assert estimate is not None
    narrow = replace(estimate, mean=estimate.high - 0.25, low=estimate.high)
    ax = replace(score, unrelated=narrow).plot()
    assert "if unrelated (estimate)" in ax.get_legend_handles_labels()[1]


@pytest.mark.parametrize("columns", [3, 30])
def test_two_threads_find_what_one_finds(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large table the questions are asked beside the search; nothing of a score changes."""
    table = np.random.default_rng(4).integers(0, 4, (400, columns))
    names = [f"c{j}" for j in range(columns)]
    alone = score_table(table, names, 3, 0.1)
    monkeypatch.setattr(table_score, "LARGE_TABLE", 1)
    beside = score_table(table, names, 3, 0.1)
    assert (beside.sets, beside.questions, beside.risk) == (alone.sets, alone.questions, alone.risk)


def test_what_fails_beside_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ParameterError("no questions")

    monkeypatch.setattr(table_score, "LARGE_TABLE", 1)
    monkeypatch.setattr(table_score, "table_risks", fail)
    with pytest.raises(ParameterError, match="no questions"):
        score_table(np.zeros((5, 2), int), ["a", "b"])
