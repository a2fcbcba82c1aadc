"""docs/result.schema.json is made from the one definition of result.json, which reads it back."""

import json
import subprocess
import sys
from pathlib import Path

import make_schema as TOOL
import msgspec
import pytest
import veilmix
from veilmix.errors import StorageError
from veilmix.scenarios.lab.scoring.result import result_type
from veilmix.scenarios.lab.scoring.result_schemas import MOVED, SCHEMA
from veilmix.scenarios.records.result_file import read
from veilmix.scenarios.records.run_folder import save
from veilmix.scenarios.serialization.record import plain

ROOT = Path(__file__).parent.parent
# One of each program, and one among peers.
RUNS = (
    "blood-type",
    "hierarchical-class",
    "local-suppression-class",
    "randomized-class",
    "incidence-class",
    "village",
)


def test_the_published_schema_is_that_of_the_definition() -> None:
    """If this fails, the file is to be written again: python tools/make_schema.py."""
    assert TOOL.FILE.read_text("utf-8") == TOOL.pretty(TOOL.schema())


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_what_is_written_is_read_back_whole(name: str) -> None:
    outcome = veilmix.run(name, 7, worst_case_nodes=0)
    data = outcome.result()
    result = msgspec.convert(data, result_type())
    assert plain(result) == data
    assert plain(result) == json.loads(json.dumps(data))
    named = TOOL.schema()["$defs"]["Result"]["properties"]
    assert data.keys() <= named.keys()


@pytest.mark.parametrize(("key", "name"), list(zip(MOVED, RUNS[1:5], strict=True)))
def test_a_folder_of_the_first_format_is_still_read(key: str, name: str, tmp_path: Path) -> None:
    folder = save(veilmix.run(name, 7, "ideal", worst_case_nodes=0), tmp_path)
    file = folder / "result.json"
    data = json.loads(file.read_text("utf-8"))
    own = {field: value for field, value in data.pop("findings").items() if field != "program"}
    old = data | {"schema": 1, key: own.get("rounds", own)}
    new = read(folder).result
    file.write_text(json.dumps(old), "utf-8")
    assert read(folder).result == new


def test_a_bare_worst_case_of_the_second_format_is_read_as_a_bound(tmp_path: Path) -> None:
    folder = save(veilmix.run("titanic", 7, "ideal", worst_case_nodes=20), tmp_path)
    file = folder / "result.json"
    data = json.loads(file.read_text("utf-8"))
    true, high = data["exposure"]["true"], data["exposure"]["worst_case"]["high"]
    assert true < high
    exposure = data["exposure"] | {"worst_case": high}
    for schema in (2, 1):
        file.write_text(json.dumps(data | {"schema": schema, "exposure": exposure}), "utf-8")
        result = read(folder).result
        assert result.schema == SCHEMA
        assert plain(result)["exposure"]["worst_case"] == {
            "low": true,
            "high": high,
            "proven": False,
            "search": None,
        }
    file.write_text(json.dumps(data | {"exposure": exposure}), "utf-8")
    with pytest.raises(StorageError, match=r"damaged: exposure\.worst_case: "):
        read(folder)


def test_a_worst_case_of_the_third_format_is_read_without_its_search(tmp_path: Path) -> None:
    folder = save(veilmix.run("titanic", 7, "ideal", worst_case_nodes=20), tmp_path)
    file = folder / "result.json"
    data = json.loads(file.read_text("utf-8"))
    search = data["exposure"]["worst_case"].pop("search")
    assert search == {"nodes": 20, "cells": None, "enough": 0.0}
    file.write_text(json.dumps(data), "utf-8")
    with pytest.raises(StorageError, match=r"damaged: exposure\.worst_case: .*`search`"):
        read(folder)
    file.write_text(json.dumps(data | {"schema": 3}), "utf-8")
    result = read(folder).result
    assert result.schema == SCHEMA
    assert plain(result)["exposure"]["worst_case"] == data["exposure"]["worst_case"] | {
        "search": None
    }


@pytest.mark.parametrize("change", [{}, {"unheard": 1}, {"users": "many"}])
def test_a_folder_of_another_format_says_so_first(
    change: dict[str, object], tmp_path: Path
) -> None:
    folder = save(veilmix.run("blood-type", 7, "ideal", worst_case_nodes=0), tmp_path)
    file = folder / "result.json"
    data = json.loads(file.read_text("utf-8")) | {"schema": SCHEMA + 1} | change
    file.write_text(json.dumps(data), "utf-8")
    with pytest.raises(StorageError, match=rf"schema {SCHEMA + 1}; .* reads schema {SCHEMA}"):
        read(folder)


@pytest.mark.parametrize("name", ["blood-type", "incidence-class"])
def test_findings_of_another_program_are_refused(name: str, tmp_path: Path) -> None:
    """Of a program that finds nothing of its own, and of one that does."""
    folder = save(veilmix.run(name, 7, "ideal", worst_case_nodes=0), tmp_path)
    other = veilmix.run("local-suppression-class", 7, "ideal", worst_case_nodes=0).result()
    file = folder / "result.json"
    data = json.loads(file.read_text("utf-8")) | {"findings": other["findings"]}
    file.write_text(json.dumps(data), "utf-8")
    with pytest.raises(StorageError, match=r"result\.json:\d+: damaged: findings"):
        read(folder)


@pytest.mark.slow
def test_reading_a_run_imports_no_other_program(tmp_path: Path) -> None:
    folder = save(veilmix.run("blood-type", 7, "ideal", worst_case_nodes=0), tmp_path)
    code = (
        "import sys, pathlib\n"
        "from veilmix.scenarios.records.result_file import read\n"
        f"read(pathlib.Path({str(folder)!r}))\n"
        "room = 'veilmix.scenarios.programs.'\n"
        "named = {name.removeprefix(room).partition('.') for name in sys.modules"
        " if name.startswith(room)}\n"
        "print(*sorted({first for first, _, rest in named if rest == 'program'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["curated"]
