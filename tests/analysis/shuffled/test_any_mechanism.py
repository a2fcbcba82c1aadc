"""Epsilon after shuffling of any mechanism: bands against enumeration, and against each other."""

from collections.abc import Sequence
from itertools import combinations_with_replacement as multisets
from itertools import permutations
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest
from sample_kit import sampled
from veilmix.analysis.randomizers import (
    GRR,
    Bloom,
    Channel,
    Hadamard,
    LocalHash,
    Randomizer,
    SplitMix,
    UnaryEncoding,
    compose,
    mixture,
    product,
)
from veilmix.analysis.randomizers.matrix_neighbours import pair_classes
from veilmix.analysis.randomizers.neighbour_laws import PairLaw
from veilmix.analysis.shuffled import compose_reports, largest_local_epsilon, shuffle
from veilmix.analysis.shuffled.amplification import report_delta, report_epsilon, upper_curve
from veilmix.analysis.shuffled.bands import Band, Effort
from veilmix.analysis.shuffled.pair_bounds import max_delta, min_delta
from veilmix.errors import ParameterError

OWN = [[0.6, 0.1, 0.2], [0.2, 0.5, 0.2], [0.1, 0.2, 0.5], [0.1, 0.2, 0.1]]
Law = dict[tuple[int, ...], float]


