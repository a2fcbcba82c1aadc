"""docs/choosing.md says what `veilmix compare` says."""

import re
from pathlib import Path

import make_choosing as TOOL
import pytest
from page_tables import table_cells
from veilmix.scenarios.comparison.compare import compare

ROOT = Path(__file__).parent.parent


def block(name: str) -> str:
    """The table of a scenario on the page."""
    page = TOOL.PAGE.read_text("utf-8")
    return next(match.group() for match in TOOL.BLOCK.finditer(page) if match.group(2) == name)


@pytest.mark.long
@pytest.mark.slow
def test_the_small_table_is_what_the_command_gives() -> None:
    """If this fails, the page is to be written again: python tools/make_choosing.py."""
    played = {row[0]: row for row in TOOL.computed(TOOL.table(TOOL.played("who-to-trust")))}
    written = {row[0]: row for row in TOOL.computed(table_cells(block("who-to-trust")))}
    assert {"exposure", "trusted", "trusted-cells", "shares", "local joint e=2"} <= set(written)
    assert written == {name: played[name] for name in written}


@pytest.mark.slow
def test_what_coalitions_of_peers_received_is_as_written() -> None:
    """One row of so many peers: bits a person, cells, others linked."""
    page = TOOL.PAGE.read_text("utf-8")
    peers = compare("who-to-trust", TOOL.SEED, only=("peers",)).program("peers")
    learnt = {len(coalition.parties): coalition for coalition in peers.trust.coalitions}
    row = r"^  \| (\d+) \| (≥ )?([\d.]+) \| (\d+) \| (\d+) of (\d+) \|$"
    written = re.findall(row, page, re.MULTILINE)
    assert len(written) > 5
    for many, least, *numbers, others in written:
        coalition = learnt[int(many)]
        assert numbers == [
            f"{coalition.bits_per_person:.2f}",
            str(coalition.cells_certain),
            str(coalition.linked),
        ]
        assert (bool(least), int(others)) == (coalition.bits_are != "exact", 120 - int(many))


def test_every_table_has_every_program_once() -> None:
    """Peers are left out of crowds that are too large for them."""
    names = [[row[0] for row in table_cells(block(name))] for name in ("titanic", "census")]
    small = [row[0] for row in table_cells(block("who-to-trust"))]
    assert "peers" in small
    assert names[0] == names[1] == [name for name in small if name != "peers"]
    assert len(set(names[0])) == len(names[0]) > 4


def test_a_table_is_read_as_it_is_written() -> None:
    rows = [[str(i) for i in range(len(TOOL.HEADINGS))], ["x"] * len(TOOL.HEADINGS)]
    assert table_cells(TOOL.markdown(rows)) == rows
    assert len(TOOL.computed(rows)[0]) == len(TOOL.HEADINGS) - len(TOOL.MEASURED)


def test_lines_of_some_programs_take_their_places_among_the_others() -> None:
    there = table_cells(block("titanic"))
    mine = [row for row in there if row[0].startswith("threshold")]
    assert [row[0] for row in mine] == ["threshold", "threshold prefixes"]
    others = [row for row in there if row not in mine]
    assert TOOL.among(mine, others) == TOOL.among(mine, there) == there


def test_the_figure_is_there() -> None:
    for path in TOOL.FIGURES.values():
        assert path.read_bytes().startswith(b"\x89PNG")
