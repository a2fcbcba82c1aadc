"""The teacher's page: state and commands, for the class's computer alone."""

import json
from collections.abc import Callable
from queue import Queue
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from phone_kit import Class, Client, together, unhurried
from veilmix.languages.language import english, languages
from veilmix.machines.http import HttpResponse, Request
from veilmix.poll.classroom import MOST_PHONES, Classroom
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.slips import Slips
from veilmix.poll.teacher import MORE, Teacher
from veilmix.poll.teacher_page import TeacherPage
from veilmix.protocol.board.phases import Phase

HOST = "192.168.1.20"
LATEST = 2e9  # seconds: no round of these tests ends by itself
ROWS = [("on foot", "yes", "never"), ("by car", "no", "once")]


class Desk:
    """A class, and requests to its teacher's page."""

    def __init__(self, needed: int = 2, missing: tuple[str, ...] = (), slips: Any = None) -> None:
        self.room = Classroom(60.0, spare=MORE, slips=slips)
        self.teacher = Teacher(self.room, needed, lambda: missing, str)
        self.page = TeacherPage(self.room, self.teacher, HOST)

    def ask(
        self, method: str, *rest: str, body: bytes = b"", peer: str = HOST, secret: str = ""
    ) -> HttpResponse:
        """Return the answer to a request."""
        request = Request(method, "/", {}, body, peer)
        path = [secret or self.page.secret, *rest]

        async def main() -> HttpResponse:
            return await self.page.answer(request, "ABCDEF", path, english())

        return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))

    def refusal(self, *words: str, **given: Any) -> tuple[int, str]:
        """Return status and sentence of a refused request."""
        with pytest.raises(Unwelcome) as refused:
            self.ask(*words, **given)
        return refused.value.status, str(refused.value)

    def state(self) -> dict[str, Any]:
        """Return the state that the page shows."""
        answer = self.ask("GET", "news", "0")
        assert isinstance(answer.body, bytes)
        return dict(json.loads(answer.body))

    def open_round(self) -> None:
        """Open a round for all phones, as the board does."""
        calls = [SimpleNamespace(round=1)]
        board = SimpleNamespace(phase=Phase.COLLECTING, calls=calls, announcement=None)
        self.room.board, self.room.started = board, True  # type: ignore[assignment]
        self.room.closes, self.room.latest = LATEST, LATEST


def test_it_answers_the_computer_of_the_class_alone() -> None:
    desk = Desk()
    assert desk.ask("GET").status == 200
    assert desk.ask("GET", peer="127.0.0.1").status == 200
    elsewhere = 403, "The teacher's page opens only on the computer that runs the class."
    for words in (("GET",), ("GET", "news", "0"), ("POST", "begin")):
        assert desk.refusal(*words, peer="192.168.1.21") == elsewhere
        assert desk.refusal(*words, secret="0" * 16)[0] == 404
        assert desk.refusal(*words, secret="ü")[0] == 404
    assert not desk.teacher.is_starting


@pytest.mark.parametrize("path", ["news", "news/", "news/-1", "news/²", "begin", "begin/now", "x"])
def test_other_requests_are_none_of_its(path: str) -> None:
    assert Desk().refusal("GET", *path.split("/"))[0] == 404


def test_the_session_begins_when_people_and_shufflers_are_here() -> None:
    desk = Desk(missing=("shuffler-1",))
    desk.room.join("0" * 32, "Ann")
    state = desk.state()
    assert (state["phase"], state["people"], state["few"]) == ("joining", 1, 1)
    assert state["missing"] == ["shuffler-1"]
    assert desk.refusal("POST", "begin") == (409, "That is not possible now.")
    assert not desk.teacher.is_starting
    desk = Desk(needed=0)
    assert desk.ask("POST", "begin").status == 204
    assert desk.teacher.is_starting


