"""The parts of a machine: inputs as bytes, a role in steps, the board as a service, time."""

import hashlib
import math
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import role_kit as KIT
import trio
import trio.testing
from hypothesis import given
from hypothesis import strategies as st
from veilmix.errors import Reason, Refused, VerificationError
from veilmix.machines import inputs, remote, tls
from veilmix.machines.board_service import BoardService
from veilmix.machines.conductor import Conductor, Stuck
from veilmix.machines.host import IdleState, frames
from veilmix.machines.http import Client, HttpResponse, Request, Server, ServerLimits
from veilmix.machines.inputs import (
    ID,
    Declined,
    Input,
    LetterInput,
    Letters,
    Naming,
    Parcel,
    Posted,
    PostInput,
    Shelved,
    Tick,
)
from veilmix.machines.remote import RemoteNetwork
from veilmix.machines.role_step import World
from veilmix.protocol.wire.frames import NO_SESSION, Message
from veilmix.protocol.wire.messages import Burned, Key
from veilmix.protocol.wire.wire import Reader
from veilmix.roles.compute import spool
from veilmix.roles.network.instruments import Instruments

TIMES = st.floats(0, 1e9)
NAMES = st.sampled_from(["curator", "user-1", "shuffler-12"])
LETTERS = st.builds(LetterInput, NAMES, st.binary(max_size=9), st.binary(min_size=ID, max_size=ID))
BODIES = st.one_of(
    st.builds(Letters, NAMES, st.lists(LETTERS, max_size=3).map(tuple)),
    st.builds(Posted, NAMES, st.binary(max_size=9)),
    st.builds(Declined, st.binary(min_size=ID, max_size=ID), st.sampled_from(Reason)),
    st.just(Tick()),
)


@given(st.builds(Input, TIMES, BODIES))
def test_an_input_is_read_as_it_was_written(event: Input) -> None:
    assert Input.decode(event.encode()) == event


def test_a_reason_that_nobody_gives_is_refused() -> None:
    data = Input(1.0, Declined(bytes(ID), Reason.LATE)).encode()
    with pytest.raises(Refused):
        Input.decode(data.replace(b"late", b"lazy"))


def test_an_input_has_a_known_kind() -> None:
    for kind in (len(inputs._KINDS), len(inputs._KINDS) + 1, 255):
        with pytest.raises(Refused):
            inputs._read_input(Reader(bytes(8) + bytes([kind]) + bytes(99)))


@given(st.binary(max_size=60))
def test_what_is_no_input_is_refused(data: bytes) -> None:
    for kind in (Input, Parcel, PostInput):
        with suppress(Refused):
            assert kind.decode(data).encode() == data


def test_what_is_said_twice_has_two_ids_whatever_the_order() -> None:
    said = [("user-1", b"a"), ("user-1", b"a"), ("user-2", b"a"), ("user-1", b"b")]
    naming, other = Naming(), Naming()
    ids = [naming.name(who, "shuffler-1", data) for who, data in said]
    assert len(set(ids)) == 4
    assert {other.name(who, "shuffler-1", data) for who, data in reversed(said)} == set(ids)


def quiet() -> RemoteNetwork:
    return RemoteNetwork(Instruments([], pytest.fail), None, lambda _: None)


async def test_a_piece_of_a_batch_waits_on_disk_and_is_sent_as_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(spool.FOLDER, str(tmp_path))
    monkeypatch.setattr(spool, "MEMORY_LIMIT", 500)
    said = [b"x" * 400, b"small", b"y" * 401, b"x" * 400]
    sent = []
    for large in (1 << 20, 300):
        monkeypatch.setattr(remote, "LARGE", large)
        network = quiet()
        for data in said:
            await network.carry("shuffler-1", "shuffler-2", data)
        parcels = [out for out in network.outputs if isinstance(out, Parcel)]
        sent.append([replace(parcel, time=0.0).encode() for parcel in parcels])
        assert [parcel.letters[0].size for parcel in parcels] == [len(data) for data in said]
    assert sent[0] == sent[1]
    shelved = [parcel.letters[0] for parcel in parcels]
    assert [isinstance(letter, Shelved) for letter in shelved] == [True, False, True, True]
    first, *_ = shelved
    assert isinstance(first, Shelved)
    assert first.spool.on_disk == 801  # all but the last, which comes behind what is written
    network.outputs = []
    await network.carry("shuffler-1", "shuffler-2", b"z" * 400)
    (later,) = [out for out in network.outputs if isinstance(out, Parcel)]
    (letter,) = later.letters
    assert isinstance(letter, Shelved)
    assert letter.spool is not first.spool  # which is gone with its last letter


