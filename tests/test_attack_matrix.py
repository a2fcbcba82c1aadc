"""docs/attack-matrix.md says what `veilmix attack` says."""

from pathlib import Path

import make_attack_matrix as TOOL
import pytest
from page_tables import table_cells, written_table
from veilmix.scenarios.catalogue.registry import guarding
from veilmix.scenarios.programs.topology import CENTRAL
from veilmix.scenarios.studies.attack_plan import helping, plan_rows

ROOT = Path(__file__).parent.parent


def test_every_attack_and_every_defence_that_helps_is_on_the_page() -> None:
    there = [tuple(row[:2]) for row in table_cells(TOOL.block("outcomes"))]
    there_are = list(guarding(CENTRAL.name))
    due = [
        (row, name)
        for row in plan_rows()
        for name in ("none", *(guard for guard in there_are if guard in helping(row)), "all")
    ]
    assert there == due
    assert [row[0] for row in table_cells(TOOL.block("costs"))] == there_are


def test_the_page_says_whose_parties_watch_and_whose_cheat() -> None:
    assert TOOL.kinds() in TOOL.block("kinds")
    assert "`collude`" in TOOL.kinds()
    assert "`surround`" not in TOOL.kinds()


@pytest.mark.long
@pytest.mark.slow
def test_some_of_its_rows_are_what_the_command_gives() -> None:
    """If this fails, the page is to be written again: python tools/make_attack_matrix.py."""
    some = ("drop", "forward")
    written = [row for row in table_cells(TOOL.block("outcomes")) if row[0] in some]
    assert sorted(TOOL.outcomes(TOOL.measure(some))) == sorted(written)


def test_a_table_is_read_as_it_is_written() -> None:
    rows = [[str(i) for i in range(len(TOOL.OUTCOMES))], ["x"] * len(TOOL.OUTCOMES)]
    assert table_cells(written_table(TOOL.OUTCOMES, rows)) == rows


def test_the_picture_is_there() -> None:
    assert TOOL.PICTURE.read_bytes().startswith(b"\x89PNG")
