"""`veilmix lesson`: the list, the folders, and what is no lesson."""

from pathlib import Path

import pytest
from veilmix.languages.language import languages
from veilmix.lessons.lesson import LESSONS
from veilmix.lessons.voice import Voice


def test_without_a_number_the_lessons_are_listed(typed) -> None:
    said = typed("lesson")
    assert said.code == 0, said.err
    for lesson in LESSONS:
        assert Voice.of(lesson, languages()["en"]).say("title") in said.out


def test_pages_of_pupils_and_of_teachers_go_to_folders_of_their_own(typed) -> None:
    said = typed("lesson", "--out", "pupils", "--teacher", "teachers", "--lang", "de")
    assert said.code == 0, said.err
    numbers = [lesson.number for lesson in LESSONS]
    assert sorted(path.name for path in Path("pupils").iterdir()) == sorted(
        ["index.html", *(f"{kind}-{n}.html" for n in numbers for kind in ("lesson", "handout"))]
    )
    assert sorted(path.name for path in Path("teachers").iterdir()) == sorted(
        f"{kind}-{n}.html" for n in numbers for kind in ("answers", "cards")
    )
    assert '<html lang="de"' in Path("pupils/index.html").read_text("utf-8")
    cards = Path(f"teachers/cards-{numbers[0]}.html").read_text("utf-8")
    assert "30 people" in cards


def test_cards_are_for_as_many_people_as_a_class_has(typed) -> None:
    said = typed("new", "classroom", "-", "--cards", "--people", "27")
    assert said.code == 0, said.err
    assert "27 people" in said.out
    assert "user-27" in said.out
    assert "user-28" not in said.out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("lesson", "99"), "found 99"),
        (("lesson", "2", "--lang", "tlh"), "de, en are accepted"),
        (("lesson", "2", "--host", "0.0.0.0"), "an address that they can reach"),
        (("lesson", "--people", "61"), "61"),
        (("new", "classroom", "--people", "30"), "goes with NAME --cards"),
    ],
)
def test_what_cannot_be_served_is_said(typed, arguments: tuple[str, ...], why: str) -> None:
    said = typed(*arguments)
    assert said.code == 2
    assert why in said.err
