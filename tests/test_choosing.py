"""docs/choosing.md and its record say what `veilmix compare` says."""

import re
from pathlib import Path

import make_choosing as TOOL
import pytest
from generated import record_text
from veilmix.scenarios.studies.comparison.compare import compare

ROOT = Path(__file__).parent.parent


@pytest.mark.long
@pytest.mark.slow
def test_the_small_table_is_what_the_command_gives() -> None:
    """If this fails, it is to be recorded again: python tools/make_choosing.py."""
    played = {row[0]: row for row in TOOL.computed(TOOL.table(TOOL.played("who-to-trust")))}
    written = {row[0]: row for row in TOOL.computed(TOOL.recorded()["who-to-trust"])}
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
    names = [[row[0] for row in TOOL.recorded()[name]] for name in ("titanic", "census")]
    small = [row[0] for row in TOOL.recorded()["who-to-trust"]]
    assert "peers" in small
    assert names[0] == names[1] == [name for name in small if name != "peers"]
    assert len(set(names[0])) == len(names[0]) > 4


def test_the_page_is_written_from_the_record() -> None:
    """If this fails: python tools/make_choosing.py --page."""
    record = TOOL.recorded()
    assert TOOL.page(record) == TOOL.PAGE.read_text("utf-8")
    assert record_text(record) == TOOL.RECORD.read_text("utf-8")
    for rows in record.values():
        assert {len(row) for row in rows} == {len(TOOL.HEADINGS)}
        assert len(TOOL.computed(rows)[0]) == len(TOOL.HEADINGS) - len(TOOL.MEASURED)


def test_programs_with_noise_have_a_line_for_all_budgets() -> None:
    for rows in TOOL.recorded().values():
        text = TOOL.markdown(rows)
        for program in ("histogram", "local joint", "local features"):
            assert text.count(f"\n| {program} |") == 1
    with pytest.raises(ValueError, match="histogram: 2 budgets"):
        TOOL.markdown([row for row in rows if row[0] != "histogram e=2"])


def test_lines_of_some_programs_take_their_places_among_the_others() -> None:
    there = TOOL.recorded()["titanic"]
    mine = [row for row in there if row[0].startswith("threshold")]
    assert [row[0] for row in mine] == ["threshold", "threshold prefixes"]
    others = [row for row in there if row not in mine]
    assert TOOL.among(mine, others) == TOOL.among(mine, there) == there


def test_the_figure_is_there() -> None:
    for path in TOOL.FIGURES.values():
        assert path.read_bytes().startswith(b"\x89PNG")
