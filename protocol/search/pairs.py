"""The pairs of deviations of a coalition, made of its single deviations."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from ..parties import Role, role
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
    holds = [one for one in singles if one.do is Action.HOLD]
    theirs = [one for one in singles if one.by in friends]
    for one in singles:
        if one.by not in friends and one.do is not Action.HOLD:
            posts.append(one)
            yield from ((one, other) for other in theirs)
        if one.do in (*ON_BALLOTS, Action.IGNORE) and role(one.by) is Role.SHUFFLER:
            ballots.append(one)
    for one in posts:
        if one.do is Action.CHANGE:
            yield from (
                (one, hold)
                for hold in holds
                if (hold.message, hold.rounds) == (one.message, one.rounds)
            )
    for one, two in combinations(ballots, 2):
        if one.by == two.by and not set(one.rounds) & set(two.rounds):
            yield one, two
