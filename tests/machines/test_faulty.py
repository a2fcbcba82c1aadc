"""Whatever the network does, and whoever knocks, a session ends as it should."""

import resource
import socket
import ssl
import sys
import time
from contextlib import ExitStack, suppress
from typing import Any

import pytest
import role_kit as KIT
import trio
import trio.lowlevel
import trio.testing
from veilmix.crypto.identity import make_identity
from veilmix.errors import VerificationError
from veilmix.machines import processes, tls
from veilmix.machines.clocks import RealTime
from veilmix.machines.host import secured
from veilmix.machines.http import Client, HttpResponse, Request, Server, ServerLimits
from veilmix.machines.journal import Durable
from veilmix.machines.processes import play_apart
from veilmix.roles.network.memory_network import Endpoint

pytestmark = pytest.mark.tls
ROWS = KIT.people(12)

# A proxy: for each port on stdin one on stdout. Of the connections to it, some are turned away,
# some break after some bytes, some wait before they begin (so that they overtake each other), and
# in some every piece is late.
PROXY = """
import random, sys, trio

rng = random.Random(int(sys.argv[1]))

async def pump(source, to, left, pause):
    while data := await source.receive_some(rng.randint(1, 5000)):
        await trio.sleep(pause)
        if left[0] is not None:
            left[0] -= len(data)
            if left[0] < 0:
                raise trio.BrokenResourceError
        await to.send_all(data)
    await to.send_eof()

async def between(stream, port):
    fate = rng.random()
    if fate < 0.15:
        return
    await trio.sleep(rng.uniform(0, 0.2) if fate > 0.6 else 0)
    left = [rng.randint(500, 20_000) if 0.15 <= fate < 0.4 else None]
    pause = rng.uniform(0, 0.01) if fate > 0.8 else 0
    try:
        async with await trio.open_tcp_stream("127.0.0.1", port) as other:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(pump, stream, other, left, pause)
                nursery.start_soon(pump, other, stream, left, pause)
    except (OSError, trio.BrokenResourceError, trio.ClosedResourceError, BaseExceptionGroup):
        pass
    finally:
        await trio.aclose_forcefully(stream)

async def main():
    async with trio.open_nursery() as nursery:
        while line := await trio.to_thread.run_sync(sys.stdin.readline):
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
            print(listeners[0].socket.getsockname()[1], flush=True)
            serve = lambda stream, port=int(line): between(stream, port)
            nursery.start_soon(trio.serve_listeners, serve, listeners)
        nursery.cancel_scope.cancel()

trio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_connections_that_break_and_overtake_each_other_change_nothing(
    seed: int, started: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = started(sys.executable, "-c", PROXY, str(seed), stdin=-1)
    place = processes._Stage._place

    def behind(self: Any, name: str) -> Any:
        address = place(self, name)
        if address.port:
            proxy.stdin.write(f"{address.port}\n")
            proxy.stdin.flush()
            address = type(address)(
                address.name,
                address.certificate,
                address.host,
                int(proxy.stdout.readline()),
                address.users,
            )
        return address

    monkeypatch.setattr(processes._Stage, "_place", behind)
    cast = KIT.cast(ROWS, shufflers=2, faults=KIT.attack(user_5="duplicate"))
    assert play_apart(cast).digest() == KIT.STAGES["memory"](cast).digest()


class Knocking:
    """Opens a thousand doors to each place that listens, and does what it likes in them."""

    def __init__(self, stage: Any, doors: ExitStack) -> None:
        self.stage = stage
        self.doors = doors
        self.many = 0

    def __call__(self) -> None:
        if self.many:
            return
        noise = [b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00", bytes(4_000)]
        for place in self.stage.directory.places.values():
            for number in range(1_000 if place.port else 0):
                with suppress(OSError):
                    door = self.doors.enter_context(
                        socket.create_connection((place.host, place.port))
                    )
                    door.send(noise[number % len(noise)])
                    self.many += 1


@pytest.mark.slow
def test_a_thousand_who_knock_at_every_door_keep_nobody_from_finishing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Idle, half a handshake, a plain request, noise: the session goes on, with the same digest."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 8_000:
        pytest.skip("fewer open files than this needs")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 8_000), hard))
    knocking: list[Knocking] = []
    begin = processes._Stage.begin

    def began(self: Any, *given: Any) -> None:
        begin(self, *given)
        knocking.append(Knocking(self, doors))

    monkeypatch.setattr(processes._Stage, "begin", began)
    cast = KIT.cast(ROWS, shufflers=2)
    with ExitStack() as doors:
        board = play_apart(cast, strike=lambda: knocking[0]())
    assert knocking[0].many > 4_000
    assert board.digest() == KIT.STAGES["memory"](cast).digest()


class Away:
    """A board that is gone for some seconds in the middle of a session."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.told = seconds, 0

    def __call__(self) -> str | None:
        self.told += 1
        return "board" if self.told == 50 else None