def test_people_of_one_address_are_let_in() -> None:
    desk = Desk()
    too_many = json.dumps({"people": MOST_PHONES + 1}).encode()
    for body in (b"", b"[]", b'{"people": 0}', b'{"people": true}', b'{"people": "9"}', too_many):
        assert desk.refusal("POST", "let-in", body=body) == (
            400,
            f"From one address 1 to {MOST_PHONES:,} people may join.",
        )
    before = desk.room.most_of_one
    assert desk.ask("POST", "let-in", body=b'{"people": 7}').status == 204
    assert (before, desk.room.most_of_one, desk.state()["admitted"]) == (40, 7, 7)


def test_a_round_is_closed_or_kept_open() -> None:
    desk = Desk()
    assert desk.refusal("POST", "close")[0] == 409
    desk.open_round()
    assert desk.state()["phase"] == "open"
    assert desk.refusal("POST", "wait")[0] == 409  # it is as long as it may become
    assert desk.refusal("POST", "begin")[0] == 409
    desk.room.closes = 1e9
    assert desk.state()["longer"] is True
    assert desk.ask("POST", "wait").status == 204
    assert desk.room.closes == 1e9 + MORE
    assert desk.teacher.closing == 0
    assert desk.ask("POST", "close").status == 204
    assert desk.teacher.closing == 1


def test_the_end_and_its_reason_are_shown() -> None:
    desk = Desk(slips=Slips(("ABCDEF", "BCDEFG")))
    assert desk.state()["slips"] == [0, 2]
    assert desk.refusal("POST", "end")[0] == 409
    assert not desk.teacher.end_event.is_set()
    desk.room.end(Unwelcome(409, "few-came", n=1, needed=5))
    assert desk.state()["phase"] == "over"
    assert desk.state()["ended"] == str(Unwelcome(409, "few-came", n=1, needed=5))
    desk.room.ended = "over"
    assert desk.state()["ended"] == ""
    assert desk.ask("POST", "end").status == 204
    assert desk.teacher.end_event.is_set()


def test_every_language_has_its_sentences() -> None:
    own = {key for key in english().sentences if key.startswith("teacher-")}
    assert len(own) > 20
    for tag in ("en", "de"):
        assert all(languages()[tag].sentences[key] for key in own)
    german = languages()["de"].sentences
    assert not [key for key in own if german[key] == english().sentences[key]]


@pytest.mark.slow
@pytest.mark.parametrize("tag", ["en", "de"])
def test_a_teacher_leads_a_class_with_buttons(new_phone: Callable[[str], Any], tag: str) -> None:
    """Begin, go on without those who are silent, and end: none of it in the terminal."""
    silent: Queue[str | None] = Queue()  # a terminal in which nobody types
    say = languages()[tag].say
    scenario = unhurried(read_questions(DEMO))
    with Class(scenario, 1_000, lines=silent.get, language=tag) as room:
        assert room.session is not None
        page = new_phone(f"{room.address}/teacher/{room.session.page.secret}")
        page.wait_for_selector(f"h1:has-text('{say('teacher-people', n=0)}')")
        assert page.is_disabled("#begin")
        clients = [Client(room.address, f"pupil {i}", ROWS[i % 2]) for i in range(8)]
        clients[0].rounds = clients[1].rounds = ()
        phones = Thread(target=together, args=(clients,))
        phones.start()
        page.wait_for_selector(f"h1:has-text('{say('teacher-people', n=8)}')")
        page.click("#begin")
        six = say("teacher-open", round=1, answered=6, due=8)
        page.wait_for_selector(f"h1:has-text('{six}')")
        assert page.is_disabled("#wait")  # a round of so many seconds is long enough
        page.click("#close")
        page.wait_for_selector(f"h1:has-text('{say('teacher-over')}')")
        phones.join()  # each has seen the end
        page.click("#end")
        room.join()
        silent.put(None)
    assert len([index for number, index in room.done().room.letters if number == 1]) == 6
