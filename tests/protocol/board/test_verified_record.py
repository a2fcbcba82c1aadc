"""The record of a verified mix is checked from its posts alone, and the first fault is named."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
import role_kit as KIT
import verified_session_kit as VERIFIED
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import RoundBurned, VerificationError
from veilmix.protocol.board import verified_record
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.verified_posts import VerifiedPosts
from veilmix.protocol.board.verified_record import CheckedRecord, check_record
from veilmix.protocol.wire.announcement import Rules, Setting
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Body
from veilmix.protocol.wire.verified_messages import HandedBallots, OpeningShares, ShuffledLists
from veilmix.roles.cast import Guards
from veilmix.roles.session import play
from verified_kit import add


@cache
def posts(*, signed: bool) -> tuple[tuple[str, Message, bytes], ...]:
    entries = play(VERIFIED.small(4, guards=Guards(registered=4, signed=signed))).entries
    return tuple((entry.author, entry.message, entry.data) for entry in entries)


def changed(kind: type, party: str, number: int, change: Callable[[Any], Body]) -> Board:
    """The board of the session, where a post of a party is another."""
    board = Board()
    for author, message, data in posts(signed=False):
        if isinstance(message.body, kind) and (author, message.round) == (party, number):
            board.post(author, replace(message, body=change(message.body)).encode())
        else:
            board.post(author, data)
    return board


@pytest.mark.parametrize("signed", [True, False])
def test_an_honest_record_holds(*, signed: bool) -> None:
    board = Board()
    for author, _, data in posts(signed=signed):
        board.post(author, data)
    assert check_record(board, SeededEntropy(1)) == CheckedRecord(8, 4, 4 * 5)


def unsigned(body: HandedBallots) -> HandedBallots:
    first, *others = body.people
    return HandedBallots((replace(first, signature=bytes(64)), *others))


def last_unsigned(body: HandedBallots) -> HandedBallots:
    *others, last = body.people
    return HandedBallots((*others, replace(last, signature=bytes(64))))


def flipped(data: bytes) -> bytes:
    return data[:-32] + bytes([data[-32] ^ 1]) + data[-31:]


def moved(record: bytes) -> bytes:
    return record[:4] + add(record[4:36]) + record[36:]


FAULTS: dict[str, tuple[type, str, int, Callable[[Any], Body], str]] = {
    "a ballot that nobody signed": (
        *(HandedBallots, "curator", 1, unsigned),
        "round 1: curator posted ballots of user-1 that do not check: unregistered",
    ),
    "a last ballot that nobody signed": (
        *(HandedBallots, "curator", 1, last_unsigned),
        "round 1: curator posted ballots of user-4 that do not check: unregistered",
    ),
    "a forged proof of shuffle": (
        *(ShuffledLists, "shuffler-2", 2, VERIFIED.with_proof(flipped)),
        "round 2: the shuffle of shuffler-2 does not check",
    ),
    "another share": (
        *(OpeningShares, "shuffler-1", 1, VERIFIED.with_share(moved)),
        "round 1: the decryption shares of shuffler-1 do not check",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named(name: str) -> None:
    *where, why = FAULTS[name]
    board = changed(*where)  # type: ignore[arg-type]
    with pytest.raises(VerificationError, match=why):
        check_record(board, SeededEntropy(1))


@pytest.mark.parametrize(
    ("rules", "fault"),
    [({"min_batch": 5}, "4 people took part"), ({"min_dropout": 9}, "2 of 6 people are missing")],
)
def test_a_record_has_enough_people(rules: dict[str, int], fault: str) -> None:
    """The board alone does not look at it; keyholders do, before they give a share."""
    people = 6 if "min_dropout" in rules else 4
    faults = KIT.attack(user_1=("absent", [2]), user_2=("absent", [2])) if people == 6 else {}
    run = play(VERIFIED.small(people, guards=Guards(registered=people), faults=faults))
    assert run.announcement is not None
    announced = run.announcement
    check_record(run, SeededEntropy(1))
    run.announcement = replace(announced, rules=replace(announced.rules, **rules))
    with pytest.raises(VerificationError, match=fault):
        check_record(run, SeededEntropy(1))


@pytest.mark.parametrize("earlier", [(9, 7), (7, 6)], ids=["since round 2", "since round 1"])
def test_too_few_may_leave_since_any_round(earlier: tuple[int, int]) -> None:
    """Round 3 with six people: one left since one of the earlier rounds, and none or three."""
    closed = dict(enumerate([*map(range, earlier), range(6)], start=1))
    rules = Rules(min_batch=3, min_dropout=2, verified=True)
    announced = SimpleNamespace(rules=rules, policy=SimpleNamespace(setting=Setting.FIXED))
    plan = SimpleNamespace(announcement=announced, call=SimpleNamespace(round=3))
    board = SimpleNamespace(verified=VerifiedPosts(closed=closed))  # type: ignore[arg-type]
    with pytest.raises(RoundBurned, match="1 of 7 people are missing"):
        verified_record._check_people(board, plan)  # type: ignore[arg-type]
