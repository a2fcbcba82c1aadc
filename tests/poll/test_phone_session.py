"""Sessions of phones, over HTTP: who is counted, what is refused, what is left on disk."""

import json
import socket
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from phone_kit import LONG, Class, Client, together, unhurried
from veilmix.poll import web
from veilmix.poll.fingerprint_words import key_words, session_words, words
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.record import outcome_of_phones
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario

pytestmark = pytest.mark.slow

ROWS = [("on foot", "yes", "never"), ("by car", "no", "once")]


def demo() -> Scenario:
    return unhurried(read_questions(DEMO))


def phones(address: str, many: int) -> list[Client]:
    return [Client(address, f"pupil {i}", ROWS[i % 2]) for i in range(many)]


def test_everybody_is_counted_and_the_run_folder_is_as_any_other(tmp_path: Path) -> None:
    with Class(demo(), 6) as room:
        clients = phones(room.address, 6)
        together(clients)
    held = room.done()
    assert all(client.counted() == [True, True] for client in clients)
    outcome = outcome_of_phones(room.scenario, held)
    assert outcome is not None
    assert outcome.release is not None
    kept = outcome.curated.decision.kept
    expected = Counter(tuple(client.row[i] for i in kept) for client in clients)
    assert outcome.release == dict(expected)
    folder = read(save(outcome, tmp_path))
    checks = verify(folder)
    assert [check.name for check in checks if check.ok is False] == []
    assert [check.name for check in checks if check.ok is None] == ["replay"]
    links = {len(row.parties): row.linked for row in outcome.coalitions}
    assert links[1] == 0  # no party alone
    assert links[4] == 6  # this computer, which is all of them


def test_the_first_phone_is_answered_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything has changed, and however long others wait for news."""
    monkeypatch.setattr(web, "BEAT", LONG)
    with Class(demo(), 5) as room:
        assert Client(room.address, "first").news()["people"] == 0
    assert room.done().board is None


def test_words_on_the_wall_are_those_of_the_board() -> None:
    with Class(demo(), 5) as room:
        clients = phones(room.address, 5)
        together(clients)
    board = clients[0].board
    assert f"read aloud: {session_words(board.session)}" in room.said
    told = board.announcement
    assert told is not None
    assert f"  key of curator: {key_words(told.curator.encode())}" in room.said
    assert len(set(words())) == 256
    assert [line for line in room.said if any(row in line for row in ("on foot", "pupil"))] == []


def test_too_few_are_not_asked_anything() -> None:
    with Class(demo(), 5) as room:
        clients = phones(room.address, 3)
        together(clients, Client.join)
        room.wait_no_longer()
        together(clients)
    held = room.done()
    assert held.board is None
    assert outcome_of_phones(room.scenario, held) is None
    assert "3 came, and fewer than 5 are not asked anything" in clients[0].facts["ended"]
    assert not clients[0].board.entries


def test_one_who_leaves_between_the_rounds_would_stand_out() -> None:
    with Class(demo(), 6) as room:
        clients = phones(room.address, 6)
        clients[3].rounds = (1,)
        room.play(clients, closes=2, after=5)
    held = room.done()
    outcome = outcome_of_phones(room.scenario, held)
    assert outcome is not None
    assert outcome.release is None
    assert outcome.burned is not None
    assert outcome.burned.startswith("1 of 6 people are missing since the round before: fewer than")
    assert clients[0].facts["ended"] == outcome.burned


def test_an_envelope_that_opens_for_nobody_is_refused_and_the_others_go_on(tmp_path: Path) -> None:
    with Class(demo(), 7) as room:
        clients = phones(room.address, 7)
        vandal = clients[4]

        def spoiled() -> bytes:
            data = Client.sealed(vandal)
            middle = len(data) // 2
            return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]

        vandal.sealed = spoiled  # type: ignore[method-assign]
        vandal.rounds = (1,)
        room.play(clients, closes=2, after=6)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.refused == {"does-not-open": 1}
    assert sum(outcome.release.values()) == 6
    assert any("sent a message that cannot be opened" in note for note in outcome.notes)
    assert [c.name for c in verify(read(save(outcome, tmp_path))) if c.ok is False] == []


def raw(address: str, text: bytes) -> bytes:
    """Say bytes to the server, and give what it says before it closes."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port)) as stream:
        stream.sendall(text)
        stream.shutdown(socket.SHUT_WR)
        said = b""
        while piece := stream.recv(65_536):
            said += piece
        return said


