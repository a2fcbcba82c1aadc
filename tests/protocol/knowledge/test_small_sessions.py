"""Every strategy of a cheating first shuffler in a session of three: with guards, and without."""

from dataclasses import replace

import pytest
import small_sessions
from small_sessions import (
    ANALYST,
    CURATOR,
    DELAY,
    DROP,
    FIRST,
    FRIEND,
    KEEP,
    SECOND,
    ReaderBatch,
    SessionGuards,
    coalitions,
    find_distinguisher,
    handled,
    honest,
    other_sums,
)

ALONE = frozenset({FIRST})
GUARDED = SessionGuards(shufflers=2, tokens=True, sums=True, dropout=2)


def test_without_tokens_it_finds_subtract_by_itself() -> None:
    distinguisher = find_distinguisher(SessionGuards(dropout=2), ALONE, 3)
    assert distinguisher is not None
    assert distinguisher.moves == (f"{KEEP}, {KEEP}", f"{KEEP}, replace by 0", f"{KEEP}, {KEEP}")
    assert distinguisher.lies == ("none", "none")
    assert distinguisher.deviations == 1


def test_a_release_that_burns_where_a_guess_is_wrong_tells_as_much() -> None:
    distinguisher = find_distinguisher(SessionGuards(dropout=2, sums=True), ALONE, 3)
    assert distinguisher is not None
    burned, released = map(tuple, distinguisher.views)  # type: ignore[arg-type]
    assert burned[-1] == "the release does not fit"
    assert released[-1] == ("release", 3, 1)


def test_a_friend_makes_the_dropout_rule_useless() -> None:
    distinguisher = find_distinguisher(SessionGuards(dropout=2, sums=True), ALONE | {FRIEND}, 3)
    assert distinguisher is not None
    assert DROP in distinguisher.moves[1]


@pytest.mark.slow
@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("who", list(coalitions(2)), ids=lambda who: "+".join(sorted(who)))
def test_with_tokens_only_a_reader_that_mints_them_helps(
    who: frozenset[str],
    public: bool,
) -> None:
    terms = SessionGuards(2, tokens=True, sums=True, dropout=2, public=public)
    distinguisher = find_distinguisher(terms, who, 3)
    assert (distinguisher is None) == (not who & {CURATOR, ANALYST})


@pytest.mark.parametrize("left_out", ["tokens"])
def test_without_the_guard_there_is_a_strategy(left_out: str) -> None:
    assert find_distinguisher(GUARDED, ALONE, 3) is None
    assert find_distinguisher(replace(GUARDED, **{left_out: False}), ALONE, 3) is not None


def test_coalitions_leave_out_those_that_read_everything_by_watching() -> None:
    assert set(coalitions(1)) == {ALONE, ALONE | {FRIEND}}
    assert ALONE | {SECOND, CURATOR} not in set(coalitions(2))
    assert ALONE | {CURATOR, ANALYST} in set(coalitions(2))


def test_no_sum_of_others_is_left_out() -> None:
    """Brute force: what everybody else comes to, over every answer and every pair of moves."""
    alone = {pair for value in (0, 1) for pair, _ in honest(value)}
    assert set(other_sums(3, friend=False)) == alone
    both = {(a[0].and_(b[0]), a[1].and_(b[1])) for a in alone for b in alone}
    assert set(other_sums(4, friend=False)) == both


@pytest.mark.parametrize("value", [0, 1])
def test_what_is_late_is_as_what_is_lost_and_a_copy_as_one(value: int) -> None:
    assert handled(DELAY, value) == handled(DROP, value) == ReaderBatch(tokens=1)
    assert handled("duplicate", value) == handled(KEEP, value) == ReaderBatch(1, value, tokens=1)


CHALLENGED = SessionGuards(shufflers=2, challenge=True, sums=True, dropout=2)
AT_THE_DOOR = (DROP, DELAY)


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("who", list(coalitions(2)), ids=lambda who: "+".join(sorted(who)))
def test_with_a_challenge_nothing_put_in_helps_anybody(
    who: frozenset[str], public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unlike with `sums` alone: it burns before anything is read, whatever was put in."""
    inside = tuple(move for move in small_sessions.MOVES if move not in AT_THE_DOOR)
    monkeypatch.setattr(small_sessions, "MOVES", inside)
    terms = replace(CHALLENGED, public=public)
    assert find_distinguisher(terms, who, 3) is None
    assert find_distinguisher(replace(terms, challenge=False), who, 3) is not None


def test_with_a_challenge_who_is_let_in_still_tells() -> None:
    """Who was not accepted cannot prove to have sent: what is left of the guesses is who is in."""
    distinguisher = find_distinguisher(CHALLENGED, ALONE, 3)
    assert distinguisher is not None
    used = {move for pair in distinguisher.moves for move in pair.split(", ")}
    assert used & set(AT_THE_DOOR)
    assert used <= {KEEP, *AT_THE_DOOR}


def test_with_tokens_and_a_challenge_a_reader_can_only_leave_people_out() -> None:
    both = replace(CHALLENGED, tokens=True)
    assert find_distinguisher(both, ALONE, 3) is None
    distinguisher = find_distinguisher(both, ALONE | {ANALYST}, 3)
    assert distinguisher is not None
    assert not any("replace" in pair for pair in distinguisher.moves)
