"""docs/choosing.md says what `veilmix compare` says."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parent.parent
TOOL = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "make_choosing.py")))


def block(name: str) -> str:
    """The table of a scenario on the page."""
    page = TOOL.PAGE.read_text("utf-8")
    return next(found.group() for found in TOOL.BLOCK.finditer(page) if found.group(2) == name)


@pytest.mark.slow
def test_the_small_table_is_what_the_command_gives() -> None:
    """If this fails, the page is to be written again: python tools/make_choosing.py."""
    played = {row[0]: row for row in TOOL.computed(TOOL.table(TOOL.played("who-to-trust")))}
    written = {row[0]: row for row in TOOL.computed(TOOL.parsed(block("who-to-trust")))}
    assert {"two-round", "trusted", "trusted-cells", "shares", "local joint e=2"} <= set(written)
    assert written == {name: played[name] for name in written}


def test_every_table_has_every_program_once() -> None:
    names = [[row[0] for row in TOOL.parsed(block(name))] for name in ("titanic", "census")]
    assert names[0] == names[1] == [row[0] for row in TOOL.parsed(block("who-to-trust"))]
    assert len(set(names[0])) == len(names[0]) > 4


def test_a_table_is_read_as_it_is_written() -> None:
    rows = [[str(i) for i in range(len(TOOL.HEADINGS))], ["x"] * len(TOOL.HEADINGS)]
    assert TOOL.parsed(TOOL.markdown(rows)) == rows
    assert len(TOOL.computed(rows)[0]) == len(TOOL.HEADINGS) - len(TOOL.MEASURED)


def test_the_figure_is_there() -> None:
    for path in TOOL.FIGURES.values():
        assert path.read_bytes().startswith(b"\x89PNG")
