"""Challenges on the board: who posts what, once, in its order; and what a keyholder judges by."""

from dataclasses import replace
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import ParameterError, Refused, RoundBurned
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.challenge import accept, check_came, check_envelopes, check_people
from veilmix.protocol.rounds.ballots import submit
from veilmix.protocol.rounds.locks import draw_share, locked, mark, unlock
from veilmix.protocol.rounds.registered_users import submission
from veilmix.protocol.rounds.tallying import read_ballots
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Accepted, BallotMarks, Body, Envelope, Mixed, Tally
from veilmix.protocol.wire.peer_messages import Share, ShareSecret

HELD = KIT.session(2, rules=Rules(challenge=True), registry=KIT.ROOT)
KEYS = {
    party: draw_share(HELD.plan(), party, SeededEntropy(number))
    for number, party in enumerate(HELD.plan().openers)
}
SHARES = {party: Share(key.public, key.proof) for party, key in KEYS.items()}
PLAN = locked(HELD.plan(), SHARES)
assert PLAN is not None
SEALED = [submit(PLAN, row, SeededEntropy(i)) for i, row in enumerate(KIT.ROWS)]
SENT = [
    submission(PLAN, sealed.envelope, who) for sealed, who in zip(SEALED, KIT.SIGNERS, strict=True)
]
TAKEN = tuple(accept(i, sending) for i, sending in enumerate(SENT))


def test_ballots_are_opened_by_all_shares_and_read_as_those_without() -> None:
    assert PLAN is not None
    came = KIT.mix(HELD, PLAN, [sealed.envelope for sealed in SEALED])
    secrets = [KEYS[party].secret for party in PLAN.openers]
    inside = unlock(PLAN, secrets, came)
    plain = KIT.session(2)
    sent = [envelope.envelope for envelope in KIT.seal(plain.plan())]
    expected = read_ballots(plain.plan(), KIT.mix(plain, plain.plan(), sent))
    assert (
        read_ballots(PLAN, [plaintext for plaintext in inside if plaintext]).counts
        == expected.counts
    )
    for missing in range(3):
        few = [secret for at, secret in enumerate(secrets) if at != missing]
        assert unlock(PLAN, few, came) == [None] * 9
    mine = {mark(PLAN, ballot) for sealed in SEALED for ballot in sealed.proofs.ballots}  # type: ignore[union-attr]
    assert mine == {mark(PLAN, ballot) for ballot in came}


def test_without_all_shares_there_is_no_lock() -> None:
    for party in SHARES:
        assert locked(HELD.plan(), {k: v for k, v in SHARES.items() if k != party}) is None


def test_what_is_accepted_was_signed_by_registered_people_for_this_round() -> None:
    assert PLAN is not None
    assert check_envelopes(PLAN, KIT.REGISTRY, TAKEN) == [None] * 3
    forged = [
        replace(TAKEN[0], person=1),
        replace(TAKEN[0], digest=bytes(32)),
        replace(TAKEN[0], signature=bytes(64)),
    ]
    assert None not in check_envelopes(PLAN, KIT.REGISTRY, forged)
    other = replace(PLAN, witness=bytes(97))
    assert None not in check_envelopes(other, KIT.REGISTRY, TAKEN)


def accepted(*people: int) -> Accepted:
    return Accepted(tuple(replace(TAKEN[0], person=person) for person in people))


@pytest.mark.parametrize(
    ("before", "now", "passes"),
    [
        ((0, 1, 2), (0, 1, 2), True),
        ((0, 1, 2), (0, 1), False),
        ((0, 1, 2), (0, 1, 3), False),  # as many, and not the same
        ((0, 1, 2, 3), (0, 1, 4), True),  # three people apart
        ((0, 1, 2, 3), (3,), False),  # three people apart, and one is no crowd
    ],
)
def test_people_are_compared_by_name(before: Any, now: Any, passes: bool) -> None:
    if passes:
        check_people(accepted(*now), [accepted(*before)], 3, 2)
        return
    with pytest.raises(RoundBurned):
        check_people(accepted(*now), [accepted(*before)], 3, 2)


def test_a_challenge_needs_layers_that_can_be_sealed_again() -> None:
    for suite in ("hpke-x25519", "hpke-pq"):
        with pytest.raises(ParameterError, match="sealedbox"):
            KIT.session(2, suite, rules=Rules(challenge=True), registry=KIT.ROOT)


def board(*posts: tuple[str, Body], held: Any = HELD) -> Board:
    """A board on which the first round has been called, with what is posted after."""
    registry = KIT.REGISTRY if held.announcement.registry else None
    return KIT.called(*posts, held=held, registry=registry)


LOCKED: list[tuple[str, Body]] = list(SHARES.items())
ACCEPTED: tuple[str, Body] = ("shuffler-1", Accepted(TAKEN))
MIXED: list[tuple[str, Body]] = [
    (f"shuffler-{hop}", Mixed(hop, 3 if hop == 1 else 0, 3, 9, {}, bytes(32))) for hop in (1, 2)
]
HEARD: tuple[str, Body] = ("curator", BallotMarks(tuple(bytes([i]) * 32 for i in range(9))))
FEWER: tuple[str, Body] = ("curator", BallotMarks(HEARD[1].hashes[1:]))  # type: ignore[union-attr]
SHOWN: list[tuple[str, Body]] = [
    (party, ShareSecret(hop, KEYS[party].secret)) for hop, party in enumerate(PLAN.openers[:-1], 1)
]
TALLIED: tuple[str, Body] = ("curator", Tally((3, 3, 3), {}))
ALL = (*LOCKED, ACCEPTED, *MIXED, HEARD, *SHOWN, TALLIED)


