"""Lessons to test: their voices, and a server of a class in a thread.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from queue import Queue
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import trio
from veilmix.languages.language import languages
from veilmix.lessons.lesson import LESSONS, ChoiceGuess, Lesson
from veilmix.lessons.server import LessonServer, hold_lessons
from veilmix.lessons.voice import Voice

SPOKEN = [(lesson, tag) for lesson in LESSONS for tag in sorted(languages())]
LOCAL = "127.0.0.1"


def name_of(given: object) -> str:
    """Name a parameter of a test."""
    return str(given.number) if isinstance(given, Lesson) else str(given)


def voice_of(lesson: Lesson, tag: str) -> Voice:
    """Give a lesson that speaks a language."""
    return Voice.in_language(lesson, languages()[tag])


def wrong_guess(lesson: Lesson) -> int | float:
    """Give a guess that is wrong: the low end of the axis, or an answer beside the right one."""
    if isinstance(lesson.guess, ChoiceGuess):
        return 1 + Voice.in_language(lesson, languages()["en"]).table.truth % lesson.guess.choices
    return lesson.guess.low


@contextmanager
def served(lesson: Lesson, tag: str | None = None) -> Iterator[LessonServer]:
    """Serve a lesson from a thread."""
    opened: Queue[Any] = Queue()
    faults: list[str] = []
    make = partial(
        LessonServer, lesson, host=LOCAL, cards=lambda *_: "<p>cards</p>", qr=str, language=tag
    )

    async def main() -> None:
        with trio.CancelScope() as scope:
            opened.put((trio.lowlevel.current_trio_token(), scope))
            await hold_lessons(make, LOCAL, 0, opened.put, faults.append)

    thread = Thread(target=trio.run, args=(main,))
    thread.start()
    token, scope = opened.get()
    try:
        yield opened.get()
    finally:
        trio.from_thread.run_sync(scope.cancel, trio_token=token)
        thread.join()
    assert faults == []


def ask(address: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
    """Ask for something; a body is posted, from the page itself."""
    origin = {"origin": "/".join(address.split("/")[:3])} if body is not None else {}
    try:
        with urlopen(Request(address, data=body, headers=origin | headers)) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as no:
        with no:
            return no.code, no.read().decode()


def make_guess(page: Any, lesson: Lesson, value: float) -> None:
    """Make a guess: the low or high end of an axis, or an answer."""
    if isinstance(lesson.guess, ChoiceGuess):
        page.locator(f'input[value="{value}"]').check()
    else:
        page.locator("[role=slider]").focus()
        page.keyboard.press("Home" if value == lesson.guess.low else "End")
    page.locator("#field button").click()


def guess_body(phone: int, guess: object) -> bytes:
    """Give what a phone posts. phone: a number that stands for its secret."""
    return json.dumps({"phone": f"{phone:032x}", "guess": guess}).encode()