def wrong_addresses(phone: Client, base: str) -> None:
    stranger = Client(f"{base}/WRNGCD", "x")
    assert stranger.join()[0] == 404
    assert b"no such session" in stranger.ask("")[1]
    assert Client(base, "x").ask("/")[0] == 200  # says that a code is needed
    assert Client(base, "x").ask("/static/nothing.js")[0] == 404
    assert phone.ask("", method="HEAD") == (200, b"")
    assert phone.ask("", method="DELETE")[0] == 403  # from nowhere
    assert phone.ask("", method="DELETE", origin=base)[0] == 405
    assert phone.ask("/news/x/0")[0] == 404
    status, said = phone.ask("/join", b"{}", origin="http://elsewhere.example")
    assert (status, said) == (403, b"Only the page itself may ask for this.\n")
    assert phone.ask("", host="elsewhere.example")[0] == 421


def wrong_joins(phone: Client, address: str) -> None:
    for body in (b"", b"[1]", b"{", b'{"phone": 1, "name": "a"}', b"[" * 100_000):
        status, said = phone.ask("/join", body)
        assert (status, said) == (400, b"To join, a phone says its secret and a name.")
    for name in ("", " ", "a\nb\x00", "x" * 41):
        status, said = Client(address, name).join()
        assert status == 400
        assert b"choose another" in said
    assert phone.join()[0] == 200
    assert phone.join()[0] == 200  # the same phone is the same phone
    twin = Client(address, phone.name.upper())
    assert twin.join() == (409, b"Somebody here is called PUPIL 0 already; choose another name.")
    assert phone.hand_in(b"x") == (409, b"Nothing is asked at the moment.")
    assert phone.ask("/answer", b"x", x_phone="short")[0] == 403


def wrong_bytes(address: str) -> None:
    base, code = address.rsplit("/", 1)
    host = base.removeprefix("http://").encode()
    large = b"POST /%s/join HTTP/1.1\r\nhost: %s\r\norigin: %s\r\ncontent-length: %d\r\n\r\n"
    told = large % (code.encode(), host, base.encode(), 10_000_000)
    assert raw(address, told + bytes((1 << 18) + 1)).startswith(b"HTTP/1.1 413")
    assert raw(address, b"POST /half HTTP/1.1\r\nhost: ").startswith(b"HTTP/1.1 400")
    assert raw(address, b"\x16\x03\x01\x02\x00").startswith(b"HTTP/1.1 400")


def test_bad_input_gets_one_clear_answer_each_and_the_class_goes_on() -> None:
    with Class(demo(), 6) as room:
        first, *others = phones(room.address, 6)
        wrong_addresses(first, room.address.rsplit("/", 1)[0])
        wrong_joins(first, room.address)
        wrong_bytes(room.address)
        for other in others:
            other.join()
        first.asked(1)
        good = first.sealed()
        assert Client(room.address, "nobody").hand_in(good)[0] == 403
        assert first.hand_in(good[:-1])[0] == 400
        assert first.hand_in(b"")[0] == 400
        assert first.hand_in(good) == (204, b"")
        assert first.hand_in(first.sealed()) == (204, b"")  # answering twice is one answer
        late = Client(room.address, "late")
        together([*others, first])
        assert late.join() == (
            409,
            b"This session is closed to new people: it has begun without you.",
        )
    held = room.done()
    assert held.board is not None
    assert held.board.burned is None
    (number, _), *_ = held.room.letters
    assert number == 1
    assert len([index for number, index in held.room.letters if number == 1]) == 6


def test_who_asks_too_often_is_told_to_wait_and_others_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from veilmix.machines import gate

    monkeypatch.setattr(gate, "BURST", 30.0)
    monkeypatch.setattr(gate, "RATE", 0.0)  # no time makes up for it
    with Class(demo(), 5) as room:
        client = Client(room.address.rpartition("/")[0], "fast")
        answers = Counter(client.ask("/static/bytes.js")[0] for _ in range(60))
        assert answers == {200: 30, 429: 30}
    assert room.done().board is None


def test_two_hundred_phones_at_once() -> None:
    scenario = demo()
    with Class(scenario, 200) as room:
        clients = phones(room.address, 200)
        together(clients)
    assert [client.refused for client in clients if client.refused] == []
    assert all(client.counted() == [True, True] for client in clients)
    outcome = outcome_of_phones(scenario, room.done())
    assert outcome is not None
    assert sum(outcome.release.values()) == 200
    assert json.loads(json.dumps(outcome.refused)) == {}
