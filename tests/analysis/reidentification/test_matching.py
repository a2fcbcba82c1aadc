"""Attackers against loops that follow the paper; decisions, error rates and ties."""

from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from veilmix.analysis.randomizers import GRR, LocalHash
from veilmix.analysis.reidentification import (
    MarkovAttack,
    ReportAttack,
    Sequences,
    best_score,
    cosine_scores,
    det_curve,
    finite_information,
    genuine_impostor,
    markov_traces,
    maximum_knowledge,
    partial_knowledge,
    people_within,
    pie,
    prefix_knowledge,
    rating_histories,
    tfidf_scores,
    top_people,
    zipf_shares,
)
from veilmix.errors import ParameterError

SMALL = Sequences.from_people([[0, 1, 0, 1, 2], [2, 2, 2], [3], [0, 3, 0]], symbols=5)
SEEN = Sequences.from_people([[0, 1], [4, 4, 2], [2, 2, 1], [3, 0, 1, 0]], symbols=5)


def markov_by_hand(training: Sequences, released: Sequences, floor: float) -> np.ndarray:
    """Paper 003, Section 5.1, sequence by sequence."""
    scores = np.zeros((released.people, training.people))
    for i in range(training.people):
        known = training.events[training.offsets[i] : training.offsets[i + 1]].tolist()
        moves = list(pairwise(known))
        for r in range(released.people):
            seen = released.events[released.offsets[r] : released.offsets[r + 1]].tolist()
            total = log(max(known.count(seen[0]) / len(known), floor))
            for x, y in pairwise(seen):
                left = sum(1 for a, _ in moves if a == x)
                share = moves.count((x, y)) / left if left else 0.0
                total += log(max(share, floor))
            scores[r, i] = total
    return scores


def test_markov_scores_are_the_log_likelihoods() -> None:
    for training, released in [(SMALL, SEEN), (SEEN, SMALL), (SMALL, SMALL)]:
        expected = markov_by_hand(training, released, 1e-8)
        assert MarkovAttack(training).scores(released) == pytest.approx(expected, abs=1e-9)


def test_markov_scores_of_generated_traces() -> None:
    training, released = partial_knowledge(markov_traces(12, 30, 40, rng=1))
    expected = markov_by_hand(training, released, 1e-3)
    assert MarkovAttack(training, floor=1e-3).scores(released) == pytest.approx(expected, abs=1e-9)


def test_the_trained_chain_can_be_read() -> None:
    attack = MarkovAttack(SMALL)
    assert attack.visit_vector(0) == pytest.approx([0.4, 0.4, 0.2, 0, 0])
    matrix = attack.transition_matrix(0).toarray()
    assert matrix[0] == pytest.approx([0, 1, 0, 0, 0])
    assert matrix[1] == pytest.approx([0.5, 0, 0.5, 0, 0])
    assert not matrix[2:].any()
    assert attack.transition_matrix(2).nnz == 0


def test_people_with_one_event_each() -> None:
    lonely = Sequences.from_people([[0], [1]])
    assert MarkovAttack(lonely).scores(lonely) == pytest.approx(
        np.array([[0, log(1e-8)], [log(1e-8), 0]])
    )


def test_tfidf_and_cosine_by_hand() -> None:
    known = [[2, 2, 1, 0, 0], [0, 0, 3, 0, 0], [0, 0, 0, 1, 0], [2, 0, 0, 1, 0]]
    seen = [[1, 1, 0, 0, 0], [0, 0, 1, 0, 2], [0, 1, 2, 0, 0], [2, 1, 0, 1, 0]]
    idf = [log(4 / df) for df in (2, 1, 2, 2, 1)]

    def similarity(u: list[float], v: list[float]) -> float:
        length = sqrt(sum(x * x for x in u) * sum(x * x for x in v))
        return sum(x * y for x, y in zip(u, v, strict=True)) / length if length else 0.0

    def weighted(row: list[int]) -> list[float]:
        return [c / sum(row) * w for c, w in zip(row, idf, strict=True)]

    idf[4] = log(4 / 1)  # nobody trained has it: no score can depend on it but through the length
    cosine = [[similarity(s, k) for k in known] for s in seen]
    tfidf = [[similarity(weighted(s), weighted(k)) for k in known] for s in seen]
    assert cosine_scores(SMALL, SEEN) == pytest.approx(np.array(cosine), abs=1e-12)
    assert tfidf_scores(SMALL, SEEN) == pytest.approx(np.array(tfidf), abs=1e-12)


def test_what_everybody_did_says_nothing_to_tfidf() -> None:
    same = Sequences.from_people([[0, 1], [0], [0, 2]])
    scores = tfidf_scores(same, same)
    assert scores[1].tolist() == [0, 0, 0]
    assert scores[0, 0] == pytest.approx(1)


