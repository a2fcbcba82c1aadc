"""Lesson 5: epsilon and people change the interval and the factors as the table says."""

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
    lesson = lesson_of(5)
    assert lesson is not None
    path = tmp_path / "lesson-5.html"
    path.write_text(lesson_page(lesson, languages()["en"]), "utf-8")
    opened = tab.open(path)
    opened.locator("#field button").click()
    return opened


def percent(share: float) -> str:
    """Write a share as the page does."""
    return f"{round(100 * share, 4):g} %"


def factors(page: Any) -> list[float]:
    """Give the two factors that are shown, alone and shuffled."""
    texts = page.locator(".tile strong").all_inner_texts()
    return [float(text.removeprefix("× ")) for text in texts]


def test_each_place_of_the_sliders_shows_what_the_table_has(page: Any) -> None:
    known: Any = table_of(5).picture
    epsilon, people = page.locator("#picture input[type=range]").all()
    for row, alone in enumerate(known["alone"]):
        epsilon.fill(str(row))
        true = page.locator("#picture svg[aria-hidden] text").first.text_content()
        assert true == f"■ true: {percent(known['truths'][row])}"
        for place, shuffled in enumerate(known["shuffled"][row]):
            people.fill(str(place))
            assert factors(page) == [alone, shuffled]
            assert page.locator(".tile.on").count() == (shuffled < alone)
            low, _, high = known["draws"][row][place][0]
            said = page.inner_text("#picture [role=status]")
            assert f"from {percent(low)} to {percent(high)}." in said
            assert ("✓" in said) == (low <= known["yes"] <= high)


def test_all_answer_again_and_again(page: Any) -> None:
    known: Any = table_of(5).picture
    people, epsilon = known["start"]
    draws = known["draws"][epsilon][people]
    for low, middle, high in (*draws[1:], draws[0]):
        page.locator("#picture button").click()
        assert f"from {percent(low)} to {percent(high)}." in page.inner_text(
            "#picture [role=status]"
        )
        shown = page.locator("#picture svg[role=img] text").first.text_content()
        assert shown == f"● estimate: {percent(middle)}"


def test_a_crowd_never_adds_to_what_an_answer_tells() -> None:
    known: Any = table_of(5).picture
    for alone, shuffled in zip(known["alone"], known["shuffled"], strict=True):
        assert alone >= max(shuffled)
        assert shuffled == sorted(shuffled, reverse=True)