@pytest.mark.slow
def test_a_board_that_is_away_for_a_while_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    away = Away(3.0)
    start = processes._Stage.start

    def late(self: Any, name: str) -> None:
        if away.told:
            time.sleep(away.seconds)
        start(self, name)

    monkeypatch.setattr(processes._Stage, "start", late)
    cast = KIT.cast(ROWS, shufflers=2)
    board = play_apart(cast, durable=Durable.TMPFS, strike=away)
    assert board.digest() == KIT.STAGES["memory"](cast).digest()


class Silent(Endpoint):
    """A place from which nothing is sent or posted after its key."""

    async def send(self, plan: Any, receiver: str, body: Any) -> None:
        await trio.lowlevel.checkpoint()

    async def post(self, body: Any) -> None:
        if type(body).__name__ in ("Key", "Consent"):
            await super().post(body)


@pytest.mark.parametrize("network", KIT.STAGES)
@pytest.mark.parametrize(
    ("who", "said"),
    [
        ("analyst", "no release came from the analyst within"),
        ("shuffler-2", "came from shuffler-2 to"),
    ],
)
def test_who_never_comes_back_is_a_deadline_and_words(who: str, said: str, network: str) -> None:
    cast = KIT.cast(ROWS, shufflers=2, faults={who: Silent})
    board = KIT.STAGES[network](cast)
    assert board.burned is not None
    assert said in board.burned


def test_a_clock_that_is_set_back_does_not_take_time_back() -> None:
    clock = iter([100.0, 160.0, 100.0, 161.0, 221.0])
    now = RealTime(lambda: next(clock))
    assert now.now() == 0.0  # what it takes to start is nobody's
    now.begin()
    assert [now.now() for _ in range(4)] == [60.0, 60.0, 61.0, 121.0]


def test_a_place_that_is_started_again_counts_from_when_it_began_first() -> None:
    clock = iter([200.0, 230.0])
    now = RealTime(lambda: next(clock), lambda _now: 100.0)
    now.begin()
    assert now.now() == 130.0


def test_who_has_been_waiting_for_long_hurries_nobody() -> None:
    now = RealTime(lambda: 100.0)
    now.begin()
    assert now.at(3_600.0) == 0.0


async def echo(request: Request) -> HttpResponse:
    await trio.lowlevel.checkpoint()
    return HttpResponse(200, request.peer.encode())


OWN, FRIEND, STRANGER = (make_identity(name) for name in ("board", "friend", "stranger"))
KNOWN = {"board": OWN.public.certificate, "friend": FRIEND.public.certificate}


@pytest.fixture
def limits() -> ServerLimits:
    return ServerLimits(body=1_000)


async def opened(limits: ServerLimits, nursery: trio.Nursery, *, strangers: bool = False) -> int:
    """A server that only knows a friend; gives its port."""
    server = Server(echo, pytest.fail, limits)
    context = tls.server_context(OWN, KNOWN, strangers=strangers)
    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
    nursery.start_soon(trio.serve_listeners, secured(server, context, tls.names(KNOWN)), listeners)
    port: int = listeners[0].socket.getsockname()[1]
    return port


async def asked(port: int, context: ssl.SSLContext) -> tuple[int, bytes]:
    stream = await trio.open_tcp_stream("127.0.0.1", port)
    safe = await tls.connected(stream, context, tls.digest(KNOWN["board"]))
    async with safe:
        return await Client(safe, "x").ask("GET", "/")


