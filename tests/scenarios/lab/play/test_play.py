"""Playing a scenario: the cryptographic run equals the ideal one, and both score the truth."""

import json
from pathlib import Path
from typing import Any

import pytest
from veilmix.errors import DataError, ParameterError, ScenarioError
from veilmix.protocol.knowledge.transcript import SealedAnswers
from veilmix.roles.network.instruments import Instrument
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.gallery import shipped
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.schema.model import Scenario

# 32,561 people of the same data: tens of seconds to minutes, in three rounds. That they meet what
# they expect without messages is seen where their pages are made (tests/report/test_page.py).
LARGE = (
    *("census", "statistical"),
    *("hierarchical-census", "chosen-census", "local-suppression-census", "threshold-census"),
)
# Of each of these another scenario of the same program and kind of people is played every time.
REPEATING = ("threshold-sampled", "zipf", "noise-ratings", "noise-prices", "peers-titanic")
SHIPPED = [
    pytest.param(name, marks=(pytest.mark.slow, *[pytest.mark.long] * (name in REPEATING)))
    if name != "blood-type"
    else name
    for name in shipped()
    if name not in LARGE
]


def same(outcome: Outcome, other: Outcome) -> None:
    assert outcome.marginals == other.marginals
    assert outcome.decision == other.decision
    assert outcome.release == other.release
    assert outcome.burned == other.burned
    assert outcome.exposure == other.exposure
    assert outcome.considered == other.considered


@pytest.mark.parametrize("name", SHIPPED)
def test_real_equals_ideal_and_meets_what_is_expected(name: str) -> None:
    seed = 7 if load(name).scenario.seed is None else None  # what is expected of whom it generates
    real = real_as_ideal(load(name), seed)
    assert real.failed == ()
    assert real.released


def real_as_ideal(scenario: Scenario, seed: int | None) -> Outcome:
    """Play a scenario both ways, compare all that both know, and give the real one."""
    real = run(scenario, seed, worst_case_nodes=0)
    ideal = run(scenario, seed, "ideal", worst_case_nodes=0)
    same(real, ideal)
    coalitions = {coalition.parties: coalition for coalition in ideal.coalitions}
    for coalition in real.coalitions:
        if real.peers and coalition.parties:
            continue  # without messages there are no paths for peers to hold
        assert coalition.linked == coalitions[coalition.parties].linked, coalition
        assert coalition.cells_certain == coalitions[coalition.parties].cells_certain, coalition
        if real.scenario.policy.kind == "local-suppression" and coalition.linked:
            continue  # an ideal run does not record who drew a cover
        assert coalition.bits_per_person == pytest.approx(
            coalitions[coalition.parties].bits_per_person
        )
    return real


@pytest.mark.parametrize("name", LARGE[2:])
@pytest.mark.slow
def test_with_messages_a_thousand_of_a_large_scenario_are_as_without(name: str) -> None:
    assert real_as_ideal(change(load(name), {"population.users": 1000}), 7).released


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["absent", "late", "malformed", "duplicate"])
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("users", [1, 12])
def test_real_equals_ideal_when_people_misbehave(attack: str, number: int, users: int) -> None:
    text = '[scenario]\nname = "s"\n[population]\nsource = "builtin:titanic"\nusers = 40\n'
    text += "[policy]\nk = 2\nmax_exposure = 0.5\n"
    text += f'[[fault]]\nattack = "{attack}"\nusers = {users}\nround = {number}\n'
    scenario = loads(text)
    same(run(scenario, 5, worst_case_nodes=0), run(scenario, 5, "ideal", worst_case_nodes=0))


@pytest.mark.slow
@pytest.mark.parametrize("shufflers", [1, 2, 3])
def test_every_shuffler_and_one_reader_are_needed(shufflers: int) -> None:
    scenario = change(load("blood-type"), {"mix.shufflers": shufflers})
    outcome = run(scenario, 7, worst_case_nodes=0)
    mixes = [f"shuffler-{hop + 1}" for hop in range(shufflers)]
    for coalition in outcome.coalitions:
        breaks = set(mixes) <= set(coalition.parties) and {"curator", "analyst"} & set(
            coalition.parties
        )
        assert coalition.linked == (30 if breaks else 0), coalition


