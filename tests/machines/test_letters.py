"""The letters that a place takes: those to its own parties, in the names of those who send them."""

from dataclasses import replace

import pytest
import role_kit as KIT
import trio
import trio.testing
from veilmix.crypto.identity import make_identity
from veilmix.machines import host
from veilmix.machines.board_service import BoardService
from veilmix.machines.clocks import RealTime
from veilmix.machines.directory import ALL_USERS, Directory, SessionPlace
from veilmix.machines.early_deadline import Hurry
from veilmix.machines.host import Host
from veilmix.machines.http import Client, HttpResponse, Request, Server, ServerLimits
from veilmix.machines.inputs import ID, LetterInput, Letters, Parcel
from veilmix.machines.remote import RemoteNetwork
from veilmix.machines.role_step import World
from veilmix.protocol.board.board import Board
from veilmix.protocol.wire.messages import Call
from veilmix.roles.network.instruments import Instruments

NAMES = ("board", "curator", "shuffler-1", "shuffler-2", "hall")
USERS = {"hall": range(20)}
DIRECTORY = Directory(
    {name: SessionPlace(name, "", users=USERS.get(name, range(0))) for name in NAMES}
)
OWN = make_identity("shuffler-1")


def place(name: str = "shuffler-1") -> Host:
    """Give a place that nobody drives: what comes to it waits to be heard."""

    async def silent(_: RemoteNetwork) -> None:
        await trio.sleep_forever()

    def network() -> RemoteNetwork:
        return RemoteNetwork(Instruments([], pytest.fail), None, lambda _: None)

    world = World(network, silent)
    return Host(name, OWN, DIRECTORY, world, RealTime(float), limits=ServerLimits(body=1_000))


def letter(sender: str, number: int = 0) -> LetterInput:
    return LetterInput(sender, b"sealed", bytes([number]) * ID)


def parcel(*letters: LetterInput, to: str = "shuffler-1", seen: int = 0) -> bytes:
    return Parcel(to, seen, 0.0, letters).encode()


async def asked(
    here: Host, body: bytes, peer: str = "hall", path: str = "/letters"
) -> HttpResponse:
    """Give the answer of a place, once it has heard all that came."""
    answers: list[HttpResponse] = []
    async with trio.open_nursery() as nursery:

        async def ask() -> None:
            answers.append(await here._answer(Request("POST", path, {}, body, peer)))

        nursery.start_soon(ask)
        await trio.testing.wait_all_tasks_blocked()
        for arrived in here._arrived:
            arrived.completion.set()
    return answers[0]


async def test_letters_of_those_who_send_them_are_taken() -> None:
    here = place()
    assert (await asked(here, parcel(letter("user-1"), letter("user-20", 1)))).status == 204
    body, _, _ = here._ready(0.0)
    assert isinstance(body, Letters)
    assert [taken.sender for taken in body.letters] == ["user-1", "user-20"]


@pytest.mark.parametrize(
    ("peer", "sender"),
    [
        *(("hall", "user-21"), ("hall", "curator"), ("shuffler-2", "user-1")),
        *(("shuffler-2", "shuffler-20"), ("shuffler-2", "shuffler"), ("shuffler-2", "curator")),
        *(("", "user-1"), ("nobody", "user-1"), ("hall", "nobody")),
    ],
)
async def test_letters_in_others_names_are_dropped(peer: str, sender: str) -> None:
    here = place()
    own = "user-1" if peer == "hall" else "shuffler-2"
    sent = parcel(letter(sender, 1), letter(own), letter(sender, 2))
    assert (await asked(here, sent, peer)).status == 204
    body, _, _ = here._ready(0.0)
    assert sender not in [taken.sender for taken in body.letters] if body else True
    if peer in DIRECTORY.places:
        assert isinstance(body, Letters)
        assert [taken.sender for taken in body.letters] == [own]


@pytest.mark.parametrize("to", ["shuffler-2", "shuffler-10", "shuffler", "curator", "user-1", ""])
async def test_letters_for_somebody_else_are_not_taken(to: str) -> None:
    assert (await asked(place(), parcel(letter("user-1"), to=to))).status == 403


async def test_what_is_no_parcel_is_not_taken() -> None:
    good = parcel(letter("user-1"))
    for body in (b"", good[:-1], good + b"x", b"\xff" * 60):
        assert (await asked(place(), body)).status == 400
    assert (await asked(place(), good, path="/letters/1")).status == 404


async def test_a_letter_that_is_said_again_is_heard_once() -> None:
    here = place()
    for numbers in ((0, 1), (1, 2), (0, 1, 2)):
        await asked(here, parcel(*(letter("user-1", number) for number in numbers)))
    heard = list[bytes]()
    while (body := here._ready(0.0)[0]) is not None:
        assert isinstance(body, Letters)
        heard += [taken.id for taken in body.letters]
    assert heard == [bytes([number]) * ID for number in range(3)]