async def test_only_who_is_known_is_let_in(limits: ServerLimits) -> None:
    async with trio.open_nursery() as nursery:
        port = await opened(limits, nursery)
        friend = tls.client_context(FRIEND, KNOWN["board"])
        assert await asked(port, friend) == (200, b"friend")
        for own in (None, STRANGER):
            with pytest.raises((trio.BrokenResourceError, ssl.SSLError)):
                await asked(port, tls.client_context(own, KNOWN["board"]))
        nursery.cancel_scope.cancel()


async def test_a_board_shows_itself_to_strangers_and_knows_that_they_are(
    limits: ServerLimits,
) -> None:
    async with trio.open_nursery() as nursery:
        port = await opened(limits, nursery, strangers=True)
        assert await asked(port, tls.client_context(None, KNOWN["board"])) == (200, b"")
        nursery.cancel_scope.cancel()


async def test_a_certificate_of_an_authority_that_nobody_named_is_worth_nothing(
    limits: ServerLimits,
) -> None:
    """Neither side trusts authorities, only the certificates that were handed over."""
    trustme = pytest.importorskip("trustme")
    authority = trustme.CA()
    async with trio.open_nursery() as nursery:
        port = await opened(limits, nursery)
        context = tls.client_context(None, KNOWN["board"])
        authority.issue_cert("friend").configure_cert(context)
        with pytest.raises((trio.BrokenResourceError, ssl.SSLError)):
            await asked(port, context)
        false = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("board").configure_cert(false)
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        serve = secured(Server(echo, pytest.fail, limits), false, {})
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        lied = listeners[0].socket.getsockname()[1]
        with pytest.raises((trio.BrokenResourceError, ssl.SSLError)):
            await asked(lied, tls.client_context(FRIEND, KNOWN["board"]))
        trusting = tls.client_context(FRIEND, KNOWN["board"])
        authority.configure_trust(trusting)
        with pytest.raises(VerificationError):
            await asked(lied, trusting)
        nursery.cancel_scope.cancel()


PLAIN = (b"GET /status HTTP/1.1\r\nHost: x\r\n\r\n", b"POST /posts HTTP/1.1\r\n\r\n", b"\0" * 99)


@pytest.mark.parametrize("said", PLAIN)
async def test_without_tls_nothing_is_answered(said: bytes, limits: ServerLimits) -> None:
    async with trio.open_nursery() as nursery:
        port = await opened(limits, nursery, strangers=True)
        stream = await trio.open_tcp_stream("127.0.0.1", port)
        await stream.send_all(said)
        heard = b""
        async with stream:
            with suppress(trio.BrokenResourceError):
                while data := await stream.receive_some():
                    heard += data
        assert b"HTTP" not in heard
        assert len(heard) <= 7  # an alert of TLS, or nothing
        nursery.cancel_scope.cancel()


async def test_who_is_slow_is_shown_out(
    limits: ServerLimits, mock_clock: trio.testing.MockClock
) -> None:
    """Half a handshake, half a request, nothing at all: each ends by itself."""
    slow = 1 + max(limits.patience, limits.idle, tls.HANDSHAKE)
    async with trio.open_nursery() as nursery:
        port = await opened(limits, nursery)
        half = await trio.open_tcp_stream("127.0.0.1", port)
        await half.send_all(b"\x16\x03\x01")
        context = tls.client_context(FRIEND, KNOWN["board"])
        for said, told in ((b"", b""), (b"GET / HT", b"HTTP/1.1 408 ")):
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            safe = await tls.connected(stream, context, tls.digest(KNOWN["board"]))
            if said:
                await safe.send_all(said)
            await trio.testing.wait_all_tasks_blocked()
            mock_clock.jump(slow)
            heard = bytes(await safe.receive_some())
            assert heard.startswith(told) if told else not heard
            await trio.aclose_forcefully(stream)
        async with half:
            with suppress(trio.BrokenResourceError):
                assert await half.receive_some() == b""
        assert (await asked(port, context))[0] == 200
        nursery.cancel_scope.cancel()
