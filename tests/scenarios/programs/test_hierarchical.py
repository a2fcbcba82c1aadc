"""Hierarchical scenarios: what more is released, what it costs in trust, what can be checked."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from veilmix.analysis.composition.certificate import Certificate
from veilmix.errors import VerificationError
from veilmix.protocol.board.strategies import RoundResult
from veilmix.protocol.wire.hiding_rules import Mask
from veilmix.protocol.wire.messages import Call, DecisionCertificate
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.hierarchical import strategy as hierarchical
from veilmix.scenarios.programs.hierarchical.round_counts import knowledge
from veilmix.scenarios.programs.hierarchical.strategy import HierarchicalStrategy
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import (
    About,
    Expect,
    Fault,
    FeatureSection,
    Policy,
    PopulationSection,
    Scenario,
)
from veilmix.scenarios.serialization.record import plain

FOUR = tuple(FeatureSection(name=name, levels=4) for name in ("a", "b", "c", "d"))


def crowd(kind: Any, users: int, k: int, most: float, **changes: Any) -> Scenario:
    return Scenario(
        scenario=About(name="crowd", seed=1),
        population=PopulationSection(source="builtin:correlated", users=users),
        feature=changes.pop("feature", FOUR),
        policy=Policy(kind=kind, k=k, max_exposure=most, **changes),
    )


def ideal(scenario: Scenario) -> Outcome:
    return run(scenario, mode="ideal", worst_case_nodes=0)


def as_exposure(scenario: Scenario) -> Scenario:
    """The same people and promise, decided from single columns alone."""
    policy = msgspec.structs.replace(scenario.policy, kind="exposure")
    return msgspec.structs.replace(scenario, policy=policy, expect=Expect())


@pytest.mark.long
def test_more_of_a_correlated_population_is_released_at_the_same_promise() -> None:
    """10,000 people, four columns of four values, k = 5, 5 %: three columns, or all four."""
    more, less = (ideal(crowd(kind, 10_000, 5, 0.05)) for kind in ("hierarchical", "exposure"))
    assert less.released_columns == ("a", "b", "c")
    assert more.released_columns == ("a", "b", "c", "d")
    assert more.exposure.true <= more.exposure.promised <= 0.05
    bits = [record.bits_per_person for record in more.findings.rounds]
    assert [len(record.groups) for record in more.findings.rounds] == [4, 6, 4]
    assert bits == sorted(bits)
    assert bits[0] < 0.1
    assert bits[-1] > 2  # the price: the curator knows much more of who goes with what
    assert (
        more.findings.rounds[-1].exposed <= 0.05 * 10_000
    )  # what it was shown is as safe as a release


@pytest.mark.slow
def test_more_of_census_is_released_at_one_per_cent() -> None:
    scenario = load("hierarchical-census")
    more, less = ideal(scenario), ideal(as_exposure(scenario))
    assert more.released_columns == ("sex", "income", "race", "workclass")
    assert len(less.released_columns) == 3
    assert more.decision is not None
    assert more.decision.certificate.people == 307
    assert [record.counts for record in more.findings.rounds] == [18, 93, 195]
    assert [record.exposed for record in more.findings.rounds] == [7, 31, 91]
    assert [record.masked for record in more.findings.rounds] == [
        {},
        {"workclass": 2},
        {"workclass": 2},
    ]
    assert (
        more.findings.rounds[1].others == 3 * 21
    )  # three pairs with workclass, 21 people with a rare one
    bits = [round(record.bits_per_person, 2) for record in more.findings.rounds]
    assert bits == [3.34, 3.43, 3.43]  # all pairs close rings: what a chain of them leaves out


@pytest.mark.slow
def test_a_class_is_the_same_with_messages_and_without() -> None:
    scenario = load("hierarchical-class")
    real, straight = run(scenario, worst_case_nodes=0), ideal(scenario)
    assert real.failed == straight.failed == ()
    assert len(as_exposure(scenario).feature) == 4
    assert len(ideal(as_exposure(scenario)).released_columns) == 2
    for part in ("decision", "marginals", "release", "findings"):
        assert real.result()[part] == straight.result()[part]
    assert len(real.released_columns) == 4
    for members in (("curator",), ("analyst",), ("curator", "shuffler-1", "shuffler-2")):
        coalition, other = real.coalition(*members), straight.coalition(*members)
        assert (coalition.linked, coalition.cells_certain) == (other.linked, other.cells_certain)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "burned"),
    [
        (Fault(attack="absent", users=1, round=2), "1 of 30 people are missing since the round"),
        (Fault(attack="absent", users=29, round=2), "1 people took part"),
        (Fault(attack="duplicate", users=3), None),
    ],
)
def test_people_who_go_missing_between_questions(fault: Fault, burned: str | None) -> None:
    scenario = msgspec.structs.replace(load("hierarchical-class"), fault=(fault,))
    real, straight = run(scenario, worst_case_nodes=0), ideal(scenario)
    for outcome in (real, straight):
        assert (outcome.burned is None) == (burned is None)
        assert burned is None or (outcome.burned or "").startswith(burned)
        assert outcome.decision == straight.decision
        assert outcome.release == straight.release
        assert len(outcome.findings.rounds) == (2 if burned is None else 1)


@pytest.mark.slow
def test_enough_people_may_leave_between_questions() -> None:
    """The pairs are of 19 people: whoever left is counted as exposed as can be."""
    fault = Fault(attack="absent", users=11, round=2)
    scenario = msgspec.structs.replace(load("hierarchical-class"), fault=(fault,), expect=Expect())
    real, straight = run(scenario, worst_case_nodes=0), ideal(scenario)
    assert real.decision == straight.decision
    assert real.release == straight.release
    assert real.decision is not None
    assert real.decision.certificate.n == 30
    assert sum((real.release or {}).values()) == 19
    assert real.exposure.true <= real.exposure.promised <= 0.1


def saved(tmp_path: Path, mode: Any = "real") -> Any:
    outcome = run("hierarchical-class", mode=mode, worst_case_nodes=0)
    return read(save(outcome, tmp_path))


@pytest.mark.slow
def test_a_recorded_run_is_decided_again_question_by_question(tmp_path: Path) -> None:
    checks = {check.name: check for check in verify(saved(tmp_path), wants_replay=False)}
    assert not [check.detail for check in checks.values() if check.ok is False]
    assert "2 rounds of it" in checks["decision"].detail


@pytest.mark.slow
def test_an_ideal_run_does_not_record_the_groups(tmp_path: Path) -> None:
    checks = {check.name: check for check in verify(saved(tmp_path, "ideal"), wants_replay=True)}
    assert checks["decision"].ok is None
    assert "records no counts of groups" in checks["decision"].detail
    assert checks["replay"].ok


@pytest.mark.slow
def test_a_promise_that_its_proof_does_not_bear_is_found(tmp_path: Path) -> None:
    record = saved(tmp_path, "ideal")
    decision = plain(record.result.decision)
    kept = tuple(record.result.features.index(name) for name in decision["kept"])
    proof = decision["certificate"]
    assert "weights" in proof["proof"]
    heard = known()
    data = json.dumps(proof["proof"]).encode()
    claimed = DecisionCertificate(proof["rule"], 2, 30, proof["people"], proof=data)
    hierarchical.verify(claimed, heard[0], heard[1], kept)
    for block in (
        {"within": [9, 0], "parts": [], "weight": 1},
        {"within": [0, 9], "parts": [[[1], [0]]], "weight": 1},
        {"within": None, "parts": [[[0, 9], [0]]], "weight": 1},
        {"within": None, "parts": [[[0], [99]]], "weight": 1},
        {"within": None, "parts": 7, "weight": 1},
        {"within": None, "parts": [], "weight": "x"},
    ):
        bent = json.dumps({**proof["proof"], "blocks": [block]}).encode()
        with pytest.raises(VerificationError):
            hierarchical.verify(replace(claimed, proof=bent), heard[0], heard[1], kept)
    for wrong in (
        replace(claimed, people=claimed.people - 1),
        replace(claimed, proof=b""),
        replace(claimed, proof=b"{}"),
        replace(claimed, proof=b'{"weights":[1],"blocks":[]}'),
        replace(claimed, n=31),
    ):
        with pytest.raises(VerificationError):
            hierarchical.verify(wrong, heard[0], heard[1], kept)


def known() -> tuple[Schema, list[RoundResult]]:
    """What the curator of the class read."""
    outcome = run("hierarchical-class", worst_case_nodes=0)
    assert outcome.transcript is not None
    from veilmix.protocol.board.board import replay

    board = replay(outcome.transcript.posts)
    reads = [reading for reading in outcome.transcript.reads if reading.reader == "curator"]
    heard = [RoundResult(c, r.counts) for c, r in zip(board.calls, reads, strict=False)]
    return outcome.schema, heard


SCHEMA = Schema((Feature("one", None, 3), Feature("two", ("x", "y")), Feature("six", ("x", "y"))))


def singles(first: dict[str, int], two: dict[str, int], six: dict[str, int]) -> RoundResult:
    counts = tuple({(value,): n for value, n in some.items()} for some in (first, two, six))
    return RoundResult(Call(1, Role.CURATOR, ((0,), (1,), (2,))), counts)


def test_rare_values_are_masked_together_with_the_next_until_they_are_a_crowd() -> None:
    strategy = HierarchicalStrategy(Policy(kind="hierarchical", k=5, max_exposure=0.13))
    first = singles({"a": 60, "b": 30, "c": 7, "d": 2, "e": 1}, {"x": 60, "y": 40}, {"x": 100})
    call = strategy.ask(SCHEMA, [first])
    assert call is not None
    assert call.hidden == (Mask(0, ("a", "b")),)  # 3 people are no crowd: whoever has c joins them
    assert call.asks == ((0, 1),)  # six has one value: there is nothing to ask of it


def test_nothing_is_asked_that_is_not_safe_and_nothing_that_changes_nothing() -> None:
    counts = singles({"a": 5, "b": 5}, {"x": 5, "y": 5}, {"x": 5, "y": 5})
    strict = HierarchicalStrategy(Policy(kind="hierarchical", k=4, max_exposure=0.1))
    assert strict.ask(SCHEMA, [counts]) is None
    assert len(strict.decide(SCHEMA, [counts]).kept) == 1
    generous = HierarchicalStrategy(Policy(kind="hierarchical", k=2, max_exposure=1.0))
    assert generous.ask(SCHEMA, [counts]) is None
    assert generous.decide(SCHEMA, [counts]).kept == (0, 1, 2)


def test_what_is_forbidden_is_never_asked_for_in_a_group() -> None:
    counts = singles({"a": 50, "b": 50}, {"x": 50, "y": 50}, {"x": 30, "y": 70})
    policy = Policy(kind="hierarchical", k=30, max_exposure=0.59, forbidden=("two",))
    call = HierarchicalStrategy(policy).ask(SCHEMA, [counts])
    assert call is None or all(1 not in ask for ask in call.asks)
    assert 1 not in HierarchicalStrategy(policy).decide(SCHEMA, [counts]).kept
    must = Policy(kind="hierarchical", k=30, max_exposure=0.3, required=("one",))
    assert 0 in HierarchicalStrategy(must).decide(SCHEMA, [counts]).kept


def test_a_value_that_nobody_had_before_counts_as_other() -> None:
    """Somebody says one thing in round 1 and another in round 2."""
    first = singles({"a": 50, "b": 50}, {"x": 50, "y": 50}, {"x": 30, "y": 70})
    pair = RoundResult(
        Call(2, Role.CURATOR, ((0, 1),)),
        ({("a", "x"): 40, ("a", "y"): 9, ("b", "x"): 10, ("b", "y"): 40, ("new", "y"): 1},),
    )
    known, names = knowledge(SCHEMA, [first, pair], 5)
    assert names[0] == ("a", "b")
    assert known.tables[0, 1].counts.tolist() == [[40, 9, 0], [10, 40, 0], [0, 1, 0]]
    assert known.by_margins((0, 1, 2)) is None  # what was said does not fit together
    assert known.promise((0, 1)).people == 1


@pytest.mark.slow
def test_certificates_come_back_as_they_were_written() -> None:
    schema, heard = known()
    evidence, _ = knowledge(schema, heard, 2)
    for columns in ((0, 1, 2, 3), (0, 1)):
        promised = evidence.promise(columns)
        written = hierarchical.certificate(promised, 2)
        assert hierarchical.promised(written).people == promised.people
        hierarchical.verify(written, schema, heard, columns)
    assert isinstance(evidence.by_parts((0, 1)).certificate, Certificate)
