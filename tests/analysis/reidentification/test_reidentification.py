"""Side information against enumeration; distributions over millions of symbols; the door itself."""

from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from veilmix.analysis import reidentification
from veilmix.analysis.exposure.cells import distinct
from veilmix.analysis.randomizers import GRR, LocalHash, UnaryEncoding
from veilmix.analysis.reidentification import (
    bayes_error,
    epsilon_at,
    find_in,
    find_people,
    grr_loss,
    hash_loss,
    large_domain,
    people_found,
    pie,
    significant_support,
    zipf_shares,
)
from veilmix.errors import ParameterError

# --- an attack on a release -------------------------------------------------------------------


def joint_of_people(known: np.ndarray, released: np.ndarray) -> np.ndarray:
    """P(U = u, Y = y) as the attacker sees it: u may have the row of any person like it."""
    n = len(known)
    values = [tuple(row) for row in released.tolist()]
    symbols = sorted(set(values))
    joint = np.zeros((n, len(symbols)))
    for u in range(n):
        alike = [v for v in range(n) if known[v].tolist() == known[u].tolist()]
        for v in alike:
            joint[u, symbols.index(values[v])] += 1 / n / len(alike)
    return joint


small_tables = st.builds(
    lambda seed, n, d: np.random.default_rng(seed).integers(0, 3, (n, d)),
    st.integers(0, 10**6),
    st.integers(2, 14),
    st.integers(1, 4),
)


@settings(max_examples=60, deadline=None)
@given(small_tables, st.data())
def test_found_people_and_bits_are_those_of_the_joint_law(
    table: np.ndarray, data: st.DataObject
) -> None:
    columns = range(table.shape[1])
    known = data.draw(st.lists(st.sampled_from(columns), unique=True))
    released = data.draw(st.lists(st.sampled_from(columns), unique=True))
    attack = find_people(table, known, released)
    joint = joint_of_people(table[:, known], table[:, released])
    assert attack.error == pytest.approx(bayes_error(joint), abs=1e-12)
    assert attack.bits == pytest.approx(pie(joint), abs=1e-12)
    assert attack.fano <= attack.error + 1e-12
    if set(known) <= set(released):
        assert attack.expected_matches == pytest.approx(len(np.unique(table[:, known], axis=0)))


def test_ragged_tables_and_rows_of_nobody_are_refused() -> None:
    with pytest.raises(ParameterError, match="ragged"):
        find_people([[1, 2], [1]], [0])
    for people in ([1], [1, 0], [1, -1]):
        with pytest.raises(ParameterError):
            find_people([[1, 2], [1, 3]], [0], None, people)


def test_rows_of_several_people_are_these_people() -> None:
    table = np.random.default_rng(6).integers(0, 3, (60, 3))
    rows, people = distinct(table)
    assert people.sum() == 60
    assert len(rows) == len(np.unique(table, axis=0))
    for known, released in (([0], [1, 2]), ([1, 2], None), ([], [0])):
        attack = find_people(table, known, released)
        other = find_people(rows, known, released, people)
        assert (attack.people, attack.certain) == (other.people, other.certain)
        assert (attack.expected_matches, attack.bits) == pytest.approx(
            (other.expected_matches, other.bits)
        )


def test_people_alone_in_a_cell_are_certain() -> None:
    table = np.array([[0, 0], [0, 0], [1, 0], [2, 1]])
    assert find_people(table, [0]).certain == 2
    assert find_people(table, [1]).certain == 1
    assert find_people(table, [0], [1]).certain == 1
    assert find_people(table, []).certain == 0
    assert find_people(table, []).expected_matches == pytest.approx(1)
    assert "for certain" in str(find_people(table, [0]))


def test_knowing_more_never_finds_fewer() -> None:
    table = np.random.default_rng(3).integers(0, 4, (300, 4))
    finds = [find_people(table, list(range(j))).expected_matches for j in range(5)]
    assert finds == sorted(finds)
    shown = [find_people(table, [0, 1], list(range(j))).expected_matches for j in range(5)]
    assert shown == pytest.approx(sorted(shown))


def test_a_masked_release_finds_fewer() -> None:
    table = np.random.default_rng(4).integers(0, 5, (200, 3))
    masked = table.copy()
    masked[::2, 0] = 5
    assert find_in(table, masked).expected_matches < find_in(table, table).expected_matches
    assert find_in(table, table).expected_matches == find_people(table, [0, 1, 2]).expected_matches