def test_maximum_and_partial_knowledge_split_the_events() -> None:
    traces = Sequences.from_people([[0, 1, 2, 3, 4], [4, 3]])
    assert maximum_knowledge(traces) == (traces, traces)
    older, newer = partial_knowledge(traces)
    assert older.events.tolist() == [0, 1, 4]
    assert newer.events.tolist() == [2, 3, 4, 3]
    assert partial_knowledge(traces, 1)[0].events.tolist() == [1, 4]
    assert prefix_knowledge(traces, 3)[0].events.tolist() == [0, 1, 2, 4, 3]
    assert traces.with_at_least(3).people == 1
    assert traces.last(2).events.tolist() == [3, 4, 4, 3]
    assert SMALL.visits().toarray()[0].tolist() == [2, 2, 1, 0, 0]
    assert SMALL.events.tolist() == [0, 1, 0, 1, 2, 2, 2, 2, 3, 0, 3, 0]  # left as they were
    assert traces.visits().toarray().tolist() == [[1, 1, 1, 1, 1], [0, 0, 0, 1, 1]]
    with pytest.raises(ParameterError, match="two halves"):
        Sequences.from_people([[0, 1], [1]]).halves()


def test_attacks_find_people_by_their_habits() -> None:
    training, released = partial_knowledge(markov_traces(150, 400, 60, rng=3))
    markov = people_within(MarkovAttack(training).scores(released)).mean()
    assert markov > 0.8
    assert people_within(cosine_scores(training, released)).mean() > 0.5
    assert people_within(tfidf_scores(training, released)).mean() > 0.5
    strangers = markov_traces(150, 400, 30, habits=1, routine=0, explore=1, rng=4)
    other = markov_traces(150, 400, 30, habits=1, routine=0, explore=1, rng=5)
    assert people_within(MarkovAttack(strangers).scores(other)).mean() < 0.05


# --- randomized reports -----------------------------------------------------------------------


@pytest.mark.parametrize("randomizer", [GRR(6, 2.0), LocalHash(6, 3, 2.0), LocalHash(6, 4, 2.0)])
def test_report_scores_are_likelihoods(randomizer: GRR | LocalHash) -> None:
    training = Sequences.from_people([[0, 0, 1], [5], [2, 3]], symbols=6)
    reports = randomizer.sample(np.array([0, 5, 4, 2] * 20), rng=1)
    rows = randomizer.matrix[randomizer.symbols(reports)]
    laws = training.visits().toarray() / training.lengths[:, None]
    gap = ReportAttack(training, randomizer).scores(reports) - np.log(rows @ laws.T)
    assert gap == pytest.approx(np.full_like(gap, gap[0, 0]), abs=1e-9)


def test_likelihood_scores_are_sufficient() -> None:
    """PSE = PIE (after Proposition 3.3), and a worse algorithm has less (Proposition 3.3)."""
    people, rng = 20, np.random.default_rng(11)
    training = markov_traces(people, 15, 400, rng=rng)
    law = training.visits().toarray() / 400
    owners = np.repeat(np.arange(people), 300)
    values = np.array([rng.choice(15, p=law[i]) for i in owners])
    order = rng.permutation(len(owners))
    owners, grr = owners[order], GRR(15, 3.0)
    scores = ReportAttack(training, grr).scores(grr.sample(values[order], rng))
    bits, error = finite_information(scores, owners)
    exact = pie(law / people, grr)
    assert abs(bits - exact) < 4 * error
    assert error < 0.05 * exact
    rough = finite_information(np.round(scores), owners)[0]
    assert rough < bits


