"""The ways of onions among peers: who can follow one to its end, and by which rule at each step.

All onions are on the board, with who handed them to whom. What a coalition follows is followed by
one of two rules, step by step; where neither holds, it is lost among the others of that batch:

    open     a member opened it, and so saw what it handed on
    alone    a peer outside opened it, and all that came to that peer in this step, but what the
             members sent themselves, is known to be of one sender: so is what it handed on
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple


class Route(NamedTuple):
    """The way of one onion.

    Attributes:
        origin: its sender, an index from 0, as all here.
        stops: the peers that had it, in order.
        answer: question and values; None for a blank.
        names: of the layers that came to the stops.
    """

    origin: int
    stops: tuple[int, ...]
    answer: tuple[int, tuple[str, ...]] | None
    names: tuple[bytes, ...] = ()


class Rule(StrEnum):
    """How an onion is followed past a peer."""

    OPEN = "open"
    ALONE = "alone"
    LOST = "lost"


class Hop(NamedTuple):
    """One step of an onion's way.

    Attributes:
        step: from 1.
        peer: who opened what came, an index from 0.
        name: of the layer that came.
        rule: how it is followed past this peer.
        onions: that came to this peer in this step, but for those that members sent.
    """

    step: int
    peer: int
    name: bytes
    rule: Rule
    onions: int


def narrowed(routes: Sequence[Route], members: frozenset[int]) -> Iterator[set[int]]:
    """A coalition: the onions of others (by place) that it follows past no, one, ... all steps."""
    others = {place for place, route in enumerate(routes) if route.origin not in members}
    known = set(others)
    yield known
    for step in range(max((len(route.stops) for route in routes), default=0)):
        senders: dict[int, set[int]] = {}
        for place in others:
            route = routes[place]
            if route.stops[step] not in members:
                sender = route.origin if place in known else -1
                senders.setdefault(route.stops[step], set()).add(sender)
        mixed = {stop for stop, some in senders.items() if len(some) > 1}
        known = {place for place in known if routes[place].stops[step] not in mixed}
        yield known


def followed(routes: Sequence[Route], members: frozenset[int]) -> set[int]:
    """A coalition: which onions of others (by place in `routes`) it follows to their ends."""
    *_, known = narrowed(routes, members)
    return known


def trail(routes: Sequence[Route], members: frozenset[int], place: int) -> tuple[Hop, ...]:
    """A coalition: how it follows one onion of somebody else, up to its end or where it is lost."""
    route, hops = routes[place], list[Hop]()
    others = [other for other in routes if other.origin not in members]
    _, *left = narrowed(routes, members)
    for step, known in enumerate(left):
        peer = route.stops[step]
        rule = Rule.OPEN if peer in members else Rule.ALONE if place in known else Rule.LOST
        batch = sum(other.stops[step] == peer for other in others)
        hops.append(Hop(step + 1, peer, route.names[step], rule, batch))
        if rule is Rule.LOST:
            break
    return tuple(hops)
