"""What `check` says beforehand of people and epsilon is what a run prints."""

import numpy as np
import pytest
from msgspec.structs import replace
from veilmix.number_text import percent
from veilmix.presentation.presenters.limit_forecast import WIDTH, foreseen, picture
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.schema.model import Scenario


def scenario(
    users: int, epsilon: float, mechanism: str = "grr", values: str = '["0", "1", "2", "3"]'
) -> Scenario:
    return loads(
        f'[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = {users}\n'
        f'[[feature]]\nname = "late"\nvalues = {values}\n[mix]\nmin_batch = {min(users, 20)}\n'
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
    sentence, drawn, least = said(scenario(people, epsilon))
    assert sentence.startswith(f"{people:,} people, epsilon {epsilon:.3g}: shares within ")
    assert verdict in sentence
    assert drawn.count("o") >= 1
    assert "told from none" in least


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


NUMBERS = '["1", "2", "3", "4", "5", "6", "7", "8"]'
PAIRS = '["film=1", "film=5", "book=1", "book=5", "none"]'


@pytest.mark.parametrize(
    ("mechanism", "values", "expected"),
    [
        ("ranges", NUMBERS, ("the share of a quarter of the numbers within", "the median within")),
        ("pckv-grr", PAIRS, ("shares of keys within", "the mean of a key that half")),
        ("prefix-hash", PAIRS, ("the share of a longest text within",)),
        ("bloom", NUMBERS, ("shares within",)),
        ("split-mix", NUMBERS, ("the mean within",)),
    ],
)
def test_every_task_is_judged_beforehand(
    mechanism: str, values: str, expected: tuple[str, ...]
) -> None:
    lines = said(scenario(400, 3.0, mechanism, values))
    sentences = [line for line in lines if line.startswith("400 people, epsilon 3: ")]
    assert len(sentences) == len(expected)
    assert all(
        sentence.split(": ")[1].startswith(words)
        for sentence, words in zip(sentences, expected, strict=True)
    )
    assert sum("95 % limits" in line for line in lines) == len(expected)


def test_a_text_that_cannot_be_found_is_said_beforehand() -> None:
    sentence, _, least = said(scenario(20, 0.5, "prefix-hash", PAIRS))
    assert sentence.endswith("too few to find anything")
    assert least == "no text is sure to be found, however many people have it"


@pytest.mark.slow
def test_a_run_of_keys_is_as_certain_as_was_said() -> None:
    """The widest limits of shares that are printed are at most those said, and not far below."""
    chosen = scenario(400, 3.0, "pckv-grr", PAIRS)
    within = float(said(chosen)[0].split("within ")[1].split(" %")[0]) / 100
    (feature,) = run(chosen, 5, "ideal").findings.measured
    shares = [number for number in feature.measures if number.name.startswith("share")]
    reach = max(number.high_95 - number.low_95 for number in shares) / 2
    assert 0.6 * within < reach <= within + 0.02
