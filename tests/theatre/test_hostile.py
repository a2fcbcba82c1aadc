"""Whatever arrives at the live page, one connection ends and the show goes on."""

import json
from contextlib import suppress
from functools import cache, partial

import pytest
import trio
import trio.testing
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.theatre.http import MOST_CONNECTIONS, HttpResponse, PageServer, Request
from veilmix.theatre.live import Playing, Theatre, prepared
from veilmix.theatre.log import ReaderPlace

PORT = 8765
HOME = f"127.0.0.1:{PORT}"
OWN = f"Host: {HOME}\r\n"
PAGE = f"{OWN}Origin: http://{HOME}\r\n"
OTHER = f"{OWN}Origin: http://a.example\r\n"


def asks(body: str | bytes, headers: str = PAGE, method: str = "POST") -> bytes:
    """A whole request for another run."""
    data = body.encode() if isinstance(body, str) else body
    return (
        f"{method} /again HTTP/1.1\r\n{headers}Content-Length: {len(data)}\r\n\r\n".encode() + data
    )


def get(line: str, headers: str = OWN) -> bytes:
    """A request without a body."""
    return f"{line} HTTP/1.1\r\n{headers}\r\n".encode()


# name: what is sent, and the status of the answer; 0: none at all
HOSTILE = {
    "HEAD of the page": (get("HEAD /"), 200),
    "HEAD of the events": (get("HEAD /events"), 200),
    "HEAD of nothing": (get("HEAD /nothing"), 404),
    "HEAD of another run": (get("HEAD /again", PAGE), 404),
    "HEAD from another origin": (get("HEAD /", OTHER), 403),
    "HEAD by another name": (get("HEAD /", "Host: a.example\r\n"), 421),
    "HEAD with half a body": (
        f"HEAD / HTTP/1.1\r\n{OWN}Transfer-Encoding: chunked\r\n\r\nzz\r\n".encode(),
        400,
    ),
    "events from another origin": (get("GET /events", OTHER), 403),
    "events of a place that is none": (
        get("HEAD /events", f"{OWN}Last-Event-ID: {'9' * 300}\r\n"),
        200,
    ),
    "another run from another origin": (asks('{"people": 12}', OTHER), 403),
    "another run by no origin": (asks('{"people": 12}', OWN), 403),
    "another name": (get("GET /", "Host: rebound.example\r\n"), 421),
    "two names": (get("GET /", OWN + OWN), 400),
    "no name": (get("GET /", ""), 400),
    "OPTIONS": (get("OPTIONS *", PAGE), 404),
    "TRACE": (get("TRACE /", PAGE), 404),
    "CONNECT": (get("CONNECT a.example:443", PAGE), 404),
    "CONNECT, then more": (get("CONNECT a.example:443", PAGE) + b"x" * 100_000, 404),
    "upgrade": (get("HEAD /", f"{OWN}Connection: upgrade\r\nUpgrade: websocket\r\n"), 200),
    "a method of its own": (get("BREW /", PAGE), 404),
    "DELETE": (get("DELETE /", PAGE), 404),
    "brackets": (asks("[" * 4_000), 422),
    "more brackets": (asks('{"people":' * 400), 422),
    "a nested value": (asks('{"people":' + "[" * 900 + "]" * 900 + "}"), 422),
    "half a surrogate": (asks('{"\\ud800":1}'), 422),
    "half a surrogate as a value": (asks('{"people":"\\ud800"}'), 422),
    "a long number": (asks('{"people": 1' + "0" * 4_000 + "}"), 422),
    "no number": (asks('{"people": NaN}'), 422),
    "infinity": (asks('{"k": Infinity}'), 422),
    "a fraction": (asks('{"k": 1e3}'), 422),
    "nobody": (asks('{"people": 0}'), 422),
    "too many people": (asks('{"people": 1000000000}'), 422),
    "too many shufflers": (asks('{"shufflers": 65}'), 422),
    "another key": (asks('{"population.source": 1}'), 422),
    "another key behind a right one": (asks('{"k": 2, "population.source": 1}'), 422),
    "a key of Python's": (asks('{"__class__": 1}'), 422),
    "not UTF-8": (asks(b"\xff\xfe\x00"), 422),
    "UTF-16": (asks('{"people": 0}'.encode("utf-16")), 422),
    "nothing": (asks(b""), 422),
    "too long": (asks(b" " * 5_000), 413),
    "too long in pieces": (
        f"POST /again HTTP/1.1\r\n{PAGE}Transfer-Encoding: chunked\r\n\r\n".encode()
        + b"400\r\n" + b"x" * 0x400 + b"\r\n" + b"f00\r\n" + b"x" * 0xF00 + b"\r\n",
        413,
    ),
    "two lengths": (asks(b"{}", f"{PAGE}Content-Length: 7\r\n"), 400),
    "a length and pieces": (asks(b"{}", f"{PAGE}Transfer-Encoding: chunked\r\n"), 400),
    "a length below zero": (
        f"POST /again HTTP/1.1\r\n{PAGE}Content-Length: -1\r\n\r\n".encode(),
        400,
    ),
    "a huge header": (get("GET /", f"{OWN}X: {'x' * 200_000}\r\n"), 431),
    "many headers": (get("GET /", OWN + "X: y\r\n" * 20_000), 431),
    "a huge address": (get(f"GET /{'x' * 200_000}"), 431),
    "a header in two lines": (get("HEAD /", f"{OWN}X: y\r\n z\r\n"), 200),
    "a header without a colon": (get("GET /", f"{OWN}nonsense\r\n"), 400),
    "a zero byte": (get("GET /", f"{OWN}X: \0\r\n"), 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), 400),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 421),
    "HTTP/0.9": (b"GET /\r\n\r\n", 400),
    "no letters": (bytes(range(128, 256)) + b"\r\n\r\n", 400),
    "only line ends": (b"\r\n" * 1_000, 400),
    "half a line": (b"GET / HT", 400),
    "half a head": (f"GET / HTTP/1.1\r\n{OWN}".encode(), 400),
    "half a body": (f"POST /again HTTP/1.1\r\n{PAGE}Content-Length: 9\r\n\r\n{{".encode(), 400),
    "not a byte": (b"", 0),
    "two at once": (get("HEAD /nothing") * 2, 404),
    "a climb": (get("GET /../../etc/passwd"), 404),
    "another address": (get("GET http://a.example/", OWN), 404),
}  # fmt: skip


