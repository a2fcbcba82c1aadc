"""`veilmix worst`: the bracket, the worst table in a file, and what Ctrl-C leaves."""

import csv
import json
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from veilmix.analysis.composition import proved_by_cases

COLUMNS = {"colour": [90, 40, 12, 3], "size": [70, 50, 25], "town": [80, 44, 21]}
HARD = {
    "sex": [10771, 21790],
    "income": [24720, 7841],
    "race": [311, 1039, 3124, 271, 27816],
    "work": [1836, 960, 2093, 22696, 2541, 1298, 1116, 7, 14],
}


def people(path: Path, columns: dict[str, list[int]]) -> str:
    """A file with these counts: somebody a line, each column in the order of its values."""
    texts = [
        [f"{name[0]}{value}" for value, count in enumerate(counts) for _ in range(count)]
        for name, counts in columns.items()
    ]
    lines = [",".join(columns), *map(",".join, zip(*texts, strict=True))]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


@pytest.mark.slow
def test_the_bracket_is_proved_and_its_table_counts(typed, tmp_path: Path) -> None:
    data = people(tmp_path / "people.csv", COLUMNS)
    line = ("worst", data, "--k", "9")
    said = typed(*line, "--write", "worst.csv", "--proof", "p.json")
    assert said.code == 0
    bracket = json.loads(typed(*line, "--format", "json").out)
    assert (bracket["proven"], bracket["found"], bracket["why"]) == (True, bracket["at_most"], "")
    how = "exactly: found, and proved by cases, in whole numbers"
    assert f"{how} {bracket['found']}" in " ".join(said.out.split())
    assert f"p.json: no table exposes more than {bracket['found']} people" in said.err
    proof = Path("p.json").read_bytes()
    assert proved_by_cases([*COLUMNS.values()], 9, proof) == bracket["found"]
    assert "ended: proved, no table is worse" in said.out
    with Path("worst.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    for name, counts in COLUMNS.items():
        met = Counter[str]()
        for row in rows:
            met[row[name]] += int(row["count"])
        assert met == {f"{name[0]}{value}": count for value, count in enumerate(counts)}
    small = [int(row["count"]) for row in rows if int(row["count"]) < 9]
    assert sum(small) == bracket["found"]
    lines = list(csv.reader(typed(*line, "--format", "csv").out.splitlines()))
    assert lines[0] == ["doing", "found", "at_most"]
    assert lines[-1][1:] == [str(bracket["found"])] * 2


def test_a_bracket_without_a_proof_by_cases_writes_none(typed, tmp_path: Path) -> None:
    data = people(tmp_path / "people.csv", {"colour": [3, 2]})
    said = typed("worst", data, "--k", "3", "--proof", "p.json")
    assert (said.code, Path("p.json").exists()) == (0, False)
    assert "no proof by cases was found: p.json is not written" in said.err


@pytest.mark.slow
def test_the_same_rounds_say_the_same(typed, tmp_path: Path) -> None:
    data = people(tmp_path / "people.csv", COLUMNS)
    line = ("worst", data, "--k", "9", "--nodes", "1", "--rounds", "40", "--format", "json")
    first, other = (typed(*line).out for _ in range(2))
    assert first == other
    assert len(json.loads(first)["stages"]) > 1


def test_what_is_not_accepted_is_said(typed, tmp_path: Path) -> None:
    data = people(tmp_path / "people.csv", COLUMNS)
    for option in (("--rounds", "-1"), ("--nodes", "0"), ("--seed", "-1"), ("--k", "0")):
        said = typed("worst", data, *option)
        assert (said.code, option[0] in said.err) == (2, True)


# A command that says when a solver begins.
WATCHED = """
import sys
from veilmix.analysis.composition import worst_search
from veilmix.cli import main
def watched(step):
    def begin(*given, **options):
        print("a solver begins", file=sys.stderr, flush=True)
        return step(*given, **options)
    return begin
worst_search.relax, worst_search.solve = watched(worst_search.relax), watched(worst_search.solve)
sys.exit(main())
"""


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_found(tmp_path: Path, started) -> None:
    """Pressed while a solver works in its own process, which ends with the command."""
    data = people(tmp_path / "census.csv", HARD)
    line = ("worst", data, "--k", "10", "--write", "worst.csv", "--format", "json")
    running = started(sys.executable, "-c", WATCHED, *line, cwd=tmp_path)
    for _ in ("relaxation", "first search tree"):
        while (told := running.stderr.readline()) != "a solver begins\n":
            assert told.startswith("the worst table: ")  # progress, if it is slow
    time.sleep(0.2)  # so that it is in the midst of it, mostly; what follows holds anyway
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    printed = [line for line in err.splitlines() if not line.startswith("the worst table: ")]
    assert (running.returncode, printed) == (130, ["wrote     worst.csv"])  # but progress, if slow
    bracket = json.loads(out)
    assert bracket["why"] == "stopped by Ctrl-C"
    assert bracket["proven"] is False
    assert 0 < bracket["found"] <= 1_191 <= bracket["at_most"] <= 1_218
    with (tmp_path / "worst.csv").open(newline="") as stream:
        counts = [int(row["count"]) for row in csv.DictReader(stream)]
    assert sum(counts) == 32_561
    assert sum(count for count in counts if count < 10) == bracket["found"]
