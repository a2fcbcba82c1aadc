"""Each sentence of lessons stands in languages/, is used, and holds no figure."""

import re
from pathlib import Path

import pytest
from lesson_kit import SPOKEN, name_of, voice_of
from veilmix.languages.language import BLANK, languages
from veilmix.lessons.lesson import LESSONS, Lesson
from veilmix.lessons.pages import STATIC
from veilmix.lessons.tables import table_of
from veilmix.lessons.voice import OF_A_LESSON, format_number

ENGLISH = languages()["en"].lessons
CODE = "\n".join(
    path.read_text("utf-8")
    for path in (*STATIC.parent.glob("*.py"), *STATIC.glob("*.js"), *STATIC.glob("*.html"))
)
spoken = pytest.mark.parametrize(("lesson", "tag"), SPOKEN, ids=name_of)


def picture_keys(lesson: Lesson) -> set[str]:
    """The keys that the picture and the table name."""
    script = (STATIC / f"lesson{lesson.number}.js").read_text("utf-8")
    table = (STATIC.parent / "tables" / f"lesson_{lesson.number}.json").read_text("utf-8")
    return set(re.findall(rf'["`](l{lesson.number}-[a-z0-9-]+)["`]', script + table))


@pytest.mark.parametrize("lesson", LESSONS, ids=name_of)
def test_a_lesson_has_its_sentences_and_no_other(lesson: Lesson) -> None:
    sheet = ("row", "column") if table_of(lesson.number).sheet else ()
    wanted = {*lesson.keys, *map(lesson.key, sheet), *picture_keys(lesson)}
    assert {key for key in ENGLISH if key.startswith(lesson.key(""))} == wanted


def test_no_sentence_is_of_a_lesson_that_is_not_there() -> None:
    found = {int(match[1]) for key in ENGLISH if (match := OF_A_LESSON.fullmatch(key))}
    assert found == {lesson.number for lesson in LESSONS}


def test_each_common_sentence_is_used() -> None:
    common = {key for key in ENGLISH if not OF_A_LESSON.fullmatch(key)}
    said = set(re.findall(r"""["'{]([a-z]+(?:-[a-z]+)*)["'}]""", CODE))
    assert common - said == set()


@pytest.mark.parametrize("tag", sorted(languages()))
def test_no_sentence_holds_a_figure(tag: str) -> None:
    for key, form in languages()[tag].lessons.items():
        for text in [form] if isinstance(form, str) else form.values():
            assert re.search(r"\d", BLANK.sub("", text)) is None, key


@spoken
def test_each_placeholder_is_a_fact_or_a_value(lesson: Lesson, tag: str) -> None:
    voice = voice_of(lesson, tag)
    given = {"guess": "?", "value": "?", "n": 2}
    for key in lesson.keys:
        assert "{" not in voice.common(key, **given)
    used = {
        name
        for key, form in voice.language.sentences.items()
        if key.startswith(lesson.key(""))
        for text in ([form] if isinstance(form, str) else form.values())
        for name in BLANK.findall(text)
    }
    assert set(voice.table.facts) - used == set()


@spoken
def test_phones_get_no_answer(lesson: Lesson, tag: str) -> None:
    texts = voice_of(lesson, tag).texts
    assert lesson.key("title") in texts
    hidden = [lesson.key(f"answer-{at}") for at in range(1, lesson.exercises + 1)]
    for key in (*hidden, lesson.key("guess-answer"), lesson.key("drag-answer")):
        assert key in voice_of(lesson, tag).language.sentences
        assert key not in texts


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.js")), ids=lambda path: path.name)
def test_no_sentence_stands_in_a_script(path: Path) -> None:
    bare = re.sub(r"^\s*//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    assert re.findall(r'"[A-Za-z]{2,}[,:;.]? +[A-Za-z ]{2,}"', bare.replace('"tile on"', "")
                      .replace('"choice true"', "")) == []  # fmt: skip


def test_numbers_are_written_as_the_language_does() -> None:
    english, german = languages()["en"], languages()["de"]
    assert format_number(22_000, english) == "22,000"
    assert format_number(0.05, english, share=True) == "5 %"
    assert format_number(22_000, german) == "22.000"
    assert format_number(0.125, german, share=True) == "12,5 %"
    assert format_number(1.5, german) == "1,5"
