"""docs/theorems.md has every numbered item of the papers, and what it names is there."""

import re
from pathlib import Path

import make_theorems as TOOL
import pytest

ROOT = Path(__file__).parent.parent
STATUS = re.compile(r"(true|corrected|sharper|false|used|definition|out of scope: |open: |redrawn)")


def test_the_page_is_as_the_list_says() -> None:
    """If this fails, the page is to be written again: python tools/make_theorems.py."""
    page = TOOL.PAGE.read_text("utf-8")
    assert TOOL.written(page) == page
    assert TOOL.written(page.replace("| Theorem 2 |", "| Theorem 1 |")) == page


def test_every_item_is_there_once_with_a_status() -> None:
    papers = TOOL.items()
    assert {paper: len(items) for paper, items in papers.items()} == {
        "000": 16,
        "001": 14,
        "002": 73,
        "003": 31,
        "004": 22,
    }
    for items in papers.values():
        numbers = [item.number for item in items]
        assert len(set(numbers)) == len(numbers)
        for item in items:
            assert STATUS.match(item.status), item


@pytest.mark.parametrize("paper", ["000", "001", "002", "003", "004"])
def test_names_and_tests_of_items_are_there(paper: str) -> None:
    for item in TOOL.items()[paper]:
        assert not TOOL.missing(item)
    bad = TOOL.Item("x", "x", "true", ("analysis.composition.nothing",), "test_lemmas.py", "none")
    assert len(TOOL.missing(bad)) == 2


def test_every_heading_says_whose_it_is() -> None:
    page = TOOL.PAGE.read_text("utf-8").partition("## Every numbered item")[0]
    headings = [line for line in page.splitlines() if line.startswith("### ")]
    assert len(headings) > 30
    for heading in headings:
        assert re.search(r"\((known|sharpened|ours)[^()]*\)$", heading), heading
