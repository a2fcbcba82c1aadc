"""Every shipped scenario with noise: the same with messages and without, and verified."""

from pathlib import Path

import pytest
from veilmix.errors import ScenarioError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.gallery import shipped
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.programs.randomized.choice import ranking
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.mechanisms import BUILT_IN

NOISE = tuple(name for name in shipped() if name.startswith("noise-"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NOISE)
def test_real_equals_ideal(name: str, tmp_path: Path) -> None:
    real, ideal = (run(name, 5, mode, worst_case_nodes=0) for mode in ("real", "ideal"))
    assert real.release == ideal.release
    assert real.findings == ideal.findings
    assert real.coalitions == ideal.coalitions
    checks = verify(read(save(real, tmp_path)), wants_replay=False)
    assert all(check.ok is not False for check in checks), checks


def test_each_task_has_a_scenario() -> None:
    shown = {load(name).local.mechanism for name in NOISE}
    tasks = {task for name in shown for task in BUILT_IN[name].tasks}
    assert tasks == {task for mechanism in BUILT_IN.values() for task in mechanism.tasks}
    others = {"prefix-bit", "privkv"}  # the second form of what is shown
    assert {
        name for name, mechanism in BUILT_IN.items() if mechanism.split or mechanism.words
    } - others <= shown


def test_a_sum_needs_a_crowd_and_says_what_it_promises() -> None:
    chosen = load("noise-sum")
    with pytest.raises(ScenarioError, match="hides people in a crowd"):
        change(chosen, {"mix.min_batch": 10})
    outcome = run(chosen, 3, "ideal", worst_case_nodes=0)
    findings = outcome.findings
    assert findings.budget.mixed
    (told,) = findings.privacy.shuffled
    assert told.hockey_stick == chosen.local.epsilon
    mean, total = findings.measured[0].measures
    assert total.estimate == pytest.approx(100 * mean.estimate)
    assert mean.standard_error < 0.2
    absent = change(chosen, {"mix.min_batch": 95})
    assert (
        run(absent, 3, "ideal", worst_case_nodes=0)
        .findings.privacy.shuffled[0]
        .rule.startswith("split in")
    )


OPEN = """
[scenario]
name = "s"
[population]
source = "builtin:hair-eye"
[[feature]]
name = "hair"
open = true
width = {width}
[policy]
kind = "histogram"
[local]
mechanism = "{mechanism}"
epsilon = 5
{more}
"""


def test_words_are_found_that_nobody_listed() -> None:
    chosen = loads(OPEN.format(width=5, mechanism="prefix-hash", more=""))
    outcome = run(chosen, 3, "ideal", worst_case_nodes=0)
    (search,) = outcome.findings.found
    names = [word.value for word in search.found]
    assert "brown" in names
    assert search.false == search.missed == 0
    assert all(word.truth > 0 for word in search.found)
    assert search.least_share == pytest.approx(0.2, abs=0.1)
    assert outcome.findings.domains == (("black", "blond", "brown", "red"),)
    ranked = ranking(chosen, ("hair",), (("brown",),), 592)
    assert [row.mechanism for row in ranked] == ["prefix-hash", "prefix-bit"]


@pytest.mark.parametrize(
    ("width", "mechanism", "more", "says"),
    [
        (5, "oue", "", "take prefix-hash"),
        (65, "prefix-hash", "", "at most 64 bytes"),
        (5, "prefix-bit", '[[fault]]\nattack = "poison-reports"\nusers = 3\n', "listed values"),
    ],
)
def test_what_cannot_be_found_is_refused(width: int, mechanism: str, more: str, says: str) -> None:
    with pytest.raises(ScenarioError, match=says):
        loads(OPEN.format(width=width, mechanism=mechanism, more=more))