async def burner(network: RemoteNetwork) -> None:
    """A role: waits 5 s, posts that it burns, then says how that went."""
    await trio.sleep(5)
    try:
        await network.post("shuffler-1", Message(NO_SESSION, 0, Burned("x")).encode())
    except Refused as refusal:
        await network.carry("shuffler-1", "curator", refusal.reason.encode())


async def test_a_role_takes_steps_and_time_moves_only_when_told() -> None:
    world = World(quiet, burner)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(world.run)
        step = await world.first()
        assert (step.outputs, step.deadline, step.over) == ((), 5.0, False)
        assert (await world.step(Input(4.9, Tick()))).outputs == ()
        step = await world.step(Input(5.5, Tick()))
        (post,) = step.outputs
        assert isinstance(post, PostInput)
        assert (post.author, post.time, step.deadline) == ("shuffler-1", 5.5, math.inf)
        step = await world.step(Input(6.0, Declined(post.id, Reason.UNEXPECTED)))
        (parcel,) = step.outputs
        assert isinstance(parcel, Parcel)
        assert [letter.data for letter in parcel.letters] == [b"unexpected"]
        assert step.over
        world.leave()


async def test_a_post_that_was_declined_is_refused_to_who_posts() -> None:
    network, heard = quiet(), list[Reason]()

    async def posts() -> None:
        try:
            await network.post("shuffler-1", Message(NO_SESSION, 0, Burned("x")).encode())
        except Refused as refusal:
            heard.append(refusal.reason)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(posts)
        await trio.testing.wait_all_tasks_blocked()
        (post,) = network.outputs
        assert isinstance(post, PostInput)
        network.process_input(Declined(post.id, Reason.UNEXPECTED))
    assert heard == [Reason.UNEXPECTED]


async def test_an_entry_that_the_board_could_not_have_taken_ends_the_role() -> None:
    """Whoever runs the board may keep entries back; it cannot make an illegal one believed."""
    world = World(quiet, burner)
    legal = Message(NO_SESSION, 0, Key(KIT_KEY)).encode()

    async def play() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.run)
            await world.first()
            await world.step(Input(0.0, Posted("shuffler-1", legal)))
            await world.step(Input(0.0, Posted("shuffler-1", legal)))

    with pytest.raises(BaseExceptionGroup) as caught:
        await play()
    assert caught.group_contains(Refused)


async def test_a_bug_of_a_role_reaches_who_runs_it() -> None:
    async def wrong(_: RemoteNetwork) -> None:
        raise ZeroDivisionError

    world = World(quiet, wrong)

    async def play() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(world.run)
            await world.first()

    with pytest.raises(BaseExceptionGroup) as caught:
        await play()
    assert caught.group_contains(ZeroDivisionError)


KIT_KEY = KIT.run(KIT.people(3)).board.keys["shuffler-1"]


def post(author: str, data: bytes, number: int = 0) -> PostInput:
    return PostInput(author, data, bytes([number]) * ID, 1.0)


async def ask(service: BoardService, message: PostInput | bytes, peer: str) -> HttpResponse:
    body = message if isinstance(message, bytes) else message.encode()
    return await service.answer(Request("POST", "/posts", {}, body, peer))


KEYED = Message(NO_SESSION, 0, Key(KIT_KEY)).encode()


