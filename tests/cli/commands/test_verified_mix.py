"""What the commands say of a run with a verified mix."""

from pathlib import Path

import pytest

FILE = """
[scenario]
name = "small"
seed = 5
[population]
source = "builtin:titanic"
users = 12
[mix]
kind = "verified"
[policy]
max_exposure = 0.9
"""


@pytest.mark.slow
def test_a_run_says_what_is_claimed_and_can_be_verified(tmp_path: Path, typed) -> None:
    Path("small.toml").write_text(FILE, "utf-8")
    said = typed("run", "small.toml")
    text = " ".join(said.out.split())
    assert said.code == 0
    assert "48 ballots -> curator" in text
    assert "a proof sketch, not machine-checked" in text
    checked = typed("verify", "runs/small-0005")
    assert checked.code == 0, checked.out
    assert "60 ballots, 10 shuffles" in checked.out
    shown = typed("show", "runs/small-0005", "--as", "shuffler-1")
    assert "round 1: holds 1 of the 3 keys that open an answer" in shown.out
    told = typed("leak", "runs/small-0005")
    assert "a proof sketch, not machine-checked" in " ".join(told.out.split())


@pytest.mark.parametrize("asked", ["check small.toml", "compare small.toml", "attack small.toml"])
def test_what_is_of_onions_alone_says_so(asked: str, typed) -> None:
    Path("small.toml").write_text(FILE, "utf-8")
    said = typed(*asked.split())
    assert said.code == 2
    assert 'is of onions; it is not there for mix.kind = "verified" yet' in said.err
