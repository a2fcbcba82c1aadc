"""A board of a session whose users submit once: all keys in round 1, and then no ballots."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import verified_session_kit as VERIFIED
from veilmix.crypto.entropy import Drawn, SeededEntropy
from veilmix.crypto.verified.keys import make_key
from veilmix.errors import ParameterError, Refused, VerificationError
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.rounds.verified_answers import count_rows
from veilmix.protocol.rounds.verified_round import (
    GROUP,
    _check_proofs,
    context_of,
    draw_keys,
    first_lists,
    joint_keys,
    keys_due,
    posted_keys,
)
from veilmix.protocol.wire.announcement import Program, Rules, Setting
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Body, Tally
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from veilmix.roles.cast import Guards
from veilmix.roles.session import play

TWO = Schema((*VERIFIED.ONE.features, Feature("old", ("yes", "no"))))
ROWS = [("yes", "no"), ("no", "yes"), ("yes", "no"), ("no", "no")]


@cache
def posts() -> tuple[tuple[str, Message], ...]:
    """All that is posted in a session whose posts are not signed, with both columns released."""
    guards = Guards(registered=4, signed=False)
    two = {"schema": TWO, "row": ROWS.__getitem__, "decide": VERIFIED.KIT.keep(0, 1)}
    cast = replace(VERIFIED.small(4, guards=guards, **two), program=Program.TWO_ROUND_ONCE)
    return tuple((entry.author, entry.message) for entry in play(cast).entries)


def until(kind: type, number: int = 1) -> Board:
    """The board before the first post of a kind in a round."""
    board = Board()
    for author, message in posts():
        if isinstance(message.body, kind) and message.round == number:
            return board
        board.post(author, message.encode())
    raise AssertionError(kind)


def said(kind: type, author: str, number: int = 1) -> Any:
    """What a party says in a post of a kind."""
    return next(
        message.body
        for who, message in posts()
        if isinstance(message.body, kind) and (who, message.round) == (author, number)
    )


def says(board: Board, author: str, body: Body, number: int = 1) -> bool:
    """Whether a board takes a post."""
    try:
        board.post(author, Message(board.session, number, body).encode())
    except Refused:
        return False
    return True


def plan_of(board: Board) -> Round:
    """The last round that was called."""
    assert board.announcement is not None
    return open_round(board.announcement, board.session, board.calls[-1])


KEYS = {"curator": range(2), "shuffler-1": range(3), "shuffler-2": range(3), "analyst": range(2, 3)}


def test_each_keyholder_posts_the_keys_of_its_openings() -> None:
    board = until(BallotKeys)
    plan = plan_of(board)
    assert {party: keys_due(plan, party) for party in KEYS} == KEYS
    for party, numbers in KEYS.items():
        for wrong in (range(1), range(2), range(3), range(2, 3), range(4)):
            keys = [make_key(context_of(plan, at, party), SeededEntropy(1)) for at in wrong]
            assert wrong == numbers or not says(board, party, posted_keys(keys)), (party, wrong)
        assert says(board, party, said(BallotKeys, party))
        assert board.verified.has_keys(plan) == (party == "analyst")


def test_keys_of_the_release_that_cancel_out_are_refused() -> None:
    board = until(BallotKeys)
    plan = plan_of(board)
    secrets = {"curator": 3, "shuffler-1": 5, "shuffler-2": 7, "analyst": -12 % GROUP.order}
    taken = []
    for at, (party, secret) in enumerate(secrets.items(), start=1):
        drawn = secret.to_bytes(64, "little") + bytes([at]) * 64
        contexts = [context_of(plan, number, party) for number in keys_due(plan, party)]
        keys = posted_keys([make_key(context, Drawn(drawn)) for context in contexts])
        taken.append(says(board, party, keys))
    assert taken == [True, True, True, False]


def test_no_keys_are_posted_in_round_2() -> None:
    board = until(CheckedBallots, 2)
    for party in ("shuffler-1", "analyst"):
        for number in (1, 2):
            plan = replace(plan_of(board), call=board.calls[number - 1])
            keys = posted_keys(draw_keys(plan, party, SeededEntropy(1)))
            assert not says(board, party, keys, 2)
        single = posted_keys([make_key(context_of(plan, 0, party), SeededEntropy(1))])
        assert not says(board, party, single, 2)


@pytest.mark.parametrize("party", ["analyst", "shuffler-1", "curator"])
def test_no_ballots_are_posted_in_round_2(party: str) -> None:
    board = until(CheckedBallots, 2)
    assert not says(board, party, HandedBallots(()), 2)
    assert not says(board, party, said(HandedBallots, "curator"), 2)
    assert board.verified.closed[2] == board.verified.closed[1]


def test_verdicts_of_round_2_are_on_the_list_of_round_1() -> None:
    board = until(CheckedBallots, 2)
    assert not says(board, "analyst", said(CheckedBallots, "curator"), 2)
    assert not says(board, "curator", said(CheckedBallots, "analyst", 2), 2)
    assert says(board, "analyst", said(CheckedBallots, "analyst", 2), 2)


def test_lists_and_shares_of_round_2_have_the_width_of_the_release() -> None:
    board = until(ShuffledLists, 2)
    right, narrow = said(ShuffledLists, "shuffler-1", 2), said(ShuffledLists, "shuffler-1")
    assert [len(right.lists), len(narrow.lists)] == [1, 2]
    for wrong in (
        narrow,
        ShuffledLists(1, narrow.lists[:1], narrow.proofs[:1]),
        replace(right, proofs=narrow.proofs[:1]),
        replace(right, lists=narrow.lists[:1]),
    ):
        assert not says(board, "shuffler-1", wrong, 2)
    assert says(board, "shuffler-1", right, 2)
    board = until(OpeningShares, 2)
    assert not says(board, "shuffler-1", said(OpeningShares, "shuffler-1"), 2)
    assert not says(board, "shuffler-1", OpeningShares((bytes(68 + 32 * 4),)), 2)
    assert says(board, "shuffler-1", said(OpeningShares, "shuffler-1", 2), 2)


def test_the_tally_of_the_release_says_what_shares_open() -> None:
    board, right = until(Tally, 2), said(Tally, "analyst", 2)
    assert right.counts == ({("no", "no"): 1, ("no", "yes"): 1, ("yes", "no"): 2},)
    wrong = Tally((4,), {}, ({("no", "no"): 2, ("yes", "no"): 2},))
    assert not says(board, "analyst", wrong, 2)
    assert says(board, "analyst", right, 2)


@pytest.mark.parametrize("at", [0, 1])
def test_the_proof_of_each_ballot_of_a_user_is_checked(at: int) -> None:
    board = until(CheckedBallots)
    plan = plan_of(board)
    keys = joint_keys(plan, board.verified.keys[1])
    one = said(HandedBallots, "curator").people[0]
    _check_proofs(plan, keys, one)
    records = [one.ballots[:160], one.ballots[160:]]
    records[at] = records[at][:-32] + bytes(31) + b"\1"
    with pytest.raises((Refused, VerificationError)):
        _check_proofs(plan, keys, replace(one, ballots=b"".join(records)))


def test_rows_of_the_release_are_ballots_for_the_analyst() -> None:
    board = until(CheckedBallots, 2)
    (rows,) = first_lists(plan_of(board), board.verified.closed[2])
    assert (rows.count, rows.width) == (4, 2)
    ballots = board.verified.closed[1][3]
    own = [column[3] for column in rows.columns]
    assert b"".join(own) == ballots[:32] + ballots[64:96] + ballots[160:192] + ballots[224:256]


def test_a_row_with_a_value_outside_its_domain_is_refused() -> None:
    from veilmix.protocol.rounds.verified_answers import AnswerElements

    board = until(CheckedBallots, 2)
    singles = AnswerElements(open_round(board.announcement, board.session, board.calls[0]))  # type: ignore[arg-type]
    yes, other = singles.encode(0, ("yes",)), singles.encode(0, ("maybe",))
    for row in ((yes, other), (other, yes)):
        reading = count_rows(plan_of(board), [row, (yes, yes)])
        assert reading.counts == [{("yes", "yes"): 1}]
        assert sum(reading.refused.values()) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": Rules()},
        {"policy": {"setting": Setting.STATISTICAL, "delta": 0.1}},
    ],
    ids=["onions", "statistical"],
)
def test_it_is_of_a_verified_mix_and_of_the_same_people(changes: Any) -> None:
    told = until(BallotKeys).announcement
    assert told is not None
    assert told.once
    if "policy" in changes:
        changes = {"policy": replace(told.policy, **changes["policy"])}
    with pytest.raises(
        ParameterError, match="two-round-once: a verified mix and the fixed setting"
    ):
        replace(told, **changes)
    replace(told, program=Program.TWO_ROUND, **changes)