async def test_the_board_takes_posts_of_those_who_send_them_once() -> None:
    service = BoardService(speaks=lambda place, party: place == party)
    assert (await ask(service, post("shuffler-1", KEYED), "shuffler-1")).status == 200
    assert (await ask(service, post("shuffler-1", KEYED), "shuffler-1")).status == 200  # again
    assert len(service.board.entries) == 1
    assert service.posts == {"shuffler-1": 1}
    for peer, status in (("", 403), ("shuffler-2", 400), ("people", 400)):
        assert (await ask(service, post("shuffler-1", KEYED, 1), peer)).status == status
    refused = await ask(service, post("shuffler-1", KEYED, 2), "shuffler-1")
    assert refused.status == 409
    assert isinstance(refused.body, bytes)
    read = Reader(refused.body)
    assert (read.u32(), read.text()) == (1, Reason.UNEXPECTED)
    assert (await ask(service, b"noise", "shuffler-1")).status == 400
    assert (await ask(service, post("nobody", KEYED, 3), "people")).status == 400
    assert (await service.answer(Request("GET", "/posts/x", {}))).status == 404
    assert len(service.board.entries) == 1


async def test_a_post_among_others_is_judged_once() -> None:
    service = BoardService(speaks=lambda place, party: place == party)
    posts = [post("shuffler-1", KEYED, number) for number in range(3)]
    judged = [await ask(service, each, "shuffler-1") for each in posts]
    assert [answer.status for answer in judged] == [200, 409, 409]
    assert [await ask(service, each, "shuffler-1") for each in posts] == judged
    assert service.posts == {"shuffler-1": 3}


async def test_entries_are_read_from_any_on_and_waited_for() -> None:
    service, heard = BoardService(speaks=lambda place, party: place == party), list[bytes]()
    got = trio.Event()

    async def say(piece: bytes) -> None:
        buffer = bytearray(piece)
        heard.extend(frames(buffer))
        assert not buffer
        got.set()
        await trio.lowlevel.checkpoint()

    answer = await service.answer(Request("GET", "/posts/0", {}))
    assert callable(answer.body)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(answer.body, say)
        await trio.testing.wait_all_tasks_blocked()
        await ask(service, post("shuffler-1", KEYED), "shuffler-1")
        await got.wait()
        nursery.cancel_scope.cancel()
    read = Reader(heard[0])
    assert (read.f64(), read.text(), read.blob()) == (1.0, "shuffler-1", KEYED)


def stands(time: float = 0.0, deadline: float = math.inf, **more: Any) -> IdleState:
    given = {"over": False, "entries": 2, "sent_counts": {}, "received": {}} | more
    return IdleState(time, deadline, **given)


def test_time_goes_on_when_nobody_acts_and_nothing_is_on_its_way() -> None:
    conductor = Conductor(["people", "shuffler-1"])
    board = stands(over=True, received={"shuffler-1": 1})
    conductor.hear("board", board)
    conductor.hear("people", stands(deadline=7.0, sent_counts={"shuffler-1": 3}))
    assert not conductor.still  # nobody knows of shuffler-1
    conductor.hear(
        "shuffler-1", stands(5.0, 60.0, sent_counts={"board": 1}, received={"people": 2})
    )
    assert not conductor.still  # a letter is on its way
    conductor.hear(
        "shuffler-1", stands(5.0, 60.0, sent_counts={"board": 2}, received={"people": 3})
    )
    assert not conductor.still  # a post is
    conductor.hear("shuffler-1", stands(0, 60.0, entries=1, received={"people": 3}))
    assert not conductor.still  # an entry is
    conductor.hear("shuffler-1", stands(0, 60.0, received={"people": 3}))
    assert conductor.still
    assert not conductor.over
    assert conductor.advance() == 7.0
    assert not conductor.still  # nobody has said where it stands since
    for name in ("people", "shuffler-1"):
        said = (
            {"sent_counts": {"shuffler-1": 3}} if name == "people" else {"received": {"people": 3}}
        )
        conductor.hear(name, stands(7.0, over=True, **said))
    assert conductor.over
    conductor.forget("people")
    assert not conductor.still


def test_whoever_waits_for_ever_is_named() -> None:
    conductor = Conductor(["curator"])
    conductor.hear("board", stands(over=True))
    conductor.hear("curator", stands())
    with pytest.raises(Stuck, match="curator"):
        conductor.advance()


@given(st.lists(st.binary(max_size=5), max_size=4), st.integers(1, 7))
def test_frames_come_whole_however_they_are_cut(some: list[bytes], size: int) -> None:
    sent = b"".join(len(frame).to_bytes(4, "big") + frame for frame in some)
    buffer, parts = bytearray(), list[bytes]()
    for at in range(0, len(sent), size):
        buffer += sent[at : at + size]
        parts += frames(buffer)
    assert parts == [frame for frame in some if frame]


