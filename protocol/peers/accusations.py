"""What an accusation tells of its accuser: the other half of the attack that provokes one.

An accuser shows what a layer held. At the end of a path that is its sealed ballot: who has all
secrets of the round reads it, with the accuser's name beside it. Before secrets are shown nobody
has them, and a round in which somebody accuses is burned before. (An accusation from the middle of
a path shows a layer that the peers behind it can open: to the same sealed ballot.)
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ...crypto.joint_key import total
from ...errors import Refused
from ..adversary_view import People
from .accounting import Reckoning
from .agreement import ROUTE
from .onions import open_ballot


@dataclass(frozen=True, slots=True)
class PeerLoot:
    """What attackers among peers have: what follows from the board, and secrets of their own.

    Attributes:
        seen: what follows from the board.
        secrets: by round and number, secrets of their shares.
    """

    seen: Reckoning
    secrets: Mapping[tuple[int, int], bytes]


def told_by_accusers(loot: PeerLoot) -> People:
    """Anybody: per accuser, by index, the values of it that its accusations tell."""
    rows: People = {}
    board, plan = loot.seen.board, loot.seen.mixed
    if plan is None:
        return rows
    number = plan.call.round
    shown = dict(board.shown(number))
    shown.update({peer: secret for (r, peer), secret in loot.secrets.items() if r == number})
    if shown.keys() != board.shares(number).keys():
        return rows
    secret = total(list(shown.values()))
    for place in board.posts:
        if place[0] != number:
            continue
        for accuser, accusation in board.accusations(place):
            try:
                ballot = open_ballot(plan, secret, accusation.inside[ROUTE:])
            except Refused:
                continue
            if ballot is not None:
                row = zip(plan.call.asks[ballot.ask], ballot.values, strict=True)
                rows.setdefault(accuser - 1, {}).update(row)
    return rows
