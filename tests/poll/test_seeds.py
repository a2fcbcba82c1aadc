"""What a phone may ask of `randomness`: one question of this round, in its half of the time."""

from dataclasses import replace

import pytest
import trio
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.suites import suite
from veilmix.crypto.voprf import OprfKey
from veilmix.errors import Reason, Refused
from veilmix.machines.gate import Gate
from veilmix.machines.http import Request
from veilmix.poll.classroom import Classroom, Phone
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.seeds import MARGIN, Seeds, is_query, question
from veilmix.poll.wall import Wall
from veilmix.poll.web import PhoneServer
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.board.strategies import first_call
from veilmix.protocol.rounds import threshold
from veilmix.protocol.rounds.opened_prefixes import PREFIXES
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Announcement, Program, Rules
from veilmix.protocol.wire.frames import Message, Seal
from veilmix.protocol.wire.messages import Burned, Kind
from veilmix.protocol.wire.parties import RANDOMNESS
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.token_messages import Evaluated, Query
from veilmix.roles.network.instruments import Instruments
from veilmix.roles.network.memory_network import Bag, Network

SCHEMA = Schema((Feature("colour", ("red", "green")), Feature("city", ("Ur", "Rome"))))
ENTROPY = SeededEntropy(3)
KEY, OTHER_KEY = OprfKey(ENTROPY.fork("key")), OprfKey(ENTROPY.fork("other"))
PAIRS = [suite().keypair(ENTROPY.fork(name)).public for name in ("one", "curator", "analyst")]
DEADLINE = 60.0


def round_of() -> Round:
    policy = AnnouncedPolicy(2, 0.0, PREFIXES)
    told = Announcement(
        *("a test", bytes(16), SCHEMA, policy, Rules(), tuple(PAIRS[:1]), *PAIRS[1:]),
        Program.THRESHOLD,
    )
    return open_round(told, told.digest(), first_call(told.program, SCHEMA))


PLAN = round_of()
ASKED = question(PLAN, ("red", "Ur"), ENTROPY.fork("a"))
AGAIN = question(PLAN, ("red", "Rome"), ENTROPY.fork("b"))
BODY = ASKED.asking.body


def said(body: object, number: int = 1, session: bytes = PLAN.session, **more: Seal) -> bytes:
    return Message(session, number, body, **more).encode()  # type: ignore[arg-type]


LAST = PLAN.session[:-1] + bytes([PLAN.session[-1] ^ 1])
FIRST = bytes([PLAN.session[0] ^ 1]) + PLAN.session[1:]
JUNK = {
    "nothing": b"",
    "cut": ASKED.data[:-1],
    "longer": ASKED.data + b"x",
    "another round": said(BODY, 2),
    "no round": said(BODY, 0),
    "a session that ends otherwise": said(BODY, session=LAST),
    "a session that begins otherwise": said(BODY, session=FIRST),
    "fewer elements": said(Query(BODY.elements[:1])),
    "more elements": said(Query((*BODY.elements, BODY.elements[0]))),
    "no element first": said(Query((bytes(32), BODY.elements[1]))),
    "no element last": said(Query((BODY.elements[0], bytes(32)))),
    "another body": said(Burned("x")),
    "with a seal": said(BODY, seal=Seal(b"", bytes(64))),
}


def test_a_question_of_this_round_is_one() -> None:
    assert is_query(PLAN, ASKED.data)


@pytest.mark.parametrize("name", JUNK)
def test_what_randomness_would_not_answer_is_none(name: str) -> None:
    assert not is_query(PLAN, JUNK[name])


def test_where_nothing_is_asked_for_there_is_no_question() -> None:
    assert not is_query(replace(PLAN, shape=None), ASKED.data)


async def test_before_the_session_begins_nothing_is_asked() -> None:
    desk = PhoneServer(Classroom(DEADLINE), "ABCDEF", Gate(("class:80",)), dict, Wall("a class", 1))
    desk.plan = lambda: PLAN
    headers = {"host": "class:80", "origin": "http://class:80", "x-phone": "0" * 32}
    answer = await desk.answer(Request("POST", "/ABCDEF/seed", headers, ASKED.data))
    assert answer.status == 409


class Answering(Network):
    """A network in which `randomness` answers, or does not."""

    silent = False
    asked: list[tuple[str, bytes]]

    def inbox(self, party: str, *kinds: Kind) -> trio.MemoryReceiveChannel[Bag]:
        """Give what comes to a party."""
        self._send, receive = trio.open_memory_channel[Bag](1)
        return receive

    async def carry(self, sender: str, receiver: str, data: bytes) -> None:
        """Answer by the name of the question."""
        assert receiver == RANDOMNESS
        self.asked.append((sender, data))
        if not self.silent:
            await self._send.send([(RANDOMNESS, b"answer to " + data[-8:])])


