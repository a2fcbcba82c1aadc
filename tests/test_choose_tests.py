"""The list of tests that CI leaves to `make long`, and the tool that writes it."""

import ast
import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from choose_tests import (
    CHEAP,
    LIST,
    ONE_CASE,
    Measurements,
    chosen,
    function,
    listed,
    names_in_guards,
    read,
)

ROOT = Path(__file__).parent.parent
LISTED = [line for line in LIST.read_text("utf-8").splitlines() if not line.startswith("#")]


def measured(*tests: tuple[str, float, list[int]]) -> Measurements:
    """Tests with their seconds, and their lines of one file."""
    made = Measurements()
    for name, seconds, lines in tests:
        made.add(name, seconds, {"a.py": lines})
    return made


def test_every_line_is_reached_by_the_tests_that_stay() -> None:
    made = measured(
        ("t::cheap", CHEAP, [1, 2]),
        ("t::same", 9.0, [1, 2]),
        ("t::dear", 9.0, [2, 3, 4]),
        ("t::near", 3.0, [3, 4]),
        ("t::last", 9.0, [5]),
    )
    made.add("t::last", None, {"b.py": [5]})  # by a process that it started
    kept = chosen(made, frozenset())
    assert kept == {"t::cheap", "t::near", "t::last"}
    assert made.reached(kept) == made.reached(made.tests) == 0b111111
    assert listed(made.tests, kept) == ["t::dear", "t::same"]


def test_tests_of_guards_stay_and_a_case_of_each_function() -> None:
    made = measured(
        ("t::guard[a]", 9.0, [1]),
        ("t::guard[b]", 9.0, [1]),
        ("t::cases[a]", ONE_CASE, [1]),
        ("t::cases[b]", ONE_CASE / 2, [1]),
        ("t::long[a]", 9.0, [1]),
        ("t::long[b]", 8.0, [1]),
    )
    kept = chosen(made, frozenset({"t::guard[a]"}))
    assert kept == {"t::guard[a]", "t::guard[b]", "t::cases[b]"}
    assert listed(made.tests, kept) == ["t::cases[a]", "t::long"]


def test_records_are_read_up_to_one_that_was_cut_short(tmp_path: Path) -> None:
    records = b""
    for test, seconds, line in (("t::a", 1.0, 1), ("t::a", None, 2), ("t::b", 2.0, 3)):
        text = json.dumps({"test": test, "seconds": seconds, "lines": {"a.py": [line]}})
        packed = zlib.compress(text.encode())
        records += len(packed).to_bytes(4) + packed
    (tmp_path / "1.records").write_bytes(records)
    assert {name: test.seconds for name, test in read(tmp_path).tests.items()} == {
        "t::a": 1.0,
        "t::b": 2.0,
    }
    (tmp_path / "1.records").write_bytes(records[:-1])
    found = read(tmp_path)
    assert [*found.tests] == ["t::a"]
    assert found.tests["t::a"].lines == 0b11


def test_every_name_in_the_list_is_that_of_a_test() -> None:
    """A test that was renamed would be in CI again, and nobody would see that the list is old."""
    assert sorted(set(LISTED)) == LISTED
    for file in {name.partition("::")[0] for name in LISTED}:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
        there = {f"{file}::{node.name}" for node in ast.walk(tree) if isinstance(node, kinds)}
        missing = {function(name) for name in LISTED if name.startswith(f"{file}::")} - there
        assert not missing


def test_no_test_that_notices_the_removal_of_a_guard_is_in_the_list() -> None:
    named = names_in_guards()
    assert len(named) > 500
    functions = {function(name) for name in named}
    assert [name for name in LISTED if function(name) in functions] == []


@pytest.mark.skipif(not LISTED, reason="no test is in the list at present")
def test_a_test_in_the_list_is_left_to_make_long() -> None:
    line = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    for choice, code in (("not long", 5), ("long", 0)):  # 5: no test is left
        done = subprocess.run(
            [*line, "-m", choice, LISTED[0]], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stdout
