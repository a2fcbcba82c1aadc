"""Requests for tokens on the board: signed, one a person and round, and answered with a proof."""

import hashlib
from dataclasses import replace

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.tokens import TokenKey
from veilmix.errors import Reason, Refused, RoundBurned
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.tokens import PendingTokens, give, make_asks, take_grants
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Body
from veilmix.protocol.wire.token_messages import Ask, Grant, Mint, PublicGrant

KEY, OTHER = TokenKey(SeededEntropy(1)), TokenKey(SeededEntropy(2))
HELD = KIT.session(2, rules=Rules(tokens=True), registry=KIT.ROOT)
PLAN = HELD.plan()


def pending(person: int, seed: int = 100) -> PendingTokens:
    return make_asks(PLAN, [KIT.SIGNERS[person]], [SeededEntropy(seed + person)])[0]


def granted(person: int, asked: Ask, key: TokenKey = KEY) -> PublicGrant:
    (given,) = give(key, [asked])
    assert isinstance(given, Grant)
    return PublicGrant(person, given)


ASKED = pending(1).body
MINTED: tuple[str, Body] = ("curator", Mint(KEY.public))
POSTED: tuple[str, Body] = ("user-2", ASKED)
ANSWERED: tuple[str, Body] = ("curator", granted(1, ASKED))


GIVEN = granted(1, ASKED).grant
FEWER = Grant(GIVEN.elements[:-1], GIVEN.commitments[:-1], GIVEN.response)


def board(*posts: tuple[str, Body]) -> Board:
    return KIT.called(*posts, held=HELD, registry=KIT.REGISTRY)


def test_a_request_stands_on_the_board_until_it_is_answered() -> None:
    asked = board(MINTED, POSTED).public_asks
    assert asked.unanswered(1) == {"user-2": ASKED}
    assert asked.unanswered(2) == {}
    with pytest.raises(RoundBurned, match="user-2 asked for tokens on the board"):
        asked.check_answered(1, lambda _: True)
    asked.check_answered(1, {"user-1"}.__contains__)
    answered = board(MINTED, POSTED, ANSWERED).public_asks
    assert answered.unanswered(1) == {}
    assert answered.granted(1, 1) == ANSWERED[1]
    answered.check_answered(1, lambda _: True)


def test_tokens_of_the_board_are_those_of_the_letter() -> None:
    """A person that is answered twice has no token more."""
    asking = pending(1)
    posted, other = (granted(1, asking.body, key) for key in (KEY, OTHER))
    by_letter = take_grants([asking], [posted.grant], KEY.public)
    assert take_grants([asking], [posted], KEY.public) == by_letter
    assert not isinstance(by_letter[0], Reason)
    assert take_grants([asking], [other], KEY.public) == [Reason.DOES_NOT_OPEN]


def spoilt(person: int, *places: int) -> Ask:
    """Signed, but its elements in these places are none; no place: all."""
    elements = tuple(
        b"\xff" * 32 if not places or at in places else element
        for at, element in enumerate(pending(person).body.elements)
    )
    digest = hashlib.sha256(b"".join(elements)).digest()
    signed = b"veilmix ask 1\0" + PLAN.session + b"\1" + digest
    return Ask(elements, KIT.SIGNERS[person].sign(signed))


SECOND: tuple[str, Body] = ("user-3", pending(2).body)
ANSWERED_SECOND: tuple[str, Body] = ("curator", granted(2, pending(2).body))
WRONG: dict[str, tuple[list[tuple[str, Body]], Reason]] = {
    "a request before the key": ([POSTED], Reason.UNEXPECTED),
    "a request of another": ([MINTED, ("user-1", ASKED)], Reason.UNREGISTERED),
    "a request of nobody registered": ([MINTED, ("user-4", ASKED)], Reason.UNREGISTERED),
    "a request of a shuffler": ([MINTED, ("shuffler-1", ASKED)], Reason.UNEXPECTED),
    "a request of no elements": ([MINTED, ("user-2", spoilt(1))], Reason.MALFORMED),
    "a request whose first element is none": (
        [MINTED, ("user-2", spoilt(1, 0))],
        Reason.MALFORMED,
    ),
    "a request whose last element is none": (
        [MINTED, ("user-2", spoilt(1, PLAN.slots - 1))],
        Reason.MALFORMED,
    ),
    "the same twice": ([MINTED, POSTED, POSTED], Reason.UNEXPECTED),
    "another of one person": (
        [MINTED, POSTED, ("user-2", pending(1, 200).body)],
        Reason.UNEXPECTED,
    ),
    "the second request twice": ([MINTED, POSTED, SECOND, SECOND], Reason.UNEXPECTED),
    "the first request again": ([MINTED, POSTED, SECOND, POSTED], Reason.UNEXPECTED),
    "an answer before the key": ([ANSWERED], Reason.UNEXPECTED),
    "the second answer twice": (
        [MINTED, POSTED, SECOND, ANSWERED, ANSWERED_SECOND, ANSWERED_SECOND],
        Reason.UNEXPECTED,
    ),
    "the first answer again": (
        [MINTED, POSTED, SECOND, ANSWERED, ANSWERED_SECOND, ANSWERED],
        Reason.UNEXPECTED,
    ),
    "an answer to nobody": ([MINTED, ANSWERED], Reason.UNEXPECTED),
    "an answer twice": ([MINTED, POSTED, ANSWERED, ANSWERED], Reason.UNEXPECTED),
    "an answer of the other reader": (
        [MINTED, POSTED, ("analyst", granted(1, ASKED))],
        Reason.UNEXPECTED,
    ),
    "an answer of another key": (
        [MINTED, POSTED, ("curator", granted(1, ASKED, OTHER))],
        Reason.DOES_NOT_OPEN,
    ),
    "an answer of fewer": (
        [MINTED, POSTED, ("curator", PublicGrant(1, FEWER))],
        Reason.MALFORMED,
    ),
    "an answer to another request": (
        [MINTED, POSTED, ("curator", granted(1, pending(2).body))],
        Reason.DOES_NOT_OPEN,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_board_refuses_wrong_token_posts_with_a_reason(name: str) -> None:
    posts, reason = WRONG[name]
    with pytest.raises(Refused) as caught:
        board(*posts)
    assert caught.value.reason is reason


def test_where_there_are_no_tokens_nobody_asks() -> None:
    """In `threshold` a key stands on the board too, for another purpose."""
    plain = board(MINTED)
    plain.announcement = replace(HELD.announcement, rules=Rules())
    with pytest.raises(Refused, match="unexpected"):
        plain.post("user-2", Message(plain.session, 1, ASKED).encode())