@pytest.mark.parametrize("randomizer", [GRR(4, 1.0), UnaryEncoding(4, 0.7, 0.2)])
def test_a_randomized_release_finds_fewer_people(randomizer: GRR | UnaryEncoding) -> None:
    counts = np.array([[3, 0, 1, 0], [0, 2, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    people = np.repeat(np.arange(4), counts.sum(axis=1))
    joint = counts[people] / counts.sum(axis=1)[people, None] / len(people)
    exact, blurred = people_found(counts), people_found(counts, randomizer)
    assert exact == pytest.approx(len(people) * (1 - bayes_error(joint)))
    assert blurred == pytest.approx(len(people) * (1 - bayes_error(joint, randomizer)))
    assert people_found(counts, randomizer.matrix) == pytest.approx(blurred)
    assert 1 <= blurred < exact


@pytest.mark.slow
def test_a_hundred_thousand_people() -> None:
    table = np.random.default_rng(5).integers(0, 50, (100_000, 3))
    attack = find_people(table, [0, 1, 2])
    assert attack.expected_matches == len(np.unique(table, axis=0))
    assert attack.bits <= log2(100_000)


@pytest.mark.parametrize(
    ("table", "known", "message"),
    [
        (np.zeros((1, 2), int), [0], "at least two"),
        (np.zeros((3, 2)), [0], "integer codes"),
        (np.zeros((3, 2), int), [2], "0 to 1"),
        (np.zeros((3, 2), int), [0, 0], "each column once"),
    ],
)
def test_bad_side_information_is_refused(table: np.ndarray, known: list[int], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        find_people(table, known)


def test_joint_counts_must_be_whole_numbers() -> None:
    with pytest.raises(ParameterError, match="whole numbers"):
        people_found(np.array([[0.5, 1]]))
    with pytest.raises(ParameterError, match="whole numbers"):
        people_found(np.array([[-1, 3]]))
    with pytest.raises(ParameterError, match="at least two"):
        people_found(np.array([[1, 0]]))
    with pytest.raises(ParameterError, match="2 released values"):
        people_found(np.array([[1, 1]]), GRR(3, 1.0))
    with pytest.raises(ParameterError, match="2 released values"):
        people_found(np.array([[1, 1]]), np.eye(3))
    with pytest.raises(ParameterError, match="rows for"):
        find_in(np.zeros((3, 1), int), np.zeros((2, 1), int))


# --- millions of symbols ----------------------------------------------------------------------


@pytest.mark.parametrize("randomizer", [GRR(9, 1.0), LocalHash(9, 4, 1.0), LocalHash(9, 3, 1.0)])
def test_kept_symbols_and_the_rest_are_the_estimate(randomizer: GRR | LocalHash) -> None:
    people = np.random.default_rng(1).integers(0, 3, 40)
    reports = randomizer.sample(people, rng=2)
    estimate = large_domain(randomizer, reports)
    assert estimate.dense() == pytest.approx(randomizer.estimate(reports).shares)
    assert len(estimate.supported_symbols) < 9
    truth = np.bincount(people, minlength=9) / 40
    assert estimate.loss(truth) == pytest.approx(float(((truth - estimate.dense()) ** 2).sum()))
    top = np.argsort(-truth)[:2]
    assert estimate.loss(truth, top=2) == pytest.approx(
        float(((truth - estimate.dense())[top] ** 2).sum())
    )


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 5000), st.floats(1e-6, 0.9), st.integers(1, 10**7), st.floats(0.001, 0.5))
def test_the_exact_threshold_is_the_least(n: int, lie: float, symbols: int, level: float) -> None:
    count = significant_support(n, lie, symbols, level)
    assert binom.sf(count - 1, n, lie) <= level / symbols * (1 + 1e-9)
    if count > 1:
        assert binom.sf(count - 2, n, lie) >= level / symbols * (1 - 1e-9)


def test_the_normal_threshold_is_the_papers_and_right_for_many_reports() -> None:
    exact = significant_support(10**6, 0.25, 100)
    normal = significant_support(10**6, 0.25, 100, rule="normal")
    assert normal == pytest.approx(exact, abs=10)
    with pytest.raises(ParameterError, match="rule"):
        significant_support(10, 0.1, 5, rule="guess")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["grr", "hash"])
@pytest.mark.slow
def test_a_large_domain_at_reduced_scale(kind: str) -> None:
    """A tenth of the paper's size; the printed threshold invents symbols, the exact does not."""
    a, n, theta = 1_050_039, 137_064, 0.5
    rng = np.random.default_rng(7)
    people = np.searchsorted(np.cumsum(zipf_shares(a)), rng.random(n))
    truth = np.bincount(people, minlength=a) / n
    size = a if kind == "grr" else 1 << 24
    epsilon = epsilon_at(theta, size)
    randomizer = GRR(a, epsilon) if kind == "grr" else LocalHash(a, size, epsilon)
    estimate = large_domain(randomizer, randomizer.sample(people, rng))
    law = grr_loss if kind == "grr" else hash_loss
    expected = law(truth, size, epsilon, n)
    assert estimate.loss(truth) == pytest.approx(float(expected.sum()), rel=0.15)
    assert estimate.loss(truth, top=100) == pytest.approx(
        float(np.sort(expected)[-100:].sum()), rel=0.6
    )
    exact, _ = estimate.significant()
    normal, _ = estimate.significant(rule="normal")
    assert np.count_nonzero(truth[exact] == 0) <= 2  # each run: expected below 0.05
    assert np.count_nonzero(truth[normal] == 0) > 1000
    assert exact[:20].tolist() == list(range(20))  # the heavy hitters are all there


def test_wrong_arguments_of_a_large_domain_are_refused() -> None:
    with pytest.raises(ParameterError, match="whose reports support"):
        large_domain(np.eye(3), [0])  # type: ignore[arg-type]
    estimate = large_domain(GRR(3, 1.0), np.array([0, 1, 1]))
    with pytest.raises(ParameterError, match="p: shape"):
        estimate.loss([0.5, 0.5])
    with pytest.raises(ParameterError, match="top"):
        estimate.loss([0.5, 0.5, 0], top=0)
    with pytest.raises(ParameterError, match="level"):
        estimate.significant(0)
    with pytest.raises(ParameterError, match="needs one symbol"):
        large_domain(GRR(3, 1.0), np.array([], int))


def test_the_door_has_every_name_it_lists() -> None:
    assert sorted(reidentification.__all__) == reidentification.__all__
    assert all(hasattr(reidentification, name) for name in reidentification.__all__)
