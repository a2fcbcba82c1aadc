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
        (tmp_path / room).mkdir()
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
