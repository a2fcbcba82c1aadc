"""Proofs of a verified mix are checked question by question, user by user: each of them counts."""

from dataclasses import replace
from functools import cache

import pytest
import verified_session_kit as VERIFIED
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import Reason, Refused, RoundBurned, VerificationError
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.rounds.verified_round import (
    RoundKeys,
    _check_proofs,
    check_handed,
    check_opening,
    check_shuffled,
    first_lists,
    joint_keys,
)
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.signed_posts import witness_of
from veilmix.roles.cast import Guards
from veilmix.roles.session import play

TWO = Schema((*VERIFIED.ONE.features, Feature("old", ("yes", "no"))))


@cache
def played() -> tuple[Board, Round, RoundKeys]:
    """The board of a session, its first round of two questions, and the keys of the round."""
    rows = [("yes", "no"), ("no", "yes")] * 2
    cast = VERIFIED.small(4, guards=Guards(registered=4), schema=TWO, row=rows.__getitem__)
    board = play(cast)
    assert board.announcement is not None
    plan = open_round(board.announcement, board.session, board.calls[0])
    plan = replace(plan, witness=witness_of(board.heads[1]))
    return board, plan, joint_keys(plan, board.verified.keys[1])


def spoilt(records: tuple[bytes, ...], at: int) -> tuple[bytes, ...]:
    """Return records of which the last bytes of one are those of another number."""
    changed = records[at][:-32] + bytes(31) + b"\1"
    return (*records[:at], changed, *records[at + 1 :])


@pytest.mark.parametrize("at", [0, 1])
def test_the_shuffle_of_each_question_is_checked(at: int) -> None:
    board, plan, keys = played()
    old, posted = first_lists(plan, board.verified.closed[1]), board.verified.shuffled[1][0]
    assert len(check_shuffled(plan, keys, old, posted, SeededEntropy(1))) == 2
    wrong = replace(posted, proofs=spoilt(posted.proofs, at))
    with pytest.raises(RoundBurned, match=rf"shuffle of shuffler-1 .*question {at + 1}"):
        check_shuffled(plan, keys, old, wrong, SeededEntropy(1))


@pytest.mark.parametrize("at", [0, 1])
def test_the_shares_of_each_question_are_checked(at: int) -> None:
    board, plan, keys = played()
    lists, shown = first_lists(plan, board.verified.closed[1]), board.verified
    for posted in shown.shuffled[1]:
        lists = check_shuffled(plan, keys, lists, posted, SeededEntropy(1))
    given = shown.shared[1]["shuffler-2"]
    assert len(check_opening(plan, "shuffler-2", keys, lists, given)) == 2
    wrong = replace(given, shares=spoilt(given.shares, at))
    with pytest.raises(RoundBurned, match=rf"shares of shuffler-2 .*question {at + 1}"):
        check_opening(plan, "shuffler-2", keys, lists, wrong)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_the_signature_of_each_user_is_checked(at: int) -> None:
    board, plan, keys = played()
    assert board.registry is not None
    handed = [one for posted in board.verified.handed[1].values() for one in posted.people][:3]
    assert check_handed(plan, keys, board.registry, handed) == [None] * 3
    handed[at] = replace(handed[at], signature=bytes(64))
    verdicts = check_handed(plan, keys, board.registry, handed)
    assert verdicts == [Reason.UNREGISTERED if place == at else None for place in range(3)]


@pytest.mark.parametrize("at", [0, 1])
def test_the_proof_of_each_ballot_of_a_user_is_checked(at: int) -> None:
    board, plan, keys = played()
    handed = next(one for posted in board.verified.handed[1].values() for one in posted.people)
    _check_proofs(plan, keys, handed)
    size = len(handed.ballots) // 2
    records = handed.ballots[:size], handed.ballots[size:]
    wrong = replace(handed, ballots=b"".join(spoilt(records, at)))
    with pytest.raises((Refused, VerificationError)):
        _check_proofs(plan, keys, wrong)
