"""`veilmix show --why`: the derivation of what is known, or where it ends."""

import json
import re
from pathlib import Path

import pytest
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.records.run_folder import save

ALL = "curator+shuffler-1+shuffler-2"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(run("blood-type", 7, worst_case_nodes=0), tmp_path_factory.mktemp("runs"))


def test_a_person_who_is_linked(typed, folder: Path) -> None:
    said = typed("show", str(folder), "--as", ALL, "--why", "user-3")
    assert said.code == 0
    assert "handed in by user-3" in said.out
    answers = re.findall(r"so user-3 said (\w+=\w) in round 1", said.out)
    shown = typed("show", str(folder), "--as", ALL, "--all").out
    (row,) = re.findall(r"user-3  (\w.*)", shown)
    assert set(answers) == set(row.split())


def test_a_person_who_is_not_is_followed_to_where_the_trail_ends(typed, folder: Path) -> None:
    said = typed("show", str(folder), "--as", "curator+shuffler-1", "--why", "user-3")
    assert "the trail ends: the next layer opens with the key of shuffler-2" in said.out
    assert "user-3 said" not in said.out
    plain = json.loads(
        typed(
            *("show", str(folder), "--as", "curator+shuffler-1", "--why", "user-3"),
            *("--format", "json"),
        ).out
    )
    assert plain["missing"] == ["shuffler-2"]
    numbers = [step["step"] for step in plain["steps"]]
    assert numbers == list(range(1, len(numbers) + 1))
    assert all(after < step["step"] for step in plain["steps"] for after in step["after"])
    alone = typed("show", str(folder), "--as", "curator", "--why", "user-3").out
    assert "nothing that it could know to be from user-3" in alone


def test_a_message_by_the_name_that_show_prints(typed, folder: Path) -> None:
    shown = typed("show", str(folder), "--as", "shuffler-1", "--all").out
    name = re.findall(r"user-3 .* ([0-9a-f]{16})", shown)[0]
    mine = typed("show", str(folder), "--as", "shuffler-1", "--why", name)
    assert "its sender and its content are known to shuffler-1" in mine.out
    heard = typed("show", str(folder), "--as", "network", "--why", name[:8])
    assert "does not open without the key of shuffler-1" in heard.out
    unseen = typed("show", str(folder), "--as", "analyst", "--why", name)
    assert "never seen by analyst" in unseen.out


@pytest.mark.parametrize("about", ["user-31", "user-x", "zz", "0"])
def test_what_is_not_there_is_refused(typed, folder: Path, about: str) -> None:
    said = typed("show", str(folder), "--as", "curator", "--why", about)
    assert said.code == 2
    assert about in said.err


def test_a_derivation_is_no_diagram(typed, folder: Path) -> None:
    said = typed("show", str(folder), "--as", "curator", "--why", "user-1", "--format", "mermaid")
    assert said.code == 2
