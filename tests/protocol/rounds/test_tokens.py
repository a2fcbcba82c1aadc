"""Tokens at the reader and on the board: fresh ones of this round, as many as were given."""

from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.ristretto import base_times
from veilmix.crypto.tokens import TokenKey
from veilmix.errors import ParameterError, Reason, Refused, RoundBurned
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.ballots import Token, submit
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.rounds.tallying import read_ballots
from veilmix.protocol.rounds.tokens import (
    check_asks,
    give,
    make_asks,
    other_reader,
    read_with_tokens,
    take_grants,
)
from veilmix.protocol.wire.announcement import Flaw, Rules
from veilmix.protocol.wire.crowd_limits import check_unspent, unspent
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Body, Call, Consent, Key, Mixed, Tally
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.token_messages import Ask, Grant, Issued, Mint

KEY, OTHER = TokenKey(SeededEntropy(1)), TokenKey(SeededEntropy(2))
HELD = KIT.session(2, rules=Rules(tokens=True), registry=KIT.ROOT)
PLAN = HELD.plan()


def given(person: int, plan: Round = PLAN, key: TokenKey = KEY) -> tuple[Token, ...]:
    asking = make_asks(plan, [KIT.SIGNERS[person]], [SeededEntropy(100 + person)])
    (answer,) = give(key, [asking[0].body])
    assert isinstance(answer, Grant)
    (taken,) = take_grants(asking, [answer], key.public)
    assert not isinstance(taken, Reason)
    return taken


def one_ask(plan: Round, person: int) -> Ask:
    return make_asks(plan, [KIT.SIGNERS[person]], [SeededEntropy(7)])[0].body


def plaintexts(*tokens: tuple[Token, ...], plan: Round = PLAN) -> list[bytes]:
    """What the reader finds in the innermost layers."""
    sealed = [
        submit(plan, row, SeededEntropy(i), mine)
        for i, (row, mine) in enumerate(zip(KIT.ROWS, tokens, strict=False))
    ]
    return KIT.mix(HELD, plan, [envelope.envelope for envelope in sealed])


def test_ballots_with_tokens_are_read_as_those_without() -> None:
    plain = KIT.session(2)
    sealed = [envelope.envelope for envelope in KIT.seal(plain.plan())]
    expected = read_ballots(plain.plan(), KIT.mix(plain, plain.plan(), sealed))
    reading = read_with_tokens(PLAN, KEY, plaintexts(*map(given, range(3))))
    assert reading.counts == expected.counts
    assert not reading.refused
    assert len(reading.spent) == 9


