"""No page of a lesson breaks a rule of axe, in no language, before and after the guess."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_kit import violations
from lesson_kit import SPOKEN, make_guess, name_of, served, wrong_guess
from veilmix.languages.language import languages
from veilmix.lessons import pages
from veilmix.lessons.lesson import Lesson, lesson_of

spoken = pytest.mark.parametrize(("lesson", "tag"), SPOKEN, ids=name_of)


@spoken
def test_no_page_for_pupils_breaks_a_rule(
    lesson: Lesson, tag: str, opened: Callable[[str], Any]
) -> None:
    page = opened(pages.lesson_page(lesson, languages()[tag]))
    assert violations(page) == []
    make_guess(page, lesson, wrong_guess(lesson))
    page.wait_for_selector("#play", state="visible")
    assert violations(page) == []


@spoken
@pytest.mark.parametrize("paper", [pages.handout, pages.answers])
def test_no_paper_breaks_a_rule(
    lesson: Lesson, tag: str, paper: Callable[..., str], opened: Callable[[str], Any]
) -> None:
    assert violations(opened(paper(lesson, languages()[tag]))) == []


@pytest.mark.parametrize("tag", sorted(languages()))
def test_the_list_of_lessons_breaks_no_rule(tag: str, opened: Callable[[str], Any]) -> None:
    assert violations(opened(pages.index(languages()[tag]))) == []


def test_the_wall_breaks_no_rule(new_tab: Callable[[], Any]) -> None:
    lesson = lesson_of(2)
    assert lesson is not None
    with served(lesson) as desk:
        page = new_tab().open(desk.wall)
        assert violations(page) == []
        page.locator("button").click()
        page.wait_for_selector("#shown", state="visible")
        assert violations(page) == []
