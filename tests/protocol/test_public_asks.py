"""Requests for tokens on the board: signed, one a person and round, and answered with a proof."""

import hashlib
from dataclasses import replace

import protocol_kit as KIT
import pytest
from veilmix.crypto import tokens as blind
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.voprf import OprfKey
from veilmix.errors import Reason, Refused, RoundBurned
from veilmix.protocol.announcement import Rules
from veilmix.protocol.board import Board
from veilmix.protocol.messages import Body
from veilmix.protocol.token_messages import Ask, Mint, PublicGrant
from veilmix.protocol.tokens import PendingTokens, give, give_publicly, make_ask, take_grant

KEY, OTHER = OprfKey(SeededEntropy(1)), OprfKey(SeededEntropy(2))
HELD = KIT.session(2, rules=Rules(tokens=True), registry=KIT.ROOT)
PLAN = HELD.plan()


def pending(person: int, seed: int = 100) -> PendingTokens:
    return make_ask(PLAN, KIT.SIGNERS[person], SeededEntropy(seed + person))


def granted(person: int, asked: Ask, key: OprfKey = KEY) -> PublicGrant:
    return give_publicly(key, person, asked, SeededEntropy(5))


ASKED = pending(1).body
MINTED: tuple[str, Body] = ("curator", Mint(KEY.public))
POSTED: tuple[str, Body] = ("user-2", ASKED)
ANSWERED: tuple[str, Body] = ("curator", granted(1, ASKED))


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
    by_letter = take_grant(asking, give(KEY, asking.body), KEY.public)
    assert take_grant(asking, granted(1, asking.body), KEY.public) == by_letter
    with pytest.raises(Refused) as caught:
        take_grant(asking, granted(1, asking.body, OTHER), KEY.public)
    assert caught.value.reason is Reason.DOES_NOT_OPEN


def test_a_request_for_no_token_has_no_answer() -> None:
    with pytest.raises(Refused) as caught:
        blind.grant_publicly(KEY, (KEY.public,), SeededEntropy(5))
    assert caught.value.reason is Reason.MALFORMED


def spoilt(person: int) -> Ask:
    """Signed, but its elements are none."""
    elements = (b"\xff" * 32,) * (PLAN.slots + 1)
    digest = hashlib.sha256(b"".join(elements)).digest()
    signed = b"veilmix ask 1\0" + PLAN.session + b"\1" + digest
    return Ask(elements, KIT.SIGNERS[person].sign(signed))


WRONG: dict[str, tuple[list[tuple[str, Body]], Reason]] = {
    "a request before the key": ([POSTED], Reason.UNEXPECTED),
    "a request of another": ([MINTED, ("user-1", ASKED)], Reason.UNREGISTERED),
    "a request of nobody registered": ([MINTED, ("user-4", ASKED)], Reason.UNREGISTERED),
    "a request of a shuffler": ([MINTED, ("shuffler-1", ASKED)], Reason.UNEXPECTED),
    "a request of no elements": ([MINTED, ("user-2", spoilt(1))], Reason.MALFORMED),
    "the same twice": ([MINTED, POSTED, POSTED], Reason.UNEXPECTED),
    "another of one person": (
        [MINTED, POSTED, ("user-2", pending(1, 200).body)],
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
    "an answer to another request": (
        [MINTED, POSTED, ("curator", granted(1, pending(2).body))],
        Reason.DOES_NOT_OPEN,
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_board_refuses(name: str) -> None:
    posts, reason = WRONG[name]
    with pytest.raises(Refused) as caught:
        board(*posts)
    assert caught.value.reason is reason


def test_where_there_are_no_tokens_nobody_asks() -> None:
    """In `threshold` a key stands on the board too, for another purpose."""
    plain = board()
    plain.mints[1] = KEY.public
    plain.announcement = replace(HELD.announcement, rules=Rules())
    assert plain._asks("user-2", ASKED, 1) is False
