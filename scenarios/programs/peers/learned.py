"""What each peer handled and learned by itself, from the ways of all messages."""

from dataclasses import dataclass

from ....protocol import parties
from ....protocol.peers.routes import Route, followed
from ....protocol.peers.view import PeerRecord

MOST = 300  # peers; with more, what each follows alone is not worked out


@dataclass(frozen=True, slots=True)
class PeerLearned:
    """One peer, over all rounds.

    Attributes:
        name: the peer.
        sent: messages of its own, blanks included, that came to their ends.
        opened: layers of others' messages that it opened.
        shown: ballots that it found at the end of their paths, and showed.
        senders: the fewest senders behind one of its batches: whoever looks on is lost among them.
        followed: others' messages that it follows to what they say; None where it is not known.
        linked: others of whom it knows a value by that; None likewise.
    """

    name: str
    sent: int
    opened: int
    shown: int
    senders: int
    followed: int | None
    linked: int | None


def learned(record: PeerRecord) -> tuple[PeerLearned, ...]:
    """Every peer of a run, in their order."""
    peers = sorted(number - 1 for number in record.board.keys)
    return tuple(_one(record, peer, alone=len(peers) <= MOST) for peer in peers)


def _one(record: PeerRecord, peer: int, *, alone: bool) -> PeerLearned:
    routes = [route for there in record.routes.values() for route in there]
    here = [place for route in routes for place, stop in enumerate(route.stops) if stop == peer]
    batches = [
        {route.origin for route in there if route.stops[step] == peer}
        for there in record.routes.values()
        for step in range(record.board.agreement.path)
    ]
    followed = _followed(record, peer) if alone else None
    return PeerLearned(
        parties.peer(peer),
        sum(route.origin == peer for route in routes),
        len(here),
        sum(route.stops[-1] == peer for route in routes),
        min((len(batch) for batch in batches if batch), default=0),
        None if followed is None else len(followed),
        None
        if followed is None
        else len({message.origin for message in followed if message.answer is not None}),
    )


def _followed(record: PeerRecord, peer: int) -> list[Route]:
    """Others' messages that a peer follows with nobody's help."""
    members = frozenset({peer})
    return [there[place] for there in record.routes.values() for place in followed(there, members)]
