"""Signed posts, signed heads, forks: the pure steps, and what a board makes of them."""

import hashlib
from dataclasses import replace
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.signing import Signer, verify_signature
from veilmix.errors import ParameterError, Reason, Refused, VerificationError
from veilmix.protocol.board.board import END, Board, replay
from veilmix.protocol.wire.frames import Message, Seal, decode_message
from veilmix.protocol.wire.messages import (
    Alarm,
    Body,
    Burned,
    Cause,
    Closed,
    Consent,
    Head,
    Key,
    Kind,
    Roster,
)
from veilmix.protocol.wire.signed_posts import (
    Fork,
    check_head,
    check_post,
    fork_between,
    head_in,
    sealed_post,
    sign_head,
    witness_of,
)

WHO = {
    name: Signer(SeededEntropy(3).fork(name))
    for name in ("board", "curator", "analyst", "shuffler-1", "shuffler-2")
}
ROSTER = Roster(bytes(16), *(signer.public for signer in list(WHO.values())[:3]), tuple(
    WHO[name].public for name in ("shuffler-1", "shuffler-2")
))  # fmt: skip
HELD = KIT.session(2)
TOLD = HELD.announcement


def add(board: Board, author: str, number: int, body: Body, **other: Any) -> None:
    """Post something as it should be, but for what is said."""
    message = Message(other.get("session", board.session), number, body)
    if author == "board" or author.startswith("user") or other.get("plain"):
        board.post(author, message.encode())
        return
    signer = other.get("signer", WHO.get(author))
    witness = other.get("witness", board.witness)
    board.post(author, sealed_post(message, other.get("roster", ROSTER), author, signer, witness))


def attest(board: Board) -> None:
    assert board.due is not None
    number = board.calls[-1].round if board.calls else 0
    add(board, "board", number, sign_head(ROSTER, board.due, board.state, WHO["board"]))


def opened(known: Roster | None = None, order: int = 1) -> Board:
    """A board up to the head of the first call; keys and consents in either order."""
    board = Board(known_roster=known)
    add(board, "curator", 0, ROSTER)
    parties = ["shuffler-1", "shuffler-2", "analyst"][::order]
    for party in parties:
        add(board, party, 0, Key(HELD.keys[party].public))
    add(board, "curator", 0, TOLD)
    for party in parties:
        add(board, party, 0, Consent(board.session))
    add(board, "curator", 1, KIT.SINGLES)
    return board


def called(**given: Any) -> Board:
    board = opened(**given)
    attest(board)
    return board


def refused(reason: Reason, board: Board, author: str, number: int, body: Body, **o: Any) -> None:
    before = list(board.entries)
    with pytest.raises(Refused) as caught:
        add(board, author, number, body, **o)
    assert caught.value.reason is reason
    assert board.entries == before


def test_who_was_faster_changes_no_head() -> None:
    first_board, other = called(), called(order=-1)
    assert first_board.head != other.head
    assert first_board.heads == other.heads
    add(first_board, "user-3", 1, Alarm(1, Cause.BALANCE))
    for board in (first_board, other):
        add(board, "shuffler-1", 1, Burned("nobody came"))
        add(board, "curator", 1, Closed())
        attest(board)
    assert list(first_board.heads) == [1, END]
    assert first_board.heads == other.heads  # alarms are in no head
    again = replay([(entry.author, entry.data) for entry in first_board.entries], ROSTER)
    assert again == first_board
    assert again.due is None


def test_a_board_that_is_not_signed_has_no_heads_and_takes_no_seals() -> None:
    board = Board()
    refused(Reason.UNEXPECTED, board, "shuffler-1", 0, Key(HELD.keys["shuffler-1"].public))
    add(board, "shuffler-1", 0, Key(HELD.keys["shuffler-1"].public), plain=True)
    refused(Reason.UNEXPECTED, board, "curator", 0, ROSTER)  # too late
    assert board.witness == b""
    assert board.due is None


