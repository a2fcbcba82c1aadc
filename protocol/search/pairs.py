"""The pairs of deviations of a coalition, made of its single deviations."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..wire.parties import Role, role
from .deviation import ON_BALLOTS, Action, Deviation
from .space import SpaceSetting


def pairs(
    setting: SpaceSetting, singles: Sequence[Deviation]
) -> Iterator[tuple[Deviation, Deviation]]:
    """Yield the pairs of deviations to try.

    A party with a person of the coalition; a changed post with the board withheld from that post
    on; two deviations of the same shuffler on its ballots, or on the letters that it ignores.
    """
    friends, posts, ballots = set(setting.friends), list[Deviation](), list[Deviation]()
    holds = [deviation for deviation in singles if deviation.do is Action.HOLD]
    theirs = [deviation for deviation in singles if deviation.by in friends]
    for deviation in singles:
        if deviation.by not in friends and deviation.do is not Action.HOLD:
            posts.append(deviation)
            yield from ((deviation, friend_deviation) for friend_deviation in theirs)
        if deviation.do in (*ON_BALLOTS, Action.IGNORE) and role(deviation.by) is Role.SHUFFLER:
            ballots.append(deviation)
    for deviation in posts:
        if deviation.do is Action.CHANGE:
            yield from (
                (deviation, hold)
                for hold in holds
                if (hold.message, hold.rounds) == (deviation.message, deviation.rounds)
            )
    for deviation, two in combinations(ballots, 2):
        if deviation.by == two.by and not set(deviation.rounds) & set(two.rounds):
            yield deviation, two
