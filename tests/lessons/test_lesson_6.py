"""Lesson 6: what is ticked shrinks the crowd, and finds as many households as the table says."""

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
    lesson = lesson_of(6)
    assert lesson is not None
    path = tmp_path / "lesson-6.html"
    path.write_text(lesson_page(lesson, languages()["de"]), "utf-8")
    opened = tab.open(path)
    opened.locator("#field button").click()
    return opened


def crowd(known: Any, household: int, columns: list[int]) -> int:
    """Count the households with the answers of one in some columns."""
    answers = known["rows"][household]
    return sum(all(row[j] == answers[j] for j in columns) for row in known["rows"])


def test_each_tick_shrinks_the_crowd_to_that_of_the_table(page: Any) -> None:
    known: Any = table_of(6).picture
    boxes, columns = page.locator("input[type=checkbox]").all(), []
    for column in range(8):
        boxes[column].press("Space")
        columns.append(column)
        many = crowd(known, known["start"], columns)
        said = page.inner_text("#picture [role=status]")
        assert f"Bekannt: {column + 1} von 8 Antworten von Haushalt {known['start'] + 1}." in said
        assert f" {many} Haushalt" in said
        assert page.locator("#picture circle.guess").count() == many - 1
        found = known["found"][(1 << column + 1) - 1]
        assert page.locator("#picture > p").last.inner_text().endswith(f"findet {found} davon.")
    assert many == 1
    assert said.startswith("✗ ")


def test_a_household_is_chosen_by_the_slider_and_in_the_picture(page: Any) -> None:
    known: Any = table_of(6).picture
    page.locator("input[type=checkbox]").nth(3).check()
    page.locator("input[type=range]").fill("17")
    assert "Haushalt 18." in page.inner_text("#picture [role=status]")
    assert page.locator("#picture circle.guess").count() == crowd(known, 17, [3]) - 1
    page.locator("#picture circle").nth(100).click(force=True)  # the sought one is no circle
    said = page.inner_text("#picture [role=status]")
    assert "Haushalt 102." in said
    assert f" {crowd(known, 101, [3])} Haushalte passen" in said
    shown = [text == "ja" for text in page.locator("label.choice b").all_inner_texts()]
    assert shown == [answer == "1" for answer in known["rows"][101]]


def test_the_table_finds_whoever_stands_alone_in_its_rows() -> None:
    known: Any = table_of(6).picture
    for mask in range(256):
        columns = [j for j in range(8) if mask >> j & 1]
        crowds = [crowd(known, at, columns) for at in range(len(known["rows"]))]
        assert crowds.count(1) == known["found"][mask]
