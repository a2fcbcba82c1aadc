"""Who is answered by the class's computer: by its whole name, its whole code, from its own page."""

import json

import pytest
import role_kit
from veilmix.machines.gate import Gate, TokenBucket
from veilmix.machines.http import HttpResponse, Request
from veilmix.poll.classroom import Classroom
from veilmix.poll.mixers import Mixers
from veilmix.poll.seeds import Seeds
from veilmix.poll.wall import Wall
from veilmix.poll.web import PhoneServer
from veilmix.protocol.rounds.round_context import open_round
from veilmix.roles.network.instruments import Instruments
from veilmix.roles.network.memory_network import Network

HOST = "192.168.1.20:8766"
OTHER = "class.local:8766"
CODE = "K7M2PX"
# names that begin as the right one does, end as it does, have it inside, or are another's
WRONG = (
    *("", HOST[:-1], HOST[:-5], f"{HOST}0", f"{HOST}.a.example", f"a.{HOST}", HOST[1:]),
    *("192.168.1.20:8767", "192.168.1.21:8766", "a.example", f"{HOST},{OTHER}", "class.local"),
)


BOARD = role_kit.run(role_kit.people(3)).board  # of a session that has no randomness


def gate() -> Gate:
    return Gate((HOST, OTHER))


def desk() -> PhoneServer:
    return PhoneServer(Classroom(60.0), CODE, gate(), lambda _: {}, Wall("a class", 2))


def asks(method: str, path: str, body: bytes = b"", **headers: str) -> Request:
    given = {"host": HOST} | ({} if method == "GET" else {"origin": f"http://{HOST}"})
    return Request(method, path, given | headers, body, "192.168.1.33")


def status(answer: HttpResponse | None) -> int:
    return 200 if answer is None else answer.status


@pytest.mark.parametrize("host", WRONG)
async def test_another_name_than_the_whole_one_is_not_answered(host: str) -> None:
    assert status(gate().refusal(asks("GET", "/", host=host))) == 421
    right = asks("POST", "/", host=host, origin=f"http://{HOST}")
    assert status(gate().refusal(right)) == 421


@pytest.mark.parametrize("name", [HOST, OTHER])
async def test_each_name_that_it_gave_out_is_answered(name: str) -> None:
    assert gate().refusal(asks("GET", "/", host=name)) is None
    assert gate().refusal(asks("POST", "/", host=name, origin=f"http://{name}")) is None


@pytest.mark.parametrize(
    "origin", ["null", *(f"http://{host}" for host in WRONG), f"https://{HOST}", HOST, "http://"]
)
async def test_another_page_is_not_answered(origin: str) -> None:
    for method in ("GET", "HEAD", "POST"):
        assert status(gate().refusal(asks(method, "/", origin=origin))) == 403


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "GETX"])
async def test_what_changes_something_comes_from_the_page(method: str) -> None:
    request = Request(method, "/", {"host": HOST}, b"", "192.168.1.33")
    assert status(gate().refusal(request)) == 403


async def test_a_request_without_a_name_is_not_answered() -> None:
    assert status(gate().refusal(Request("GET", "/", {}))) == 421