def seeds(*, collecting: bool = True, silent: bool = False) -> tuple[Seeds, Answering, Classroom]:
    """Give the desk, the network, and a room in which one phone has joined."""
    room, network = Classroom(DEADLINE), Answering(Instruments([], pytest.fail))
    network.asked, network.silent = [], silent
    room.board = Board(phase=Phase.COLLECTING if collecting else Phase.MIXING)
    room.closes = room.latest = trio.current_time() + DEADLINE
    room.phones = {"a": Phone("Ann"), "b": Phone("Bob")}
    return Seeds(room, network), network, room


async def test_a_phone_is_answered_once_and_told_the_same_again(autojump_clock: object) -> None:
    desk, network, _ = seeds()
    for _ in range(2):
        assert await desk.ask(PLAN, "a", ASKED.data) == b"answer to " + ASKED.data[-8:]
    assert await desk.ask(PLAN, "b", AGAIN.data) == b"answer to " + AGAIN.data[-8:]
    assert network.asked == [("user-1", ASKED.data), ("user-2", AGAIN.data)]


BEGINS_OTHERWISE = bytes([ASKED.data[0] ^ 1]) + ASKED.data[1:]
ENDS_OTHERWISE = ASKED.data[:-1] + bytes([ASKED.data[-1] ^ 1])


@pytest.mark.parametrize(
    "data",
    [AGAIN.data, ASKED.data[:-1], ASKED.data + b"x", b"", BEGINS_OTHERWISE, ENDS_OTHERWISE],
)
async def test_another_question_of_the_same_phone_is_not_asked(
    data: bytes, autojump_clock: object
) -> None:
    desk, network, _ = seeds()
    await desk.ask(PLAN, "a", ASKED.data)
    with pytest.raises(Unwelcome, match="asked already") as caught:
        await desk.ask(PLAN, "a", data)
    assert caught.value.status == 409
    assert len(network.asked) == 1


@pytest.mark.parametrize("name", JUNK)
async def test_what_is_no_question_is_not_passed_on(name: str, autojump_clock: object) -> None:
    desk, network, _ = seeds()
    with pytest.raises(Unwelcome) as caught:
        await desk.ask(PLAN, "a", JUNK[name])
    assert caught.value.status == 400
    assert not network.asked


async def test_who_has_not_joined_asks_nothing(autojump_clock: object) -> None:
    desk, network, _ = seeds()
    with pytest.raises(Unwelcome) as caught:
        await desk.ask(PLAN, "c", ASKED.data)
    assert caught.value.status == 403
    assert not network.asked


@pytest.mark.parametrize("when", ["half", "mixing"])
async def test_after_half_of_the_time_nothing_is_asked(when: str, autojump_clock: object) -> None:
    desk, network, room = seeds(collecting=when == "half")
    if when == "half":
        await trio.sleep(DEADLINE / 2)
    assert room.collecting == (when == "half")
    with pytest.raises(Unwelcome, match="Too late") as caught:
        await desk.ask(PLAN, "a", ASKED.data)
    assert caught.value.status == 409
    assert not network.asked


async def test_who_is_not_answered_is_told_so(autojump_clock: object) -> None:
    desk, _, _ = seeds(silent=True)
    with pytest.raises(Unwelcome, match="Too late"):
        await desk.ask(PLAN, "a", ASKED.data)
    assert trio.current_time() == pytest.approx(DEADLINE / 2 + MARGIN)
    with pytest.raises(Unwelcome, match="Too late"):
        await desk.ask(PLAN, "a", ASKED.data)


async def test_without_a_key_on_the_board_there_is_none(autojump_clock: object) -> None:
    desk, network, _ = seeds()
    network.board.mints[2] = b"key"
    network.board.phase = Phase.OVER
    with pytest.raises(Unwelcome, match="Too late"):
        await desk.public(1)
    assert await desk.public(2) == b"key"


def answered(key: OprfKey = KEY, asking: threshold.PendingOutputs = ASKED.asking) -> Evaluated:
    return threshold.evaluate(PLAN, key, asking.body, ENTROPY.fork("proof"))


def test_what_is_answered_with_the_key_is_sealed_with() -> None:
    data = ASKED.sealed(said(answered()), KEY.public)
    assert data


def test_what_is_no_answer_with_the_key_is_not_sealed_with() -> None:
    for answer, key, reason in (
        (said(answered(OTHER_KEY)), KEY, Reason.DOES_NOT_OPEN),
        (said(answered()), OTHER_KEY, Reason.DOES_NOT_OPEN),
        (said(answered(asking=AGAIN.asking)), KEY, Reason.DOES_NOT_OPEN),
        (said(BODY), KEY, Reason.UNEXPECTED),
        (b"", KEY, Reason.MALFORMED),
    ):
        with pytest.raises(Refused) as caught:
            ASKED.sealed(answer, key.public)
        assert caught.value.reason is reason
