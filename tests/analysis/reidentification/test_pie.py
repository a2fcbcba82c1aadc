"""PIE and Bayes error against brute force; paper 003, Section 3, with its corrections."""

from math import log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from veilmix.analysis.randomizers import GRR, LocalHash, UnaryEncoding
from veilmix.analysis.reidentification import (
    PieStream,
    bayes_error,
    budget_for,
    fano_bound,
    hashed_risk,
    pie,
    prior_error,
    processing_bound,
    pseudonymization,
    tight_fano,
    uniform_prior_error,
)
from veilmix.errors import ParameterError


def table(seed: int, people: int, symbols: int, zeros: float = 0.3) -> np.ndarray:
    """A random joint law with some empty entries."""
    rng = np.random.default_rng(seed)
    joint = rng.exponential(size=(people, symbols)) * (rng.random((people, symbols)) >= zeros)
    joint[0, 0] += 0.1
    return joint / joint.sum()


def brute_pie(joint: np.ndarray, matrix: np.ndarray) -> float:
    """I(U; Y) by its definition, bits."""
    seen = joint @ matrix.T
    apart = seen.sum(axis=1, keepdims=True) * seen.sum(axis=0, keepdims=True)
    positive = seen > 0
    return float((seen[positive] * np.log2(seen[positive] / apart[positive])).sum())


def brute_error(joint: np.ndarray, matrix: np.ndarray) -> float:
    """The error of the best of all n^b decision rules is that of the best answer to each report."""
    seen = joint @ matrix.T
    return float(sum(column.sum() - column.max() for column in seen.T))


tables = st.builds(table, st.integers(0, 10**6), st.integers(2, 6), st.integers(2, 6))
budgets = st.floats(0.01, 8)