async def test_a_client_asks_a_server_many_times_over_one_connection() -> None:
    async def echo(request: Request) -> HttpResponse:
        await trio.lowlevel.checkpoint()
        return HttpResponse(200, request.body + request.peer.encode())

    here, there = trio.testing.memory_stream_pair()
    server = Server(echo, pytest.fail, ServerLimits(body=100))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.serve, there, "shuffler-1")
        client = Client(here, "x")
        for body in (b"a", b"", b"c" * 100):
            assert await client.ask("POST", "/", body) == (200, body + b"shuffler-1")
        assert (await client.ask("POST", "/", b"d" * 101))[0] == 413
        with pytest.raises((trio.BrokenResourceError, trio.ClosedResourceError)):
            await client.ask("POST", "/", b"e")


async def test_one_peer_may_not_take_the_connections_of_all() -> None:
    async def echo(_: Request) -> HttpResponse:
        await trio.lowlevel.checkpoint()
        return HttpResponse(204)

    server = Server(echo, pytest.fail, ServerLimits(body=100, connections=5, each=3))
    statuses = []
    async with trio.open_nursery() as nursery:
        for peer in ("a", "a", "a", "a", "b"):
            here, there = trio.testing.memory_stream_pair()
            nursery.start_soon(server.serve, there, peer)
            statuses.append((await Client(here, "x").ask("GET", "/"))[0])
        assert statuses == [204, 204, 204, 503, 204]
        nursery.cancel_scope.cancel()


async def test_who_sends_far_too_much_hears_so() -> None:
    """The answer arrives, though it was given while most of the request had not been sent."""

    async def echo(_: Request) -> HttpResponse:
        await trio.lowlevel.checkpoint()
        return HttpResponse(204)

    async with trio.open_nursery() as nursery:
        serve = partial(Server(echo, pytest.fail, ServerLimits(body=100)).serve, peer="x")
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, serve, listeners)
        port = listeners[0].socket.getsockname()[1]
        for _ in range(5):
            client = Client(await trio.open_tcp_stream("127.0.0.1", port), "x")
            assert (await client.ask("POST", "/", bytes(10_000_000)))[0] == 413
            await client.close()
        nursery.cancel_scope.cancel()


async def test_people_may_send_less_at_once_than_shufflers() -> None:
    async def echo(_: Request) -> HttpResponse:
        await trio.lowlevel.checkpoint()
        return HttpResponse(204)

    limits = ServerLimits(body=100, bodies={"hall": 10})
    for peer, size, status in [("hall", 10, 204), ("hall", 11, 413), ("shuffler-1", 100, 204)]:
        here, there = trio.testing.memory_stream_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(Server(echo, pytest.fail, limits).serve, there, peer)
            client = Client(here, "x")
            assert (await client.ask("POST", "/", bytes(size)))[0] == status
            await client.close()


class Shaken:
    """A connection after its handshake, on which a server has shown something."""

    def __init__(self, shown: bytes | None) -> None:
        self.shown = shown

    async def do_handshake(self) -> None:
        """Have nothing to do."""
        await trio.lowlevel.checkpoint()

    def getpeercert(self, *, binary_form: bool) -> bytes | None:
        """Return the certificate."""
        assert binary_form
        return self.shown


@pytest.mark.parametrize("at", [0, 31])
async def test_each_byte_of_the_digest_of_a_certificate_is_compared(at: int) -> None:
    agreed = bytearray(hashlib.sha256(b"certificate").digest())
    shaken: Any = Shaken(b"certificate")
    assert await tls._checked(shaken, bytes(agreed)) is shaken
    agreed[at] ^= 1
    with pytest.raises(VerificationError, match="another certificate than was agreed on"):
        await tls._checked(shaken, bytes(agreed))


async def test_a_server_that_shows_no_certificate_is_refused() -> None:
    shaken: Any = Shaken(None)
    with pytest.raises(VerificationError, match="another certificate than was agreed on"):
        await tls._checked(shaken, bytes(32))
