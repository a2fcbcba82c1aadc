"""Lesson 3: whoever is ticked links as many people as the table says."""

from pathlib import Path
from typing import Any

from veilmix.languages.language import languages
from veilmix.lessons.lesson import lesson_of
from veilmix.lessons.pages import lesson_page
from veilmix.lessons.tables import table_of

ENGLISH = languages()["en"]


def opened(tmp_path: Path, tab: Any) -> Any:
    """Open the lesson, guess, and give the page."""
    lesson = lesson_of(3)
    assert lesson is not None
    path = tmp_path / "lesson-3.html"
    path.write_text(lesson_page(lesson, ENGLISH), "utf-8")
    page = tab.open(path)
    page.locator("input[value='1']").first.check()
    page.locator("#field button").click()
    return page


def test_each_coalition_links_the_people_of_the_table(tmp_path: Path, tab: Any) -> None:
    page, known = opened(tmp_path, tab), table_of(3).picture
    cells: Any = known["linked"]
    smallest: Any = known["smallest"]
    status, way = page.locator("#picture [role=status]"), page.locator("#picture line.linked")
    for at, linked in enumerate(cells):
        page.locator("#picture input[type=range]").fill(str(at))
        boxes = page.locator("#picture input[type=checkbox]")
        mask = sum(boxes.nth(bit).is_checked() << bit for bit in range(boxes.count()))
        seen = set()
        for step in range(1, len(linked) + 1):
            bit = (step & -step).bit_length() - 1  # each coalition differs from the last by one
            boxes.nth(min(bit, boxes.count() - 1)).press("Space")
            mask ^= 1 << min(bit, boxes.count() - 1)
            seen.add(mask)
            said = status.inner_text()
            assert way.count() == linked[mask] * (at + 1)
            if mask:
                assert said.startswith(f"Together they link {linked[mask]} of 30 people")
            assert said.endswith("None of them can be left out.") == (mask in smallest[at])
        assert len(seen) == len(linked)


def test_ticks_stay_when_a_shuffler_comes(tmp_path: Path, tab: Any) -> None:
    page = opened(tmp_path, tab)
    page.get_by_label("curator", exact=True).check()
    page.get_by_label("shuffler 1").press("Space")
    page.locator("#picture input[type=range]").press("Home")
    assert page.inner_text("#picture [role=status]").startswith("Together they link 30 of 30")
    page.locator("#picture input[type=range]").press("ArrowRight")
    assert page.get_by_label("curator", exact=True).is_checked()
    assert page.inner_text("#picture [role=status]").startswith("Together they link 0 of 30")