def test_the_board_takes_them_in_their_order() -> None:
    full_board = board(*ALL)
    assert full_board.challenged.shares == {1: SHARES}
    assert full_board.challenged.accepted[1].people == TAKEN
    assert len(full_board.challenged.marks[1].hashes) == 9
    assert full_board.challenged.share_secrets == {
        1: {party: KEYS[party].secret for party in PLAN.openers[:-1]}
    }
    assert len(full_board.tallies) == 1


OWN = draw_share(HELD.plan(), "analyst", SeededEntropy(99))  # of who reads another round
STRANGER: tuple[str, Body] = ("analyst", Share(OWN.public, OWN.proof))
UNPROVED = Share(KEYS["curator"].public, bytes(64))
UNKNOWN = Accepted((Envelope(3, bytes(32), bytes(64)),))


def mixed_of(people: int) -> tuple[str, Body]:
    """The first shuffler's account, of so many people."""
    return "shuffler-1", Mixed(1, people, 3, 9, {}, bytes(32))


WRONG: dict[str, list[tuple[str, Body]]] = {
    "a share of who opens nothing": [STRANGER],
    "a share twice": [LOCKED[0], LOCKED[0]],
    "another's share": [("curator", SHARES["shuffler-1"])],
    "a share without its proof": [("curator", UNPROVED)],
    "accepted by the second": [*LOCKED, ("shuffler-2", Accepted(TAKEN))],
    "accepted twice": [*LOCKED, ACCEPTED, ACCEPTED],
    "accepted who is not registered": [*LOCKED, ("shuffler-1", UNKNOWN)],
    "one accepted who is not registered, last": [
        *LOCKED,
        ("shuffler-1", Accepted((*TAKEN, replace(TAKEN[0], person=3)))),
    ],
    "a share twice, of the second": [*LOCKED[:2], LOCKED[1]],
    "shown twice, by the second": [*ALL[:-1], SHOWN[1]],
    "heard of one more than were sent": [
        *(*LOCKED, ACCEPTED, *MIXED),
        ("curator", BallotMarks(tuple(bytes([i]) * 32 for i in range(10)))),
    ],
    "mixed before anybody was accepted": [*LOCKED, MIXED[0]],
    "mixed of fewer than were accepted": [*LOCKED, ACCEPTED, mixed_of(2)],
    "mixed of more than were accepted": [*LOCKED, ACCEPTED, mixed_of(4)],
    "heard by the other reader": [*LOCKED, ACCEPTED, *MIXED, ("analyst", HEARD[1])],
    "heard before all have mixed": [*LOCKED, ACCEPTED, MIXED[0], HEARD],
    "heard of less than was accepted": [*LOCKED, ACCEPTED, *MIXED, FEWER],
    "heard twice": [*LOCKED, ACCEPTED, *MIXED, HEARD, HEARD],
    "shown before anything is heard": [*LOCKED, ACCEPTED, *MIXED, SHOWN[0]],
    "shown without a share": [*LOCKED[1:], ACCEPTED, *MIXED, HEARD, SHOWN[0]],
    "shown twice": [*LOCKED, ACCEPTED, *MIXED, HEARD, SHOWN[0], SHOWN[0]],
    "shown in another's name": [*ALL[:-3], ("shuffler-2", SHOWN[0][1])],
    "another secret": [*ALL[:-3], ("shuffler-1", ShareSecret(1, KEYS["shuffler-2"].secret))],
    "no scalar": [*ALL[:-3], ("shuffler-1", ShareSecret(1, b"\xff" * 32))],
    "another hop": [*ALL[:-3], ("shuffler-1", ShareSecret(2, KEYS["shuffler-1"].secret))],
    "an earlier hop": [*ALL[:-3], ("shuffler-2", ShareSecret(1, KEYS["shuffler-2"].secret))],
    "a tally before anything is heard": [*LOCKED, ACCEPTED, *MIXED, TALLIED],
    "a tally before all have shown": [*ALL[:-2], TALLIED],
}


@pytest.mark.parametrize("name", WRONG)
def test_the_board_refuses_a_wrong_post_of_a_challenge(name: str) -> None:
    assert KIT.refuses(board, WRONG[name])


@pytest.mark.parametrize("body", [SHARES["curator"], HEARD[1]])
def test_where_there_is_no_challenge_nobody_posts_of_one(body: Body) -> None:
    posts = MIXED if isinstance(body, BallotMarks) else []
    plain_board = board(*posts, held=KIT.session(2))
    with pytest.raises(Refused, match="unexpected"):
        plain_board.post("curator", Message(plain_board.session, 1, body).encode())


@pytest.mark.parametrize("came", [0, 8, 10, 18])
def test_as_many_ballots_come_as_were_accepted(came: int) -> None:
    check_came(accepted(0, 1, 2), 3, 9)
    with pytest.raises(RoundBurned, match=f"^{came} ballots have come of 9"):
        check_came(accepted(0, 1, 2), 3, came)