def test_a_seed_gives_one_digest_and_no_seed_gives_another() -> None:
    runs = [run("blood-type", 7, worst_case_nodes=0) for _ in range(3)]
    assert len({outcome.digest for outcome in runs}) == 1
    scenario = change(load("blood-type"), {"scenario.seed": 8})
    assert run(scenario, worst_case_nodes=0).seed == 8
    assert run(scenario, 9, worst_case_nodes=0).digest != runs[0].digest


@pytest.mark.parametrize("cohort", [False, True])
@pytest.mark.parametrize("name", ["attack-order", "attack-forward"])
def test_a_seed_fixes_the_order_that_a_batch_keeps(
    name: str, cohort: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the rules, or against them: not the scheduler's order, whose tasks start at random."""
    if cohort:
        monkeypatch.setattr("veilmix.roles.session.COHORT_ABOVE", 10)
    assert len({run(name, worst_case_nodes=0).digest for _ in range(4)}) == 1


def test_a_result_is_plain_json() -> None:
    result = run("blood-type", 7, worst_case_nodes=0).result()
    assert json.loads(json.dumps(result)) == result
    keys = "schema scenario seed mode users features marginals decision release exposure coalitions"
    assert list(result)[: len(keys.split()) + 3] == [*keys.split(), "refused", "burned", "digest"]
    assert list(result["exposure"]) == ["true", "promised", "worst_case"]
    assert result["exposure"]["worst_case"] is None


def test_the_truth_the_worst_case_and_the_promise_are_in_this_order() -> None:
    exposure = run("blood-type", 7, worst_case_nodes=10).exposure
    assert exposure.worst_case is not None
    people = exposure.people
    assert (
        exposure.true * people <= exposure.worst_case.attained_people <= exposure.worst_case.proven
    )
    assert exposure.worst_case.proven <= exposure.promised * people


def test_the_worst_case_is_sought_as_closely_as_is_asked() -> None:
    """Nobody asks: what is found at once is enough where it leaves open at most 0.2 % of people."""
    small, large = (run(name, 1, "ideal").exposure.worst_case for name in ("blood-type", "census"))
    assert small is not None
    assert large is not None
    assert small.attained_people == small.proven
    assert large.why == "closer was not sought"
    assert large.proven == run("census", 1, "ideal").decision.certificate.people < 1218
    sought = run("census", 1, "ideal", worst_case_nodes=1).exposure.worst_case
    assert sought is not None
    assert sought.why == "5 rounds of swaps and 1 nodes of every search tree were not enough"


def test_expectations_that_fail_are_lines() -> None:
    wanted = {
        "expect.kept_at_least": 3,
        "expect.promised_at_most": 0.0,
    }
    failed = run(change(load("blood-type"), wanted), 7, worst_case_nodes=0).failed
    assert [line.split(":")[0] for line in failed] == [
        "expect.promised_at_most",
        "expect.kept_at_least",
    ]


def test_an_instrument_that_crashes_is_reported_and_the_run_goes_on() -> None:
    class Crashing(Instrument):
        def sealed(self, made: SealedAnswers) -> None:
            raise ValueError("of the test")

    told: list[str] = []
    quiet = run("blood-type", 7, worst_case_nodes=0)
    outcome = run("blood-type", 7, instruments=[Crashing()], report=told.append, worst_case_nodes=0)
    assert outcome.digest == quiet.digest
    assert len(told) == 1
    assert "Crashing" in told[0]


def test_what_cannot_be_played(tmp_path: Path) -> None:
    wrong: Any = "unreal"
    with pytest.raises(ParameterError, match="mode"):
        run("blood-type", 7, wrong)
    with pytest.raises(ScenarioError, match="no such file"):
        run("bloodtype")
    (tmp_path / "p.csv").write_text("a\nx\ny\n", "utf-8")
    text = '[scenario]\nname = "s"\n[population]\nsource = "p.csv"\n[policy]\nk = 1\n'
    scenario = loads(text, base=tmp_path)
    (tmp_path / "p.csv").write_bytes(b"a\nx\n\xff\0\n")
    with pytest.raises(DataError, match="not a text file"):
        run(scenario)
