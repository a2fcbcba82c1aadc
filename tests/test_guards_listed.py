"""The list of guards that tools/mutants.py removes: it is whole, and says what stands there."""

import tomllib
from pathlib import Path

import mutants
import pytest
import refusals

ROWS = list(mutants.guards())


def test_every_refusal_has_a_row() -> None:
    """Whoever adds one says which test misses it when it is gone (tools/refusals.py)."""
    assert [f"{refusal.path}:{refusal.line}" for refusal in refusals.unlisted()] == []


def test_a_refusal_without_a_row_is_found(tmp_path: Path) -> None:
    for room in mutants.ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "guards.toml").write_text("", "utf-8")
    (tmp_path / "roles" / "user.py").write_text("if unwanted:\n    raise Refused(1)\n", "utf-8")
    row = '[wanted]\nfile = "user.py"\nis = "if unwanted:"\nbecomes = "if 0:"\ntests = ["x"]\n'
    assert [refusal.line for refusal in refusals.unlisted(tmp_path)] == [2]
    (tmp_path / "roles" / "guards.toml").write_text(row, "utf-8")
    assert refusals.unlisted(tmp_path) == []


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_guard_stands_where_its_row_says(row: mutants.Guard) -> None:
    """Once; and its row has a test that is there, or says which other guard repeats it."""
    source = (mutants.ROOT / row.path).read_text("utf-8")
    assert row.removed(source) != source
    assert bool(row.repeats) != bool(row.tests)
    for test in row.tests:
        path, _, name = test.partition("::")
        there = (mutants.ROOT / path).read_text("utf-8")
        assert f"def {name.partition('[')[0]}(" in there if name else there, test


def test_names_of_rows_differ_in_all_rooms() -> None:
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    assert all(
        tomllib.loads((mutants.ROOT / room / "guards.toml").read_text("utf-8"))
        for room in mutants.ROOMS
    )
