"""A class goes on while somebody does all that a request can get wrong."""

import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace as with_
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest
from phone_kit import Class, Client, together, unhurried
from veilmix.machines import gate
from veilmix.machines.gate import BURST
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.record import outcome_of_phones
from veilmix.protocol.rounds.round_context import Round

pytestmark = pytest.mark.slow

ROWS = [("on foot", "yes", "never"), ("by car", "no", "once")]
FLOOD = 1_000  # requests a second
BATCH = 50  # of them are said at once


def demo() -> Any:
    return unhurried(read_questions(DEMO))


def phones(address: str, many: int) -> list[Client]:
    return [Client(address, f"pupil {i}", ROWS[i % 2]) for i in range(many)]


def test_an_answer_outside_the_domain_is_refused_and_the_others_go_on() -> None:
    with Class(demo(), 7) as room:
        clients = phones(room.address, 7)
        liar = clients[2]
        liar.row = ("by rocket", "yes", "never")
        honest: Callable[[], Round] = liar.plan

        def lenient() -> Round:
            plan = honest()
            return with_(plan, domains=tuple(lambda _: True for _ in plan.domains))

        liar.plan = lenient  # type: ignore[method-assign]
        together(clients)
    outcome = outcome_of_phones(room.scenario, room.done())
    assert outcome is not None
    assert outcome.refused == {"outside-domain": 1}
    assert outcome.release is not None
    assert sum(outcome.release.values()) == 7  # its other answers are as good as anybody's
    assert not [cell for cell in outcome.release if "by rocket" in cell]
    assert liar.refused == []  # it was taken: nobody can see what is in an envelope
    assert all(client.counted() == [False, True] for client in clients)  # the liar's own as well


def answer_to(address: str, sent: bytes) -> bytes:
    """Send all of it, and only then read: what most programs do."""
    place = urlsplit(address)
    with socket.create_connection((place.hostname, place.port)) as stream:
        stream.sendall(sent)
        said = b""
        while piece := stream.recv(65_536):
            said += piece
        return said


def test_ten_megabytes_are_answered_in_words() -> None:
    with Class(demo(), 5) as room:
        base, code = room.address.rsplit("/", 1)
        host = base.removeprefix("http://")
        head = "POST /{}/{} HTTP/1.1\r\nhost: {}\r\norigin: {}\r\ncontent-length: {}\r\n\r\n"
        for what in ("join", "answer", "nothing"):
            told = head.format(code, what, host, base, 10_000_000).encode()
            assert answer_to(room.address, told + bytes(10_000_000)).startswith(b"HTTP/1.1 413 ")
        clients = phones(room.address, 5)
        together(clients)
    assert all(client.counted() == [True, True] for client in clients)


class Flood(Thread):
    """Asks a thousand times a second, from an address of its own, until it is stopped.

    It offers them at that pace; where this machine is slower than that, so is it.
    """

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self._place = urlsplit(address)
        self._ended = Event()
        self.told: Counter[bytes] = Counter()

    def run(self) -> None:
        name = f"{self._place.hostname}:{self._place.port}"
        asked = f"HEAD {self._place.path} HTTP/1.1\r\nhost: {name}\r\n\r\n".encode()
        there = self._place.hostname, self._place.port
        began = monotonic()
        with (
            socket.create_connection(there, source_address=("127.0.0.2", 0)) as stream,
            suppress(ConnectionError),  # the class ends before it is stopped
        ):
            rest, due = b"", began
            while not self._ended.is_set():
                stream.sendall(asked * BATCH)
                answered = 0
                while answered < BATCH:
                    data = stream.recv(1 << 16)
                    if not data:
                        return
                    *whole, rest = (rest + data).split(b"\r\n\r\n")
                    self.told.update(head[9:12] for head in whole)
                    answered += len(whole)
                due += BATCH / FLOOD
                sleep(max(0.0, due - monotonic()))

    def stop(self) -> None:
        self._ended.set()
        self.join()


@pytest.mark.parametrize("burst", [BURST / 10, pytest.param(BURST, marks=pytest.mark.long)])
def test_a_thousand_requests_a_second_from_one_address_do_not_stop_the_class(
    monkeypatch: pytest.MonkeyPatch, burst: float
) -> None:
    """Whether an address is stopped after as many as a class needs, or, soon, after a tenth."""
    monkeypatch.setattr(gate, "BURST", burst)
    monkeypatch.setattr(gate, "RATE", 0.0)  # on a slow machine no flood would be faster
    with Class(demo(), 6) as room:
        flood = Flood(room.address)
        flood.start()
        while flood.told[b"429"] <= 100 and flood.is_alive():
            sleep(0.05)
        clients = phones(room.address, 6)
        together(clients)
        flood.stop()
    assert set(flood.told) == {b"200", b"429"}
    assert flood.told[b"200"] == burst
    assert flood.told[b"429"] > 100
    assert all(client.counted() == [True, True] for client in clients)