WITHOUT: dict[str, Any] = {
    "none": (),
    "of another key": given(1, key=OTHER),
    "of another round": given(1, HELD.plan(Call(2, Role.CURATOR, KIT.SINGLES.asks))),
    "of another salt": tuple((bytes(16), token) for _, token in given(1)),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_a_ballot_without_a_token_is_refused(name: str) -> None:
    reading = read_with_tokens(PLAN, KEY, plaintexts(given(0), WITHOUT[name], given(2)))
    assert reading.totals == (2, 2, 2)
    assert reading.refused == {Reason.UNREGISTERED: 3}


def test_a_token_is_spent_once() -> None:
    mine = given(0)
    reading = read_with_tokens(PLAN, KEY, plaintexts(mine, mine))
    assert sum(reading.totals) == 3
    assert reading.refused == {Reason.DUPLICATE: 3}


def test_tokens_spent_twice_in_two_pieces_of_a_batch_are_seen() -> None:
    readings = [read_with_tokens(PLAN, KEY, plaintexts(given(0))) for _ in range(2)]
    assert not readings[0].repeats
    readings[0].add(readings[1])
    assert readings[0].repeats


def test_an_ask_is_signed_by_whom_it_comes_from_and_for_all_questions() -> None:
    body = one_ask(PLAN, 1)
    later = HELD.plan(Call(2, Role.CURATOR, KIT.SINGLES.asks))
    fewer = one_ask(HELD.plan(KIT.JOINT), 1)
    asks = [
        ("user-2", body),
        ("user-1", body),
        ("user-4", body),
        ("user-2", Ask(body.elements[::-1], body.signature)),
        ("user-2", fewer),
        ("user-2", Ask((*body.elements, body.elements[0]), body.signature)),
    ]
    unsigned = [None, *[Reason.UNREGISTERED] * 3, *[Reason.MALFORMED] * 2]
    assert check_asks(PLAN, KIT.REGISTRY, asks) == unsigned
    assert check_asks(later, KIT.REGISTRY, asks[:1]) == [Reason.UNREGISTERED]
    assert check_asks(PLAN, KIT.REGISTRY, asks[2:3]) == [Reason.UNREGISTERED]


def test_the_other_reader_is_the_one_that_does_not_read() -> None:
    assert other_reader("curator") == "analyst"
    assert other_reader("analyst") == "curator"


@pytest.mark.parametrize(
    ("totals", "fits"),
    [
        *(((3, 3, 3), True), ((3, 2, 3), False), ((4, 3, 3), False), ((0,), False)),
        *(((2, 2), False), ((2, 3, 3), False), ((3, 3, 2), False), ((3, 3, 4), False)),
    ],
)
def test_every_token_is_spent_and_no_more(totals: tuple[int, ...], fits: bool) -> None:
    assert (unspent(3, totals) == "") is fits
    if not fits:
        with pytest.raises(RoundBurned, match="3 people were given tokens"):
            check_unspent(3, totals)


@pytest.mark.parametrize("rules", [{"salted": False}, {"lesson": True, "flaws": (Flaw.UNBOUND,)}])
def test_tokens_stand_on_salt_and_no_design_error(rules: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="tokens"):
        Rules(tokens=True, **rules)


def test_tokens_are_for_registered_people() -> None:
    with pytest.raises(ParameterError, match="no registry"):
        KIT.session(rules=Rules(tokens=True))


ELEMENT = base_times(b"\x05" + bytes(31))


def board(*posts: tuple[str, Body]) -> Board:
    """A board on which the first round has been called, with what is posted after."""
    return KIT.called(*posts, held=HELD, registry=KIT.REGISTRY)


MIXED = [(f"shuffler-{hop}", Mixed(hop, 3, 3, 9, {}, bytes(32))) for hop in (1, 2)]
MINTED: tuple[str, Body] = ("curator", Mint(ELEMENT))
ISSUED: tuple[str, Body] = ("curator", Issued(3))
TALLIED: tuple[str, Body] = ("curator", Tally((3, 3, 3), {}))


def test_the_board_takes_key_number_and_tally_of_the_rounds_reader() -> None:
    minted_board = board(MINTED, *MIXED, ISSUED, TALLIED)
    assert (minted_board.mints, minted_board.issued) == ({1: ELEMENT}, {1: 3})
    assert len(minted_board.tallies) == 1


WRONG: dict[str, list[tuple[str, Body]]] = {
    "a key of the other reader": [("analyst", Mint(ELEMENT))],
    "two keys": [MINTED, MINTED],
    "a number without a key": [*MIXED, ISSUED],
    "a number of the other reader": [MINTED, *MIXED, ("analyst", Issued(3))],
    "two numbers": [MINTED, *MIXED, ISSUED, ISSUED],
    "a tally without a number": [MINTED, *MIXED, TALLIED],
    "a number of more than were accepted": [MINTED, *MIXED, ("curator", Issued(4))],
    "a number of fewer than were accepted": [MINTED, *MIXED, ("curator", Issued(2))],
    "a tally of a ballot fewer than tokens": [
        *(MINTED, *MIXED, ("curator", Issued(3))),
        ("curator", Tally((3, 3, 2), {})),
    ],
    "a tally of fewer": [MINTED, *MIXED, ("curator", Issued(4)), TALLIED],
    "a tally of more": [MINTED, *MIXED, ("curator", Issued(2)), TALLIED],
}


@pytest.mark.parametrize("name", WRONG)
def test_the_board_refuses_unexpected_token_posts(name: str) -> None:
    with pytest.raises(Refused, match="unexpected"):
        board(*WRONG[name])


def test_where_there_are_no_tokens_nobody_mints() -> None:
    plain = KIT.session(2)
    plain_board, told = Board(), plain.announcement
    posts: list[tuple[str, int, Body]] = [
        *((party, 0, Key(plain.keys[party].public)) for party in plain.keys if party != "curator"),
        ("curator", 0, told),
        *((party, 0, Consent(told.digest())) for party in plain.keys if party != "curator"),
        ("curator", 1, KIT.SINGLES),
    ]
    for author, number, body in posts:
        plain_board.post(author, Message(plain_board.session, number, body).encode())
    with pytest.raises(Refused, match="unexpected"):
        plain_board.post("curator", Message(plain_board.session, 1, Mint(ELEMENT)).encode())
