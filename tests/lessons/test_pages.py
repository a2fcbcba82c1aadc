"""The pages of each lesson, as a browser draws them: guess, verdict, widths, paper."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from contrast_kit import lowest_contrast
from lesson_kit import SPOKEN, ask, guess_body, make_guess, name_of, served, voice_of, wrong_guess
from veilmix.languages.language import languages
from veilmix.lessons import pages
from veilmix.lessons.lesson import LESSONS, ChoiceGuess, Lesson, NumberGuess

NARROW = {"width": 390, "height": 844}
spoken = pytest.mark.parametrize(("lesson", "tag"), SPOKEN, ids=name_of)
Opened = Callable[..., Any]


def widest(page: Any) -> int:
    """Give how much wider than its window a page is, at most."""
    return int(page.evaluate("document.documentElement.scrollWidth - innerWidth"))


@spoken
def test_a_wrong_guess_is_told_with_both_answers(lesson: Lesson, tag: str, opened: Opened) -> None:
    voice, wrong = voice_of(lesson, tag), wrong_guess(lesson)
    page = opened(pages.lesson_page(lesson, languages()[tag]))
    assert page.locator("html").get_attribute("lang") == tag
    assert page.locator("#play").is_hidden()
    make_guess(page, lesson, wrong)
    name = "wrong" if isinstance(lesson.guess, ChoiceGuess) else "low"
    said = voice.say(name, guess=voice.value(wrong))
    assert voice.value(voice.table.truth) in said
    assert page.inner_text("#verdict") == f"✗ {said}"
    assert page.inner_text("#said") == said  # to a screen reader
    assert page.evaluate("document.activeElement.id") == "verdict"
    assert page.locator("#play").is_visible()
    assert page.locator("#guess").is_hidden()
    # The guess stays: nobody guesses twice. A browser may lose the storage of a tab that is loaded
    # again at once, so the test puts back what the page has stored.
    stored = page.evaluate("JSON.stringify(Object.entries(sessionStorage))")
    page.add_init_script(f"for (const [key, text] of {stored}) sessionStorage.setItem(key, text);")
    page.reload()
    assert page.inner_text("#verdict") == f"✗ {said}"


@pytest.mark.parametrize(
    "lesson", [one for one in LESSONS if isinstance(one.guess, NumberGuess)], ids=name_of
)
def test_a_number_is_guessed_by_keys_and_by_dragging(lesson: Lesson, opened: Opened) -> None:
    voice = voice_of(lesson, "en")
    page = opened(pages.lesson_page(lesson, languages()["en"]), NARROW)
    marker = page.locator("[role=slider]")
    marker.focus()
    values = []
    for key in ("Home", "ArrowRight", "End", "ArrowLeft"):
        page.keyboard.press(key)
        values.append(float(marker.get_attribute("aria-valuenow")))
        assert page.inner_text("output") == marker.get_attribute("aria-valuetext")
    low, next_, high, last = values
    assert (low, high) == (lesson.guess.low, lesson.guess.high)  # type: ignore[union-attr]
    assert low < next_ < last < high
    box = page.locator("#field svg").bounding_box()
    place = page.evaluate("width => scaleOf(data.guess, width).place(data.truth)", box["width"])
    page.mouse.move(box["x"] + 60, box["y"] + 34)
    page.mouse.down()
    page.mouse.move(box["x"] + place, box["y"] + 34, steps=5)
    page.mouse.up()
    chosen = float(marker.get_attribute("aria-valuenow"))
    page.locator("#field button").click()
    assert page.inner_text("#verdict") == f"✓ {voice.say('right', guess=voice.value(chosen))}"


@spoken
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_down_alone_and_each_text_has_contrast(
    lesson: Lesson, tag: str, scheme: str, opened: Opened
) -> None:
    text = pages.lesson_page(lesson, languages()[tag])
    page = opened(text, NARROW, color_scheme=scheme)
    assert widest(page) <= 0
    make_guess(page, lesson, wrong_guess(lesson))
    assert widest(page) <= 0
    many, ratio, worst = lowest_contrast(page)
    assert many > 8
    assert ratio >= 4.5, worst
    unnamed = "[...document.querySelectorAll('input, select')].filter((n) => !n.labels.length)"
    assert page.evaluate(f"{unnamed}.length") == 0


@spoken
@pytest.mark.parametrize("kind", ["handout", "answers"])
def test_a_sheet_is_one_page_of_a4(lesson: Lesson, tag: str, kind: str, opened: Opened) -> None:
    page = opened(getattr(pages, kind)(lesson, languages()[tag]))
    printed = page.pdf(prefer_css_page_size=True)
    assert printed.count(b"/Type /Page\n") == 1
    voice = voice_of(lesson, tag)
    answered = [voice.say(f"answer-{at}") for at in range(1, lesson.exercises + 1)]
    shown = page.inner_text("main")
    assert [text in shown for text in answered] == [kind == "answers"] * lesson.exercises


@spoken
def test_no_page_of_pupils_has_an_answer_of_the_exercises(lesson: Lesson, tag: str) -> None:
    language, voice = languages()[tag], voice_of(lesson, tag)
    text = unescape(pages.lesson_page(lesson, language) + pages.handout(lesson, language))
    for name in ("guess-answer", "drag-answer", "answer-1"):
        assert voice.say(name) not in text


@spoken
def test_no_hand_out_says_the_number_that_is_guessed(lesson: Lesson, tag: str) -> None:
    if isinstance(lesson.guess, NumberGuess):
        voice = voice_of(lesson, tag)
        text = unescape(pages.handout(lesson, languages()[tag]))
        assert voice.value(voice.table.truth) not in text
        assert voice.value(voice.table.truth) in pages.answers(lesson, languages()[tag])


def test_the_index_names_all_lessons_with_their_terms(opened: Opened) -> None:
    for tag, language in languages().items():
        page = opened(pages.index(language), NARROW)
        assert widest(page) <= 0
        shown = page.inner_text("main")
        for lesson in LESSONS:
            voice = voice_of(lesson, tag)
            for part in (voice.say("title"), voice.say("needs"), str(lesson.minutes)):
                assert part in shown


def test_a_page_loads_nothing_and_connects_nowhere_unless_it_sends_a_guess() -> None:
    lesson, language = LESSONS[0], languages()["en"]
    alone = pages.lesson_page(lesson, language)
    sends = pages.lesson_page(lesson, language, {"post": "guess-2"})
    assert "connect-src 'none'" in alone
    assert "connect-src 'self'" in sends
    for text in (alone, sends, pages.handout(lesson, language)):
        assert "unsafe" not in text
        assert " src=" not in text
        assert " style=" not in text


@pytest.mark.parametrize(("width", "height", "least"), [(1920, 1080, 27), (1024, 768, 19)])
@spoken
def test_a_wall_shows_the_guesses_of_a_class_when_they_are_closed(
    lesson: Lesson, tag: str, width: int, height: int, least: int, new_tab: Any
) -> None:
    voice, tab = voice_of(lesson, tag), new_tab()
    tab.page.set_viewport_size({"width": width, "height": height})
    guesses = [voice.table.truth] * 12 + [wrong_guess(lesson)] * 17
    with served(lesson, tag) as desk:
        for phone, value in enumerate(guesses):
            assert ask(f"{desk.address}/guess-{lesson.number}", guess_body(phone, value))[0] == 204
        page = tab.open(desk.wall)
        counted = voice.common("guesses-from-one", n=29, most=29)
        page.get_by_text(counted).wait_for()
        assert page.locator("#axis circle, #axis li").count() == 0
        fits(page, least)
        page.locator("#reveal").click()
        name = "sum-choice" if isinstance(lesson.guess, ChoiceGuess) else "sum-number"
        said = voice.common(name, n=29, right=12, below=17, above=0)
        page.locator("#sum").get_by_text(said, exact=True).wait_for()
        shown = page.locator("#axis circle").count()
        assert shown or len("".join(page.locator("#axis li span").all_inner_texts())) == 29
        assert shown in (0, 29)
        fits(page, least)
        page.goto("about:blank")


def fits(page: Any, least: int) -> None:
    """See that a wall is as large as its window, and that its last row can read each text."""
    sizes = """[...document.querySelectorAll("body *")].filter((n) => n.checkVisibility() &&
        !["SCRIPT", "STYLE"].includes(n.tagName) &&
        [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim()))
        .map((n) => parseFloat(getComputedStyle(n).fontSize))"""
    assert min(page.evaluate(sizes)) >= least
    assert widest(page) <= 0
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
