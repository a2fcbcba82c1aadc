"""The trail of an onion ends where a coalition loses it, and says by which rule it went on."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from veilmix.protocol.peers.routes import Route, RouteRule, followed, narrowed, trail

PEERS = 5
PATHS = st.permutations(range(1, PEERS)).map(lambda order: order[:2])


@st.composite
def some(draw: st.DrawFn) -> list[Route]:
    """Onions of a round: paths of two, of others than their senders."""
    routes = []
    for place in range(draw(st.integers(1, 7))):
        origin = draw(st.integers(0, PEERS - 1))
        stops = tuple((origin + step) % PEERS for step in draw(PATHS))
        names = tuple(bytes([place, step]) for step in range(2))
        routes.append(Route(origin, stops, (0, ("y",)), names))
    return routes


@given(some(), st.sets(st.integers(0, PEERS - 1)).map(frozenset))
def test_a_trail_is_what_is_followed_step_by_step(
    routes: list[Route], members: frozenset[int]
) -> None:
    ends = followed(routes, members)
    for place, route in enumerate(routes):
        if route.origin in members:
            continue
        hops = trail(routes, members, place)
        assert (hops[-1].rule is RouteRule.LOST) == (place not in ends)
        assert len(hops) == 2 or hops[-1].rule is RouteRule.LOST
        assert [hop.rule is RouteRule.LOST for hop in hops[:-1]] == [False] * (len(hops) - 1)
        for step, hop in enumerate(hops):
            batch = [route for route in routes if route.stops[step] == hop.peer]
            others = [path for path in batch if path.origin not in members]
            assert (hop.step, hop.peer, hop.name) == (
                step + 1, route.stops[step], route.names[step]
            )  # fmt: skip
            assert hop.onions == len(others)
            assert (hop.rule is RouteRule.OPEN) == (hop.peer in members)
            if hop.rule is RouteRule.ALONE:
                assert {other.origin for other in others} == {route.origin}


@given(some())
def test_whoever_joins_follows_no_less_and_each_step_no_more(routes: list[Route]) -> None:
    for size in range(3):
        for members in combinations(range(PEERS), size):
            *_, last = left = list(narrowed(routes, frozenset(members)))
            assert all(after <= before for before, after in pairwise(left))
            for another in set(range(PEERS)) - {*members}:
                more = followed(routes, frozenset({*members, another}))
                assert {at for at in last if routes[at].origin != another} <= more