async def test_the_burst_is_answered_and_not_one_more(
    monkeypatch: pytest.MonkeyPatch, mock_clock: "object"
) -> None:
    del mock_clock  # time stands still
    monkeypatch.setattr("veilmix.machines.gate.BURST", 3.0)
    rate = TokenBucket()
    assert [rate.allows("a") for _ in range(5)] == [True, True, True, False, False]
    assert rate.allows("b")
    door = gate()
    assert [status(door.refusal(asks("GET", "/"))) for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize(
    "path",
    [CODE[:-1], CODE[:1], f"{CODE}2", f"2{CODE}", CODE[1:], f"{CODE[:-1]}2", f"{CODE}{CODE}", ""],
)
async def test_another_code_than_the_whole_one_is_no_session(path: str) -> None:
    for rest in ("", "/news/0/0", "/wall", "/theatre"):
        answer = await desk().answer(asks("GET", f"/{path}{rest}" if path else f"/x{rest}"))
        assert answer.status == 404
    body = json.dumps({"phone": "0" * 32, "name": "Ann"}).encode()
    assert (await desk().answer(asks("POST", f"/{path}/join", body))).status == 404


async def test_a_number_has_up_to_nine_digits() -> None:
    assert (await desk().answer(asks("GET", f"/{CODE}/news/123456789/0"))).status == 200


async def test_the_code_is_read_whatever_its_letters_are() -> None:
    for code in (CODE, CODE.lower()):
        assert (await desk().answer(asks("GET", f"/{code}/news/0/0"))).status == 200


@pytest.mark.parametrize(
    "path",
    [
        "news/0",
        "news/0/0/0",
        "news/x/0",
        "news/0/x",
        "news/-1/0",
        "news/0/²",
        "news/٣/0",
        "news/1234567890/0",
        "news/",
        "mix",
    ],
)
async def test_what_is_not_there_is_not_answered(path: str) -> None:
    assert (await desk().answer(asks("GET", f"/{CODE}/{path}"))).status == 404


async def test_a_method_of_its_own_is_not_understood() -> None:
    for method in ("PUT", "DELETE", "OPTIONS"):
        assert (await desk().answer(asks(method, f"/{CODE}/join"))).status == 405


SECRET = "0123456789abcdef" * 2
WRONG_SECRETS = (SECRET[:-1], f"{SECRET}0", SECRET.upper(), f"{SECRET[:-1]}g", f"g{SECRET[1:]}", "")


@pytest.mark.parametrize(
    "said",
    [
        *({"phone": secret, "name": "Ann"} for secret in WRONG_SECRETS),
        *({"phone": SECRET}, {"name": "Ann"}, {"phone": SECRET, "name": "Ann", "more": 1}),
        *({"phone": 1, "name": "Ann"}, {"phone": SECRET, "name": 1}, [], "x", None),
    ],
)
async def test_who_does_not_say_secret_and_name_has_not_joined(said: object) -> None:
    here = desk()
    answer = await here.answer(asks("POST", f"/{CODE}/join", json.dumps(said).encode()))
    assert answer.status == 400
    assert not here._room.phones


@pytest.mark.parametrize("secret", WRONG_SECRETS)
async def test_who_hands_in_says_a_secret(secret: str) -> None:
    here = desk()
    for what in ("answer", "seed"):
        request = asks("POST", f"/{CODE}/{what}", b"x", **{"x-phone": secret})
        assert (await here.answer(request)).status == 403


async def test_before_anything_is_asked_nothing_is_taken() -> None:
    here = desk()
    for what in ("answer", "seed"):
        request = asks("POST", f"/{CODE}/{what}", b"x", **{"x-phone": SECRET})
        answer = await here.answer(request)
        assert (answer.status, answer.body) == (409, b"Nothing is asked at the moment.")


async def test_where_nobody_has_to_ask_nothing_is_asked() -> None:
    board = BOARD
    assert board.announcement is not None
    plan = open_round(board.announcement, board.session, board.calls[0])
    here = desk()
    here._room.join(SECRET, "Ann")
    here.plan = lambda: plan
    request = asks("POST", f"/{CODE}/seed", b"x", **{"x-phone": SECRET})
    for seeds in (None, Seeds(here._room, Network(Instruments([], pytest.fail)))):
        here.seeds = seeds
        assert (await here.answer(request)).status == 409


async def test_a_class_that_mixes_itself_takes_no_offer() -> None:
    assert (await desk().answer(asks("POST", f"/{CODE}/mix", b"{}"))).status == 409


async def test_what_is_no_offer_to_mix_is_not_taken() -> None:
    mixers = Mixers(2, lambda: None)
    here = PhoneServer(Classroom(60.0), CODE, gate(), lambda _: {}, Wall("a class", 2), mixers)
    assert (await here.answer(asks("POST", f"/{CODE}/mix", b"{}"))).status == 400
