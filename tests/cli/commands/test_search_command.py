"""`veilmix leak RUN --search`, and runs whose members deviate."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.schema.dump import dump
from veilmix.scenarios.schema.model import Defence, DeviationSection
from veilmix.scenarios.studies.search.search_file import replay

OWN_ROW = (
    DeviationSection(
        by="network", do="replace", message="submission", people=("user-1",), rounds=(1,)
    ),
)
LOST = (
    DeviationSection(
        by="network", do="omit", message="submission", people=("user-1",), rounds=(1,)
    ),
)
NO_MARKS = (
    DeviationSection(by="analyst", do="change", message="heard", field="hashes", change="empty"),
)


@pytest.fixture
def run(folder: Path, tmp_path: Path) -> str:
    """A run of its own, beside which a search may be kept."""
    return str(shutil.copytree(folder, tmp_path / folder.name))


@pytest.mark.slow
def test_a_search_is_kept_and_told_in_every_format(typed: Callable[..., Any], run: str) -> None:
    said = typed("leak", run, "--search", "--strategies", "2")
    assert said.code == 0, said.err
    words = " ".join(said.out.split())
    assert "analyst: nothing found among 2 strategies of" in words
    assert "6 people, seeds 1 to 6" in words
    assert "a search says nothing of strategies that it has not played" in words.lower()
    assert "no known attack" not in words
    kept = json.loads((Path(run) / "search.json").read_text())
    told = typed("leak", run, "--search", "--strategies", "2", "--format", "json")
    assert json.loads(told.out) == kept
    assert len(kept["coalitions"]) == 20
    table = list(
        csv.reader(
            typed("leak", run, "--search", "--strategies", "2", "--format", "csv").out.splitlines()
        )
    )
    assert table[0][:2] == ["coalition", "found"]
    assert len(table) == 21
    assert typed("verify", run).code == 0  # the search is no part of the run


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--search", "--cheating"], "exclude each other"),
        (["--pairs"], "only with --search"),
        (["--times"], "only with --search"),
        (["--strategies", "3"], "only with --search"),
        (["--search", "--strategies", "-1"], "-1 is not in the range"),
    ],
)
def test_options_that_do_not_fit(
    typed: Callable[..., Any], run: str, options: list[str], said: str
) -> None:
    answer = typed("leak", run, *options)
    assert answer.code == 2
    assert said in answer.err


def scenario(
    path: Path, strategy: tuple[DeviationSection, ...], users: int, **defence: object
) -> str:
    """Write the scenario file of a find, at another size."""
    made = replay(load("titanic"), strategy)
    made = replace(
        made,
        population=replace(made.population, users=users),
        defence=replace(Defence(min_dropout=2), **defence),
    )
    path.write_text(dump(made), "utf-8")
    return str(path)


@pytest.mark.parametrize("users", [6, 40])
def test_a_find_is_replayed_at_any_size(
    typed: Callable[..., Any], tmp_path: Path, users: int
) -> None:
    """The wires lose what one person sends in round 1: two answers are missing there."""
    said = typed("run", scenario(tmp_path / "find.toml", LOST, users), "--no-save")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    deviation = "network: omit submission of user-1 in round 1"
    assert lines[1] == f"!! a member did not follow the protocol ({deviation})"
    assert f"  round 1  {2 * (users - 1)} onions -> curator" in lines


def test_a_run_without_deviations_does_not_say_so(typed: Callable[..., Any]) -> None:
    assert "did not follow" not in typed("run", "classroom", "--no-save", "--seed", "1").out


def test_a_deviation_without_an_occasion_ends_the_run(
    typed: Callable[..., Any], tmp_path: Path
) -> None:
    file = scenario(tmp_path / "find.toml", NO_MARKS, 6, registered=True)
    said = typed("run", file, "--no-save")
    assert said.code == 2
    assert 'deviation[0]: "analyst: heard.hashes empty in every round" found no' in said.err


def test_registered_people_stop_own_rows_of_the_network(
    typed: Callable[..., Any], tmp_path: Path
) -> None:
    """The signature is of another envelope: the own one is refused, and its person left out."""
    said = typed("run", scenario(tmp_path / "a.toml", OWN_ROW, 12), "--no-save", "--format", "json")
    assert json.loads(said.out)["users"] == 12
    said = typed("run", scenario(tmp_path / "b.toml", OWN_ROW, 12, registered=True), "--no-save")
    assert "unregistered" in said.out
