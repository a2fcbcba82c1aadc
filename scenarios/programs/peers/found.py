"""What is told of a run among peers: who was named, and what coalitions follow."""

from msgspec import field

from ....protocol.peers.charge import Charge
from ...serialization.record import Record


class Spread(Record, frozen=True):
    """A mean over coalitions with its 95 % interval: the mean itself, where all were looked at.

    Attributes:
        mean: over coalitions.
        low: the lower end.
        high: the upper end.
    """

    mean: float
    low: float = field(name="low_95")
    high: float = field(name="high_95")


class OfSize(Record, frozen=True):
    """What coalitions of so many peers follow.

    Attributes:
        size: members.
        tried: coalitions looked at.
        all_: how many there are.
        expected: share of onions whose whole path is theirs.
        onions: share of others' onions that they follow to the ballot.
        people: others of whom they pin a value.
        rows: others whose released row they pin.
    """

    size: int
    tried: int
    all_: int = field(name="all")
    expected: float
    onions: Spread
    people: Spread
    rows: Spread


class PeersFound(Record, frozen=True):
    """A run among peers.

    Attributes:
        agreement: its encoding, in hex.
        peers: who took part.
        path: peers that every message passes.
        onions: of each, a round.
        charges: who was named, and for what.
        sizes: what coalitions follow; () without messages.
    """

    agreement: str
    peers: int
    path: int
    onions: int
    charges: tuple[Charge, ...] = field(name="named", default=())
    sizes: tuple[OfSize, ...] = field(name="coalitions", default=())


def smallest_linking(among: PeersFound) -> int | None:
    """Members of the smallest coalition known to link somebody; None: none looked at does.

    Of many peers not every coalition is looked at, and few that are drawn hold all peers of one
    path; whoever holds these follows what takes it, so that a path's length of peers is enough.
    """
    first = next((size.size for size in among.sizes if size.people.mean > 0), None)
    return None if first is None else min(first, among.path)
