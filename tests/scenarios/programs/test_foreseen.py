"""What `check` says beforehand of people and epsilon is what a run prints."""

import numpy as np
import pytest
from msgspec.structs import replace
from veilmix.scenarios.play.run import run
from veilmix.scenarios.programs.randomized.foreseen import WIDTH, foreseen, picture
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.validation.load import loads
from veilmix.scenarios.wording import percent


def scenario(users: int, epsilon: float, mechanism: str = "grr") -> Scenario:
    return loads(
        f'[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = {users}\n'
        '[[feature]]\nname = "late"\nvalues = ["0", "1", "2", "3"]\n'
        f'[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = {epsilon}\n'
    )


def said(chosen: Scenario) -> list[str]:
    return list(foreseen(chosen, samples(chosen, 1).people))


@pytest.mark.parametrize(
    ("people", "epsilon", "verdict"),
    [(12, 1.0, "too few"), (60, 2.0, "rare value"), (2000, 3.0, "enough to compare")],
)
def test_people_and_epsilon_are_judged_beforehand(
    people: int, epsilon: float, verdict: str
) -> None:
    sentence, drawn = said(scenario(people, epsilon))
    assert sentence.startswith(f"{people:,} people, epsilon {epsilon:.3g}: shares within ")
    assert verdict in sentence
    assert drawn.count("o") >= 1


def test_a_run_is_as_certain_as_was_said() -> None:
    """Of four shares the widest limits are at most those that were said, and not far below."""
    chosen = scenario(100, 2.0)
    within = float(said(chosen)[0].split("within ")[1].split(" %")[0]) / 100
    findings = run(chosen, 5, "ideal").findings
    (feature,) = findings.features
    apart = (np.array(feature.high) - np.array(feature.low)).max()
    assert 0.7 * within < apart / 2 <= within + 0.01
    unknown = replace(findings, error=None)  # nobody knows the truth of a class
    assert unknown.short.endswith(f"95 % limits of a share at most {percent(apart)} apart")


@pytest.mark.parametrize("mechanism", ["duchi", "piecewise"])
def test_a_mean_is_judged_too(mechanism: str) -> None:
    sentence = said(scenario(20, 1.0, mechanism))[0]
    assert "the mean within" in sentence
    assert "of the range, too few" in sentence


def test_the_picture_has_the_limits_at_their_places() -> None:
    assert picture(0.0, 1.0).count("=") == WIDTH - 1
    assert picture(0.45, 0.55).strip("[.]").strip("=") == "o"
