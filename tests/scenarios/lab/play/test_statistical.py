"""The statistical setting: other people in round 2, a promise with confidence, absent people."""

import numpy as np
import pytest
from msgspec.structs import replace
from veilmix.errors import DataError
from veilmix.protocol.wire.crowd_limits import carried_over
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.programs.interface import Mode
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.schema.model import Fault, Scenario
from veilmix.scenarios.studies.sweeps.repetitions import Study, kept_promises


def small(**changes: object) -> Scenario:
    settings = {"population.users": 400, "population.round2_users": 300, "policy.max_exposure": 0.4}
    return change(
        load("statistical"), settings | {k.replace("__", "."): v for k, v in changes.items()}
    )


def study(scenario: Scenario, runs: int, seed: int) -> Study:
    outcomes = (run(scenario, seed + i, "ideal", worst_case_nodes=0) for i in range(runs))
    return kept_promises(outcomes)


def test_the_rounds_ask_other_people() -> None:
    crowd = samples(small(), seed=1)
    assert (crowd.first, crowd.second, crowd.people.n) == (400, 300, 700)
    assert {crowd.rounds(i) for i in range(400)} == {(1,)}
    assert {crowd.rounds(i) for i in range(400, 700)} == {(2,)}


def test_a_table_without_numbers_is_split_in_halves() -> None:
    text = '[scenario]\nname="s"\n[population]\nsource="builtin:titanic"\nsetting="statistical"\n'
    crowd = samples(loads(text), seed=1)
    assert (crowd.first, crowd.second) == (1101, 1100)
    whole = samples(loads(text.replace('setting="statistical"\n', "")), seed=1).people.codes
    drawn = np.sort(crowd.people.codes, axis=0)
    assert np.array_equal(drawn, np.sort(whole, axis=0))  # the same people, in another order
    assert not np.array_equal(crowd.people.codes, whole)


def test_more_people_than_the_data_have_is_an_error() -> None:
    scenario = load("statistical")
    wrong = replace(scenario, population=replace(scenario.population, users=32_000))
    with pytest.raises(DataError, match="it has 32,561 to draw from"):
        samples(wrong, seed=1)


def test_the_real_run_is_the_ideal_one() -> None:
    real, ideal = (run(small(), 3, mode, worst_case_nodes=0) for mode in ("real", "ideal"))
    assert real.decision == ideal.decision
    assert real.decision is not None
    assert real.decision.certificate.n == 300
    assert real.decision.certificate.slack == 0.05
    assert real.release == ideal.release
    assert real.release is not None
    assert sum(real.release.values()) == 300
    for coalition, other in zip(real.coalitions, ideal.coalitions, strict=True):
        assert (coalition.linked, coalition.cells_certain) == (other.linked, other.cells_certain)
        assert coalition.bits == pytest.approx(other.bits)
    assert real.coalition("analyst", "shuffler-1", "shuffler-2").linked == 300
    assert real.coalition("curator", "shuffler-1", "shuffler-2").linked == 400


@pytest.mark.slow
def test_the_promise_holds_at_least_as_often_as_it_says() -> None:
    """Small samples of many columns, where the promise is tight enough to fail if it were wrong."""
    scenario = small(policy__delta=0.2, policy__k=5, policy__max_exposure=0.5)
    summary = study(scenario, 40, seed=10)
    assert summary.released == 40
    assert summary.confidence == 0.8
    assert summary.held_runs / summary.released >= summary.confidence
    assert summary.low <= summary.held_runs / summary.released <= summary.high
    assert 0 < summary.true < summary.promised < 0.5
    assert "claims to hold with probability 0.8" in str(summary)


def test_a_study_without_a_release_says_so() -> None:
    assert "nothing was released in 2 runs" in str(
        study(small(policy__max_exposure=0.0, policy__k=250), 2, seed=1)
    )


@pytest.mark.parametrize(
    ("now", "people"),
    [(100, 7), (99, 7 + 4), (98, 7 + 8), (1, 1), (101, 8), (150, 57)],
)
def test_what_a_promise_is_worth_when_others_come(now: int, people: int) -> None:
    assert carried_over(7, 100, 5, now) == people


def test_carried_over_is_never_too_small_on_random_tables() -> None:
    rng = np.random.default_rng(5)
    for _ in range(200):
        cells = rng.integers(0, 6, size=30)
        k = int(rng.integers(1, 6))
        _, counts = np.unique(cells, return_counts=True)
        promised = int(counts[counts < k].sum())
        rest = rng.permutation(cells)[: int(rng.integers(1, 31))]
        _, left = np.unique(rest, return_counts=True)
        assert left[left < k].sum() <= carried_over(promised, 30, k, len(rest))


@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_people_who_stay_away_cost_the_release_only_if_the_promise_fails(mode: Mode) -> None:
    def play(most: float, away: Fault) -> Outcome:
        scenario = replace(small(policy__max_exposure=most), fault=(away,))
        return run(scenario, 4, mode, worst_case_nodes=0)

    absence = Fault(attack="absent", by="user-450")
    wide = play(0.5, absence)
    assert wide.released
    assert sum((wide.release or {}).values()) == 299
    assert play(wide.exposure.promised, absence).released  # of those who came it can be proved
    many = play(wide.exposure.promised, Fault(attack="absent", by="user-[45]*", round=2))
    assert not many.released
    assert "people came where the promise was made for 300" in (many.burned or "")
