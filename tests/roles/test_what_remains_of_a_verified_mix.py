"""Attacks that a verified mix leaves possible (docs/verified.md): users kept away, and friends.

A user that the network cuts off from all doors is, for everybody else, an absent user. The
attackers know the answers of their friends, and read the public counts.
"""

from collections import Counter

import pytest
import role_kit as KIT
import verified_session_kit as VERIFIED

VICTIM, PEOPLE = 0, 6
MIN_BATCH, MIN_DROPOUT = VERIFIED.RULES.min_batch, VERIFIED.RULES.min_dropout
ROWS = [("yes",), ("no",)] * (PEOPLE // 2)


def played(away: dict[int, list[int]]) -> KIT.Run:
    """Play a session with public marginals; by user, the rounds in which it is kept away."""
    faults = {f"user_{index + 1}": ("absent", rounds) for index, rounds in away.items()}
    cast = VERIFIED.small(PEOPLE, policy=VERIFIED.PUBLISHED, faults=KIT.attack(**faults))
    return KIT.run(cast)


def unknown(run: KIT.Run, number: int, friends: range) -> Counter[tuple[str, ...]]:
    """The public counts of a round without the answers of friends."""
    (counts,) = run.board.tallies[number - 1].counts
    return Counter(counts) - Counter(ROWS[friend] for friend in friends)


@pytest.mark.memory
@pytest.mark.parametrize("friends", range(MIN_BATCH))
def test_among_min_batch_less_one_friends_one_user_is_read(friends: int) -> None:
    """All but `min_batch` users are kept away in round 1; fewer friends leave more users."""
    run = played({index: [1, 2] for index in range(MIN_BATCH, PEOPLE)})
    left = unknown(run, 1, range(1, 1 + friends))
    assert run.board.burned is None
    assert left.total() == MIN_BATCH - friends
    assert (left == Counter([ROWS[VICTIM]])) == (friends == MIN_BATCH - 1)


@pytest.mark.memory
def test_fewer_than_min_batch_users_are_not_counted() -> None:
    run = played({index: [1, 2] for index in range(MIN_BATCH - 1, PEOPLE)})
    assert run.board.burned is not None
    assert not run.board.tallies


@pytest.mark.memory
@pytest.mark.parametrize("friends", range(MIN_DROPOUT))
def test_among_min_dropout_less_one_friends_the_rounds_differ_by_one_user(friends: int) -> None:
    """`min_dropout` users are kept away in round 2 alone."""
    run = played({index: [2] for index in range(MIN_DROPOUT)})
    assert run.board.burned is None
    differ = unknown(run, 1, range(1, 1 + friends)) - unknown(run, 2, range(0))
    assert differ.total() == MIN_DROPOUT - friends
    assert (differ == Counter([ROWS[VICTIM]])) == (friends == MIN_DROPOUT - 1)
