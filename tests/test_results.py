"""docs/results.md says what its command says today."""

import re
from pathlib import Path

import make_results as TOOL
import numpy as np
import pytest
from generated import block, table_cells
from veilmix.analysis.composition import best_bound
from veilmix.scenarios.populations.tables import TABLES, shipped

PAGE = TOOL.PAGE.read_text("utf-8")
CHEAP = ("caesarean", "ovary")


def rows(name: str) -> dict[str, tuple[str, ...]]:
    """The rows of a table of the page, by the table of people that each is about."""
    return {line[0].strip("`"): tuple(line) for line in table_cells(block(PAGE, name))}


def test_the_page_has_sixteen_tables_each_once() -> None:
    assert list(rows("bounds")) == list(rows("sessions")) == TOOL.names_by_people()
    assert len(TOOL.names_by_people()) == len(set(TABLES)) == 16
    assert TOOL.PICTURE.read_bytes().startswith(b"\x89PNG")


def test_the_sources_are_those_of_the_tables() -> None:
    assert block(PAGE, "sources") == TOOL.sources()


@pytest.mark.slow
@pytest.mark.parametrize("name", CHEAP)
def test_rows_are_what_the_command_gives(name: str) -> None:
    """If this fails, the page is to be written again: python tools/make_results.py."""
    assert rows("bounds")[name] == TOOL.bounds(name).row()
    assert rows("sessions")[name] == TOOL.session_row(TOOL.session(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*TABLES} - {*CHEAP}))
def test_truth_and_certified_bound_are_todays(name: str) -> None:
    """Of all tables but the search for the worst case; each number is on its side."""
    *_, truth, worst, certified = rows("bounds")[name]
    table = shipped(name)
    crowds = np.unique(table.codes, axis=0, return_counts=True)[1]
    assert truth == f"{crowds[crowds < TOOL.K].sum():,}"
    counts = [np.bincount(column) for column in table.codes.T]
    assert certified == f"{best_bound(counts, TOOL.K, 'margins').people:,}"
    order = [int(x.replace(",", "")) for x in re.findall(r"[\d,]+", f"{truth} {worst} {certified}")]
    assert order == sorted(order)


def test_an_unknown_table_is_one_error() -> None:
    with pytest.raises(SystemExit, match="ovaries: no such table; accepted: caesarean, ovary, "):
        TOOL.main(["ovaries"])


def test_a_stopped_command_leaves_the_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page, picture = tmp_path / "results.md", tmp_path / "results.png"
    page.write_text("before", "utf-8")
    monkeypatch.setattr(TOOL, "PAGE", page)
    monkeypatch.setattr(TOOL, "PICTURE", picture)

    def stopped(_name: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(TOOL, "bounds", stopped)
    with pytest.raises(KeyboardInterrupt):
        TOOL.main([])
    assert page.read_text("utf-8") == "before"
    assert not picture.exists()


@pytest.mark.long
def test_the_whole_page_is_what_the_command_gives() -> None:
    """If this fails, the page is to be written again: python tools/make_results.py."""
    names = TOOL.names_by_people()
    page = TOOL.PAGE.read_text("utf-8")
    found = [TOOL.bounds(name) for name in names]
    assert TOOL.page_text(page, found, [TOOL.session(name) for name in names]) == page