@cache
def quick() -> Playing:
    """Twelve people who may take a second."""
    return prepared(change(load("classroom"), {"mix.deadline": 1}), 3)


async def said(server: PageServer, sent: bytes) -> bytes:
    """Send bytes and nothing more; gives all that is answered."""
    here, there = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.serve, there)
        with suppress(trio.BrokenResourceError):  # it need not have read all to answer
            await here.send_all(sent)
            await here.send_eof()
        return b"".join([bytes(piece) async for piece in here])


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_request_ends_its_connection_and_nothing_else(name: str) -> None:
    told: list[str] = []
    house = Theatre(quick(), told.append)
    server = PageServer(house.answer, PORT, told.append)
    sent, status = HOSTILE[name]
    answer = await said(server, sent)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode() if status else b""), answer[:200]
    assert b"\r\nconnection: close" in head or not status
    assert len(body) < 1_000  # what was sent is not sent back
    if sent.startswith(b"HEAD"):
        assert body == b""
    assert told == []  # none of these is a fault of ours
    assert (await said(server, get("GET /"))).startswith(b"HTTP/1.1 200 ")
    assert house._playing is quick()


async def test_a_head_has_the_length_of_the_page() -> None:
    server = PageServer(Theatre(quick(), print).answer, PORT, print)
    whole = await said(server, get("GET /"))
    head, _, body = whole.partition(b"\r\n\r\n")
    only, _, nothing = (await said(server, get("HEAD /"))).partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head
    assert sorted(only.split(b"\r\n")) == sorted(head.split(b"\r\n"))
    assert nothing == b""


