"""The editor and the preview in a browser: a teacher changes the questions while a class joins."""

from collections.abc import Callable, Sequence
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest
from phone_kit import LONG, Class, Client, together
from pupil_kit import alone, narrow
from veilmix.languages.language import languages
from veilmix.poll.questions import NEW, read_questions
from veilmix.poll.questions_file import QuestionsFile

TEXT = NEW.read_text("utf-8").replace("deadline = 90", f"deadline = {LONG}")
SOUP = "What do you eat?"
ROWS = [("soup", "yes"), ("bread", "no")]
KINDS = {
    "exposure": TEXT,
    "noise": TEXT.replace('"exposure"', '"histogram"')
    + '[local]\nmechanism = "grr"\nepsilon = 3\n',
    "threshold": TEXT.replace('"exposure"', '"threshold"\nprefixes = true'),
    "verified": TEXT.replace("# kind =", "kind =").replace("# submit =", "submit ="),
}


def opened(path: Path, text: str = TEXT, **more: Any) -> Class:
    """Give a class of a file of questions."""
    path.write_text(text, "utf-8")
    file = QuestionsFile.read(path)
    return Class(file.scenario, 1_000, file=file, **more)


def edits(page: Any) -> None:
    """Open the editor."""
    page.click("#editor > summary")
    page.wait_for_selector("#field-title")


def mistakes(page: Any, number: int) -> list[str]:
    """Ask for mistakes, and return the lines of their list."""
    page.click("#check")
    page.wait_for_selector(f"#mistakes li:nth-child({number})")
    return [str(line) for line in page.locator("#mistakes li").all_inner_texts()]


def focused(page: Any) -> str:
    """Return the id of what has the focus."""
    return str(page.evaluate("document.activeElement.id"))


def previewed(page: Any) -> Any:
    """Open the preview in its own tab."""
    with page.context.expect_page() as found:
        page.click("#preview")
    return found.value


def step(page: Any, title: str) -> None:
    """Go to the next screen of a preview, and see its title."""
    page.click("#steps button:last-child")
    page.wait_for_selector(f"h1:has-text('{title}')")


@pytest.mark.slow
def test_a_teacher_changes_the_questions_and_phones_are_asked_them(
    new_phone: Callable[[str], Any], tmp_path: Path
) -> None:
    path, silent = tmp_path / "canteen.toml", Queue[str | None]()
    with opened(path, lines=silent.get) as room:  # a terminal in which nobody types
        assert room.session is not None
        phone = new_phone(room.address)
        phone.fill("#name", "Zoe")
        teacher = new_phone(f"{room.address}/teacher/{room.session.page.secret}")
        edits(teacher)
        teacher.fill("#field-title", "Canteen")
        teacher.fill("#field-feature-0-name", SOUP)
        for place, answer in enumerate(["soup", "soup", "", ""]):
            teacher.fill(f"#field-feature-0-values-{place}", answer)
        teacher.fill("#field-policy-k", "many")
        teacher.fill("#field-policy-max_exposure", "120")
        lines = mistakes(teacher, 5)
        exposure = "People who may be in a smaller one, in percent"
        assert lines[0].startswith(f"Question 1: feature '{SOUP}': value: ")
        assert lines[1:] == [
            'Answer 3 to question 1: found ""; text that is not empty is accepted',
            'Answer 4 to question 1: found ""; text that is not empty is accepted',
            'Smallest crowd wanted (k): found "many"; a whole number of at least 1 is accepted',
            f"{exposure}: found 1.2; a number from 0 to 1 is accepted",
        ]
        assert teacher.get_attribute("#field-policy-k", "aria-invalid") == "true"
        assert narrow(teacher)
        by_keyboard(teacher)
        teacher.fill("#field-policy-k", "2")
        teacher.fill("#field-policy-max_exposure", "12,5")
        teacher.fill("#field-mix-min_batch", "5")
        teacher.click("#check")
        teacher.wait_for_selector("text=No mistakes were found.")
        looks(previewed(teacher), ["Canteen", SOUP, "bread"])
        assert phone.inner_text("h1") == "My class"  # a preview and a check tell nobody
        teacher.click("#save")
        teacher.wait_for_selector("text=Saved:")
        assert focused(teacher) == "editor-told"
        told = teacher.inner_text("#editor-told")
        assert told.startswith(f"Saved: {path}. The file before, with its comments, is kept")
        phone.wait_for_selector("h1:has-text('Canteen')")
        assert phone.input_value("#name") == "Zoe"  # what was typed is not lost
        saved = read_questions(path)
        assert saved.policy.max_exposure == 0.125
        assert saved.feature[0].values == ("soup", "bread")
        alone(phone, "Zoe", (1, 0))
        clients = [Client(room.address, f"pupil {i}", ROWS[i % 2]) for i in range(5)]
        phones = Thread(target=together, args=(clients,))
        phones.start()
        teacher.wait_for_selector("h1:has-text('6 people are here')")
        teacher.click("#begin")
        teacher.wait_for_selector("h1:has-text('The session is over')")
        phone.wait_for_selector("h1:has-text('This was published')")
        words = phone.inner_text("main")
        phones.join()
        assert not teacher.is_visible("#editor")
        teacher.click("#end")
        room.join()
        silent.put(None)
    board = room.done().board
    assert board is not None
    assert board.announcement is not None
    names = [feature.name for feature in board.announcement.schema.features]
    assert names == [SOUP, "Did you sleep long enough last night?"]
    assert board.tallies[0].totals == (6, 6)
    assert f"gave these answers to: {SOUP}" in words


