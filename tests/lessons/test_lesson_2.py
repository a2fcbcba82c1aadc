"""Lesson 2: what is dragged changes the columns as the table says."""

from pathlib import Path
from typing import Any

from veilmix.languages.language import languages
from veilmix.lessons.lesson import lesson_of
from veilmix.lessons.pages import lesson_page
from veilmix.lessons.tables import table_of


def lit(page: Any) -> int:
    """Give the number of columns that are published."""
    return int(page.locator(".tile.on").count())


def test_each_place_of_the_sliders_shows_the_columns_of_the_table(tmp_path: Path, tab: Any) -> None:
    lesson, table = lesson_of(2), table_of(2)
    assert lesson is not None
    path = tmp_path / "lesson-2.html"
    path.write_text(lesson_page(lesson, languages()["de"]), "utf-8")
    page = tab.open(path)
    page.locator("#field button").click()
    known: Any = table.picture
    people, k = page.locator("input[type=range]").all()
    sizes = [f"{n:,}".replace(",", ".") for n in known["people"]]
    for share, released in enumerate(known["released"]):
        page.locator("select").select_option(str(share))
        for row, cells in enumerate(released):
            k.fill(str(row))
            for place, many in enumerate(cells):
                people.fill(str(place))
                assert lit(page) == many
                said = page.inner_text("#picture p")
                assert said.startswith(f"{sizes[place]} Personen, k = {known['k'][row]}, ")
                assert said.endswith(f": {many} von 4 Spalten.")
    page.locator("select").select_option("1")
    people.fill(str(known["people"].index(3200)))
    for key, row in (("Home", 0), ("End", len(known["k"]) - 1)):
        k.press(key)
        assert lit(page) == known["released"][1][row][known["people"].index(3200)]
