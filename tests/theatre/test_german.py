"""The page in German has no English sentence left, and a script from the right turns it around."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from veilmix.languages.language import BLANK, Form, Language, languages
from veilmix.theatre.page import render
from veilmix.theatre.show import outcome_data

pytestmark = pytest.mark.slow

GERMAN = languages()["de"]
RUNS = ("classroom", "faulty", "threshold", "village", "tagged", "verified", "verified-once")
ATTACKS = ("verified-exchange", "verified-wrong-share")
# All texts of the page while it steps through its moves, as somebody reads or hears them.
TEXTS = """([eyes, every]) => {
    const found = new Set();
    const look = () => {
        for (const node of document.querySelectorAll("body *:not(script):not(#title)")) {
            const own = [...node.childNodes].filter((one) => one.nodeType === 3);
            for (const one of own) if (one.data.trim()) found.add(one.data.trim());
            for (const name of ["title", "aria-label"])
                if (node.hasAttribute(name)) found.add(node.getAttribute(name));
        }
    };
    const scrub = document.getElementById("scrub");
    for (let at = 0; at <= Number(scrub.max); at += at < 60 ? 1 : every) {
        scrub.value = at;
        scrub.dispatchEvent(new Event("input"));
        look();
    }
    scrub.value = scrub.max;
    scrub.dispatchEvent(new Event("input"));
    look();
    return [...found];
}"""
# words that no German sentence has; what is quoted from the board or from a file may have some
ENGLISH_WORDS = re.compile(
    r"\b(the|of|and|these|those|with|which|who|whose|everybody|nobody|is|are|has|its|their|not|by)\b"
)
QUOTED = re.compile(r"steht auf Englisch.*|\((?:shuffler|user|curator|analyst)-?\d*: [^)]*\)")


def german(shown: Any, name: str, folder: Path, language: Language = GERMAN) -> Path:
    """Write the page of a run in a language."""
    path = folder / f"{name}.html"
    path.write_text(render(outcome_data(shown(name).outcome, language), language), "utf-8")
    return path


def texts(form: Form) -> Iterator[str]:
    """Yield the texts of a sentence: its forms, and the shorter ones, each in its lines."""
    for whole in [form] if isinstance(form, str) else form.values():
        for one in whole.split(" | "):
            yield from one.split("\n")


def english_sentences() -> re.Pattern[str]:
    """Match a whole text that is an English sentence, and no German one."""
    known = {text for form in GERMAN.theatre.values() for text in texts(form)}
    english = {text for form in languages()["en"].theatre.values() for text in texts(form)}
    some = [text for text in english - known if re.search(r"[a-z]", BLANK.sub("", text))]
    return re.compile("|".join(".+?".join(map(re.escape, BLANK.split(text)[::2])) for text in some))


@pytest.mark.parametrize("name", [*RUNS, *ATTACKS])
def test_no_english_sentence_is_left(name: str, shown, tab, tmp_path: Path) -> None:
    page = tab.open(german(shown, name, tmp_path))
    found = set()
    some = "peer-1+peer-2" if name in ("village", "tagged") else "shuffler-1+curator"
    for eyes in ("everything", some, ""):
        for way in ("", "&way=4"):
            page.evaluate(f"location.hash = '#eyes={eyes}&at=0{way}'")
            page.wait_for_timeout(20)
            found |= set(page.evaluate(TEXTS, [eyes, 7]))
    english = english_sentences()
    values = {value for feature in shown(name).data["bill"]["columns"] for value in (feature,)}
    said = {QUOTED.sub("", text).replace("\u00a0", " ") for text in found} - values
    assert len(said) > 100
    assert {text for text in said if english.fullmatch(text)} == set()
    assert {text for text in said if ENGLISH_WORDS.search(text)} == set()
    assert page.get_attribute("html", "lang") == "de"


SMALL = """() => [...document.querySelectorAll("body *")].filter((node) => node.checkVisibility() &&
    [...node.childNodes].some((c) => c.nodeType === 3 && c.data.trim()) && !node.closest("title"))
    .map((node) => {
        const matrix = node.getScreenCTM?.();
        const scale = matrix ? Math.hypot(matrix.a, matrix.b) : 1;
        return [parseFloat(getComputedStyle(node).fontSize) * scale, node.textContent.slice(0, 30)];
    }).sort((a, b) => a[0] - b[0])[0]"""
WIDE = "document.documentElement.scrollWidth - innerWidth"
# Words that are cut for want of room, but for those that people said.
CUT = """() => [...document.querySelectorAll("#picture text")].map((node) => node.textContent)
    .filter((words) => words.endsWith("..") && !/ = |^[a-z(]/.test(words))"""


@pytest.mark.parametrize("size", [(1024, 768), (1280, 800)])
@pytest.mark.parametrize("name", ["classroom", "village", "verified"])
def test_german_words_have_room(
    name: str, size: tuple[int, int], shown, tab, tmp_path: Path
) -> None:
    tab.page.set_viewport_size({"width": size[0], "height": size[1]})
    path = german(shown, name, tmp_path)
    total = len(shown(name).data["moves"])
    some = "peer-1+peer-2" if name == "village" else "shuffler-1"
    for eyes in ("everything", some, "curator+shuffler-1+shuffler-2+analyst"):
        for position in (0, total // 4, total // 2, 3 * total // 4, total):
            page = tab.open(path, f"#eyes={eyes}&at={position}&way=4")
            assert page.evaluate(WIDE) <= 0
            high, words = page.evaluate(SMALL)
            assert high >= 14, (eyes, position, high, words)
            assert page.evaluate(CUT) == [], (eyes, position)
            outside = """[...document.querySelectorAll("#panel *, header *, footer *")]
                .filter((node) => node.checkVisibility())
                .filter((node) => node.getBoundingClientRect().right > innerWidth + 1)
                .map((node) => node.id || node.textContent)"""
            assert page.evaluate(outside) == []
            page.evaluate("document.getElementById('way-close').click()")
            wide = "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)"
            assert page.evaluate(f"{wide}(document.getElementById('panel'))") <= 0


def test_what_can_be_pressed_is_labelled_in_german(shown, tab, tmp_path: Path) -> None:
    page = tab.open(german(shown, "classroom", tmp_path))
    named = page.evaluate(
        """[...document.querySelectorAll("button, input")].filter((n) => n.checkVisibility())
            .map((n) => n.textContent.trim() || n.ariaLabel || n.labels[0].textContent)"""
    )
    assert all(named)
    assert {"abspielen", "Stelle im Lauf", "Tempo", "Mischer 1"} <= set(named)
    page.keyboard.press("?")
    assert "schneller, langsamer" in page.inner_text("#keys")


@pytest.mark.parametrize("name", ["classroom", "village", "verified"])
def test_a_script_from_the_right_turns_the_page_around(
    name: str, shown, tab, tmp_path: Path
) -> None:
    """In a language that is made up here: its sentences are English, but for a few."""
    english = languages()["en"]
    own = english.theatre | {"play": "\u05e0\u05d2\u05df"}
    made = replace(english, tag="he", direction="rtl", theatre=own)
    tab.page.set_viewport_size({"width": 1024, "height": 768})
    page = tab.open(german(shown, name, tmp_path, made), "#eyes=everything&at=999&way=4")
    assert page.get_attribute("html", "dir") == "rtl"
    assert page.inner_text("#play-word") == own["play"]
    assert page.evaluate(WIDE) <= 0
    left = "document.querySelector('%s').getBoundingClientRect().left"
    assert page.evaluate(left % "#panel") < page.evaluate(left % "#stage")
    assert page.evaluate(left % "legend") > page.evaluate(left % "#eye-everything")
    inside = """(() => {
        const room = document.getElementById("stage").getBoundingClientRect();
        return [...document.querySelectorAll("#picture text")].filter((node) => {
            const place = node.getBoundingClientRect();
            return place.left < room.left - 1 || place.right > room.right + 1;
        }).map((node) => node.textContent);
    })()"""
    assert page.evaluate(inside) == []
    assert page.evaluate(SMALL)[0] >= 14
