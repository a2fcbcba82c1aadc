"""One computer is not a whole class: so many people join from one address, and it is shown."""

import json
from collections import Counter
from typing import Any

import pytest
import trio
from veilmix.machines.gate import Gate, device_of, from_where
from veilmix.machines.http import HttpResponse, Request
from veilmix.poll.class_settings import ClassTerms
from veilmix.poll.classroom import MOST_OF_ONE, Classroom
from veilmix.poll.questions import DEMO, read_questions
from veilmix.poll.refusal import Unwelcome
from veilmix.poll.session import PhoneSession
from veilmix.poll.wall import Wall
from veilmix.poll.web import PhoneServer

ROUTER, LAPTOP = "192.168.1.1", "192.168.1.44"


def secret(number: int) -> str:
    return f"{number:032x}"


def joined(room: Classroom, device: str, many: int, first: int = 0) -> int:
    """Have so many people join; gives how many were let in."""
    refused: list[Unwelcome] = []
    for number in range(first, first + many):
        try:
            room.join(secret(number), f"pupil {number}", device)
        except Unwelcome as no:
            refused.append(no)
    words = " joined from your network address already. Whoever"
    assert all(no.status == 409 and words in str(no) for no in refused)
    assert all(str(no).startswith(f"{room.most_of_one} ") for no in refused)
    return many - len(refused)


def test_thirty_phones_behind_one_address_are_a_class() -> None:
    room = Classroom(60.0)
    assert joined(room, ROUTER, 30) == 30
    assert not room.turned_away


def test_one_computer_is_not_seven_hundred_people() -> None:
    room = Classroom(60.0)
    assert joined(room, LAPTOP, 700) == MOST_OF_ONE
    assert room.turned_away == {LAPTOP: 700 - MOST_OF_ONE}
    assert joined(room, ROUTER, 30, first=700) == 30  # others are not in its way
    room.most_of_one = 45
    assert joined(room, LAPTOP, 10, first=1_000) == 5


def test_a_phone_that_joins_again_is_the_same_and_takes_no_place() -> None:
    room = Classroom(60.0, most_of_one=1)
    assert joined(room, ROUTER, 1) == joined(room, ROUTER, 1) == 1
    assert joined(room, ROUTER, 1, first=1) == 0


def test_who_is_no_phone_has_no_address() -> None:
    room = Classroom(60.0, most_of_one=1)
    assert joined(room, "", 5) == 5
    assert room.devices == {}


@pytest.mark.parametrize(
    ("address", "device"),
    [
        ("192.168.1.44", "192.168.1.44"),
        ("::ffff:192.168.1.44", "192.168.1.44"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("nowhere", "nowhere"),
    ],
)
def test_a_device_has_one_address_or_one_network(address: str, device: str) -> None:
    assert device_of(address) == device


def desk(room: Classroom) -> PhoneServer:
    scenario = read_questions(DEMO)
    return PhoneServer(
        room, "K7M2PX", Gate(("here",)), lambda _: {}, Wall("", scenario.mix.shufflers)
    )


def join(room: Classroom, number: int, peer: str) -> HttpResponse:
    body = json.dumps({"phone": secret(number), "name": f"pupil {number}"}).encode()
    headers = {"host": "here", "origin": "http://here"}

    async def asked() -> HttpResponse:
        return await desk(room).answer(Request("POST", "/K7M2PX/join", headers, body, peer))

    return trio.run(asked)


def test_the_address_is_that_of_the_connection() -> None:
    room = Classroom(60.0, most_of_one=1)
    assert [join(room, number, LAPTOP).status for number in (1, 2)] == [200, 409]
    assert join(room, 3, ROUTER).status == 200
    assert room.devices == {LAPTOP: 1, ROUTER: 1}


def test_it_is_said_from_how_many_addresses_people_come() -> None:
    assert from_where(Counter()) == ""
    assert from_where(Counter({ROUTER: 1, LAPTOP: 1})) == ""
    assert from_where(Counter({ROUTER: 30})) == f", all from {ROUTER}"
    assert (
        from_where(Counter({ROUTER: 2, LAPTOP: 6}))
        == f", from 2 addresses, 6 of them from {LAPTOP}"
    )


def test_whoever_runs_the_class_is_told_and_lets_in_more(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    terms: Any = ClassTerms("127.0.0.1", 0, None, 1.0, has_run_folder=False, most_of_one=2)
    session = PhoneSession(read_questions(DEMO), terms, said.append)
    assert joined(session.room, LAPTOP, 4) == 2
    session._count()
    session._count()
    refused, here = said
    assert refused.startswith(f"{LAPTOP} wants to be more than 2 people, and is refused; ")
    assert here == f"2 people are here, all from {LAPTOP}"
    for line in ("3", "0", "1001", "99999999999"):
        session.teacher.hear(line)
    assert joined(session.room, LAPTOP, 4, first=2) == 1
    told = said[2:]
    assert not session.teacher.is_starting
    assert told[0] == "so many people may join from one address now: 3"
    assert told[1] == "found 0 people from one address; 1 to 1000 are accepted"
    assert [line.startswith("found ") for line in told[1:]] == [True] * 3