def test_attacks_that_do_not_fit_the_data_are_refused() -> None:
    with pytest.raises(ParameterError, match="5 symbols; the training data have 4"):
        MarkovAttack(Sequences.from_people([[3]])).scores(SEEN)
    with pytest.raises(ParameterError, match="floor"):
        MarkovAttack(SMALL, floor=0)
    with pytest.raises(ParameterError, match="as many"):
        ReportAttack(SMALL, GRR(6, 1.0))
    with pytest.raises(ParameterError, match="GRR or LocalHash"):
        ReportAttack(SMALL, np.eye(5))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("people", "symbols", "message"),
    [
        ([], None, "at least one"),
        ([[0], []], None, "at least one"),
        ([[0, 5]], 5, "0 .. 5"),
        ([[-1]], 3, "-1"),
        ([[0.5]], 3, "integers"),
    ],
)
def test_bad_sequences_are_refused(
    people: list[list[int]], symbols: int | None, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        Sequences.from_people(people, symbols)


def test_somebody_without_events_is_counted() -> None:
    with pytest.raises(ParameterError, match="1 of 2 people have no event"):
        Sequences(np.array([0, 1]), np.array([0, 0, 2]), 2)
    with pytest.raises(ParameterError, match="no person"):
        Sequences(np.array([], int), np.array([0]), 2)
    with pytest.raises(ParameterError, match="no person is selected"):
        SMALL.with_at_least(100)


# --- decisions --------------------------------------------------------------------------------

SCORES = np.array([[3.0, 1, 2], [5, 5, 0], [1, 1, 1], [0, 9, 2]])
OWNERS = [0, 1, 2, 0]


def test_best_score_and_top_people() -> None:
    assert best_score(SCORES).tolist() == [0, 0, 0, 1]
    assert top_people(SCORES, 2).tolist() == [[0, 2], [0, 1], [0, 1], [1, 2]]


def test_ties_count_with_the_chance_of_a_fair_coin() -> None:
    assert people_within(SCORES, OWNERS).tolist() == pytest.approx([1, 1 / 2, 1 / 3, 0])
    assert people_within(SCORES, OWNERS, k=2).tolist() == pytest.approx([1, 1, 2 / 3, 0])
    assert people_within(SCORES, OWNERS, k=3).tolist() == [1, 1, 1, 1]


def test_genuine_and_impostor_scores() -> None:
    genuine, impostor = genuine_impostor(SCORES, OWNERS)
    assert genuine.tolist() == [3, 5, 1, 0]
    assert sorted(impostor.tolist()) == [0, 1, 1, 1, 2, 2, 5, 9]


def test_det_by_counting() -> None:
    rng = np.random.default_rng(2)
    genuine, impostor = rng.integers(0, 12, 60) + 4.0, rng.integers(0, 12, 90) + 0.0
    det = det_curve(genuine, impostor)
    for t, far, frr in zip(det.thresholds, det.far, det.frr, strict=True):
        assert far == pytest.approx(np.mean(impostor >= t))
        assert frr == pytest.approx(np.mean(genuine < t))
    assert (det.far[0], det.frr[0]) == (1, 0)
    assert (det.far[-1], det.frr[-1]) == (0, 1)
    every = [(np.mean(impostor >= t), np.mean(genuine < t)) for t in np.arange(-1, 17, 0.5)]
    for limit in (0.5, 0.1, 0.01):
        assert det.frr_at(limit) == pytest.approx(min(b for a, b in every if a <= limit))


def test_equal_error_rate_of_two_normal_laws() -> None:
    rng = np.random.default_rng(3)
    det = det_curve(rng.normal(4, 1, 20_000), rng.normal(0, 1, 50_000))
    assert det.equal_error_rate == pytest.approx(0.02275, abs=0.003)


@pytest.mark.parametrize(
    ("scores", "owners", "k", "message"),
    [
        (np.ones((3, 1)), None, 1, "at least two people"),
        (np.ones((0, 3)), None, 1, "at least two people"),
        (np.ones((4, 3)), None, 1, "more rows than people"),
        (np.ones((2, 3)), [0, 3], 1, "owners"),
        (np.ones((2, 3)), [0], 1, "owners"),
        (np.ones((2, 3)), [0, 1], 4, "at most the 3 people"),
        (np.full((2, 3), np.nan), [0, 1], 1, "nan"),
    ],
)
def test_bad_scores_of_people_are_refused(
    scores: np.ndarray, owners: list[int] | None, k: int, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        people_within(scores, owners, k)


# --- generated people -------------------------------------------------------------------------


def test_generated_traces_follow_their_law() -> None:
    loose = markov_traces(400, 50, 50, habits=1, routine=0, explore=1, rng=1)
    seen = np.bincount(loose.events, minlength=50) / len(loose.events)
    assert seen == pytest.approx(zipf_shares(50), abs=0.012)
    fixed = markov_traces(30, 50, 40, habits=3, routine=1, explore=0, rng=2)
    for i in range(30):
        events = fixed.events[fixed.offsets[i] : fixed.offsets[i + 1]]
        assert len(set(events.tolist())) <= 3
        assert events[36:].tolist() in [
            (events[36 - p : 40 - p]).tolist() for p in (1, 2, 3)
        ]  # the routine is a cycle in the end
    assert (
        markov_traces(5, 9, 4, rng=3).events.tolist()
        == markov_traces(5, 9, 4, rng=3).events.tolist()
    )


def test_everybody_rates_different_items_popular_ones_first() -> None:
    histories = rating_histories(2000, 30, 5, rng=4)
    rows = histories.events.reshape(2000, 5)
    assert all(len(set(row)) == 5 for row in rows.tolist())
    first = np.bincount(rows[:, 0], minlength=30) / 2000
    assert first == pytest.approx(zipf_shares(30), abs=0.04)
    second = np.mean(rows[rows[:, 0] != 0, 1] == 0)
    rest = 1 - zipf_shares(30)
    expected = float((zipf_shares(30)[1:] / rest[0] * zipf_shares(30)[0] / rest[1:]).sum())
    assert second == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"people": 0}, "people"),
        ({"places": 0}, "symbols"),
        ({"events": 0}, "events"),
        ({"routine": 1.5}, "routine"),
        ({"explore": -0.1}, "explore"),
        ({"exponent": -1.0}, "exponent"),
        ({"habits": 0}, "habits"),
    ],
)
def test_bad_arguments_of_generated_traces_are_refused(
    arguments: dict[str, float], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        markov_traces(**({"people": 3, "places": 4, "events": 5} | arguments))  # type: ignore[arg-type]


def test_more_ratings_than_items() -> None:
    with pytest.raises(ParameterError, match="rated once"):
        rating_histories(3, 4, 5)
