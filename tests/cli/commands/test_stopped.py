"""Ctrl-C in the middle of a comparison or of attacks: what is done is told and kept."""

import json
from pathlib import Path

import pytest
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.comparison.compare import ComparisonStopped, compare, programs
from veilmix.scenarios.studies.matrix import attack_matrix as matrix
from veilmix.scenarios.studies.matrix import matrix_runs


def stops_in(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Have Ctrl-C pressed while a program is played."""
    table = dict(programs())

    def press(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "veilmix.scenarios.studies.comparison.compare.programs", lambda: table | {name: press}
    )


def test_a_comparison_keeps_the_programs_that_are_done(typed, monkeypatch) -> None:
    stops_in(monkeypatch, "shares")
    said = typed("compare", "blood-type", "--programs", "trusted,shares,local", "--seed", "7")
    assert said.code == 130
    assert "1 program finished and saved" in said.err
    assert "shares: not compared: the comparison was stopped" in said.out
    assert "local: not compared: the comparison was stopped" in said.out
    kept = json.loads(Path("runs/compare-blood-type-0007/comparison.json").read_text("utf-8"))
    assert [program["program"] for program in kept["programs"]] == ["trusted"]


def test_a_comparison_stopped_at_once_leaves_nothing(typed, monkeypatch) -> None:
    stops_in(monkeypatch, "trusted")
    assert typed("compare", "blood-type", "--programs", "trusted,local").code == 130
    assert not Path("runs").exists() or not list(Path("runs").iterdir())


def test_python_is_given_what_was_done(monkeypatch) -> None:
    stops_in(monkeypatch, "local")
    with pytest.raises(ComparisonStopped) as stopped:
        compare("blood-type", 7, only=["trusted", "local"])
    assert [program.program for program in stopped.value.comparison.programs] == ["trusted"]


class Pressed:
    """Presses Ctrl-C at the n-th run."""

    def __init__(self, at: int) -> None:
        self.left = at
        self.shoot = matrix_runs.shoot

    def __call__(self, job: matrix_runs.MatrixJob) -> matrix_runs.AttackOutcome:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.shoot(job)


ATTACK = ("attack", "blood-type", "--defences", "order", "--repeats", "1", "--workers", "1")


@pytest.mark.slow
def test_attacks_that_are_done_are_kept(typed, monkeypatch) -> None:
    whole = matrix.attack(load("blood-type"), 7, 1, attacks=["drop"], defences=["order"])
    jobs = []
    monkeypatch.setattr(matrix_runs, "_warm_up", lambda _: None)
    matrix.attack(
        load("blood-type"), 7, 1, attacks=["drop", "forward"], defences=["order"],
        progress=lambda done, _: jobs.append(done),
    )  # fmt: skip
    monkeypatch.setattr(matrix_runs, "shoot", Pressed(len(jobs) - 1))
    said = typed(*ATTACK, "--seed", "7", "--attacks", "drop,forward")
    assert said.code == 130
    assert "1 attack finished and saved" in said.err
    (kept,) = Path("runs").glob("*/matrix.json")
    record = json.loads(kept.read_text("utf-8"))
    assert [row["name"] for row in record["rows"]] == ["drop"]
    values = [
        (outcome["row"], outcome["defence"], outcome["value"]) for outcome in record["outcomes"]
    ]
    assert values == [(outcome.row, outcome.defence, outcome.value) for outcome in whole.outcomes]


@pytest.mark.slow
def test_attacks_stopped_before_any_is_done_leave_nothing(typed, monkeypatch) -> None:
    monkeypatch.setattr(matrix_runs, "shoot", Pressed(3))
    assert typed(*ATTACK, "--seed", "7", "--attacks", "drop").code == 130
    assert not list(Path().glob("runs/*"))
