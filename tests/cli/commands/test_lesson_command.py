"""`veilmix lesson`: the list, the folders, and what is no lesson."""

import re
from pathlib import Path

import pytest
from veilmix.languages.language import languages
from veilmix.lessons.lesson import LESSONS
from veilmix.lessons.voice import Voice
from veilmix.poll.slips import printed, read_slips


def test_without_a_number_the_lessons_are_listed(typed) -> None:
    said = typed("lesson")
    assert said.code == 0, said.err
    for lesson in LESSONS:
        assert Voice.in_language(lesson, languages()["en"]).say("title") in said.out


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
    assert "30 Personen" in cards


def test_cards_are_for_as_many_people_as_a_class_has(typed) -> None:
    said = typed("new", "classroom", "-", "--cards", "--people", "27")
    assert said.code == 0, said.err
    assert "27 people" in said.out
    assert "user-27" in said.out
    assert "user-28" not in said.out


def test_a_pack_has_slips_whose_codes_are_in_a_file_of_their_own(typed) -> None:
    said = typed("lesson", "2", "--pack", "pack.html", "--host", "192.168.1.20", "--people", "9")
    assert said.code == 0, said.err
    text = Path("pack.html").read_text("utf-8")
    codes = set(re.findall(r'<p class="code">([0-9A-Z-]+)</p>', text))
    slips = read_slips(Path("pack.slips.toml"), "Three questions")
    assert codes == {printed(code) for code in slips.codes}
    assert len(codes) == 9 + 5
    assert "veilmix poll --demo --host 192.168.1.20 --with-slips pack.slips.toml" in text
    assert "users = 9 in class-of-thirty.toml" in text
    assert not any(code in said.out for code in codes)
    for path in (Path("pack.html"), Path("pack.slips.toml")):
        assert path.stat().st_mode & 0o077 == 0


def test_a_pack_without_an_address_has_no_slips(typed) -> None:
    said = typed("lesson", "2", "--pack", "pack.html", "--lang", "de")
    assert said.code == 0, said.err
    assert "it has no slips" in said.out
    assert '<html lang="de"' in Path("pack.html").read_text("utf-8")
    assert not Path("pack.slips.toml").exists()


def test_no_pack_replaces_codes_that_are_there(typed) -> None:
    Path("pack.slips.toml").write_text("mine", "utf-8")
    said = typed("lesson", "2", "--pack", "pack.html", "--host", "192.168.1.20")
    assert said.code == 2
    assert "pack.slips.toml: exists already" in said.err
    assert not Path("pack.html").exists()
    assert Path("pack.slips.toml").read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("lesson", "99"), "found 99"),
        (("lesson", "2", "--lang", "tlh"), "de, en are accepted"),
        (("lesson", "2", "--host", "0.0.0.0"), "phones cannot open this address"),
        (("lesson", "--people", "61"), "61"),
        (("lesson", "--pack", "pack.html"), "the number of the lesson is missing"),
        (("new", "classroom", "--people", "30"), "only with NAME --cards"),
        (("new", "classroom", "--lang", "de"), "--lang is accepted only with NAME"),
        (("new", "classroom", "--cards", "--lang", "tlh"), "de, en are accepted"),
    ],
)
def test_what_cannot_be_served_is_said(typed, arguments: tuple[str, ...], why: str) -> None:
    said = typed(*arguments)
    assert said.code == 2
    assert why in said.err
