"""From policy to decision: required and forbidden columns, and what would take the dropped ones."""

from dataclasses import replace
from pathlib import Path

import pytest
from checks_kit import require
from veilmix.errors import ScenarioError, VerificationError
from veilmix.protocol.rounds.tallying import marginals
from veilmix.scenarios.lab.play.announcement import announced_policy
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.programs.curated.rules import verify_certificate
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario

TITANIC = '[scenario]\nname="t"\n[population]\nsource="builtin:titanic"\n[policy]\nk=5\n'


def titanic(rest: str) -> Scenario:
    return loads(TITANIC + rest)


def kept(rest: str) -> tuple[str, ...]:
    return run(titanic(rest), mode="ideal", worst_case_nodes=0).released_columns


def test_required_columns_are_kept_and_forbidden_ones_never() -> None:
    assert kept('max_exposure=0.04\nrequired=["age"]\n') == ("sex", "age", "survived")
    assert kept('max_exposure=0.05\nforbidden=["class", "sex"]\n') == ("age", "survived")
    assert kept('max_exposure=1.0\nforbidden=["sex"]\n') == ("class", "age", "survived")


def test_nothing_is_released_without_a_required_column() -> None:
    outcome = run(titanic('max_exposure=0.0\nrequired=["class", "age"]\n'), mode="ideal")
    assert outcome.released_columns == ()
    assert not outcome.released
    assert {column.column for column in outcome.dropped} == {"class", "sex", "age", "survived"}


def test_what_a_dropped_column_would_take_is_what_it_takes() -> None:
    outcome = run("titanic", mode="ideal", worst_case_nodes=0)
    (age,) = outcome.dropped
    assert age.column == "age"
    assert age.promised > outcome.scenario.policy.max_exposure
    assert age.largest_k is not None
    wide = change(load("titanic"), {"policy.max_exposure": age.promised})
    assert run(wide, mode="ideal", worst_case_nodes=0).suppressed == ()
    near = change(load("titanic"), {"policy.k": age.largest_k})
    assert run(near, mode="ideal", worst_case_nodes=0).suppressed == ()
    over = change(load("titanic"), {"policy.k": age.largest_k + 1})
    assert run(over, mode="ideal", worst_case_nodes=0).suppressed != ()


@pytest.mark.parametrize(("kind", "expected"), [("all", 4), ("fixed", 2)])
def test_a_policy_that_does_not_choose_explains_nothing(kind: str, expected: int) -> None:
    keep = 'keep=["sex", "age"]\n' if kind == "fixed" else ""
    outcome = run(titanic(f'kind="{kind}"\n{keep}'), mode="ideal", worst_case_nodes=0)
    assert len(outcome.released_columns) == expected
    assert outcome.dropped == ()


@pytest.mark.parametrize("rule", ["theorem2", "theorem3", "printed", "refined", "coverage"])
def test_every_rule_decides_and_is_verified(rule: str) -> None:
    outcome = run(titanic(f'max_exposure=0.3\nrule="{rule}"\n'), mode="ideal", worst_case_nodes=0)
    assert outcome.decision is not None
    counts, _ = marginals(outcome.marginals or ())
    verify_certificate(outcome.decision.certificate, counts, outcome.decision.kept, outcome.schema)
    assert outcome.exposure.true <= outcome.exposure.promised <= 0.3


def test_prices_decide_and_anybody_checks_them(tmp_path: Path) -> None:
    """Real messages, marginals public, the analyst decides again; other prices are refused."""
    keys = {
        "policy.rule": "margins",
        "policy.max_exposure": 0.1,
        "policy.publish_marginals": True,
        "population.users": 300,
        "defence.recompute": True,
    }
    outcome = run(change(load("titanic"), keys), 7, worst_case_nodes=0)
    assert outcome.decision is not None
    proof = outcome.decision.certificate
    assert (proof.rule, outcome.alarms) == ("margins", ())
    assert outcome.exposure.true <= outcome.exposure.promised <= 0.1
    record = read(save(outcome, tmp_path))
    require(verify(record, wants_replay=False))
    counts, _ = marginals(outcome.marginals or ())
    kept, schema = outcome.decision.kept, outcome.schema
    verify_certificate(proof, counts, kept, schema)
    for wrong in (
        replace(proof, people=proof.people - 1),
        replace(proof, proof=b"{}"),
        replace(proof, n=proof.n + 1),
        replace(proof, proof=b""),
    ):
        with pytest.raises(VerificationError):
            verify_certificate(wrong, counts, kept, schema)


def test_the_default_promises_no_more_than_coverage_and_keeps_no_less() -> None:
    keys = {"population.users": 300, "policy.max_exposure": 0.1}
    priced = change(load("titanic"), keys)
    assert priced.policy.rule == "margins"
    plain = change(priced, {"policy.rule": "coverage"})
    outcome, other = (run(s, 7, "ideal", worst_case_nodes=0) for s in (priced, plain))
    assert outcome.decision
    assert other.decision
    assert len(other.released_columns) <= len(outcome.released_columns)
    promised = {way.columns: way.promised for way in outcome.considered}
    assert all(promised[way.columns] <= way.promised for way in other.considered)


def test_at_five_percent_prices_release_a_column_that_coverage_does_not() -> None:
    """112 of the 2,201 on board are 5.1 %, 106 are 4.8 %."""
    at = {"policy.max_exposure": 0.05}
    priced, plain = (
        run(change(load("titanic"), at | {"policy.rule": rule}), 7, worst_case_nodes=0)
        for rule in ("margins", "coverage")
    )
    assert plain.suppressed == ("age",)
    assert priced.decision
    assert (priced.suppressed, priced.decision.certificate.people) == ((), 106)
    assert [way.rule for way in priced.considered if len(way.columns) == 4] == ["margins"]


def test_people_who_were_not_counted_are_promised_what_coverage_says() -> None:
    """Prices are of the very counts; the default is announced as what it is there."""
    scenario = load("statistical")
    assert scenario.policy.rule == "margins"
    assert announced_policy(scenario).rule == "coverage"
    named = change(scenario, {"policy.rule": "coverage"})
    outcome, other = (run(s, 7, "ideal", worst_case_nodes=0) for s in (scenario, named))
    assert outcome.decision == other.decision
    assert outcome.decision
    assert outcome.decision.certificate.rule == "statistical-coverage"
    with pytest.raises(ScenarioError, match="promises nothing about people who were not counted"):
        change(scenario, {"policy.rule": "worst-case"})


def test_the_exact_worst_case_decides_too() -> None:
    scenario = change(load("blood-type"), {"policy.rule": "worst-case"})
    exact = run(scenario, mode="ideal", worst_case_nodes=0)
    assert exact.decision is not None
    assert exact.decision.certificate.rule == "worst-case"
    assert exact.exposure.true <= exact.exposure.promised <= 0.1
    coverage = run("blood-type", mode="ideal", worst_case_nodes=0)
    assert set(coverage.released_columns) <= set(
        exact.released_columns
    )  # what can be proved exactly is never less
