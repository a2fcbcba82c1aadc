"""Phones in a browser, some of them asleep, and a teacher who repeats with those who are here."""

from collections.abc import Callable
from queue import Queue
from typing import Any

import pytest
from phone_kit import Class, unhurried
from pupil_kit import choose, join, narrow, seal
from veilmix.poll.questions import DEMO, read_questions

pytestmark = pytest.mark.slow

AWAKE, ASLEEP, LOST = 2, 3, 1  # phones of the first attempt; the lost one wakes too late
CODES = tuple(f"K7M2PX4Q9RT{letter}" for letter in "ABCDEF")
PLACES = (0, 0, 0)


def words_of(page: Any) -> str:
    page.wait_for_selector(".words")
    return str(page.inner_text(".words"))


def answer(page: Any) -> None:
    choose(page, PLACES)
    seal(page)
    page.wait_for_selector("#screen[data-id=handed]")


@pytest.mark.parametrize(("kind", "codes"), [("onion", ()), ("verified", CODES)])
def test_a_class_is_repeated_with_the_phones_that_are_awake(
    new_phone: Callable[[str], Any], kind: str, codes: tuple[str, ...]
) -> None:
    """Also with slips, which no phone has to show again, and with keys, which are drawn anew."""
    scenario = unhurried(read_questions(DEMO), kind=kind)
    silent: Queue[str | None] = Queue()  # a terminal in which nobody types
    with Class(scenario, AWAKE + ASLEEP + LOST, lines=silent.get, slips=codes) as room:
        assert room.session is not None
        here = room.session.room
        teacher = new_phone(f"{room.address}/teacher/{room.session.page.secret}")
        slips = codes or [""] * (AWAKE + ASLEEP + LOST)
        pages = [new_phone(f"{room.address}#{slip}") for slip in slips]
        for number, page in enumerate(pages):
            join(page, f"pupil {number}")
        first = words_of(pages[0])
        for page in pages[AWAKE:]:
            page.context.set_offline(True)
        for page in pages[:AWAKE]:
            answer(page)
        teacher.click("#close")
        teacher.wait_for_selector("#repeat")
        for page in pages[:AWAKE]:
            page.wait_for_selector("text=Whoever runs this may ask once more")
            page.reload()  # its end is kept, and it goes on waiting
        for page in pages[AWAKE:-1]:
            page.context.set_offline(False)
            page.wait_for_selector("text=Whoever runs this may ask once more")
        teacher.click("#repeat")
        teacher.wait_for_selector("h1:has-text('5 people are here')")
        pages[0].wait_for_selector("text=It begins again, with new keys.")
        teacher.click("#begin")
        present = pages[:-1]
        found = {words_of(page) for page in present}
        assert len(found) == 1
        assert first not in found
        if kind == "verified":  # the list of those who may answer is made
            pages[-1].context.set_offline(False)
            pages[-1].wait_for_selector("text=it has begun without you")
        for page in present:
            page.wait_for_selector("text=This is a new attempt")
            assert narrow(page)
            answer(page)
        for page in present:
            page.wait_for_selector("h1:has-text('This was published')")
        teacher.wait_for_selector("text=It cannot be repeated")
        assert teacher.query_selector("#repeat") is None
        pages[-1].context.set_offline(False)
        pages[-1].wait_for_selector("text=This session has ended without you")
        teacher.click("#end")
        room.join()
        silent.put(None)
    assert here.attempt == 2
    held = room.done()
    assert held.board is not None
    assert held.board.tallies[-1].totals[0] == AWAKE + ASLEEP
