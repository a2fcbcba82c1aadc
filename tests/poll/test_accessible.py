"""No page of a class breaks a rule of axe, in no language: phones, wall, teacher's page, slips."""

import re
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from axe_kit import violations
from phone_kit import Class, Client, together, unhurried
from pupil_kit import narrow
from veilmix.languages.language import languages
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.sheet import sheet

pytestmark = pytest.mark.slow

ROW = ("on foot", "yes", "never")


class Walk:
    """A phone that goes through a class, and is looked at on each screen."""

    def __init__(self, page: Any, tag: str) -> None:
        self.page = page
        self.say = languages()[tag].say
        self.seen: list[str] = []

    def look(self, title: str) -> None:
        """Look at the screen with a title."""
        self.page.wait_for_selector(f"h1:has-text('{title}')")
        assert violations(self.page) == [], title
        assert narrow(self.page), title
        self.seen.append(title)

    def press(self, key: str) -> None:
        self.page.get_by_role("button", name=self.say(key), exact=True).click()


@pytest.mark.parametrize("tag", sorted(languages()))
def test_no_screen_of_a_class_breaks_a_rule(new_phone: Callable[[str], Any], tag: str) -> None:
    with Class(unhurried(read_questions(DEMO)), 6, language=tag) as room:
        pupil = Walk(new_phone(room.address), tag)
        pupil.page.wait_for_selector("#name")
        assert violations(pupil.page) == []
        wall = new_phone(f"{room.address}/wall")
        wall.set_viewport_size({"width": 1024, "height": 768})
        assert violations(wall) == []
        (own,) = (
            found[1] for line in room.said if (found := re.search(r"(http\S+/teacher/\S+)", line))
        )
        teacher = new_phone(own)
        teacher.wait_for_selector(f"h1:has-text('{pupil.say('teacher-people', n=0)}')")
        assert violations(teacher) == []
        pupil.page.fill("#name", "Ann")
        pupil.press("join")
        pupil.look(pupil.say("hello", name="Ann"))
        others = [Client(room.address, f"pupil {i}", ROW) for i in range(5)]
        rest = Thread(target=together, args=(others,))
        rest.start()
        pupil.look(pupil.say("compare-title"))
        pupil.press("compare-same")
        for number in (1, 2, 3):
            pupil.look(pupil.say("question", number=number, n=3))
            pupil.page.locator(".choice").first.click()
            pupil.press("next")
        pupil.look(pupil.say("seal-title"))
        assert violations(teacher) == []
        assert violations(wall) == []
        pupil.press("seal-button")
        pupil.look(pupil.say("published-title"))
        assert violations(teacher) == []
        assert violations(wall) == []
        rest.join()


@pytest.mark.parametrize("tag", sorted(languages()))
def test_no_slip_breaks_a_rule(new_tab: Any, tmp_path: Path, tag: str) -> None:
    page = tmp_path / "slips.html"
    page.write_text(
        sheet("canteen", "http://192.168.1.20:8766/", ("K7M2PX4Q9RTA",), languages()[tag])
    )
    opened = new_tab().open(page.as_uri())
    assert violations(opened) == []
