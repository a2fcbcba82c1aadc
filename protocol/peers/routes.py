"""The routes of onions among peers: the onions that a coalition follows, and the rule at each step.

All onions are on the board, with senders and receivers. A coalition follows an onion by one of two
rules, step by step; if neither holds, it is lost among the other onions of that batch:

    open     a member opened it, and so saw the forwarded content
    alone    a peer outside opened it, and all its inputs in this step, without the members' own,
             are known to be of one sender: so are its outputs
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple


class Route(NamedTuple):
    """The route of an onion through the peers, with its content.

    Attributes:
        origin: the peer that sent the onion, an index from 0, as all peers here.
        stops: the peers that received it, in order.
        answer: query and values; None for a blank.
        names: the names of the layers that arrived at the stops.
    """

    origin: int
    stops: tuple[int, ...]
    answer: tuple[int, tuple[str, ...]] | None
    names: tuple[bytes, ...] = ()


class RouteRule(StrEnum):
    """The rule by which a coalition follows an onion past a peer, or that it loses it.

    The module explains the rules.
    """

    OPEN = "open"
    ALONE = "alone"
    LOST = "lost"


class RouteHop(NamedTuple):
    """A hop on the route of an onion, and whether a coalition follows the onion past it.

    Attributes:
        step: the step of the round, from 1.
        peer: the peer that opened the layer, an index from 0.
        name: the name (hash) of the layer.
        rule: the rule that follows it past this peer.
        onions: number of onions at this peer in this step, without the members' own.
    """

    step: int
    peer: int
    name: bytes
    rule: RouteRule
    onions: int


def narrowed(routes: Sequence[Route], members: frozenset[int]) -> Iterator[set[int]]:
    """Coalition: yield the set of outsiders' onions that it still follows after 0, 1, ... steps.

    Onions are places in `routes`. members: the coalition, by index.
    """
    outside_places = {place for place, route in enumerate(routes) if route.origin not in members}
    followed_places = set(outside_places)
    yield followed_places
    for step in range(max((len(route.stops) for route in routes), default=0)):
        senders: dict[int, set[int]] = {}
        for place in outside_places:
            route = routes[place]
            if route.stops[step] not in members:
                sender = route.origin if place in followed_places else -1
                senders.setdefault(route.stops[step], set()).add(sender)
        mixed = {stop for stop, origins in senders.items() if len(origins) > 1}
        followed_places = {
            place for place in followed_places if routes[place].stops[step] not in mixed
        }
        yield followed_places


def followed(routes: Sequence[Route], members: frozenset[int]) -> set[int]:
    """Coalition: return the outsiders' onions that it follows to the end, as places in `routes`."""
    *_, followed_places = narrowed(routes, members)
    return followed_places


def trail(routes: Sequence[Route], members: frozenset[int], place: int) -> tuple[RouteHop, ...]:
    """Coalition: return the hops of another person's onion, to its end or until it is lost.

    place: position of the onion in `routes`.
    """
    route, hops = routes[place], list[RouteHop]()
    outside_routes = [
        outside_route for outside_route in routes if outside_route.origin not in members
    ]
    _, *places_by_step = narrowed(routes, members)
    for step, followed_places in enumerate(places_by_step):
        peer = route.stops[step]
        rule = (
            RouteRule.OPEN
            if peer in members
            else RouteRule.ALONE
            if place in followed_places
            else RouteRule.LOST
        )
        batch = sum(outside_route.stops[step] == peer for outside_route in outside_routes)
        hops.append(RouteHop(step + 1, peer, route.names[step], rule, batch))
        if rule is RouteRule.LOST:
            break
    return tuple(hops)
