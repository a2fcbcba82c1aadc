"""Lesson 7: columns, coarser steps and k change the share in small crowds as the table says."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from veilmix.languages.language import languages
from veilmix.lessons.lesson import lesson_of
from veilmix.lessons.pages import lesson_page
from veilmix.lessons.tables import table_of


@pytest.fixture
def page(tmp_path: Path, tab: Any) -> Any:
    """The page of the lesson after the guess."""
    lesson = lesson_of(7)
    assert lesson is not None
    path = tmp_path / "lesson-7.html"
    path.write_text(lesson_page(lesson, languages()["en"]), "utf-8")
    opened = tab.open(path)
    opened.locator("#field button").click()
    return opened


def below(crowds: Any, k: int) -> str:
    """Write the share of people below k as the page does."""
    pairs = zip(crowds["sizes"], crowds["people"], strict=True)
    people = sum(many for size, many in pairs if size < k)
    return f"{round(100 * people / sum(crowds['people']), 1):g} %"


def test_each_choice_of_columns_shows_the_share_of_the_table(page: Any) -> None:
    known: Any = table_of(7).picture
    selects = page.locator("#picture select").all()
    choices = list(product((0, 1, 2), repeat=len(selects)))
    assert len(choices) == len(known["crowds"])
    for at in (0, 1, 5, 16, 27, 40, 53, 79, 80):
        for select, level in zip(selects, choices[at], strict=True):
            select.select_option(str(level))
        said = page.inner_text("#picture [role=status]")
        assert said.startswith(f"{below(known['crowds'][at], 5)} of 300 people")
        hollow = [size for size in known["crowds"][at]["sizes"] if size < 5]
        assert page.locator("#picture rect.small").count() == len(hollow)
    assert said.endswith("There is 1 crowd.")  # all columns are left out


def test_k_is_dragged_by_keys(page: Any) -> None:
    known: Any = table_of(7).picture
    dial = page.locator("#picture input[type=range]")
    dial.press("Home")
    for k in known["k"]:
        shown = below(known["crowds"][0], k)
        assert page.inner_text("#picture [role=status]").startswith(f"{shown} of 300 people")
        texts = page.locator("#picture svg text").all_text_contents()
        assert texts[:2] == [f"k = {k}", f"□ {shown}"]
        dial.press("ArrowRight")


def test_the_hand_out_has_the_shares_of_the_picture() -> None:
    table = table_of(7)
    known: Any = table.picture
    assert table.sheet is not None
    coarser = [0, 27, 27 + 9, 27 + 9 + 3, 27 + 9 + 3 + 1]  # places of 0 to 4 coarser columns
    for k, cells in zip(table.sheet.rows, table.sheet.cells, strict=True):
        assert [below(known["crowds"][at], int(k)) for at in coarser] == [f"{c:g} %" for c in cells]
