"""Runs with more rounds, and runs with blanks, as a reader and as a program see them."""

import json
from pathlib import Path

import pytest
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.records.run_folder import save
from veilmix.scenarios.serialization.record import plain as plain_data

DEEP, BLANK = "hierarchical-class", "local-suppression-class"


SHARED = """
[scenario]
name = "opening"
seed = 3
[population]
source = "builtin:hair-eye"
users = 16
[policy]
kind = "threshold"
k = 3
prefixes = true
[mix]
min_batch = 2
"""


@pytest.fixture
def small_threshold(tmp_path: Path) -> Path:
    path = tmp_path / "opening.toml"
    path.write_text(SHARED, "utf-8")
    return path


@pytest.fixture(scope="module")
def deep() -> Outcome:
    return run(DEEP, worst_case_nodes=0)


@pytest.fixture(scope="module")
def blank() -> Outcome:
    return run(BLANK, worst_case_nodes=0)


def test_scores_of_threshold_break_its_own_two_assumptions(typed, small_threshold: Path) -> None:
    """The analyst reads, and not the curator; `randomness` with it reads what stayed closed."""
    said = " ".join(typed("run", str(small_threshold), "--no-save").out.split())
    assert "linked by analyst and shufflers 16 of 16 the trust assumption does not hold" in said
    assert "linked by analyst and randomness 0 of 16 see every row, not its sender" in said
    assert "by curator and both" not in said


@pytest.mark.slow
def test_what_the_curator_is_given_is_told_round_by_round(typed, deep: Outcome) -> None:
    said = typed("run", DEEP, "--no-save")
    assert said.code == 0
    assert "the curator asks for" in said.out
    assert "every feature by itself" in said.out
    assert "6 groups of 2" in said.out
    for record in deep.findings.rounds:
        assert f"{record.bits_per_person:.3f}" in said.out
    assert "round 3  30 onions -> analyst" in said.out
    assert "exposure proved from all counts of the curator" in said.out
    assert "the curator knows more than the marginals" in said.out


@pytest.mark.slow
def test_the_rounds_and_the_proof_are_in_result_json(typed, deep: Outcome) -> None:
    said = typed("run", DEEP, "--no-save", "--format", "json", "--mode", "ideal")
    plain = json.loads(said.out)
    assert plain["findings"]["rounds"] == json.loads(json.dumps(plain_data(deep.findings.rounds)))
    assert [len(record["groups"]) for record in plain["findings"]["rounds"]] == [4, 6]
    assert set(plain["decision"]["certificate"]["proof"]) == {"weights", "blocks"}


@pytest.mark.slow
def test_a_burned_question_is_told(typed, tmp_path: Path) -> None:
    from veilmix.scenarios.lab.validation.gallery import source

    path = tmp_path / "gone.toml"
    fault = '\n[[fault]]\nattack = "absent"\nusers = 1\nround = 2\n'
    path.write_text(source(DEEP) + fault, "utf-8")
    said = typed("run", str(path), "--no-save")
    assert said.code == 3
    assert "round 2  burned: 1 of 30 people are missing since the round before" in said.out


def test_check_says_what_will_be_asked_at_most(typed) -> None:
    said = typed("check", DEEP)
    assert said.code == 0
    assert "Then it asks for pairs of features" in said.out
    assert "as if every question were safe" in said.out
    plain = json.loads(typed("check", DEEP, "--format", "json").out)
    assert [record["reader"] for record in plain["rounds"]] == ["curator"] * 4 + ["analyst"]


def test_check_says_that_values_are_left_blank(typed) -> None:
    said = typed("check", BLANK)
    assert "Values that fewer than 3 people have" in said.out
    assert "it may fail with probability 0.1" in said.out


@pytest.mark.slow
def test_blanks_are_told_with_their_covers_and_their_price(typed, blank: Outcome) -> None:
    said = typed("run", BLANK, "--no-save")
    assert said.code == 0
    assert blank.findings is not None
    (rule,) = blank.findings.rules
    assert f"so does anybody else with probability {rule.cover:.3g}" in said.out
    assert f"2 people must, {rule.expected:,.1f} are expected, {rule.blanks} did" in said.out
    assert f"a blank hides one of these values with chance {rule.chance:.3g}" in said.out
    assert "at least k = 3 blanks, with confidence 0.9" in " ".join(said.out.split())
    assert f"{blank.findings.cells} of {blank.findings.of}" in said.out
    assert "whole columns, same promise" in said.out
    plain = json.loads(typed("run", BLANK, "--no-save", "--format", "json").out)
    assert plain["findings"] == json.loads(json.dumps(plain_data(blank.findings)))
    assert plain["decision"]["blank"][0]["feature"] == "Rh"


@pytest.mark.slow
@pytest.mark.parametrize("name", [DEEP, BLANK])
def test_a_kept_run_is_shown_scored_and_verified(
    typed, deep: Outcome, blank: Outcome, name: str, tmp_path: Path
) -> None:
    folder = str(save({DEEP: deep, BLANK: blank}[name], tmp_path))
    assert typed("verify", folder).code == 0
    shown = typed("show", folder, "--as", "curator")
    assert ("reads    round 2: bike x band" in shown.out) is (name == DEEP)
    assert typed("leak", folder).code == 0
    release = str(Path(folder) / "release.csv")
    assert typed("score", release).code == 0