def by_keyboard(page: Any) -> None:
    """Add, move and remove answers, with keys alone; the focus stays with what was moved."""
    page.focus("#tool-0-3-away")
    page.keyboard.press("Enter")
    assert focused(page) == "tool-0-2-away"
    page.keyboard.press("Enter")
    page.focus("#field-feature-0-values-1")
    page.keyboard.press("Control+A")
    page.keyboard.type("bread")
    page.focus("#tool-0-1-up")
    page.keyboard.press("Space")
    assert focused(page) == "tool-0-0-down"  # it is the first, and cannot go further
    assert page.input_value("#field-feature-0-values-0") == "bread"
    assert page.inner_text("#said") == "Answer 2 to question 1 is at place 1 now"
    page.keyboard.press("Enter")
    assert focused(page) == "tool-0-1-up"
    page.focus("#add-question")
    page.keyboard.press("Enter")
    assert focused(page) == "field-feature-2-name"
    page.focus("#tool-2-away")
    page.keyboard.press("Enter")
    assert page.locator("#questions fieldset").count() == 2


def looks(page: Any, words: Sequence[str]) -> None:
    """Step through a preview: it shows each screen, says what it is, and sends nothing."""
    page.wait_for_selector("#name")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    seen = [page.inner_text("main")]
    for title in ("Hello", "Do all of you see", "Question 1 of 2", "Question 2", "Seal", "Your"):
        step(page, title)
        seen.append(page.inner_text("main"))
        assert "Nothing that you enter here is sent" in page.inner_text("#preview-note")
        assert narrow(page)
    assert [word for word in words if not any(word in text for text in seen)] == []
    page.click("#steps button:last-child")
    page.fill("#name", "Kim")
    page.get_by_role("button", name="Join").click()
    page.wait_for_selector("h1:has-text('Hello, Kim')")
    assert sent == []
    page.close()


@pytest.mark.parametrize("kind", KINDS)
def test_a_preview_shows_each_kind_as_phones_do(
    new_phone: Callable[[str], Any], tmp_path: Path, kind: str
) -> None:
    with opened(tmp_path / "q.toml", KINDS[kind]) as room:
        assert room.session is not None
        page = previewed(new_phone(f"{room.address}/teacher/{room.session.page.secret}"))
        looks(page, ["My class", "How did you come here today?", "by bicycle"])


def test_a_preview_says_what_is_wrong(new_phone: Callable[[str], Any], tmp_path: Path) -> None:
    with opened(tmp_path / "q.toml") as room:
        assert room.session is not None
        teacher = new_phone(f"{room.address}/teacher/{room.session.page.secret}")
        edits(teacher)
        teacher.fill("#field-title", "")
        page = previewed(teacher)
        page.wait_for_selector("h1:has-text('1 mistake')")
        assert 'title: found ""; text that is not empty is accepted' in page.inner_text("main")


@pytest.mark.parametrize(
    ("typed", "found"),
    [("1,000", '"1,000"'), ("1.000", '"1.000"'), ("0", "0"), ("1e3", '"1e3"'), ("-3", "-3")],
)
def test_a_number_is_read_as_it_was_typed(
    new_phone: Callable[[str], Any], tmp_path: Path, typed: str, found: str
) -> None:
    with opened(tmp_path / "q.toml") as room:
        assert room.session is not None
        teacher = new_phone(f"{room.address}/teacher/{room.session.page.secret}")
        edits(teacher)
        teacher.fill("#field-policy-k", typed)
        (line,) = mistakes(teacher, 1)
        assert f"found {found}; a whole number" in line


def test_phones_change_their_language_with_the_questions(
    new_phone: Callable[[str], Any], tmp_path: Path
) -> None:
    with opened(tmp_path / "q.toml") as room:
        assert room.session is not None
        phone = new_phone(room.address)
        phone.wait_for_selector("text=What are you called here?")
        teacher = new_phone(f"{room.address}/teacher/{room.session.page.secret}")
        edits(teacher)
        teacher.select_option("#field-lang", "de")
        page = previewed(teacher)
        page.wait_for_selector(f"text={languages()['de'].say('join')}")
        assert page.evaluate("document.documentElement.lang") == "de"
        teacher.click("#use")
        teacher.wait_for_selector("text=This session asks these questions")
        phone.wait_for_selector(f"text={languages()['de'].say('join')}")
        assert phone.evaluate("document.documentElement.lang") == "de"


def test_what_was_typed_stays_when_the_session_begins_meanwhile(
    new_phone: Callable[[str], Any], tmp_path: Path
) -> None:
    path = tmp_path / "q.toml"
    with opened(path, TEXT.replace("min_batch = 8", "min_batch = 2")) as room:
        assert room.session is not None
        teacher = new_phone(f"{room.address}/teacher/{room.session.page.secret}")
        edits(teacher)
        teacher.fill("#field-title", "Canteen")
        clients = [Client(room.address, f"pupil {i}") for i in range(2)]
        together(clients, Client.join)
        room.session.teacher.is_starting = True  # somebody presses Enter
        teacher.wait_for_selector("text=The session has begun with the questions as they were")
        teacher.click("#use")
        teacher.wait_for_selector("#editor-told.bad")
        teacher.click("#save")
        teacher.wait_for_selector("text=This session has begun with the questions as they were")
        assert read_questions(path).scenario.title == "Canteen"
        assert room.session.scenario.scenario.title == "My class"
