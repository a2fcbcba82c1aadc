"""What commands print and record is the same on a machine that is a thousand times slower."""

import csv
import json
import math
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from slow_machine import slow_down
from veilmix.cli import main
from veilmix.cli.text import pace

TIMES = 1_000
SCENARIO = """
[scenario]
name = "open"
seed = 7
[population]
source = "people.csv"
[policy]
k = 5
max_exposure = 0.9
"""
ADVISE = ("advise", "people.csv", "--k", "5", "--columns", "a,b,c")
# The first line is README's, with a seed; `open` leaves its worst case unproved.
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("run", "titanic", "--seed", "7", "--mode", "ideal"),
    ("run", "open.toml", "--worst-case", "2", "--out", "kept", "--mode", "ideal"),
    ("run", "blood-type", "--seed", "7", "--format", "json"),
    (
        *("sweep", "open.toml", "--set", "policy.k=5", "--mode", "ideal", "--worst-case", "2"),
        *("--executor", "thread", "--no-figure"),
    ),
    ("score", "people.csv", "--k", "5", "--worst-case", "2", "--save", "score.json"),
    (*ADVISE, "--steps", "20"),
    (*ADVISE, "--format", "json"),
    ("worst", "people.csv", "--k", "5", "--nodes", "2", "--rounds", "9", "--format", "json"),
    ("compare", "open.toml", "--programs", "exposure,trusted-cells", "--format", "json"),
    ("report", "kept/open-*", "--out", "-"),
    ("verify", "kept/open-*"),
)
# What a machine takes is measured, and differs: CPU seconds of `compare`, and their picture.
MEASURED = re.compile(rb'"cpu": ?[^,]*,')
SEEN = re.compile(r"compare-open-\d+/frontier\.png$")


def _write_people(folder: Path) -> None:
    """Write 200 people with three columns, and a scenario of them."""
    rng, counts = np.random.default_rng(3), ([97, 54, 49], [101, 59, 40], [102, 64, 34])
    columns = [rng.permutation(np.repeat(np.arange(len(each)), each)) for each in counts]
    rows = "\n".join(",".join(map(str, row)) for row in zip(*columns, strict=True))
    (folder / "people.csv").write_text(f"a,b,c\n{rows}\n", "utf-8")
    (folder / "open.toml").write_text(SCENARIO, "utf-8")


def _unmeasured(path: Path) -> object:
    """The content of a file without what was measured."""
    if path.name == "comparison.csv":
        lines = csv.DictReader(path.read_text("utf-8").splitlines())
        return [{key: cell for key, cell in line.items() if key != "cpu_seconds"} for line in lines]
    return MEASURED.sub(b"", path.read_bytes())


def _left(folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the commands print and record in an empty folder, without what they measure."""
    folder.mkdir()
    _write_people(folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        printed = {}
        for command in COMMANDS:
            found = [
                next(folder.glob(part)).as_posix() if "*" in part else part for part in command
            ]
            code = main([part.removeprefix(f"{folder.as_posix()}/") for part in found])
            wrote = capsys.readouterr()
            said = MEASURED.sub(b"", wrote.out.encode())
            printed[" ".join(command)] = (code, said, wrote.err)
    finally:
        os.chdir(before)
    files = {
        path.relative_to(folder).as_posix(): _unmeasured(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return {"printed": printed, "files": files}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Any, Any]]:
    """Play all commands on this machine, and on one that is so many times slower; once.

    Progress is not told: it comes after seconds of a clock, on stderr, and is no result.
    """
    kept: list[tuple[Any, Any]] = []

    def play(capsys: pytest.CaptureFixture[str]) -> tuple[Any, Any]:
        if not kept:
            home = tmp_path_factory.mktemp("machines")
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(pace, "FIRST_DELAY", math.inf)
                here = _left(home / "played", capsys)
                (home / "played").rename(home / "here")  # pages tell the path of the table
                slow_down(patch, TIMES)
                kept.append((here, _left(home / "played", capsys)))
        return kept[0]

    return play


@pytest.mark.slow
def test_a_slow_machine_prints_and_records_the_same(
    both: Callable[..., tuple[Any, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    here, slow = both(capsys)
    assert [code for code, _, _ in here["printed"].values()] == [0] * len(COMMANDS)
    for command, said in here["printed"].items():
        assert slow["printed"][command] == said, command
    assert slow["files"].keys() == here["files"].keys()
    different = [name for name, file in here["files"].items() if slow["files"][name] != file]
    assert [name for name in different if not SEEN.search(name)] == []


@pytest.mark.slow
def test_an_unproved_worst_case_is_recorded_as_an_interval(
    both: Callable[..., tuple[Any, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    here, _ = both(capsys)
    (file,) = (name for name in here["files"] if re.match(r"kept/open-.*/result\.json", name))
    worst = json.loads(here["files"][file])["exposure"]["worst_case"]
    assert worst["low"] < worst["high"]
    assert worst["proven"] is False
    (file,) = (name for name in here["files"] if re.match(r"runs/titanic-.*/result\.json", name))
    share = 40 / 2201
    assert json.loads(here["files"][file])["exposure"]["worst_case"] == {
        "low": share,
        "high": share,
        "proven": True,
        "search": {"nodes": 100, "cells": 100, "enough": 0.002},
    }


@pytest.mark.parametrize(
    "command",
    [
        ("run", "blood-type", "--worst-case", "0.5"),
        ("run", "blood-type", "--worst-case", "-1"),
        ("sweep", "blood-type", "--set", "policy.k=2", "--worst-case", "2s"),
        ("score", "people.csv", "--worst-case", "1e3"),
        ("reproduce", "000", "--worst-case", "20.0"),
        ("report", "kept", "--worst-case", "nan"),
        (*ADVISE, "--seconds", "60"),
    ],
)
def test_seconds_are_refused_with_what_is_taken(
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    _write_people(tmp_path)
    assert main(list(command)) == 2
    wrote = capsys.readouterr()
    assert not wrote.out
    taken = (
        "--steps NUMBER limits the search" if "--seconds" in command else "a whole number of nodes"
    )
    assert taken in " ".join(wrote.err.split())
    assert command[-1] in wrote.err