@settings(max_examples=25, deadline=None)
@given(tables, budgets)
def test_every_road_gives_the_pie_of_the_definition(joint: np.ndarray, epsilon: float) -> None:
    grr = GRR(joint.shape[1], epsilon)
    expected = brute_pie(joint, grr.matrix)
    stream = PieStream(joint.shape[1], grr)
    dense_stream = PieStream(joint.shape[1], grr.matrix)
    for row in joint[joint.sum(axis=1) > 0]:
        stream.add(row[None, :])
        dense_stream.add(row[None, :])
    roads = [pie(joint, grr), pie(joint, grr.matrix), pie(csr_array(joint), grr)]
    if stream.people > 1:
        roads += [stream.value(), dense_stream.value()]
    assert roads == pytest.approx([expected] * len(roads), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(tables, budgets)
def test_bayes_error_is_that_of_the_best_rule(joint: np.ndarray, epsilon: float) -> None:
    grr = GRR(joint.shape[1], epsilon)
    expected = brute_error(joint, grr.matrix)
    assert bayes_error(joint, grr) == pytest.approx(expected, abs=1e-12)
    assert bayes_error(joint, grr.matrix) == pytest.approx(expected, abs=1e-12)
    assert bayes_error(joint) == pytest.approx(brute_error(joint, np.eye(len(joint.T))), abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(tables, budgets)
def test_proposition_3_10_and_post_processing(joint: np.ndarray, epsilon: float) -> None:
    report, without, about_the_value = processing_bound(joint, GRR(joint.shape[1], epsilon))
    assert report <= min(without, about_the_value) + 1e-12
    merge = np.eye(joint.shape[1])[: joint.shape[1] - 1]
    merge[-1, -1] = 1  # the last two reports become one: Theorem 3.5
    assert pie(joint, merge @ GRR(joint.shape[1], epsilon).matrix) <= report + 1e-12


@settings(max_examples=25, deadline=None)
@given(tables, budgets, budgets, st.floats(0, 1))
def test_theorem_3_6_also_with_the_coin_revealed(
    joint: np.ndarray, budget: float, other: float, w: float
) -> None:
    first, second = (GRR(joint.shape[1], eps).matrix for eps in (budget, other))
    mean = w * pie(joint, first) + (1 - w) * pie(joint, second)
    assert pie(joint, w * first + (1 - w) * second) <= mean + 1e-12
    assert pie(joint, np.vstack([w * first, (1 - w) * second])) == pytest.approx(mean, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(tables, budgets)
def test_proposition_3_7_never_exceeds_the_bayes_error(joint: np.ndarray, epsilon: float) -> None:
    matrix = UnaryEncoding.rappor(joint.shape[1], epsilon).matrix
    prior = prior_error(joint)
    if 0 < prior < 1:
        assert fano_bound(pie(joint, matrix), prior) <= bayes_error(joint, matrix) + 1e-12
    even = joint[joint.sum(axis=1) > 0]
    even = even / even.sum(axis=1, keepdims=True) / len(even)
    if len(even) > 1:
        least = tight_fano(pie(even, matrix), len(even))
        assert least <= bayes_error(even, matrix) + 1e-9
        assert fano_bound(pie(even, matrix), uniform_prior_error(len(even))) <= least + 1e-9


def test_a_tiny_pie_keeps_its_digits() -> None:
    """At epsilon -> 0 PIE is a quadratic form; the terms of its definition cancel to 1e-16."""
    joint = table(3, 5, 40, zeros=0.0)
    epsilon = 1e-6
    users, values = joint.sum(axis=1), joint.sum(axis=0)
    away = joint / users[:, None] - values
    theta = np.expm1(epsilon) / (40 + np.expm1(epsilon))
    quadratic = theta**2 * 40 / 2 * float(users @ (away**2).sum(axis=1)) / log(2)
    assert pie(joint, GRR(40, epsilon)) == pytest.approx(quadratic, rel=1e-5)
    assert quadratic < 1e-14


def test_small_local_hashing_is_an_average_over_keys() -> None:
    joint, hashing = table(1, 5, 6), LocalHash(6, 4, 1.3)
    exact = brute_pie(joint, hashing.matrix)
    assert pie(joint, hashing) == pytest.approx(exact, abs=1e-12)
    sampled = hashed_risk(joint, hashing, keys=200, rng=7)
    assert abs(sampled.pie - exact) < 4 * sampled.pie_error
    assert abs(sampled.bayes_error - bayes_error(joint, hashing)) < 4 * sampled.bayes_error_error
    assert sampled.pie_error < 0.1 * exact


def test_large_local_hashing_is_refused_with_a_way_out() -> None:
    with pytest.raises(ParameterError, match="at most"):
        pie(np.ones((2, 5000), int), LocalHash(5000, 1 << 20, 1.0))


def test_counts_and_probabilities_are_the_same_thing() -> None:
    counts = np.array([[3, 0, 1], [0, 2, 2]])
    assert pie(counts) == pytest.approx(pie(counts / 8))


def test_millions_of_symbols_cost_what_people_have() -> None:
    rng = np.random.default_rng(2)
    cells = rng.integers(0, 10**6, 500), rng.integers(0, 2_000_000, 500)
    joint = csr_array((np.ones(500, int), cells), shape=(10**6, 2_000_000))
    assert pie(joint) == pytest.approx(log2(500), abs=0.1)


@pytest.mark.parametrize(
    ("joint", "Q", "message"),
    [
        (np.ones((1, 3), int), None, "at least two people"),
        (np.zeros((2, 3), int), None, "all entries are 0"),
        (np.ones((2, 3)), None, "sums to 6"),
        (np.array([[1, -1], [1, 1]]), None, "needs finite numbers"),
        (np.ones(3), None, "1 axes"),
        (np.ones((2, 3), int), GRR(4, 1.0), "3 symbols"),
        (np.ones((2, 3), int), np.eye(4), "3 symbols"),
        (np.ones((2, 3), int), np.ones((3, 3)), "column sums"),
    ],
)
def test_bad_tables_get_one_clear_error(joint: np.ndarray, Q: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        pie(joint, Q)


def test_streams_refuse_what_they_cannot_use() -> None:
    stream = PieStream(3)
    with pytest.raises(ParameterError, match="at least two"):
        stream.value()
    with pytest.raises(ParameterError, match="sums to 0"):
        stream.add(np.zeros((1, 3)))
    with pytest.raises(ParameterError, match="weights"):
        stream.add(np.array([[1.0, -1.0, 1.0]]))
    with pytest.raises(ParameterError, match="shape"):
        stream.add(np.ones((1, 4)))
    with pytest.raises(ParameterError, match="unit"):
        pie(np.eye(2, dtype=int), None, "octets")  # type: ignore[arg-type]


# --- Section 3.3: signs and units -------------------------------------------------------------


def test_corollary_3_9_has_a_plus() -> None:
    printed = 1 - (2 + 1) / log2(1e-6)
    assert printed == pytest.approx(1.151, abs=5e-4)  # more than a probability
    assert fano_bound(2, 1 - 1e-6) == pytest.approx(0.849, abs=5e-4)
    assert fano_bound(2, uniform_prior_error(10**6)) == pytest.approx(1 - 3 / log2(1e6), abs=1e-9)


@pytest.mark.parametrize(("error", "bits", "printed"), [(0.8, 2.986, 2.07), (0.5, 8.966, 6.21)])
def test_the_example_after_corollary_3_9_is_in_nats(
    error: float, bits: float, printed: float
) -> None:
    assert budget_for(error, 10**6) == pytest.approx(bits, abs=5e-4)
    assert budget_for(error, 10**6) * log(2) == pytest.approx(printed, abs=5e-3)
    # The promise kept: at this budget (12) gives the error back.
    assert fano_bound(budget_for(error, 10**6), uniform_prior_error(10**6)) == pytest.approx(error)


def test_pseudonymization_alone_has_the_printed_value() -> None:
    assert pseudonymization(5, 10**8) == pytest.approx(0.8750, abs=5e-5)
    assert pseudonymization(5, 10**8) < 0.88  # as printed
    assert pseudonymization(5, 10**8, 0.99) == pytest.approx(0.5, abs=1e-12)


def test_a_budget_that_is_not_there() -> None:
    with pytest.raises(ParameterError, match="guarantees less than"):
        budget_for(0.95, 10**6)
    with pytest.raises(ParameterError, match="strictly between"):
        budget_for(1.0, 10**6)
    with pytest.raises(ParameterError, match="users"):
        budget_for(0.5, 1)
    with pytest.raises(ParameterError, match="information_bits"):
        fano_bound(-1, 0.5)
    with pytest.raises(ParameterError, match="prior_error"):
        fano_bound(1, 1.0)


def test_fanos_inequality_is_tight_where_it_should_be() -> None:
    """All wrong answers equally likely: I = log n - h(b) - b log(n - 1)."""
    n, wrong = 9, 0.3
    matrix = np.full((n, n), wrong / (n - 1))
    np.fill_diagonal(matrix, 1 - wrong)
    joint = np.eye(n) / n
    assert bayes_error(joint, matrix) == pytest.approx(wrong)
    assert tight_fano(pie(joint, matrix), n) == pytest.approx(wrong, abs=1e-9)
    assert fano_bound(pie(joint, matrix), uniform_prior_error(n)) < wrong - 0.05
    assert tight_fano(log2(n), n) == pytest.approx(0, abs=1e-9)
    assert tight_fano(0, n) == pytest.approx(1 - 1 / n, abs=1e-6)
