"""Scenarios with blanks: who covers for whom, what is said, and what can be checked."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from claims_kit import claiming, put
from veilmix.errors import VerificationError
from veilmix.protocol.board.strategies import RoundResult
from veilmix.protocol.wire.hiding_rules import BLANK, Redact
from veilmix.protocol.wire.messages import Call, Decision
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.local_suppression import strategy as local_suppression
from veilmix.scenarios.programs.local_suppression.strategy import LocalSuppressionStrategy
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import About, Fault, Policy, PopulationSection, Scenario


def ideal(scenario: Any, **changes: Any) -> Outcome:
    return run(scenario, mode="ideal", worst_case_nodes=0, **changes)


def titanic(most: float = 0.05, **changes: Any) -> Scenario:
    return Scenario(
        scenario=About(name="t", seed=1),
        population=PopulationSection(source="builtin:titanic"),
        policy=Policy(kind="local-suppression", k=5, max_exposure=most, **changes),
    )


@pytest.mark.slow
def test_more_is_said_of_titanic_at_the_same_promise() -> None:
    """Whole columns: three of four at 5 %. With the upper classes left blank, all four."""
    outcome = ideal(titanic())
    findings = outcome.findings
    assert findings is not None
    assert outcome.released_columns == ("class", "sex", "age", "survived")
    assert [(rule.feature, rule.values, rule.cover) for rule in findings.rules] == [
        ("class", ("1st", "2nd"), 0.0)
    ]
    assert findings.promise.kept == ("sex", "age", "survived")
    assert (findings.cells, findings.promise.cells, findings.of) == (
        4 * 2201 - 610,
        3 * 2201,
        4 * 2201,
    )
    assert outcome.exposure.true <= outcome.exposure.promised <= 0.05
    # At the same true exposure (3 people of 2,201) even who sees everything keeps three columns.
    assert findings.truth.cells == 3 * 2201
    assert findings.truth.exposed <= outcome.exposure.true


@pytest.mark.slow
def test_more_is_said_of_census_at_the_same_promise_and_at_the_same_truth() -> None:
    outcome = ideal("local-suppression-census")
    findings = outcome.findings
    assert findings is not None
    assert outcome.failed == ()
    assert (findings.cells, findings.of) == (129_641, 130_244)
    assert findings.promise.cells == findings.truth.cells == 97_683
    assert findings.truth.exposed <= outcome.exposure.true
    assert sum(rule.listed for rule in findings.rules) == 603


@pytest.mark.slow
def test_a_class_is_the_same_with_messages_and_without() -> None:
    """Everybody covers with its own randomness: the same seed, the same blanks."""
    real, straight = (
        run("local-suppression-class", worst_case_nodes=0),
        ideal("local-suppression-class"),
    )
    assert real.failed == straight.failed == ()
    for part in ("decision", "marginals", "release", "findings"):
        assert real.result()[part] == straight.result()[part]
    assert any(cell[1] == BLANK for cell in real.release or {})
    findings = real.findings
    assert findings is not None
    (rule,) = findings.rules
    assert (rule.feature, rule.values, rule.listed) == ("Rh", ("N",), 2)
    assert rule.blanks is not None
    assert rule.blanks >= 3
    assert rule.chance == 2 / rule.blanks
    assert all(cell[1] != "N" for cell in real.release or {})


@pytest.mark.slow
def test_without_a_seed_people_cover_all_the_same() -> None:
    scenario = msgspec.structs.replace(
        load("local-suppression-class"), scenario=About(name="unseeded")
    )
    for mode in ("real", "ideal"):
        outcome = run(scenario, mode=mode, worst_case_nodes=0)  # type: ignore[arg-type]
        assert outcome.marginals is not None
        if outcome.release is not None:
            assert sum(outcome.release.values()) == 30
            assert outcome.findings is not None
            for rule in outcome.findings.rules:
                place = outcome.released_columns.index(rule.feature)
                assert not any(cell[place] in rule.values for cell in outcome.release)


@pytest.mark.slow
def test_people_who_leave_before_the_release_burn_it() -> None:
    fault = Fault(attack="absent", users=1, round=2)
    scenario = msgspec.structs.replace(load("local-suppression-class"), fault=(fault,))
    real, straight = run(scenario, worst_case_nodes=0), ideal(scenario)
    for outcome in (real, straight):
        assert (outcome.burned or "").startswith("1 of 30 people are missing")
        assert outcome.release is None
        assert outcome.findings is not None
        assert outcome.findings.rules[0].blanks is None


def saved(tmp_path: Path, mode: Any) -> Any:
    return read(save(run("local-suppression-class", mode=mode, worst_case_nodes=0), tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_a_recorded_run_verifies(tmp_path: Path, mode: str) -> None:
    checks = verify(saved(tmp_path, mode), wants_replay=True)
    assert not [(check.name, check.detail) for check in checks if check.ok is False]
    assert next(check for check in checks if check.name == "decision").ok


def test_blanks_that_were_not_decided_are_found(tmp_path: Path) -> None:
    record = saved(tmp_path, "ideal")
    for key, value in (("cover", 7), ("values", ["Y"])):
        lying = claiming(record, partial(put, ("decision", "blank", 0, key), value))
        checks = {check.name: check for check in verify(lying, wants_replay=False)}
        assert checks["decision"].ok is False


def heard(first: dict[str, int], two: dict[str, int]) -> list[RoundResult]:
    counts = tuple({(value,): n for value, n in some.items()} for some in (first, two))
    return [RoundResult(Call(1, Role.CURATOR, ((0,), (1,))), counts)]


SCHEMA = Schema((Feature("one", None, 3), Feature("two", ("x", "y"))))
READ = heard({"a": 60, "b": 38, "c": 2}, {"x": 55, "y": 45})
POLICY = Policy(kind="local-suppression", k=4, max_exposure=0.3, delta=0.1)


def test_a_value_of_fewer_than_k_people_is_left_blank_and_covered() -> None:
    decision = LocalSuppressionStrategy(POLICY).decide(SCHEMA, READ)
    (rule,) = decision.hidden
    assert isinstance(rule, Redact)
    assert (rule.column, rule.values) == (0, ("c",))
    assert 0.02 < rule.rate < 0.15
    assert decision.certificate.slack == 0.1
    local_suppression.verify(decision, SCHEMA, READ)


LIES: dict[str, Any] = {
    "less is claimed": lambda d: replace(
        d, certificate=replace(d.certificate, people=d.certificate.people - 1)
    ),
    "of others": lambda d: replace(d, certificate=replace(d.certificate, n=101)),
    "no blank": lambda d: Decision(d.kept, d.certificate),
    "a smaller cover": lambda d: replace(d, hidden=(replace(d.hidden[0], cover=5),)),
    "another value": lambda d: replace(d, hidden=(replace(d.hidden[0], values=("b",)),)),
    "surer than it is": lambda d: replace(d, certificate=replace(d.certificate, slack=0.01)),
}


@pytest.mark.parametrize("name", LIES)
def test_a_decision_that_the_counts_do_not_prove_is_refused(name: str) -> None:
    decision = LocalSuppressionStrategy(POLICY).decide(SCHEMA, READ)
    with pytest.raises(VerificationError):
        local_suppression.verify(LIES[name](decision), SCHEMA, READ)


def test_what_is_required_is_said_in_part_or_nothing_is() -> None:
    must = msgspec.structs.replace(POLICY, required=("one",), max_exposure=0.0)
    assert LocalSuppressionStrategy(must).decide(SCHEMA, READ).kept in ((0,), ())
    never = msgspec.structs.replace(POLICY, forbidden=("one",))
    assert LocalSuppressionStrategy(never).decide(SCHEMA, READ).kept == (1,)
