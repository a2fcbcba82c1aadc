"""The messages that each peer handled, and those that it can follow alone, from all routes.

A route is the path of a message: its sender, the peers that opened its layers, and its ballot.
"""

from dataclasses import dataclass

from ....protocol.peers.routes import Route, followed
from ....protocol.peers.view import PeerRecord
from ....protocol.wire import parties

MAX_MEASURED = 300  # peers up to which the messages that each peer follows alone are computed


@dataclass(frozen=True, slots=True)
class PeerLearned:
    """The work and the knowledge of a peer, over all rounds.

    Attributes:
        name: the peer.
        sent_messages: messages of its own, dummies included, that reached the end of their path.
        opened: layers of other peers' messages that it opened.
        posted_ballots: ballots that it found at the end of their paths, and posted.
        senders: the fewest senders behind a batch of its own: the anonymity set of a sender.
        followed: messages that it follows from another sender to the ballot; None if not computed.
        linked: other peers with a value that it learns from these messages; None if not computed.
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
    """Return the work and the knowledge of a peer. is_measured: whether messages are followed."""
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
    """Return the messages of other peers that a peer alone can follow from sender to ballot."""
    members = frozenset({peer})
    return [
        round_routes[place]
        for round_routes in record.routes.values()
        for place in followed(round_routes, members)
    ]
