"""The messages that each peer handled, and the messages that it can trace alone, from all routes.

A route is the path of a message: its sender, the peers that opened its layers, and its ballot.
"""

from dataclasses import dataclass

from ....protocol.peers.routes import Route, followed
from ....protocol.peers.view import PeerRecord
from ....protocol.wire import parties

# limit of the peers in a session; above it, the messages that a single peer can trace are not
# computed, because this would take long
MAX_MEASURED = 300


@dataclass(frozen=True, slots=True)
class PeerLearned:
    """The work and the knowledge of a peer, over all rounds.

    Attributes:
        name: the name of the peer.
        sent_messages: messages that the peer sent, dummies included, that reached the end of their
            path.
        opened: encryption layers that the peer opened, of messages that other peers sent.
        posted_ballots: ballots that the peer found at the end of their paths, and posted.
        senders: the fewest senders whose messages the peer opened in one batch: the smallest
            anonymity set of a sender.
        followed: messages that the peer alone traces from another sender to the ballot; None if not
            computed.
        linked: other peers that it links to a value by these messages; None if not computed.
    """

    name: str
    sent_messages: int
    opened: int
    posted_ballots: int
    senders: int
    followed: int | None
    linked: int | None


def learned(record: PeerRecord) -> tuple[PeerLearned, ...]:
    """Return the work and the knowledge of every peer of a run, in the order of the peers."""
    peers = sorted(number - 1 for number in record.board.keys)
    return tuple(
        _peer_learned(record, peer, is_measured=len(peers) <= MAX_MEASURED) for peer in peers
    )


def _peer_learned(record: PeerRecord, peer: int, *, is_measured: bool) -> PeerLearned:
    """Return the work and the knowledge of a peer, an index from 0.

    is_measured: whether the messages that the peer alone can trace are computed.
    """
    routes = [route for round_routes in record.routes.values() for route in round_routes]
    stop_places = [
        place for route in routes for place, stop in enumerate(route.stops) if stop == peer
    ]
    batches = [
        {route.origin for route in round_routes if route.stops[step] == peer}
        for round_routes in record.routes.values()
        for step in range(record.board.agreement.path)
    ]
    followed = _followed(record, peer) if is_measured else None
    return PeerLearned(
        parties.peer(peer),
        sum(route.origin == peer for route in routes),
        len(stop_places),
        sum(route.stops[-1] == peer for route in routes),
        min((len(batch) for batch in batches if batch), default=0),
        None if followed is None else len(followed),
        None
        if followed is None
        else len({message.origin for message in followed if message.answer is not None}),
    )


def _followed(record: PeerRecord, peer: int) -> list[Route]:
    """Return the messages of other peers that a peer alone can trace from sender to ballot."""
    members = frozenset({peer})
    return [
        round_routes[place]
        for round_routes in record.routes.values()
        for place in followed(round_routes, members)
    ]
