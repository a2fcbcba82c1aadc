"""Variables of the environment change nothing but looks (environment.toml).

Value number i of every variable is set in one process, i = 0, 1, ...: a variable that changes
anything fails there, and `long` tests say which, each value in a process of its own.
"""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from itertools import zip_longest
from pathlib import Path
from typing import Any

import environment_commands
import pytest
import read_variables
from sample_kit import sampled

ROOT = Path(__file__).parent.parent
GROUPS = tomllib.loads(Path(__file__).with_name("environment.toml").read_text("utf-8"))["group"]
ROWS: dict[str, list[str]] = {
    row["name"]: row["tried"]
    for group in GROUPS
    if not (group.get("digits") or "played" in group)
    for row in group["variables"]
}
DIGITS = {
    (row["name"], value)
    for group in GROUPS
    if group.get("digits")
    for row in group["variables"]
    for value in row["tried"]
}
PLAYED = {
    group["played"]: {row["name"]: row["tried"][0] for row in group["variables"]}
    for group in GROUPS
    if "played" in group
}
BATCHES = [
    {name: value for name, value in zip(ROWS, values, strict=True) if value is not None}
    for values in zip_longest(*ROWS.values())
]
ALONE = [{name: value} for name, values in ROWS.items() for value in values]
UNSET, FILE = "(unset)", "FILE"
RC = "figure.dpi: 33\nfont.size: 30\nsavefig.bbox: tight\nbackend: nonsense\nnonsense.key: 3\n"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
WORDS = re.compile(r"Warning|site-packages|Traceback|/lib/|bug")


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with letters of three alphabets: CSV, Parquet, a workbook that lacks its styles."""
    import duckdb
    import openpyxl

    folder = tmp_path_factory.mktemp("tables")
    rows = [("Zürich" if i % 3 else "東京", f"v{i % 2}", str(i % 4)) for i in range(24)]
    lines = [("city", "b", "çol"), *rows]
    plain = folder / "t.csv"
    plain.write_text("".join(",".join(line) + "\n" for line in lines), "utf-8")
    with duckdb.connect() as connection:
        made = folder / "t.parquet"
        connection.execute(f"COPY (FROM read_csv('{plain}', all_varchar = true)) TO '{made}'")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("people")
    for line in lines:
        sheet.append(line)
    book.save(folder / "whole.xlsx")
    none = b'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'
    with (
        zipfile.ZipFile(folder / "whole.xlsx") as whole,
        zipfile.ZipFile(folder / "t.xlsx", "w") as bare,
    ):
        for name in whole.namelist():
            bare.writestr(name, none if name == "xl/styles.xml" else whole.read(name))
    return folder


def played(tables: Path, folder: Path, values: dict[str, str]) -> dict[str, Any]:
    """Run the commands with these variables; return all that they wrote."""
    for name in environment_commands.GIVEN:
        (folder / name).write_bytes((tables / name).read_bytes())
    rc = tables / "matplotlibrc"
    rc.write_text(RC, "ascii")
    env = {key: value for key, value in os.environ.items() if key not in ROWS or key == "HOME"}
    for name, value in values.items():
        env.pop(name, None)
        if value != UNSET:
            env[name] = str(rc) if value == FILE else value
    done = subprocess.run(
        [sys.executable, environment_commands.__file__],
        cwd=folder, env=env, capture_output=True, check=False,
    )  # fmt: skip
    found = folder / "found.json"
    assert found.exists(), done.stderr.decode(errors="replace")
    made: dict[str, Any] = json.loads(found.read_text("ascii"))
    return made


@pytest.fixture(scope="module")
def plain(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Run the commands with none of the variables."""
    found = played(tables, tmp_path_factory.mktemp("plain"), {})
    assert [found[command][0] for command in environment_commands.COMMANDS] == [0] * 10
    assert "çol".encode().decode("latin-1") in found[environment_commands.COMMANDS[4]][1]
    for command in environment_commands.COMMANDS:
        assert not WORDS.search(found[command][2]), found[command][2]
    return found