def matrix(seed: int) -> np.ndarray:
    """Two or three inputs and outputs; of every third seed a report that one value never gives."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(2, 4, 2)
    Q = rng.dirichlet(np.full(b, 2.0), size=a).T
    if seed % 3 == 0:
        Q[0, 0] = 0.0
        Q[:, 0] /= Q[:, 0].sum()
    return np.asarray(Q)


def longer(law: Law, column: np.ndarray) -> Law:
    """The law of how often each report came, with one more person."""
    result: Law = {}
    for counts, chance in law.items():
        for y in np.flatnonzero(column):
            more = (*counts[:y], counts[y] + 1, *counts[y + 1 :])
            result[more] = result.get(more, 0.0) + chance * float(column[y])
    return result


def enumerated(Q: np.ndarray, n: int, epsilons: Sequence[float]) -> list[float]:
    """The largest delta over all collections of n reports that differ in one value."""
    worst = [0.0] * len(epsilons)
    for others in multisets(range(Q.shape[1]), n - 1):
        law: Law = {(0,) * Q.shape[0]: 1.0}
        for x in others:
            law = longer(law, Q[:, x])
        laws = [longer(law, Q[:, x]) for x in range(Q.shape[1])]
        for own, other in permutations(laws, 2):
            for i, epsilon in enumerate(epsilons):
                growth = exp(epsilon)
                gains = (own[y] - growth * other.get(y, 0.0) for y in own)
                worst[i] = max(worst[i], sum(gain for gain in gains if gain > 0))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(30), 0, 1, 2, 3, 6))
@pytest.mark.parametrize("n", [2, 4, 6])
def test_no_enumerated_delta_is_outside_the_band_of_its_matrix(seed: int, n: int) -> None:
    Q = matrix(seed)
    local = min(Channel(Q).epsilon, 4.0)
    epsilons = [share * local for share in (0.1, 0.4, 0.7)]
    for effort in (Effort(), Effort.from_points(4)):
        band = Band(Channel(Q).neighbours(), n, effort)
        for epsilon, exact in zip(epsilons, enumerated(Q, n, epsilons), strict=True):
            assert band.low(epsilon) <= exact * (1 + 1e-9)
            assert exact <= band.high(epsilon) * (1 + 1e-9)


def test_what_nobody_else_says_is_counted_in_both_bounds() -> None:
    Q = np.array([[0.0, 0.3, 0.3], [0.5, 0.4, 0.2], [0.5, 0.3, 0.5]])
    case = next(
        (blanket, pairs) for blanket, pairs in Channel(Q).neighbours() if blanket.given_away > 0
    )
    blanket, pairs = case
    assert blanket.never(2.0) == pytest.approx(0.3)
    hidden = PairLaw(blanket.weight, blanket.law, blanket.u_ratios, blanket.v_ratios)
    assert max_delta(blanket, 50, 1.0) == pytest.approx(0.3 + max_delta(hidden, 50, 1.0))
    assert max(min_delta(pair, 50, 3.0) for pair in pairs) == pytest.approx(0.3)


@pytest.mark.slow
def test_an_infinite_local_epsilon_is_not_understated() -> None:
    Q = np.array([[0.0, 1e-3], [0.5, 0.4], [0.5, 0.599]])
    for n in (300, 3_000):
        band = shuffle(Q, n, 1e-4)
        assert band.low == band.high == inf
        assert shuffle(Q, n, 1e-4, rounds=2).high == inf
    # What is given away is rarer than delta: the rest has an epsilon.
    band = shuffle(Q, 300, 1.5e-3)
    assert 0 < band.low <= band.high < 1
    assert upper_curve(300, Channel(Q))(band.high * (1 - 1e-3)) > 1.5e-3
    again = shuffle(Q, 300, 3e-3, rounds=2)
    assert band.high < again.high < 2
    assert shuffle(UnaryEncoding(3, 1.0, 0.2), 300, 1e-6).high == inf
    assert shuffle(UnaryEncoding(100, 1.0, 0.2), 300, 1e-6).high == inf


def test_a_report_as_rare_as_floats_are_is_no_report_of_probability_0() -> None:
    for rare in (1e-13, 1e-40, 1e-300):
        Q = np.array([[rare, 0.3], [1.0, 0.7]])
        assert pair_classes(Q) == [(0, 1), (1, 0)]
        band = report_epsilon(1_000, Channel(Q), 1e-3)
        assert log(0.3 / (1_000 * rare)) * 0.99 < band.high <= log(0.3 / rare) * (1 + 1e-9)


def band_of(anything: Any, n: int, delta: float = 1e-6) -> tuple[float, float]:
    band = shuffle(anything, n, delta)
    return band.low, band.high


@pytest.mark.slow
def test_bands_that_were_loose() -> None:
    """Before: .208 to 1.265; 1.004 to 3, the local epsilon; 1.44 to 3."""
    low, high = band_of(Bloom(("a", "b", "c"), 3.0, bits=8, hashes=2, cohorts=2), 1_000)
    assert 0.2 < low < high <= 0.32
    low, high = band_of(Hadamard(3, 3.0), 100)
    assert 1.5 <= low < high <= 1.51
    rough = shuffle(Hadamard(7, 3.0), 40, points=32)
    assert 1.9 < rough.low < rough.high < 2.65


@pytest.mark.slow
def test_a_matrix_of_a_user_a_product_a_mixture_and_two_stages() -> None:
    low, high = band_of(product(GRR(3, 1.5), GRR(3, 1.5)), 1_000)
    assert 0.535 < low < high < 0.56
    for anything in (
        OWN,
        mixture([0.5, 0.5], [GRR(3, 2.0), Hadamard(3, 2.0)]),
        compose(GRR(3, 2.0), OWN_STAGE),
    ):
        low, high = band_of(anything, 1_000)
        assert 0 < low < high < low * 1.1


OWN_STAGE = np.array([[0.9, 0.2, 0.1], [0.1, 0.8, 0.9]])


class Unheard(GRR):
    """A randomizer of a user that says nothing of two values."""

    neighbours = Randomizer.neighbours


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 10_000])
def test_a_randomizer_without_neighbours_has_the_band_of_its_matrix(n: int) -> None:
    own, general = shuffle(GRR(5, 1.0), n), shuffle(Unheard(5, 1.0), n)
    assert general.low == pytest.approx(own.low, rel=1e-4)
    assert own.high * (1 - 1e-3) <= general.high <= own.high * 1.02


def test_a_matrix_too_large_to_be_read_has_the_bound_of_its_local_epsilon() -> None:
    band = report_epsilon(10_000, Unheard(1_000, 2.0), 1e-6)
    assert band.low == 0
    assert report_epsilon(10_000, GRR(1_000, 2.0), 1e-6).high < band.high < 1
    assert "clones" in band.rule


@pytest.mark.slow
def test_the_better_of_both_ends_is_kept() -> None:
    randomizer = UnaryEncoding.oue(4, 2.0)
    general = Channel(randomizer.matrix)
    for n in (30, 1_000):
        both, family = (
            report_epsilon(n, randomizer, 1e-6),
            Band(randomizer.neighbours(), n, Effort()),
        )
        other = Band(general.neighbours(), n, Effort())
        assert family.high(both.high) <= 1e-6 * 1.001 or other.high(both.high) <= 1e-6 * 1.001
        assert min(family.high(both.high * 0.999), other.high(both.high * 0.999)) > 1e-6


def test_symmetric_values_are_one_kind_of_neighbours() -> None:
    assert len(pair_classes(GRR(6, 1.0).matrix)) == 1
    assert len(pair_classes(UnaryEncoding.oue(4, 1.0).matrix)) == 1
    assert len(pair_classes(np.array(OWN))) == 6
    assert len(pair_classes(LocalHash(3, 2, 1.0).matrix)) == 1
    # Rows 1, 2 and 3 of a Hadamard matrix multiply to all ones; rows 1, 2 and 4 do not.
    assert len(pair_classes(Hadamard(4, 1.0).matrix)) > 1


@pytest.mark.slow
def test_fewer_points_give_a_wider_band() -> None:
    for n in (100, 500):
        whole, rough = shuffle(OWN, n), shuffle(OWN, n, points=4)
        assert rough.low <= whole.low * (1 + 1e-6)
        assert whole.high <= rough.high * (1 + 1e-6)
        assert rough.high < whole.high * 1.1


@pytest.mark.parametrize(
    ("anything", "low", "high"),
    [
        (Hadamard(32, 3.0), 0.5287, 0.5333),
        (UnaryEncoding.oue(10, 1.0), 0.0926, 0.0936),
        (OWN, 0.2102, 0.2158),  # six kinds of neighbours
    ],
)
def test_one_pass_exchanges_terms_once(anything: Any, low: float, high: float) -> None:
    """The blanket alone is 6 to 10 % wide; epsilon is certainly between `low` and `high`."""
    band = shuffle(anything, 1_000, points=6)
    assert band.width <= 0.05
    assert band.low <= high
    assert band.high >= low


@pytest.mark.slow
@pytest.mark.parametrize("points", [None, 4])
def test_reports_that_do_not_depend_on_the_value_cost_nothing(points: int | None) -> None:
    band = shuffle(np.ones((1, 3)), 5, 0.1, points=points)
    assert (band.low, band.high, band.local) == (0, 0, 0)


def test_a_family_that_makes_nothing_is_told_where() -> None:
    with pytest.raises(ParameterError, match=r"found TypeError .* at local epsilon 1; needs a"):
        largest_local_epsilon(len, 5, 1.0, 0.1)  # type: ignore[arg-type]


def test_fewer_people_are_relied_on() -> None:
    some = shuffle(OWN, 1_000, relied_on=300)
    assert (some.low, some.high) == band_of(OWN, 300)
    assert some.people == 1_000
    assert some.adjacency == "replace one"
    assert "300 of 1,000 people relied on" in str(some)
    assert shuffle(OWN, 1_000, relied_on=1).high == pytest.approx(log(6), rel=1e-6)


@pytest.mark.slow
def test_rounds_are_composed() -> None:
    once, twice = shuffle(OWN, 12, 1e-3), shuffle(OWN, 12, 1e-3, rounds=2)
    assert once.low == once.high < twice.high < 2 * shuffle(OWN, 12, 5e-4).high
    same = compose_reports([Channel(OWN)] * 2, [12, 12], 1e-3)
    assert twice.high == same.hockey_stick.high
    mixed = compose_reports([OWN, GRR(2, 1.0)], [12, 300], 1e-3)
    assert once.high < mixed.hockey_stick.high < twice.high


@pytest.mark.slow
def test_a_local_epsilon_for_an_epsilon_after_shuffling() -> None:
    local = largest_local_epsilon(lambda nats: GRR(5, nats), 1_000, 0.3)
    assert report_delta(1_000, GRR(5, local), 0.3).high <= 1e-6
    assert report_delta(1_000, GRR(5, local * 1.001), 0.3).high > 1e-6
    fewer = largest_local_epsilon(lambda nats: GRR(5, nats), 1_000, 0.3, relied_on=500)
    assert 0.3 < fewer < local
    assert largest_local_epsilon(lambda nats: GRR(2, nats), 10**6, 1.0, max_epsilon=2.0) == 2.0


@pytest.mark.slow
def test_a_family_whose_delta_falls_is_refused() -> None:
    def family(nats: float) -> GRR:
        return GRR(5, nats if nats < 2 else nats / 2)

    with pytest.raises(ParameterError, match=r"delta at epsilon 0\.3 falls from"):
        largest_local_epsilon(family, 1_000, 0.3)
    with pytest.raises(ParameterError, match="the target after shuffling"):
        largest_local_epsilon(lambda _: GRR(5, 5.0), 2, 0.3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"relied_on": 11}, "relied_on: found 11; needs 1 to n = 10 people"),
        ({"rounds": 2, "points": 8}, "points"),
        ({"anything": [[0.5, 0.5], [0.4, 0.5]]}, "columns are inputs"),
        ({"anything": SplitMix((0.0, 1.0), 1.0, 100)}, "mixed one by one"),
    ],
)
def test_wrong_arguments_say_what_is_accepted(arguments: dict[str, Any], message: str) -> None:
    given = {"anything": OWN, "n": 10, "delta": 1e-6, **arguments}
    with pytest.raises(ParameterError, match=message):
        shuffle(**given)
