"""`veilmix leak RUN --cheating`: text, csv and json of the worst of known attacks."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from veilmix.cli import main


@pytest.mark.slow
def test_leak_says_what_cheaters_achieve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    assert runner.invoke(main, ["run", "blood-type"]).exit_code == 0
    run = "runs/blood-type-0007"
    watching = runner.invoke(main, ["leak", run]).output
    assert "veilmix leak RUN --cheating" in watching.replace("\n", " ")
    said = runner.invoke(main, ["leak", run, "--cheating", "--runs", "1"])
    assert said.exit_code == 0
    assert "smallest coalitions that read somebody's row by cheating: shuffler-1" in said.output
    assert "no known attack" in said.output
    written = runner.invoke(
        main, ["leak", run, "--cheating", "--runs", "1", "--format", "json"]
    ).output
    found = json.loads(written)
    worst = {tuple(one["parties"]): one["worst"] for one in found["coalitions"]}
    assert worst["shuffler-1",]["attack"] == "surround"
    assert worst["curator",] is None
