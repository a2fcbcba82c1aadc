"""Lesson 4: what is dragged shows as many broken runs as the table says."""

from pathlib import Path
from typing import Any

from veilmix.languages.language import languages
from veilmix.lessons.lesson import lesson_of
from veilmix.lessons.pages import lesson_page
from veilmix.lessons.tables import table_of


def test_each_place_of_the_sliders_shows_the_runs_of_the_table(tmp_path: Path, tab: Any) -> None:
    lesson, table = lesson_of(4), table_of(4)
    assert lesson is not None
    path = tmp_path / "lesson-4.html"
    path.write_text(lesson_page(lesson, languages()["de"]), "utf-8")
    page = tab.open(path)
    page.locator("#field button").click()
    known: Any = table.picture
    c, people = page.locator("#picture input[type=range]").all()
    signs = [page.locator(f"figure >> nth={side} >> .broken") for side in (0, 1)]
    rings = [page.locator(f"figure >> nth={side} >> .kept") for side in (0, 1)]
    for kind, rows in enumerate(known["broken"]):
        page.locator("select").select_option(str(kind))
        for at, cells in enumerate(rows):
            people.fill(str(at))
            for place, broken in enumerate(cells):
                c.fill(str(place))
                assert [sign.count() for sign in signs] == broken
                assert [ring.count() for ring in rings] == [100 - many for many in broken]
                written = f"{known['c'][place]:g}".replace(".", ",")
                said = page.inner_text("#picture [role=status]")
                assert said.startswith(f"c = {written}, ")
                assert f" wird in {broken[0]} von 100 " in said
                assert said.endswith(f"mit Zuschlag in {broken[1]}.")


def test_more_people_break_what_a_smaller_c_has_mended(tmp_path: Path, tab: Any) -> None:
    """The end that the lesson is about, with the keys."""
    lesson = lesson_of(4)
    assert lesson is not None
    path = tmp_path / "lesson-4.html"
    path.write_text(lesson_page(lesson, languages()["en"]), "utf-8")
    page = tab.open(path)
    page.locator("#field button").click()
    c, people = page.locator("#picture input[type=range]").all()
    broken = page.locator("figure").first.locator(".broken")
    before = broken.count()
    c.press("End")
    assert broken.count() == 0 < before
    people.press("End")
    assert broken.count() == 100
    assert page.locator("figure").last.locator(".broken").count() == 0
