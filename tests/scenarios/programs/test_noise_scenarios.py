"""Every shipped scenario with noise: the same with messages and without, and verified."""

from pathlib import Path

import pytest
from veilmix.errors import ScenarioError
from veilmix.scenarios.play.run import run
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.schema.mechanisms import BUILT_IN
from veilmix.scenarios.validation.load import change, load, shipped
from veilmix.scenarios.verification.checks import verify

NOISE = tuple(name for name in shipped() if name.startswith("noise-"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NOISE)
def test_real_equals_ideal(name: str, tmp_path: Path) -> None:
    real, ideal = (run(name, 5, mode, worst_case_seconds=0) for mode in ("real", "ideal"))
    assert real.release == ideal.release
    assert real.findings == ideal.findings
    assert real.coalitions == ideal.coalitions
    checks = verify(read(save(real, tmp_path)), again=False)
    assert all(check.ok is not False for check in checks), checks


def test_each_task_has_a_scenario() -> None:
    shown = {load(name).local.mechanism for name in NOISE}
    tasks = {task for name in shown for task in BUILT_IN[name].tasks}
    assert tasks == {task for one in BUILT_IN.values() for task in one.tasks}
    assert {name for name, one in BUILT_IN.items() if one.split or one.words} <= shown


def test_a_sum_needs_a_crowd_and_says_what_it_promises() -> None:
    chosen = load("noise-sum")
    with pytest.raises(ScenarioError, match="hides people in a crowd"):
        change(chosen, {"mix.min_batch": 10})
    outcome = run(chosen, 3, "ideal", worst_case_seconds=0)
    found = outcome.findings
    assert found.budget.mixed
    (told,) = found.told.shuffled
    assert told.hockey_stick == chosen.local.epsilon
    mean, total = found.measured[0].measures
    assert total.estimate == pytest.approx(100 * mean.estimate)
    assert mean.standard_error < 0.2
    absent = change(chosen, {"mix.min_batch": 95})
    assert (
        run(absent, 3, "ideal", worst_case_seconds=0)
        .findings.told.shuffled[0]
        .rule.startswith("split in")
    )
