"""`veilmix leak RUN --cheating`: results of the catalogue, kept beside the run and told again."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from veilmix.presentation.wording import OUTSIDE_CATALOGUE
from veilmix.report.make import make
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.cheating.cheating_file import CHEATING
from veilmix.scenarios.studies.cheating.trust_table import measured_trust


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
    assert "found to learn somebody's row; others, and fewer, may too: shuffler-1" in said.out
    assert re.search(r"^ *curator  +none of \d attacks? +0 ", said.out, re.MULTILINE)
    assert re.search(r"^ *shuffler-2  +none played +-", said.out, re.MULTILINE)
    assert OUTSIDE_CATALOGUE[1:] in " ".join(said.out.split())
    assert "no known attack" not in said.out
    assert "seed 7" in said.out
    kept = (Path(run) / CHEATING).read_bytes()
    assert typed("leak", run, "--cheating", "--runs", "1").out == said.out
    assert (Path(run) / CHEATING).read_bytes() == kept

    table, *_ = said.out.split("found to learn")
    assert table in typed("leak", run).out
    told = json.loads(typed("leak", run, "--format", "json").out)["cheating"]
    written = typed("leak", run, "--cheating", "--runs", "1", "--format", "json").out
    assert json.loads(written) == told
    worst = {tuple(coalition["parties"]): coalition["worst"] for coalition in told["coalitions"]}
    assert worst["shuffler-1",]["attack"] == "surround"
    assert worst["curator",] is None
    assert told["limit"] == OUTSIDE_CATALOGUE
    assert typed("verify", run).code == 0  # the study is no part of the run
    page = make(Path(run)).html
    assert "single-out" in page
    assert "Attacks outside the catalogue are known" in page


def test_a_study_of_another_scenario_is_refused(typed: Callable[..., Any], run: str) -> None:
    (Path(run) / CHEATING).write_text("{}")
    said = typed("leak", run)
    assert said.code == 2
    assert "remove it, and `veilmix leak RUN --cheating` plays it again" in said.err


@pytest.mark.parametrize("name", ["titanic", "village", "randomized-class"])
def test_check_names_what_it_was_measured_on(name: str, typed: Callable[..., Any]) -> None:
    """A guard set's figures are another scenario's, and are said to be."""
    said = " ".join(typed("check", name).out.split())
    told = measured_trust(load(name))
    if told is None:
        assert "those that cheat are not measured where people add noise" in said
        return
    study = told.measured
    assert f"as measured on {study.scenario} ({study.users} people of " in said
    assert ("not on this scenario" in said) == (study.scenario != name)
    assert OUTSIDE_CATALOGUE in said
    for coalition in study.succeeding:
        worst = coalition.worst
        assert worst is not None
        assert f"by {worst.attack} in {worst.read} of {worst.runs} runs (69 to 100 %)" in said
    none = f"none of the {len(study.tried)} attack"
    assert (none in said) == (not study.succeeding)
    data = json.loads(typed("check", name, "--format", "json").out)
    assert data["trust"]["measured"]["name"] == study.name


def test_compare_does_not_say_0_where_nothing_was_measured(typed: Callable[..., Any]) -> None:
    some = ("compare", "blood-type", "--programs", "trusted,shares", "--seed", "7", "--no-save")
    for more in ((), ("--cheating", "--runs", "1")):
        said = typed(*some, *more)
        rows = [line for line in said.out.splitlines() if line.startswith((" trusted", " shares"))]
        assert ["not measured" in line for line in rows[:2]] == [True, True]
    written = typed(*some, "--format", "csv").out.splitlines()
    assert all(",not measured,,,,,," in line for line in written[1:])


@pytest.mark.slow
def test_compare_measures_every_program_of_the_mix(typed: Callable[..., Any]) -> None:
    some = ("compare", "classroom", "--programs", "exposure", "--seed", "7", "--no-save")
    said = typed(*some, "--cheating", "--runs", "1")
    assert "exposure, cheating: analyst + shuffler-1 by single-out-release " in " ".join(
        said.out.split()
    )
    assert "in 1 of 1 run (3 to 100 %)" in " ".join(said.out.split())
    assert "Attacks outside the catalogue are known" in " ".join(said.out.split())
