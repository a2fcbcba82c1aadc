"""What others know, at the command line: both headline numbers, targets, mistakes."""

import json
from pathlib import Path
from typing import Any

import pytest

GIVEN = ("--k", "3", "--max-exposure", "0.2", "--quasi", "age,sex", "--sensitive", "diagnosis")


@pytest.fixture
def trial(tmp_path: Path) -> str:
    rows = [(20 + i % 40, "fm"[i % 2], ("flu", "cold", "hiv")[i % 3]) for i in range(120)]
    lines = [",".join(map(str, row)) for row in rows]
    (tmp_path / "trial.csv").write_text("\n".join(["age,sex,diagnosis", *lines]) + "\n")
    return "trial.csv"


def test_both_numbers_stand_beside_each_other(typed, trial: str) -> None:
    said = typed("advise", trial, *GIVEN, "--l", "diagnosis=2")
    assert said.code == 0
    assert "if others know the quasi-identifiers" in said.out
    assert "everything that is released" in said.out
    assert "released as they are  diagnosis" in said.out
    assert "target of diagnosis  l = 2 in every class" in said.out
    record = json.loads(typed("advise", trial, *GIVEN, "--format", "json").out)
    assert (record["known"], record["released_as_is"]) == ("quasi", ["diagnosis"])
    assert record["people_below_k_known_quasi"] <= record["people_below_k_known_all"]
    scored = typed("score", trial, *GIVEN).out
    assert "known: quasi-identifiers" in scored
    assert "known: everything" in scored


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--l", "diagnosis"), "--l diagnosis: COLUMN=... is accepted"),
        (("--l", "diagnosis=0"), "a number of at least 1 is accepted"),
        (("--t", "diagnosis=2"), "a distance from 0 to 1 is accepted"),
        (("--nominal", "diagnosis"), "needs a t-closeness target"),
        (("--write", "s.toml"), "a run counts every column that it releases"),
    ],
)
def test_mistakes_are_lines(typed, trial: str, tmp_path: Path, options: Any, message: str) -> None:
    said = typed("advise", trial, *GIVEN, *options)
    assert (said.code, message in said.err) == (2, True)
    assert not (tmp_path / "s.toml").exists()
