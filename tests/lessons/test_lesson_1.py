"""Lesson 1: the page says of each group what follows for it, and opens no other layer."""

from pathlib import Path
from typing import Any

from veilmix.languages.language import languages
from veilmix.lessons.lesson import lesson_of
from veilmix.lessons.pages import lesson_page
from veilmix.lessons.tables import table_of

FIRST, SECOND, CURATOR, NETWORK = 1, 2, 4, 8


def opened(tmp_path: Path, tab: Any) -> Any:
    """Open the lesson, guess, and give the page."""
    lesson = lesson_of(1)
    assert lesson is not None
    path = tmp_path / "lesson-1.html"
    path.write_text(lesson_page(lesson, languages()["en"]), "utf-8")
    page = tab.open(path)
    page.locator("#field input").first.check()
    page.locator("#field button").click()
    return page


def test_each_group_knows_at_each_place_what_the_table_says(tmp_path: Path, tab: Any) -> None:
    page, known = opened(tmp_path, tab), table_of(1).picture
    names: Any = ("has", "whose", "opened")
    has, whose, opens = (known[name] for name in names)
    boxes, place = page.locator("#picture input[type=checkbox]"), page.locator("input[type=range]")
    group, seen = 0, set()
    for step in range(1, len(has) + 1):
        bit = min((step & -step).bit_length() - 1, 3)  # each group differs from the last by one
        boxes.nth(bit).press("Space")
        group ^= 1 << bit
        seen.add(group)
        for at in range(4):
            place.fill(str(at))
            reads = has[group][at] and all(opens[group][at:])
            tiles = page.locator(".tile").all_inner_texts()
            assert ("Anna's" in tiles[0]) == (has[group][at] and whose[group][at])
            assert ("yes" in tiles[1]) == reads
            assert ("they do not have it here" in tiles[0]) == (not has[group][at])
            shut = [layer for layer in range(at, 3) if not opens[group][layer]]
            closed = 3 - (shut[0] if shut else 3) if has[group][at] else 3 - at
            assert page.locator("#picture svg rect.veiled").count() == closed
            assert page.locator("#picture svg rect.glass").count() == 3 - at - closed
            both = page.inner_text("#picture [role=status]").startswith("Here they know both")
            assert both == (whose[group][at] and reads)
    assert seen == set(range(16))


def test_the_teachers_answer_is_what_the_table_says() -> None:
    """Each party alone: whose, as a list of places; what, as a list of places."""
    known: Any = table_of(1).picture

    def places(group: int) -> tuple[list[int], list[int]]:
        has, opens = known["has"][group], known["opened"][group]
        what = [at for at in range(4) if has[at] and all(opens[at:])]
        return [at for at in range(4) if has[at] and known["whose"][group][at]], what

    assert places(FIRST) == ([0, 1], [])
    assert places(SECOND) == ([], [])
    assert places(CURATOR) == ([], [2, 3])
    assert places(NETWORK) == ([0], [])
    both = [group for group in range(16) if set.intersection(*map(set, places(group)))]
    assert both == [FIRST + SECOND + CURATOR, FIRST + SECOND + CURATOR + NETWORK]


def test_layers_open_by_touch(tmp_path: Path, new_tab: Any) -> None:
    page = opened(tmp_path, new_tab(has_touch=True))
    for name in ("first shuffler", "second shuffler", "curator"):
        page.get_by_label(name, exact=True).tap()
    assert page.locator(".tile.on").count() == 2
    page.get_by_label("second shuffler", exact=True).tap()
    assert "sealed for: second shuffler" in page.locator(".tile").nth(1).inner_text()
