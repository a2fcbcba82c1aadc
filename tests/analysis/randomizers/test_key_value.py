"""Pairs of a key and a number: laws, prices, estimates, limits, and bounds after shuffling."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from veilmix.analysis.randomizers import GRR, KeyValue, PckvGRR, PckvUE, PrivKV
from veilmix.analysis.randomizers.key_value import pair
from veilmix.analysis.randomizers.matrix_neighbours import matrix_divergences
from veilmix.analysis.shuffled.amplification import report_delta, report_epsilon
from veilmix.analysis.shuffled.collections import all_pairs
from veilmix.errors import ParameterError

KINDS = (PckvGRR, PckvUE, PrivKV)
FILMS = ("a=1", "a=3", "a=5", "b=1", "b=5", "c=2", "c=5", "c=1", "-")
FULL = tuple(text for text in FILMS if "=" in text)


def people(randomizer: KeyValue, n: int, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice(randomizer.inputs, n, p=rng.dirichlet(np.full(randomizer.inputs, 3.0)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("texts", [FILMS, FULL], ids=["some none", "all one"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_epsilon_is_the_exact_price(kind: type[KeyValue], texts: tuple, epsilon: float) -> None:
    randomizer = kind(texts, epsilon)
    assert randomizer.matrix.shape == (randomizer.outputs, randomizer.inputs)
    assert randomizer.matrix.sum(axis=0) == pytest.approx(1)
    assert matrix_divergences(randomizer.matrix).max() == pytest.approx(epsilon)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("texts", [FILMS, FULL], ids=["some none", "all one"])
def test_the_sampler_has_the_law_of_the_matrix(kind: type[KeyValue], texts: tuple) -> None:
    randomizer, n = kind(texts, 1.5), 40_000
    for x in range(randomizer.inputs):
        seen = np.bincount(
            randomizer.symbols(randomizer.sample(np.full(n, x), x)), minlength=randomizer.outputs
        )
        assert seen / n == pytest.approx(randomizer.matrix[:, x], abs=5 * (0.25 / n) ** 0.5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("texts", [FILMS, FULL], ids=["some none", "all one"])
def test_estimates_have_no_bias_and_the_stated_variance(kind: type[KeyValue], texts: tuple) -> None:
    """By the law itself: the mean and the variance of what a report adds to f and s."""
    randomizer = kind(texts, 0.8)
    if isinstance(randomizer, PckvUE):
        rows = np.array(list(product((0, 1, 2), repeat=3)))
        said = np.stack([rows == 1, rows == 2], axis=2)
    else:
        said = np.array(
            [
                randomizer.support_counts(np.array([y])).reshape(-1, 2)
                for y in range(randomizer.outputs)
            ]
        )
    told, tilted = said.sum(axis=2), said[..., 0].astype(float) - said[..., 1]
    f = (told - randomizer.other_key_chance) / (
        randomizer.own_key_chance - randomizer.other_key_chance
    )
    s = tilted / (randomizer.own_key_chance * (2 * randomizer.sign - 1))
    has = randomizer.places == np.arange(3)[:, None]
    assert (f.T @ randomizer.matrix) == pytest.approx(has.astype(float))
    assert (s.T @ randomizer.matrix) == pytest.approx(has * randomizer.scaled)
    shares = np.random.default_rng(1).dirichlet(np.ones(randomizer.inputs))
    exact = [
        (((part**2).T @ randomizer.matrix - (part.T @ randomizer.matrix) ** 2) @ shares) / 50
        for part in (f, s)
    ]
    assert randomizer.variances(shares, 50) == pytest.approx(np.stack(exact, axis=1))


@pytest.mark.parametrize("kind", KINDS)
def test_limits_hold_the_truth(kind: type[KeyValue]) -> None:
    randomizer, n, inside = kind(FILMS, 3.0), 3000, np.zeros(6)
    x = people(randomizer, n)
    shares = np.bincount(x, minlength=randomizer.inputs) / n
    for seed in range(60):
        reports = randomizer.sample(x, seed)
        for place, number in enumerate(randomizer.measures(randomizer.support_counts(reports), n)):
            low, high = number.interval()
            assert low - 1e-9 <= number.value <= high + 1e-9
            inside[place] += low <= number.truth(shares) <= high
    assert inside.min() >= 50  # of 60, at 95 %
    names = [number.name for number in randomizer.measures(np.ones(6), 10)]
    assert names[:2] == ["share with a", "mean of a"]


def test_parameters_of_key_value_answers_are_the_published_ones() -> None:
    """PCKV with padding length 1 (authors' code: a, b, p are arguments), and PrivKV's halves."""
    for epsilon in (0.3, 1.0, 4.0):
        e = exp(epsilon)
        grr, ue, privkv = (kind(FILMS, epsilon) for kind in KINDS)
        keys = 4  # and one for none
        assert grr.own_key_chance == pytest.approx((e + 1) / (e + 2 * keys - 1))
        assert grr.other_key_chance == pytest.approx((1 - grr.own_key_chance) / (keys - 1))
        assert (ue.own_key_chance, ue.other_key_chance) == (0.5, pytest.approx(2 / (e + 3)))
        assert grr.sign == ue.sign == pytest.approx(e / (e + 1))
        P, h = privkv.sign, privkv.half
        assert pytest.approx(exp(h) / (1 + exp(h))) == P
        assert h + log(2 * P) == pytest.approx(epsilon)
        assert epsilon < 2 * h  # what was counted for it before


def published(randomizer: KeyValue, said: np.ndarray, n: int) -> tuple[float, float]:
    """Freq and Mean of a key as the authors' PCKV_GRR.m and PCKV_UE.m have them, unclipped."""
    a, b, p = randomizer.own_key_chance, randomizer.other_key_chance, randomizer.sign
    share = (said.sum() / n - b) / (a - b)
    A = np.array([[a * p - b / 2, a * (1 - p) - b / 2], [a * (1 - p) - b / 2, a * p - b / 2]])
    up, down = np.linalg.solve(A, said - n * b / 2)
    return share, (up - down) / (n * share)


@pytest.mark.parametrize("kind", KINDS)
def test_estimates_are_the_published_ones(kind: type[KeyValue]) -> None:
    randomizer, n = kind(FILMS, 2.0), 20_000
    counts = randomizer.support_counts(randomizer.sample(people(randomizer, n), 1))
    numbers = randomizer.measures(counts, n)
    for place in range(3):
        share, mean = published(randomizer, counts.reshape(-1, 2)[place], n)
        assert numbers[2 * place].value == pytest.approx(share)
        assert numbers[2 * place + 1].value == pytest.approx(3 + 2 * mean)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("texts", [("a=0", "a=1", "-"), ("a=0", "a=1", "b=0", "b=1"), FILMS])
def test_bounds_enclose_every_small_collection(kind: type[KeyValue], texts: tuple) -> None:
    randomizer, n = kind(texts, 1.2), 3 if len(texts) > 4 else 4
    exact = all_pairs(randomizer.matrix, n) if randomizer.outputs <= 9 else None
    for case in (randomizer.neighbours(),):
        assert all(pair.shared is not None for _, pairs in case for pair in pairs)
    for epsilon in (0.1, 0.5):
        bounds = report_delta(n, randomizer, epsilon)
        assert bounds.low <= bounds.high
        if exact is not None:
            assert bounds.low <= exact.delta(epsilon) * (1 + 1e-9)
            assert exact.delta(epsilon) <= bounds.high * (1 + 1e-9)


def test_ends_by_randomized_response_are_as_private_as_it() -> None:
    randomizer = PckvGRR(FULL, 1.0)
    ends, mine = report_epsilon(10_000, GRR(6, 1.0), 1e-6), report_epsilon(10_000, randomizer, 1e-6)
    assert mine.high == pytest.approx(ends.high, rel=1e-3)
    assert mine.width < 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_the_bounds_of_a_crowd_are_near(kind: type[KeyValue]) -> None:
    bounds = report_epsilon(10_000, kind(FILMS, 1.0), 1e-6)
    assert 0 < bounds.low <= bounds.high < 0.1
    assert bounds.width < 0.3


@pytest.mark.parametrize("kind", KINDS)
def test_texts_are_reports_again(kind: type[KeyValue]) -> None:
    randomizer = kind(FILMS, 1.0)
    reports = randomizer.sample(np.arange(randomizer.inputs).repeat(20), 1)
    texts = randomizer.encode(reports, FILMS)
    assert {len(text) for text in texts} == {randomizer.text_width}
    assert np.array_equal(randomizer.decode(texts), reports)
    assert len(randomizer.decode(["f" * randomizer.text_width])) == 0


@pytest.mark.parametrize("kind", KINDS)
def test_likelihoods_are_those_of_the_matrix(kind: type[KeyValue]) -> None:
    randomizer = kind(FILMS, 1.0)
    values = np.arange(randomizer.inputs)[:, None]
    logs = randomizer.log_likelihood(values, np.array([2, 8]), 7)
    said = randomizer.symbols(randomizer.sample(np.array([2, 8]), 7))
    exact = np.log(randomizer.matrix[said])
    assert logs - logs[:, :1] == pytest.approx(exact - exact[:, :1])


@pytest.mark.parametrize(
    ("text", "key_value"),
    [("a=1", ("a", 1.0)), ("a=b=2", ("a=b", 2.0)), ("-", None), ("=1", None), ("a=nan", None)],
)
def test_what_a_pair_is(text: str, key_value: object) -> None:
    assert pair(text) == key_value


@pytest.mark.parametrize(
    "texts",
    [(), ("a", "b"), ("a=1", "b=1"), ("a=1", "a=1"), ("a=1", "a=2"), ("a=1", 2), None],
)
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_pairs_are_one_clear_error(kind: type[KeyValue], texts: object) -> None:
    with pytest.raises(ParameterError, match=r"^pairs: "):
        kind(texts, 1.0)  # type: ignore[arg-type]
