"""The leak of an accusation about its accuser: the exploit of the attack that provokes it.

An accuser reveals the content of a layer. At the end of a path the content is a sealed ballot. A
party with all secret shares of the round's key reads the ballot, and knows the accuser's name.
Before the shares are revealed no peer has all of them, and a round with an accusation is aborted
before. (An accusation from the middle of a path reveals a layer that the later peers of the path
can open, down to this sealed ballot.)
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ...crypto.joint_key import total
from ...errors import Refused
from ..knowledge.adversary_view import People
from .accounting import Reckoning
from .agreement import ROUTE
from .onions import open_ballot


@dataclass(frozen=True, slots=True)
class PeerLoot:
    """The joint knowledge of attackers among peers: the board, and their own secrets.

    Attributes:
        reckoning: the state of the session that follows from the board.
        secrets: by round and peer's number, the secrets of the attackers' key shares.
    """

    reckoning: Reckoning
    secrets: Mapping[tuple[int, int], bytes]


def accuser_values(loot: PeerLoot) -> People:
    """Any party: return, by accuser's index, the values that its accusations reveal.

    An accusation shows the content of a layer of the accuser's own onion. At the end of the
    onion's path this is the accuser's sealed ballot. The result is empty unless the attackers
    have all secret shares of the key to the round's ballots, revealed or their own.
    """
    rows: People = {}
    board, plan = loot.reckoning.board, loot.reckoning.mixed
    if plan is None:
        return rows
    number = plan.call.round
    secrets = dict(board.revealed_secrets(number))
    secrets.update({peer: secret for (r, peer), secret in loot.secrets.items() if r == number})
    if secrets.keys() != board.shares(number).keys():
        return rows
    secret = total(list(secrets.values()))
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