async def test_a_fault_of_ours_is_answered_and_told_and_ends_nothing() -> None:
    async def wrong(_: Request) -> HttpResponse:
        raise ZeroDivisionError("ours")

    async def halfway(_: Request) -> HttpResponse:
        async def say(send) -> None:
            await send(b"a piece")
            raise ZeroDivisionError("later")

        return HttpResponse(200, say)

    told: list[str] = []
    assert (await said(PageServer(wrong, PORT, told.append), get("GET /"))).startswith(
        b"HTTP/1.1 500 "
    )
    assert b"a piece" in await said(PageServer(halfway, PORT, told.append), get("GET /"))
    assert ["ours" in told[0], "later" in told[1], len(told)] == [True, True, 2]


async def test_more_connections_than_there_may_be_are_sent_away(autojump_clock) -> None:
    server = PageServer(Theatre(quick(), print).answer, PORT, print)
    async with trio.open_nursery() as nursery:
        waiting = []
        for _ in range(MOST_CONNECTIONS):
            here, there = trio.testing.memory_stream_pair()
            nursery.start_soon(server.serve, there)
            await here.send_all(b"GET / HT")  # and nothing more
            waiting.append(here)
        await trio.testing.wait_all_tasks_blocked()
        assert (await said(server, get("GET /"))).startswith(b"HTTP/1.1 503 ")
        await trio.sleep(31)  # whoever asks too slowly is let go
        assert (await said(server, get("GET /"))).startswith(b"HTTP/1.1 200 ")


async def test_a_run_that_the_page_asked_for_may_fail(monkeypatch) -> None:
    """The first run's fault is its author's, who is at the keyboard; a later one's is not."""
    told: list[str] = []
    house = Theatre(quick(), told.append)
    house._runs = 1

    async def wrong(playing, audiences, tell) -> None:
        audiences.logs["en"].begin({})
        await trio.lowlevel.checkpoint()
        raise ZeroDivisionError("no such run")

    monkeypatch.setattr("veilmix.theatre.live._play", wrong)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(house.play)
        await trio.testing.wait_all_tasks_blocked()
        assert "no such run" in told[0]
        assert json.loads(house.audiences.logs["en"].entries[-1]) == {"what": "over"}
        nursery.cancel_scope.cancel()


@pytest.mark.slow
async def test_the_show_goes_on_under_all_of_them_at_once() -> None:
    """Over real sockets, while a run is played, with readers who never read."""
    told: list[str] = []
    house = Theatre(quick(), told.append)
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listeners[0].socket.getsockname()[1]
    server = PageServer(house.answer, port, told.append)

    async def visitor(sent: bytes) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            async with stream:
                await stream.send_all(sent.replace(HOME.encode(), f"127.0.0.1:{port}".encode()))
                await stream.send_eof()
                async for _ in stream:
                    pass

    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(trio.serve_listeners, server.serve, listeners))
        silent = [await trio.open_tcp_stream("127.0.0.1", port) for _ in range(20)]
        for stream in silent:
            await stream.send_all(
                f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
            )
        nursery.start_soon(house.play)
        async with trio.open_nursery() as hostile:
            for sent, _ in HOSTILE.values():
                hostile.start_soon(visitor, sent)
        place = ReaderPlace()
        while '{"what":"over"}' not in house.audiences.logs["en"].entries:
            _, place = await house.audiences.logs["en"].entries_after(place)
        assert any('"kind":"closed"' in entry for entry in house.audiences.logs["en"].entries)
        assert told == []
        for stream in silent:
            await stream.aclose()
        nursery.cancel_scope.cancel()
