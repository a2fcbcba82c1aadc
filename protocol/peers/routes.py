"""The routes of onions among peers: the onions that a coalition follows, and the rule at each step.

All onions are on the board, with senders and receivers. A coalition follows an onion past a peer by
one of two rules. If neither applies, it cannot tell the onion from the other onions of that peer:

    open     a member opened it, and so saw the forwarded content
    alone    a peer outside the coalition opened it; all inputs of that peer in this step, without
             the members' own onions, are known to be of one sender, so all outputs are too
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple


class Route(NamedTuple):
    """The route of an onion through the peers, with its content.

    Attributes:
        origin: the peer that sent the onion, an index from 0, as all peers here.
        stops: the peers that received it, in order.
        answer: query and values; None if the onion has no answer.
        names: the names (hashes) of the layers that arrived at the stops.
    """

    origin: int
    stops: tuple[int, ...]
    answer: tuple[int, tuple[str, ...]] | None
    names: tuple[bytes, ...] = ()


class RouteRule(StrEnum):
    """The rule by which a coalition follows an onion past a peer.

    OPEN: a member of the coalition opened it. ALONE: the peer had onions of this sender only,
    besides onions of members. LOST: neither, so the coalition cannot follow the onion.
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
        rule: the rule by which the coalition follows the onion past this peer; LOST: it cannot.
        onions: number of onions at this peer in this step, without onions of members.
    """

    step: int
    peer: int
    name: bytes
    rule: RouteRule
    onions: int


def narrowed(routes: Sequence[Route], members: frozenset[int]) -> Iterator[set[int]]:
    """Coalition: yield, after each step from 0, the set of outsiders' onions that it follows.

    An outsider is a peer that is no member. An onion is given by its index in `routes`. members:
    the coalition, by index.
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
    """Coalition: return the onions of other senders that it follows to the end.

    An onion is given by its index in `routes`. members: the coalition, by index.
    """
    *_, followed_places = narrowed(routes, members)
    return followed_places


def trail(routes: Sequence[Route], members: frozenset[int], place: int) -> tuple[RouteHop, ...]:
    """Coalition: return the hops of another person's onion, as far as the coalition follows it.

    The last hop is the end of the path, or the peer at which the onion is lost. place: index of the
    onion in `routes`. members: the coalition, by index.
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
