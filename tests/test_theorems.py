"""The pages of theorems and statements have every numbered item, and the names in them exist."""

import re
from pathlib import Path

import make_theorems as TOOL
import pytest
import statements

ROOT = Path(__file__).parent.parent
STATUS = re.compile(r"(true|corrected|sharper|false|used|definition|out of scope: |open: |redrawn)")


def test_the_pages_are_as_the_lists_say() -> None:
    """If this fails, the pages are to be written again: python tools/make_theorems.py."""
    page = TOOL.PAGE.read_text("utf-8")
    pages = TOOL.statement_pages(page)
    assert [path.name for path in pages] == [f"statements-{paper}.md" for paper in TOOL.items()]
    for path, text in pages.items():
        assert path.read_text("utf-8") == text
        assert text.count("\n## ") == len(TOOL.items()[path.stem[-3:]])
        assert f"({path.name})" in page


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


def test_every_note_says_whose_result_it_is() -> None:
    notes = re.findall(r"^\* \*\*.*$", TOOL.PAGE.read_text("utf-8"), re.MULTILINE)
    assert len(notes) > 25
    for note in notes:
        assert re.match(r"\* \*\*[^*]+\*\* \((known|sharpened|ours)[^()]*\)", note), note


@pytest.mark.parametrize("paper", ["000", "001", "002", "003", "004"])
def test_every_item_is_stated_and_proved_or_referred_to(paper: str) -> None:
    """Definitions, figures, tables and remarks on other papers have nothing to prove."""
    assert TOOL.unstated(paper) == []
    for item in TOOL.items()[paper]:
        statement = statements.statements(paper)[item.number]
        assert " ".join(statement.lines).strip(), item
        unproved = re.match(r"Definition|Figure|Table", item.number) or item.number == "Remark 4.4"
        assert unproved or statement.part("Proof") or statement.part("Reference"), item
        if re.match(r"corrected|false|open", item.status):
            assert statement.part("Erratum"), item
        if item.number.startswith(("Theorem", "Proposition", "Lemma", "Corollary")):
            assert "$" in statement.markdown, item


def test_a_file_of_statements_with_a_mistake_is_refused(tmp_path: Path) -> None:
    (tmp_path / "000.txt").write_text("[Lemma 1]\nx\n[Lemma 1]\ny\n", "utf-8")
    with pytest.raises(ValueError, match="comes twice"):
        statements.statements("000", tmp_path)
    (tmp_path / "000.txt").write_text("x\n[Lemma 1]\ny\n", "utf-8")
    with pytest.raises(ValueError, match="before the first item"):
        statements.statements("000", tmp_path)


def test_functions_show_the_statements_that_they_compute() -> None:
    (shown,) = statements.computed_by("veilmix.analysis.composition.theorem2")
    assert (shown[0], shown[1].number) == ("000", "Theorem 2")
    text = statements.restructured(shown[1].markdown)
    assert any(line.startswith(".. math:: Q_J") for line in text)
    assert any(r":math:`t_jN_j\le t_j|V_j|`" in line for line in text)
    assert not [line for line in text if "$" in line]
    assert statements.computed_by("veilmix.analysis.composition.nothing") == []
