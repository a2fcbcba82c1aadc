"""The server of lessons: one strict guess of each phone, and no answers to phones."""

import json
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest
import trio
from lesson_kit import LOCAL, ask, guess_body, served
from trio.testing import MockClock
from veilmix.languages.language import languages
from veilmix.lessons import guesses
from veilmix.lessons.guesses import ClassGuesses, Unwanted
from veilmix.lessons.lesson import LESSONS, ChoiceGuess, Lesson, NumberGuess
from veilmix.lessons.server import LIMITS, LessonServer
from veilmix.machines.gate import Gate
from veilmix.machines.http import Request

HOST, PHONE = "192.168.1.20", "192.168.1.33"
NAME = f"{HOST}:8767"
NUMBER = Lesson(
    number=2,
    age=14,
    prerequisites=(),
    guess=NumberGuess(low=10, high=1_000, start=20, scale="logarithmic", tolerance=1.5),
)
CHOICE = Lesson(number=2, age=14, prerequisites=(), guess=ChoiceGuess(3))
CROWD = next(lesson for lesson in LESSONS if lesson.number == 2)
SECRET = "0123456789abcdef" * 2


def desk() -> LessonServer:
    return LessonServer(CROWD, Gate((NAME,)), HOST, lambda *_: "<p>cards</p>", str)


def answer(
    room: LessonServer, method: str, what: str, body: bytes = b"", peer: str = PHONE, **more: str
) -> tuple[int, str]:
    """Ask a server without a network."""
    headers = {"host": NAME} | ({} if method in ("GET", "HEAD") else {"origin": f"http://{NAME}"})
    request = Request(method, f"/{room.code}{what}", headers | more, body, peer)
    given = trio.run(room.answer, request, clock=MockClock())  # time stands still
    assert isinstance(given.body, bytes)
    return given.status, given.body.decode()


def refusal(lesson: Lesson, body: bytes, taken: ClassGuesses | None = None) -> tuple[int, str]:
    with pytest.raises(Unwanted) as no:
        (taken or ClassGuesses()).store_guess(lesson, body, PHONE)
    return no.value.status, no.value.key


@pytest.mark.parametrize("guess", [10, 1_000, 17, 10.5])
def test_a_number_on_the_axis_is_taken(guess: float) -> None:
    taken = ClassGuesses()
    taken.store_guess(NUMBER, guess_body(1, guess), PHONE)
    assert list(taken.by_phone.values()) == [guess]


@pytest.mark.parametrize("guess", [9, 1_001, -10, 9.999, "17", True, None, [17], {"a": 1}, 1e308])
def test_no_other_number_is_taken(guess: object) -> None:
    assert refusal(NUMBER, guess_body(1, guess)) == (400, "guess-form")


@pytest.mark.parametrize("guess", [0, 4, -1, 1.0, 2.5, "1", True, None])
def test_no_answer_is_taken_that_is_not_offered(guess: object) -> None:
    assert refusal(CHOICE, guess_body(1, guess)) == (400, "guess-form")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\x00",
        b"[" * 200,
        b'{"phone": NaN}',
        b'{"phone": "%b", "guess": NaN}' % SECRET.encode(),
        b'{"phone": "%b", "guess": 1e999}' % SECRET.encode(),
        b'{"phone": "%b", "guess": 17, "guess": 18}' % SECRET.encode(),
        b'{"phone": "%b"}' % SECRET.encode(),
        b'{"phone": "%b", "guess": 17, "name": "Ada"}' % SECRET.encode(),
        b'{"phone": "%b", "guess": 17}' % SECRET[1:].encode(),
        b'{"phone": "%b0", "guess": 17}' % SECRET.encode(),
        b'{"phone": "%b", "guess": 17}' % SECRET.upper().encode(),
        b'{"phone": 7, "guess": 17}',
        b'["phone", "guess"]',
    ],
)
def test_bytes_that_are_no_guess_are_refused(body: bytes) -> None:
    taken = ClassGuesses()
    assert refusal(NUMBER, body, taken) == (400, "guess-form")
    assert taken.by_phone == {}


def test_a_phone_guesses_once_and_may_say_the_same_again() -> None:
    taken = ClassGuesses()
    for _ in range(2):
        taken.store_guess(NUMBER, guess_body(1, 17), PHONE)
    assert refusal(NUMBER, guess_body(1, 18), taken) == (409, "guess-again")
    assert taken.state == {"n": 1, "most": 1, "closed": False, "guesses": []}


def test_guesses_are_shown_when_they_are_closed_and_then_no_other_is_taken() -> None:
    taken = ClassGuesses()
    for phone, value in enumerate((30, 17)):
        taken.store_guess(NUMBER, guess_body(phone, value), PHONE)
    taken.closed = True
    assert refusal(NUMBER, guess_body(7, 18), taken) == (409, "guess-closed")
    taken.store_guess(NUMBER, guess_body(1, 17), PHONE)  # it has it already
    assert taken.state == {"n": 2, "most": 2, "closed": True, "guesses": [17, 30]}