async def test_letters_are_heard_in_their_order_past_those_that_were_heard_before() -> None:
    here = place()
    for number in (0, 0, 1):
        await asked(here, parcel(letter("user-1", number)))
    for number in (0, 1):
        body = here._ready(0.0)[0]
        assert isinstance(body, Letters)
        assert [taken.id for taken in body.letters] == [bytes([number]) * ID]


async def test_letters_wait_until_the_board_is_where_it_was_when_they_were_written() -> None:
    here = place()
    await asked(here, parcel(letter("user-1"), seen=1))
    assert here._ready(0.0)[0] is None
    here._delivered_count = 1
    assert here._ready(0.0)[0] is not None


async def test_who_sends_more_than_is_heard_keeps_nobody_else_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(host, "WAITING_EACH", 3)
    monkeypatch.setattr(host, "WAITING", 5)
    here = place()

    async def status(peer: str, number: int) -> int:
        sender = "user-1" if peer == "hall" else peer
        return (await asked(here, parcel(letter(sender, number)), peer)).status

    assert [await status("hall", number) for number in range(4)] == [204, 204, 204, 503]
    assert [await status("shuffler-2", number) for number in range(3)] == [204, 204, 503]


def test_an_entry_that_is_too_long_ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "MOST_ENTRY", 4)
    assert host.frames(bytearray(b"\0\0\0\4abcd")) == [b"abcd"]
    with pytest.raises(trio.BrokenResourceError, match="too long"):
        host.frames(bytearray(b"\0\0\0\5abcde"))


async def test_so_many_connections_may_be_open_whoever_they_are_of() -> None:
    async def none(_: Request) -> HttpResponse:
        await trio.lowlevel.checkpoint()
        return HttpResponse(204)

    statuses = []
    server = Server(none, pytest.fail, ServerLimits(body=100, connections=3, each=2))
    async with trio.open_nursery() as nursery:
        for peer in "abcd":
            here, there = trio.testing.memory_stream_pair()
            nursery.start_soon(server.serve, there, peer)
            statuses.append((await Client(here, "x").ask("GET", "/"))[0])
        nursery.cancel_scope.cancel()
    assert statuses == [204, 204, 204, 503]


def collecting() -> Board:
    """The board of a session whose first round is being collected."""
    board = Board()
    for entry in PLAYED.entries:
        board.post(entry.author, entry.data)
        if isinstance(entry.message.body, Call):
            return board
    raise AssertionError("nothing was called")


PLAYED = KIT.run(KIT.people(6)).board


class Left:
    """A place that has so much time left."""

    seconds_left = 50.0

    def wake(self) -> None:
        """Count."""
        self.seconds_left = 0.0


@pytest.mark.parametrize("peer", ["curator", "shuffler-1", "", "nobody", "hall"])
async def test_only_who_speaks_for_all_people_says_that_a_round_is_complete(peer: str) -> None:
    """One who speaks for some of them does not."""
    hurry = Hurry(DIRECTORY)
    answer = hurry.answer(Request("POST", "/hurry", {}, b"1", peer), collecting(), place())
    assert answer is not None
    assert answer.status == 403


@pytest.mark.parametrize(("said", "ahead"), [(b"1", 50.0), (b"2", 0.0), (b"", 0.0), (b"11", 0.0)])
def test_a_round_is_complete_once_and_while_it_is_collected(said: bytes, ahead: float) -> None:
    everybody = replace(DIRECTORY.places["hall"], users=ALL_USERS)
    hurry = Hurry(Directory({**DIRECTORY.places, "hall": everybody}))
    hurry._over |= {b"0", b"9"}  # of other rounds
    request = Request("POST", "/hurry", {}, said, "hall")
    for board in (collecting(), PLAYED, collecting()):
        answer = hurry.answer(request, board, Left())  # type: ignore[arg-type]
        assert answer is not None
        assert answer.status == 204
        assert hurry._skipped_seconds == ahead


@pytest.mark.parametrize(
    ("peer", "status"), [("shuffler-1", 200), ("shuffler-10", 400), ("shuffler", 400), ("", 403)]
)
async def test_a_post_is_in_ones_own_whole_name(peer: str, status: int) -> None:
    from veilmix.machines.inputs import PostInput
    from veilmix.protocol.wire.frames import NO_SESSION, Message
    from veilmix.protocol.wire.messages import Key

    service = BoardService(speaks=DIRECTORY.speaks_for)
    key = Message(NO_SESSION, 0, Key(PLAYED.keys["shuffler-1"])).encode()
    post = PostInput("shuffler-1", key, bytes(ID)).encode()
    answer = await service.answer(Request("POST", "/posts", {}, post, peer))
    assert answer.status == status
    assert len(service.board.entries) == (status == 200)