def test_the_page_shows_the_table() -> None:
    """If this fails, the page is to be written again: python tools/make_environment.py."""
    run = [sys.executable, str(ROOT / "tools" / "make_environment.py"), "--check"]
    assert subprocess.run(run, check=False).returncode == 0


@pytest.mark.slow
def test_every_variable_that_a_library_reads_is_listed() -> None:
    """If this fails, a version of a library reads a new one: try it, and list it."""
    found = read_variables.found()
    assert {"rich", "python", "scipy"} <= {name for readers in found.values() for name in readers}
    assert found.keys() - read_variables.listed() == set()


def test_reads_of_the_environment_are_found_in_source() -> None:
    text = """
os.environ["A"], environ["B"], os.environ.get("C", 1), self._environ.pop("D"), os.getenv("E")
getenv("F"), "G" in os.environ, "H" not in environ, os.environ.setdefault("I", "")
os.environ.get(name), table["J"], table.get("K"), "L" in table
"""
    assert sorted(read_variables.in_source(text)) == list("ABCDEFGHI")


def check(found: dict[str, Any], plain: dict[str, Any]) -> None:
    """The same files, exit codes and standard outputs; no library speaks on standard error."""
    assert found.keys() == plain.keys()
    for name, expected in plain.items():
        there = found[name]
        if isinstance(expected, str):
            assert there == expected, name
        else:
            assert there[:2] == expected[:2], (name, there[2])
            assert not WORDS.search(there[2]), there[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "values", sampled(BATCHES, 0), ids=lambda values: f"{len(values)} variables"
)
def test_nothing_but_looks_changes(
    tables: Path, plain: dict[str, Any], tmp_path: Path, values: dict[str, str]
) -> None:
    check(played(tables, tmp_path, values), plain)


@pytest.mark.long
@pytest.mark.parametrize("values", ALONE, ids=str)
def test_no_variable_by_itself_changes_anything(
    tables: Path, plain: dict[str, Any], tmp_path: Path, values: dict[str, str]
) -> None:
    check(played(tables, tmp_path, values), plain)


@pytest.mark.long
@pytest.mark.parametrize(("name", "value"), sorted(DIGITS))
def test_what_stands_for_another_processor_changes_the_last_digits_of_figures_alone(
    tables: Path, plain: dict[str, Any], tmp_path: Path, name: str, value: str
) -> None:
    found = played(tables, tmp_path, {name: value})
    assert found.keys() == plain.keys()
    for place, expected in plain.items():
        if place.endswith(("release.csv", "transcript.jsonl.gz", "scenario.toml")):
            assert found[place] == expected
        elif place.endswith("result.json"):
            assert NUMBER.sub("0", found[place]) == NUMBER.sub("0", expected)
            numbers = [list(map(float, NUMBER.findall(text))) for text in (found[place], expected)]
            assert numbers[0] == pytest.approx(numbers[1], rel=1e-9)


@pytest.mark.long
def test_a_lesson_tells_the_truth_whatever_marimo_is_told(tmp_path: Path) -> None:
    lesson = ROOT / "notebooks" / "lesson_5_lie_a_little.py"
    done = subprocess.run(
        [sys.executable, str(lesson)], cwd=tmp_path, env={**os.environ, **PLAYED["lesson"]},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_cluster_sweeps_the_same_whatever_dask_is_told(
    started: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster_kit = pytest.importorskip("cluster_kit", exc_type=ImportError)

    def swept(executor: str) -> str:
        words = f"sweep blood-type --set policy.k=2,5 --mode ideal --executor {executor}".split()
        done = subprocess.run(
            [sys.executable, "-m", "veilmix", *words, "--no-figure", "--format", "csv"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    here = swept("thread --out here.jsonl")
    for name, value in PLAYED["cluster"].items():
        monkeypatch.setenv(name, value)
    _, address = cluster_kit.scheduler(started, tmp_path, "")
    assert swept(f"dask:{address} --out there.jsonl") == here
