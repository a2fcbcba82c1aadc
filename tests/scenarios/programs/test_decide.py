"""From policy to decision: required and forbidden columns, and what would take the dropped ones."""

import pytest
from veilmix.scenarios.play.run import run
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.validation.load import change, load, loads

TITANIC = '[scenario]\nname="t"\n[population]\nsource="builtin:titanic"\n[policy]\nk=5\n'


def titanic(rest: str) -> Scenario:
    return loads(TITANIC + rest)


def kept(rest: str) -> tuple[str, ...]:
    return run(titanic(rest), mode="ideal", worst_case_seconds=0).kept


def test_required_columns_are_kept_and_forbidden_ones_never() -> None:
    assert kept('max_exposure=0.05\nrequired=["age"]\n') == ("sex", "age", "survived")
    assert kept('max_exposure=0.05\nforbidden=["class", "sex"]\n') == ("age", "survived")
    assert kept('max_exposure=1.0\nforbidden=["sex"]\n') == ("class", "age", "survived")


def test_nothing_is_released_without_a_required_column() -> None:
    outcome = run(titanic('max_exposure=0.0\nrequired=["class", "age"]\n'), mode="ideal")
    assert outcome.kept == ()
    assert not outcome.released
    assert {one.column for one in outcome.dropped} == {"class", "sex", "age", "survived"}


def test_what_a_dropped_column_would_take_is_what_it_takes() -> None:
    outcome = run("titanic", mode="ideal", worst_case_seconds=0)
    (age,) = outcome.dropped
    assert age.column == "age"
    assert age.promised > outcome.scenario.policy.max_exposure
    assert age.largest_k is not None
    wide = change(load("titanic"), {"policy.max_exposure": age.promised})
    assert run(wide, mode="ideal", worst_case_seconds=0).suppressed == ()
    near = change(load("titanic"), {"policy.k": age.largest_k})
    assert run(near, mode="ideal", worst_case_seconds=0).suppressed == ()
    over = change(load("titanic"), {"policy.k": age.largest_k + 1})
    assert run(over, mode="ideal", worst_case_seconds=0).suppressed != ()


@pytest.mark.parametrize(("kind", "expected"), [("all", 4), ("fixed", 2)])
def test_a_policy_that_does_not_choose_explains_nothing(kind: str, expected: int) -> None:
    keep = 'keep=["sex", "age"]\n' if kind == "fixed" else ""
    outcome = run(titanic(f'kind="{kind}"\n{keep}'), mode="ideal", worst_case_seconds=0)
    assert len(outcome.kept) == expected
    assert outcome.dropped == ()


@pytest.mark.parametrize("rule", ["theorem2", "theorem3", "printed", "refined", "coverage"])
def test_every_rule_decides_and_is_verified(rule: str) -> None:
    from veilmix.protocol.tallying import marginals
    from veilmix.scenarios.programs.two_round.rules import verify_certificate

    outcome = run(titanic(f'max_exposure=0.3\nrule="{rule}"\n'), mode="ideal", worst_case_seconds=0)
    assert outcome.decision is not None
    counts, _ = marginals(outcome.marginals or ())
    verify_certificate(outcome.decision.certificate, counts, outcome.decision.kept, outcome.schema)
    assert outcome.exposure.true <= outcome.exposure.promised <= 0.3


def test_the_exact_worst_case_decides_too() -> None:
    scenario = change(load("blood-type"), {"policy.rule": "worst-case"})
    exact = run(scenario, mode="ideal", worst_case_seconds=0)
    assert exact.decision is not None
    assert exact.decision.certificate.rule == "worst-case"
    assert exact.exposure.true <= exact.exposure.promised <= 0.1
    coverage = run("blood-type", mode="ideal", worst_case_seconds=0)
    assert set(coverage.kept) <= set(exact.kept)  # what can be proved exactly is never less
