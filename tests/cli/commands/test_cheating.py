"""`veilmix leak RUN --cheating`: what known attacks achieve, kept beside the run and told again."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from veilmix.report.make import make
from veilmix.scenarios.studies.cheating_file import CHEATING


@pytest.fixture
def run(folder: Path, tmp_path: Path) -> str:
    """A run of its own, beside which a study may be kept."""
    return str(shutil.copytree(folder, tmp_path / folder.name))


@pytest.mark.slow
def test_what_cheaters_achieve_is_measured_once_and_told_everywhere(
    typed: Callable[..., Any], run: str
) -> None:
    watching = typed("leak", run).out
    assert "veilmix leak RUN --cheating" in " ".join(watching.split())
    assert json.loads(typed("leak", run, "--format", "json").out)["cheating"] is None

    said = typed("leak", run, "--cheating", "--runs", "1")
    assert said.code == 0
    assert "smallest coalitions that learn somebody's row by cheating: shuffler-1" in said.out
    assert "no known attack" in said.out
    assert "seed 7" in said.out
    kept = (Path(run) / CHEATING).read_bytes()
    assert typed("leak", run, "--cheating", "--runs", "1").out == said.out
    assert (Path(run) / CHEATING).read_bytes() == kept

    table, *_ = said.out.split("smallest")
    assert table in typed("leak", run).out
    told = json.loads(typed("leak", run, "--format", "json").out)["cheating"]
    written = typed("leak", run, "--cheating", "--runs", "1", "--format", "json").out
    assert json.loads(written) == told
    worst = {tuple(one["parties"]): one["worst"] for one in told["coalitions"]}
    assert worst["shuffler-1",]["attack"] == "surround"
    assert worst["curator",] is None
    assert typed("verify", run).code == 0  # the study is no part of the run
    assert "single-out" in make(Path(run)).html


def test_a_study_of_another_scenario_is_refused(typed: Callable[..., Any], run: str) -> None:
    (Path(run) / CHEATING).write_text("{}")
    said = typed("leak", run)
    assert said.code == 2
    assert "remove it, and `veilmix leak RUN --cheating` plays it again" in said.err