def test_one_address_and_a_lesson_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "MOST_OF_ONE", 3)
    monkeypatch.setattr(guesses, "MAX_GUESSES", 5)
    taken = ClassGuesses()
    for phone in range(3):
        taken.store_guess(NUMBER, guess_body(phone, 17), PHONE)
    assert refusal(NUMBER, guess_body(3, 17), taken) == (409, "guess-full")
    for phone in (3, 4):
        taken.store_guess(NUMBER, guess_body(phone, 17), "192.168.1.34")
    with pytest.raises(Unwanted):
        taken.store_guess(NUMBER, guess_body(5, 17), "192.168.1.35")
    assert len(taken.by_phone) == 5


OWN = (
    *(("GET", "/wall-2.html"), ("GET", "/answers-2.html"), ("GET", "/cards-2.html")),
    *(("GET", "/guesses-2"), ("POST", "/reveal-2"), ("HEAD", "/answers-2.html")),
)


@pytest.mark.parametrize(("method", "what"), OWN)
def test_pages_of_the_teacher_open_on_this_computer_alone(method: str, what: str) -> None:
    room = desk()
    said = languages()["en"].lessons["this-computer-alone"]
    assert answer(room, method, what) == (403, said)
    assert not room.guesses[2].closed
    for peer in (HOST, LOCAL):
        assert answer(room, method, what, peer=peer)[0] in (200, 204)


def test_phones_get_pages_and_hand_in_and_the_wall_counts() -> None:
    room = desk()
    assert answer(room, "GET", "")[0] == 302
    for what in ("/index.html", "/lesson-2.html", "/handout-2.html"):
        assert answer(room, "GET", what)[0] == 200
    assert answer(room, "POST", "/guess-2", guess_body(1, 800))[0] == 204
    assert answer(room, "POST", "/guess-2", guess_body(1, 900))[0] == 409
    state = json.loads(answer(room, "GET", "/guesses-2", peer=HOST)[1])
    assert state == {"n": 1, "most": 1, "closed": False, "guesses": []}
    assert answer(room, "POST", "/reveal-2", peer=HOST)[0] == 204
    assert json.loads(answer(room, "GET", "/guesses-2", peer=HOST)[1])["guesses"] == [800]
    status, said = answer(room, "POST", "/guess-2", guess_body(2, 800), **{"accept-language": "de"})
    assert (status, said) == (409, languages()["de"].lessons["guess-closed"])


@pytest.mark.parametrize(
    "what",
    [
        *("/lesson-99.html", "/lesson-0.html", "/lesson-0002.html", "/lesson-2", "/lesson.html"),
        *("/../lesson-2.html", "/static/lesson.js", "/lesson-2.html/", "/guess-2.html", "/x"),
    ],
)
def test_nothing_else_is_there(what: str) -> None:
    for peer in (PHONE, HOST):
        assert answer(desk(), "GET", what, peer=peer)[0] in (403, 404)


def test_another_code_name_or_page_is_not_answered() -> None:
    room = desk()
    wrong = Request("GET", "/ABCDEF/lesson-2.html", {"host": NAME}, b"", PHONE)
    assert trio.run(room.answer, wrong, clock=MockClock()).status == 404
    assert answer(room, "GET", "/lesson-2.html", host="a.example")[0] == 421
    assert answer(room, "POST", "/guess-2", guess_body(1, 800), origin="http://a.example")[0] == 403
    assert room.guesses[2].by_phone == {}


def test_a_flood_of_one_address_is_refused_and_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("veilmix.machines.gate.BURST", 5.0)
    monkeypatch.setattr("veilmix.machines.gate.RATE", 0.0)
    room = desk()
    many = [answer(room, "GET", "/index.html")[0] for _ in range(9)]
    assert many == [200] * 5 + [429] * 4
    assert answer(room, "GET", "/index.html", peer="192.168.1.34")[0] == 200


def test_over_a_network_bad_bytes_end_one_connection_alone() -> None:
    with served(CROWD) as room:
        where = urlsplit(room.address)
        for sent in (b"\x16\x03\x01\x00", b"GET\r\n\r\n", b"POST / HTTP/9\r\n\r\n"):
            with socket.create_connection((where.hostname, where.port)) as line:
                line.sendall(sent)
                line.shutdown(socket.SHUT_WR)
                assert b"200 OK" not in _all(line)
        assert ask(f"{room.address}/guess-2", b"x" * (LIMITS.body + 1))[0] == 413
        assert ask(f"{room.address}/guess-2", guess_body(1, 800)) == (204, "")
        assert ask(f"{room.address}/guess-2", guess_body(2, 99))[0] == 400
        status, page = ask(room.address)
        assert (status, "A crowd buys columns" in page) == (200, True)


def _all(line: Any) -> bytes:
    pieces = []
    try:
        while piece := line.recv(1 << 16):
            pieces.append(piece)
    except ConnectionError:
        pass
    return b"".join(pieces)


def test_a_phone_sends_its_guess_once(new_tab: Any) -> None:
    """From the page itself: the class's computer has it; a page that is loaded again sends none."""
    with served(CROWD, "en") as room:
        tab = new_tab()
        page = tab.open(room.address)
        page.locator("[role=slider]").press("Home")
        page.locator("#field button").click()
        page.get_by_text(languages()["en"].lessons["guess-sent"]).wait_for()
        page.reload()
        assert "Too few" in page.inner_text("#verdict")
        assert list(room.guesses[2].by_phone.values()) == [100]
        posted = [url for url in tab.requests if url.endswith("/guess-2")]
        assert len(posted) == 1
        page.goto("about:blank")