def test_whoever_knows_the_roster_takes_no_other_and_nothing_without() -> None:
    key = Key(HELD.keys["shuffler-1"].public)
    refused(Reason.UNREGISTERED, Board(known_roster=ROSTER), "shuffler-1", 0, key, plain=True)
    other = replace(ROSTER, opening=b"x" * 16)
    refused(Reason.UNEXPECTED, Board(known_roster=ROSTER), "curator", 0, other, roster=other)
    add(Board(known_roster=ROSTER), "curator", 0, ROSTER)
    refused(Reason.UNEXPECTED, opened(), "curator", 0, ROSTER)
    refused(Reason.UNREGISTERED, Board(), "curator", 0, ROSTER, signer=WHO["analyst"])


CITED = called().witness
WRONG: dict[str, tuple[Reason, dict[str, Any]]] = {
    "no-seal": (Reason.UNREGISTERED, {"plain": True}),
    "another-signer": (Reason.UNREGISTERED, {"signer": WHO["shuffler-2"]}),
    "another-roster": (Reason.UNREGISTERED, {"roster": replace(ROSTER, opening=b"x" * 16)}),
    "another-head": (
        Reason.UNEXPECTED,
        {"witness": witness_of(sign_head(ROSTER, 1, bytes(32), WHO["board"]))},
    ),
    "no-head": (Reason.UNEXPECTED, {"witness": b""}),
    "a-head-that-ends-otherwise": (
        Reason.UNEXPECTED,
        {"witness": CITED[:-1] + bytes([CITED[-1] ^ 1])},
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_post_is_signed_by_its_author_for_this_board(name: str) -> None:
    reason, other = WRONG[name]
    refused(reason, called(), "shuffler-1", 1, Burned("no"), **other)
    add(called(), "shuffler-1", 1, Burned("no"))


def test_a_signature_is_of_its_author_and_of_every_byte() -> None:
    board = called()
    message = Message(board.session, 1, Burned("no"))
    data = sealed_post(message, ROSTER, "shuffler-1", WHO["shuffler-1"], board.witness)
    check_post(ROSTER, "shuffler-1", data)
    with pytest.raises(Refused):
        check_post(ROSTER, "analyst", data)
    alike = replace(ROSTER, shufflers=(WHO["shuffler-2"].public, WHO["shuffler-1"].public))
    with pytest.raises(Refused):
        check_post(alike, "shuffler-2", data)
    mine = sealed_post(message, ROSTER, "shuffler-2", WHO["shuffler-1"], board.witness)
    with pytest.raises(Refused):
        check_post(ROSTER, "shuffler-1", mine)
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        with pytest.raises(Refused):
            check_post(ROSTER, "shuffler-1", bytes(changed))
    for stranger in ("user-1", "shuffler-3", "network"):
        with pytest.raises(Refused):
            check_post(ROSTER, stranger, data)
    with pytest.raises(Refused):
        check_post(ROSTER, "shuffler-1", data[:10])


def test_signatures_are_of_the_bytes_that_the_wire_document_names() -> None:
    """Post: label, roster, author, 0, hash of the frame. Head: label, opening, place, state."""
    board = called()
    message = Message(board.session, 1, Burned("no"))
    data = sealed_post(message, ROSTER, "shuffler-1", WHO["shuffler-1"], board.witness)
    keys = (ROSTER.board, ROSTER.curator, ROSTER.analyst, *ROSTER.shufflers)
    roster = hashlib.sha256(ROSTER.opening + b"".join(keys)).digest()
    frame = hashlib.sha256(data[:-64]).digest()
    signed = b"veilmix post 1\0" + roster + b"shuffler-1\0" + frame
    verify_signature(WHO["shuffler-1"].public, signed, data[-64:])
    head = sign_head(ROSTER, 7, b"s" * 32, WHO["board"])
    signed = b"veilmix head 1\0" + ROSTER.opening + b"\7" + b"s" * 32
    verify_signature(WHO["board"].public, signed, head.signature)


def test_users_have_no_seal() -> None:
    board = called()
    message = Message(board.session, 1, Alarm(1, Cause.BALANCE))
    sealed = sealed_post(message, ROSTER, "user-1", WHO["board"], board.witness)
    with pytest.raises(Refused):
        board.post("user-1", sealed)
    board.post("user-1", message.encode())


def test_after_a_call_comes_its_head() -> None:
    board = opened()
    refused(Reason.UNEXPECTED, board, "shuffler-1", 1, Burned("no"), witness=b"")
    state, place = board.state, 1
    sign = WHO["board"]
    for wrong in (
        sign_head(ROSTER, 2, state, sign),
        sign_head(ROSTER, END, state, sign),
        sign_head(ROSTER, place, bytes(32), sign),
        sign_head(ROSTER, place, bytes([state[0] ^ 1]) + state[1:], sign),
        sign_head(ROSTER, place, state[:-1] + bytes([state[-1] ^ 1]), sign),
    ):
        refused(Reason.UNEXPECTED, board, "board", 1, wrong)
    for wrong in (
        sign_head(ROSTER, place, state, WHO["curator"]),
        sign_head(replace(ROSTER, opening=b"x" * 16), place, state, sign),
        replace(sign_head(ROSTER, 2, state, sign), place=place),
    ):
        refused(Reason.UNREGISTERED, board, "board", 1, wrong)
    right = sign_head(ROSTER, place, state, sign)
    refused(Reason.UNEXPECTED, board, "curator", 1, right)
    add(board, "board", 1, right)
    refused(Reason.UNEXPECTED, board, "board", 1, right)
    assert board.witness == witness_of(right)


# Forks

ONE = sign_head(ROSTER, 1, bytes(32), WHO["board"])
OTHER = sign_head(ROSTER, 1, b"x" * 32, WHO["board"])


def test_two_heads_of_one_place_are_a_proof_for_anybody() -> None:
    fork = fork_between(ROSTER, ONE, witness_of(OTHER))
    Fork.decode(fork.encode()).check(WHO["board"].public)
    assert head_in(witness_of(ONE)) == ONE
    with pytest.raises(VerificationError, match="not signed both"):
        fork.check(WHO["curator"].public)


@pytest.mark.parametrize(
    "other",
    [
        ONE,
        sign_head(ROSTER, 2, b"x" * 32, WHO["board"]),
        sign_head(ROSTER, 0, b"x" * 32, WHO["board"]),
        sign_head(ROSTER, 1, b"x" * 32, WHO["curator"]),
        sign_head(replace(ROSTER, opening=b"y" * 16), 1, b"x" * 32, WHO["board"]),
    ],
)
def test_what_is_no_fork(other: Head) -> None:
    with pytest.raises(VerificationError):
        Fork(ROSTER.opening, ONE, other).check(WHO["board"].public)
    with pytest.raises(VerificationError):
        Fork(ROSTER.opening, other, ONE).check(WHO["board"].public)
    with pytest.raises(Refused):
        fork_between(ROSTER, ONE, witness_of(other))


def test_bytes_that_are_no_proof_are_refused() -> None:
    for data in (b"", bytes(97), bytes(16 + 193), bytes(16 + 195)):
        with pytest.raises(Refused, match="malformed"):
            Fork.decode(data)
    for data in (b"", bytes(96), bytes(98)):
        with pytest.raises(Refused, match="malformed"):
            head_in(data)
    Fork.decode(bytes(16 + 194))  # well-formed, and proves nothing
    with pytest.raises(Refused):
        check_head(WHO["board"].public, bytes(16), Head(1, bytes(32), bytes(64)))


def test_a_roster_names_different_identities() -> None:
    with pytest.raises(ParameterError, match="the same identity"):
        replace(ROSTER, analyst=ROSTER.board)
    with pytest.raises(ParameterError, match="16"):
        replace(ROSTER, opening=b"")
    with pytest.raises(ParameterError, match="32"):
        replace(ROSTER, shufflers=(b"short",))
    assert ROSTER.key("shuffler-3") is None
    assert ROSTER.key("user-1") is None


def test_a_seal_travels_with_its_message() -> None:
    seal = Seal(witness_of(ONE), bytes(64))
    message = Message(bytes(32), 1, Closed(), seal)
    assert decode_message(message.encode()) == message
    assert decode_message(message.encode()).kind is Kind.CLOSED
    with pytest.raises(ParameterError):
        Seal(b"half", bytes(64))
    assert (
        hashlib.sha256(message.encode()).digest()
        != hashlib.sha256(replace(message, seal=None).encode()).digest()
    )
