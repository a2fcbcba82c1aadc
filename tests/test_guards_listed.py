"""The tables of guards that tools/mutants.py removes: they are whole, and say what stands there."""

import tomllib
from pathlib import Path

import guard_table
import pytest
import refusals

ROWS = list(guard_table.guards())


def test_every_refusal_has_a_row() -> None:
    """Whoever adds one says which test misses it when it is gone (tools/refusals.py)."""
    assert [f"{refusal.path}:{refusal.line}" for refusal in refusals.unlisted()] == []


def test_a_refusal_without_a_row_is_found(tmp_path: Path) -> None:
    for room in guard_table.ROOMS:
        (tmp_path / room).mkdir(parents=True)
        (tmp_path / room / "guards.toml").write_text("", "utf-8")
    (tmp_path / "roles" / "user.py").write_text("if unwanted:\n    raise Refused(1)\n", "utf-8")
    row = '[wanted]\nfile = "user.py"\nis = "if unwanted:"\nbecomes = "if 0:"\ntests = ["x"]\n'
    assert [refusal.line for refusal in refusals.unlisted(tmp_path)] == [2]
    (tmp_path / "roles" / "guards.toml").write_text(row, "utf-8")
    assert refusals.unlisted(tmp_path) == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_guard_stands_where_its_row_says(row: guard_table.Guard) -> None:
    """Once; and its row has a test that is there, or says which other guard repeats it."""
    source = (guard_table.ROOT / row.path).read_text("utf-8")
    assert row.removed(source) != source
    assert bool(row.repeats) != bool(row.tests)
    for test in (*row.tests, *(test for tests in row.weaker.values() for test in tests)):
        path, _, name = test.partition("::")
        there = (guard_table.ROOT / path).read_text("utf-8")
        assert f"def {name.partition('[')[0]}(" in there if name else there, test


@pytest.mark.parametrize(
    "row", [row for row in ROWS if row.weaker or row.same or row.other], ids=lambda row: row.name
)
def test_what_a_row_says_of_weaker_forms_is_of_its_own(row: guard_table.Guard) -> None:
    """Each has a test that notices, or a reason; and there is such a form of this guard."""
    kinds = row.weakened((guard_table.ROOT / row.path).read_text("utf-8")).keys()
    assert row.weaker.keys() | row.same.keys() <= kinds
    assert row.weaker.keys().isdisjoint(row.same)
    assert all(row.same.values())


def test_names_of_rows_differ_in_all_rooms() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    assert all(
        tomllib.loads((guard_table.ROOT / room / "guards.toml").read_text("utf-8"))
        for room in guard_table.ROOMS
    )


TABLE = """[own-key]
file = "keyholder.py"
tests = ["tests/a.py::test_one", "tests/a.py::test_two"]
weaker."above" = ["tests/a.py::test_two"]

[batch-in-time]
file = "keyholder.py"
tests = ["tests/b.py"]
"""
NARROWED = """[own-key]
file = "keyholder.py"
tests = ["tests/a.py::test_one[2]"]
weaker."without 1" = ["tests/a.py::test_two"]
weaker."above" = ["tests/c.py::test_four"]

[batch-in-time]
file = "keyholder.py"
tests = ["tests/b.py"]
weaker."first" = ["tests/a.py::test_one"]
"""


def test_a_row_keeps_a_test_for_each_weaker_form_when_it_names_one_for_the_removal() -> None:
    killers = {
        "own-key": "tests/a.py::test_one[2]",
        "own-key: above": "tests/c.py::test_four",
        "own-key: below": "tests/a.py::test_one[1]",  # all cases of the row's test are tried
        "own-key: without 1": "tests/a.py::test_two",
        "batch-in-time: last": "tests/b.py::test_three",  # a file stands for all its tests
        "batch-in-time: first": "tests/a.py::test_one",
    }
    assert guard_table.narrowed(TABLE, killers) == NARROWED


def test_a_missed_form_is_tried_with_the_tests_of_its_file_of_code() -> None:
    rows = [
        guard_table.Guard("one", Path("roles/user.py"), "if a:", "if 0:", ("tests/a.py::x[1]",)),
        guard_table.Guard("two", Path("roles/user.py"), "if b:", "if 0:", ("tests/b.py::y",)),
        guard_table.Guard("three", Path("roles/board.py"), "if c:", "if 0:", ("tests/c.py::z",)),
    ]
    beside = ("tests/a.py::x[1]", "tests/b.py::y", "tests/a.py", "tests/b.py")
    form = guard_table.widened(guard_table.Mutant(rows[0], "above", ""), rows)
    assert form.tests == ("tests/a.py::x", *beside)
    assert guard_table.widened(guard_table.Mutant(rows[0], "", ""), rows).tests == beside
