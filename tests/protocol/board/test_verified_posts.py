"""A board takes the posts of a verified mix in their turn, and no others."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import verified_session_kit as VERIFIED
from veilmix.crypto.entropy import Drawn, SeededEntropy
from veilmix.crypto.verified.ballots import BALLOT_SIZE
from veilmix.crypto.verified.keys import make_key
from veilmix.errors import ParameterError, Refused
from veilmix.protocol.board import verified_posts
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.rounds.tallying import BallotReading
from veilmix.protocol.rounds.verified_round import GROUP, context_of, posted_keys
from veilmix.protocol.wire.announcement import Rules, Setting
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import Body, Mixed, Tally
from veilmix.protocol.wire.peer_messages import Share
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallot,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from veilmix.protocol.wire.wire import Writer, decode
from veilmix.roles.cast import Guards
from veilmix.roles.session import play

TWO = Schema((*VERIFIED.ONE.features, Feature("old", ("yes", "no"))))
SIZE = 2 * BALLOT_SIZE  # of the ballots of a user in round 1


@cache
def posts() -> tuple[tuple[str, Message], ...]:
    """All that is posted in a session whose posts are not signed, with secret counts."""
    guards, rows = Guards(registered=4, signed=False), [("yes", "no"), ("no", "yes")] * 2
    two = {"schema": TWO, "row": rows.__getitem__}
    entries = play(VERIFIED.small(4, guards=guards, **two)).entries
    return tuple((entry.author, entry.message) for entry in entries)


def until(kind: type, number: int = 1, more: int = 0) -> Board:
    """The board before the first post of a kind in a round, or before one more of them."""
    board = Board()
    left = more
    for author, message in posts():
        if isinstance(message.body, kind) and message.round == number:
            if not left:
                return board
            left -= 1
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
    """Whether a board takes a post; it stays as it was if not."""
    before = board.head, len(board.entries)
    try:
        board.post(author, Message(board.session, number, body).encode())
    except Refused:
        assert (board.head, len(board.entries)) == before
        return False
    return True


def test_the_honest_posts_are_taken() -> None:
    for kind, author in (
        *((BallotKeys, "shuffler-1"), (HandedBallots, "curator"), (CheckedBallots, "curator")),
        *((ShuffledLists, "shuffler-1"), (OpeningShares, "shuffler-2"), (Tally, "curator")),
    ):
        assert says(until(kind), author, said(kind, author)), kind


def last(body: Any, field: str, change: Callable[[bytes], bytes]) -> Any:
    """A post whose last record is changed."""
    *others, record = getattr(body, field)
    return replace(body, **{field: (*others, change(record))})


def own_keys(party: str, questions: int) -> BallotKeys:
    """Keys of a party, each with a right proof."""
    board = until(BallotKeys)
    plan = open_round(board.announcement, board.session, board.calls[0])  # type: ignore[arg-type]
    contexts = [context_of(plan, question, party) for question in range(questions)]
    return posted_keys([make_key(context, SeededEntropy(1)) for context in contexts])


def mixed_keys(question: int) -> BallotKeys:
    """Keys of the curator, and of a shuffler in one question."""
    keys = list(said(BallotKeys, "curator").keys)
    keys[question] = said(BallotKeys, "shuffler-1").keys[question]
    return BallotKeys(tuple(keys))


WRONG: dict[str, tuple[type, int, str, Callable[[], Body]]] = {
    "keys of who opens nothing": (BallotKeys, 0, "analyst", lambda: own_keys("analyst", 2)),
    "keys twice": (HandedBallots, 0, "curator", lambda: said(BallotKeys, "curator")),
    "keys of another": (BallotKeys, 0, "curator", lambda: said(BallotKeys, "shuffler-1")),
    "keys of a question too many": (BallotKeys, 0, "curator", lambda: own_keys("curator", 3)),
    "keys of a question less": (BallotKeys, 0, "curator", lambda: own_keys("curator", 1)),
    "a first key of another": (BallotKeys, 0, "curator", lambda: mixed_keys(0)),
    "a last key of another": (BallotKeys, 0, "curator", lambda: mixed_keys(1)),
    "ballots before all keys": (BallotKeys, 2, "curator", lambda: HandedBallots(())),
    "ballots before its turn": (HandedBallots, 0, "shuffler-1", lambda: HandedBallots(())),
    "ballots twice": (HandedBallots, 1, "curator", lambda: HandedBallots(())),
    "ballots of a stranger": (
        *(HandedBallots, 0, "curator"),
        lambda: HandedBallots((HandedBallot(4, bytes(SIZE), bytes(64)),)),
    ),
    "ballots of another size": (
        *(HandedBallots, 0, "curator"),
        lambda: HandedBallots((HandedBallot(0, bytes(SIZE + 1), bytes(64)),)),
    ),
    "ballots of a smaller size": (
        *(HandedBallots, 0, "curator"),
        lambda: HandedBallots((HandedBallot(0, bytes(SIZE - 1), bytes(64)),)),
    ),
    "ballots that stand there between others": (
        *(HandedBallots, 1, "shuffler-1"),
        lambda: HandedBallots(
            (
                HandedBallot(0, bytes(SIZE), bytes(64)),
                said(HandedBallots, "curator").people[1],
                HandedBallot(2, bytes(SIZE), bytes(64)),
            )
        ),
    ),
    "ballots of which others stand before and behind": (
        *(HandedBallots, 1, "shuffler-1"),
        lambda: HandedBallots(said(HandedBallots, "curator").people[1:2]),
    ),
    "ballots that stand there": (
        *(HandedBallots, 1, "shuffler-1"),
        lambda: said(HandedBallots, "curator"),
    ),
    "a verdict before all ballots": (
        *(HandedBallots, 2, "curator"),
        lambda: said(CheckedBallots, "curator"),
    ),
    "a verdict on another list": (
        *(CheckedBallots, 0, "curator"),
        lambda: CheckedBallots(bytes(32)),
    ),
    "a verdict that begins otherwise": (
        *(CheckedBallots, 0, "curator"),
        lambda: CheckedBallots(b"\0" + said(CheckedBallots, "curator").digest[1:]),
    ),
    "a verdict that ends otherwise": (
        *(CheckedBallots, 0, "curator"),
        lambda: CheckedBallots(said(CheckedBallots, "curator").digest[:-1] + b"\0"),
    ),
    "a verdict twice": (ShuffledLists, 0, "curator", lambda: said(CheckedBallots, "curator")),
    "a verdict of who opens nothing": (
        *(CheckedBallots, 0, "analyst"),
        lambda: said(CheckedBallots, "curator"),
    ),
    "lists before all verdicts": (
        *(CheckedBallots, 2, "shuffler-1"),
        lambda: said(ShuffledLists, "shuffler-1"),
    ),
    "lists of the next hop": (
        *(ShuffledLists, 0, "shuffler-2"),
        lambda: said(ShuffledLists, "shuffler-2"),
    ),
    "lists of another": (
        *(ShuffledLists, 0, "shuffler-2"),
        lambda: said(ShuffledLists, "shuffler-1"),
    ),
    "lists of a later hop": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: replace(said(ShuffledLists, "shuffler-1"), hop=2),
    ),
    "lists of an earlier hop": (
        *(ShuffledLists, 1, "shuffler-2"),
        lambda: replace(said(ShuffledLists, "shuffler-2"), hop=1),
    ),
    "lists of one question": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: ShuffledLists(
            *(1, said(ShuffledLists, "shuffler-1").lists[:1]),
            said(ShuffledLists, "shuffler-1").proofs[:1],
        ),
    ),
    "a last list of a byte more": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: last(said(ShuffledLists, "shuffler-1"), "lists", lambda record: record + b"!"),
    ),
    "a last proof of a byte less": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: last(said(ShuffledLists, "shuffler-1"), "proofs", lambda record: record[1:]),
    ),
    "lists twice": (ShuffledLists, 1, "shuffler-1", lambda: said(ShuffledLists, "shuffler-1")),
    "lists of two questions": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: ShuffledLists(
            *(1, 2 * said(ShuffledLists, "shuffler-1").lists),
            2 * said(ShuffledLists, "shuffler-1").proofs,
        ),
    ),
    "a list of a row less": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: VERIFIED.with_rows(lambda rows: rows[1:])(said(ShuffledLists, "shuffler-1")),
    ),
    "a proof of a byte more": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: VERIFIED.with_proof(lambda proof: proof + b"\0")(said(ShuffledLists, "shuffler-1")),
    ),
    "a last list of a row less": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: last(said(ShuffledLists, "shuffler-1"), "lists", lambda record: record[:-64]),
    ),
    "a last proof of a byte more": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: last(said(ShuffledLists, "shuffler-1"), "proofs", lambda record: record + b"!"),
    ),
    "last shares of a ballot less": (
        *(OpeningShares, 0, "shuffler-1"),
        lambda: last(said(OpeningShares, "shuffler-1"), "shares", lambda record: record[32:]),
    ),
    "shares before the last lists": (
        *(ShuffledLists, 1, "shuffler-1"),
        lambda: said(OpeningShares, "shuffler-1"),
    ),
    "shares twice": (OpeningShares, 1, "SAME", lambda: said(OpeningShares, "shuffler-1")),
    "shares of a reader of secret counts": (
        *(OpeningShares, 0, "curator"),
        lambda: said(OpeningShares, "shuffler-1"),
    ),
    "shares of who opens nothing": (
        *(OpeningShares, 0, "analyst"),
        lambda: said(OpeningShares, "shuffler-1"),
    ),
    "shares of a question too many": (
        *(OpeningShares, 0, "shuffler-1"),
        lambda: OpeningShares(2 * said(OpeningShares, "shuffler-1").shares),
    ),
    "shares of a ballot less": (
        *(OpeningShares, 0, "shuffler-1"),
        lambda: VERIFIED.with_share(lambda record: record[32:])(said(OpeningShares, "shuffler-1")),
    ),
    "shares of a question less": (
        *(OpeningShares, 0, "shuffler-1"),
        lambda: OpeningShares(said(OpeningShares, "shuffler-1").shares[:1]),
    ),
    "last shares of a byte more": (
        *(OpeningShares, 0, "shuffler-1"),
        lambda: last(said(OpeningShares, "shuffler-1"), "shares", lambda record: record + b"!"),
    ),
    "a tally of a ballot more": (Tally, 0, "curator", lambda: Tally((5, 4), {})),
    "a tally before all shares": (OpeningShares, 1, "curator", lambda: said(Tally, "curator")),
    "a tally of a ballot less": (Tally, 0, "curator", lambda: Tally((4, 3), {})),
    "an account of a batch": (
        *(ShuffledLists, 0, "shuffler-1"),
        lambda: Mixed(1, 4, 4, 4, {}, bytes(32)),
    ),
    "a share of a lock": (BallotKeys, 0, "curator", lambda: Share(bytes(32), bytes(64))),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_post_is_refused(name: str) -> None:
    kind, more, author, body = WRONG[name]
    board = until(kind, more=more)
    if author == "SAME":
        author = next(iter(board.verified.shared[1]))
    assert not says(board, author, body())


def test_the_second_round_is_for_those_of_the_first() -> None:
    board = until(HandedBallots, 2)
    wide = bytes(BALLOT_SIZE)
    board.verified.closed[1] = {0: wide, 1: wide}
    late = HandedBallots((HandedBallot(2, wide, bytes(64)),))
    here = HandedBallots((HandedBallot(1, wide, bytes(64)),))
    assert not says(board, "analyst", late, 2)
    assert says(board, "analyst", here, 2)


@pytest.mark.parametrize(
    ("setting", "invited"), [(Setting.FIXED, [2]), (Setting.STATISTICAL, [3])], ids=str
)
def test_a_third_round_knows_all_rounds_before(setting: Setting, invited: list[int]) -> None:
    """Places 0 and 1 answered round 1, and place 2 round 2; `statistical` asks only new people."""
    board, wide = until(HandedBallots, 2), bytes(BALLOT_SIZE)
    plan = open_round(board.announcement, board.session, board.calls[1])  # type: ignore[arg-type]
    delta = 0.1 if setting is Setting.STATISTICAL else 0.0
    policy = replace(plan.announcement.policy, setting=setting, delta=delta)
    announcement = replace(plan.announcement, policy=policy)
    plan = replace(plan, announcement=announcement, call=replace(plan.call, round=3))
    verified = board.verified
    verified.closed = {1: {0: wide, 1: wide}, 2: {2: wide}}
    hands = [HandedBallots((HandedBallot(person, wide, bytes(64)),)) for person in range(4)]
    taken = [person for person, body in enumerate(hands) if verified.fits_handed(body, plan, 4)]
    assert taken == invited


def test_a_public_tally_says_what_shares_open() -> None:
    board = until(Tally, 2)
    right = said(Tally, "analyst", 2)
    assert right.counts == ({("yes",): 2, ("no",): 2},)
    for wrong in (
        Tally((4,), {}, ({("yes",): 4},)),
        Tally((3,), {}, ({("yes",): 2, ("no",): 1},)),
    ):
        assert not says(board, "analyst", wrong, 2)
    assert says(board, "analyst", right, 2)


def test_sessions_of_onions_take_none_of_these_posts() -> None:
    rules, guards = Rules(min_batch=3, min_dropout=2), Guards(registered=4, signed=False)
    entries = play(VERIFIED.small(4, guards=guards, rules=rules)).entries
    board = Board()
    for entry in entries:
        if isinstance(entry.message.body, Mixed):
            break
        board.post(entry.author, entry.data)
    for body in (said(BallotKeys, "curator"), HandedBallots(()), CheckedBallots(bytes(32))):
        assert not says(board, "curator", body)


@pytest.mark.parametrize(
    "rules",
    [
        {"tokens": True},
        {"challenge": True},
        {"audit": True},
        {"salted": False, "lesson": True},
        {"padded": False, "lesson": True},
        {"ordered": False, "lesson": True},
    ],
)
def test_a_verified_mix_has_no_guards_of_onions(rules: dict[str, bool]) -> None:
    with pytest.raises(
        ParameterError, match="verified: salted, padded and sorted ballots are needed"
    ):
        Rules(verified=True, **rules)


def test_keys_that_cancel_out_are_refused() -> None:
    board = until(BallotKeys)
    plan = open_round(board.announcement, board.session, board.calls[0])  # type: ignore[arg-type]
    secrets = {"curator": 5, "shuffler-1": 7, "shuffler-2": -12 % GROUP.order}
    keys = {}
    for at, (party, secret) in enumerate(secrets.items(), start=1):
        drawn = secret.to_bytes(64, "little") + bytes([at]) * 64
        contexts = [context_of(plan, question, party) for question in (0, 1)]
        keys[party] = posted_keys([make_key(context, Drawn(drawn)) for context in contexts])
    assert [says(board, party, body) for party, body in keys.items()] == [True, True, False]


def test_accounts_follow_from_lists() -> None:
    board = until(OpeningShares)
    sums = [(mix.hop, mix.people, mix.received, mix.forwarded) for mix in board.mixed]
    assert sums == [(1, 4, 4, 8), (2, 0, 8, 8)]
    assert all(not mix.refused for mix in board.mixed)


def test_one_of_two_ballots_counts() -> None:
    board = until(HandedBallots, more=1)
    other = HandedBallots(
        (replace(said(HandedBallots, "curator").people[0], ballots=b"\1" * SIZE),)
    )
    assert says(board, "shuffler-1", other)
    assert says(board, "shuffler-2", HandedBallots(()))
    assert len(board.verified.closed[1]) == 4


@pytest.mark.parametrize("data", [Writer().u32(0).u32(7), Writer().u32(1).u32(0).u32(0)])
def test_ballots_have_a_size_where_there_are_some(data: Writer) -> None:
    with pytest.raises(Refused, match="malformed"):
        decode(data.raw(bytes(64 * (data.finish()[3]))).finish(), HandedBallots.read)


@pytest.mark.parametrize("at", [0, 1])
def test_a_public_tally_is_right_in_each_question(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    board, opened = until(Tally, 2), [Counter({("yes",): 3}), Counter({("no",): 3})]
    plan = open_round(board.announcement, board.session, board.calls[1])  # type: ignore[arg-type]
    monkeypatch.setattr(verified_posts, "read_opened", lambda *_: BallotReading(opened))
    counts = [dict(count) for count in opened]
    assert board.verified.answers(Tally((3, 3), {}, tuple(counts)), plan)
    counts[at] = {("else",): 3}
    assert not board.verified.answers(Tally((3, 3), {}, tuple(counts)), plan)
