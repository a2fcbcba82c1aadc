"""The findings of a run among peers: misbehaving peers, and messages that coalitions follow.

Peers mix their messages among themselves, without shufflers, curator and analyst.
"""

from msgspec import field

from ...deprecated import keeps_old
from ...protocol.peers.charge import Charge
from ..serialization.record import Record


class Spread(Record, frozen=True):
    """A mean over coalitions with its 95 % interval.

    The interval has no width if all coalitions were measured.

    Attributes:
        mean: over coalitions.
        low: the lower end.
        high: the upper end.
    """

    mean: float
    low: float = field(name="low_95")
    high: float = field(name="high_95")


@keeps_old(all_="coalition_count")
class OfSize(Record, frozen=True):
    """The messages that coalitions of one size follow from their sender to the ballot.

    Attributes:
        size: members of a coalition.
        tried: the number of coalitions measured.
        coalition_count: the number of coalitions of this size.
        expected: the expected share of onions with their whole path in the coalition.
        onions: the share of outsiders' onions that the coalition follows to the ballot.
        people: the number of outsiders that it links to a value.
        rows: the number of outsiders that it links to their released row.
    """

    size: int
    tried: int
    coalition_count: int = field(name="all")
    expected: float
    onions: Spread
    people: Spread
    rows: Spread


class PeersFound(Record, frozen=True):
    """The findings of a run among peers.

    Attributes:
        agreement: the encoding, in hex, of the parameters that all peers signed.
        peers: the number of participants.
        path: the number of peers that every message passes.
        onions: the number of onions per peer and round.
        charges: the peers that the board proves to have misbehaved, with reasons.
        sizes: the messages that coalitions follow, by size; () without messages.
    """

    agreement: str
    peers: int
    path: int
    onions: int
    charges: tuple[Charge, ...] = field(name="named", default=())
    sizes: tuple[OfSize, ...] = field(name="coalitions", default=())


def smallest_linking(among: PeersFound) -> int | None:
    """Return the size of the smallest coalition known to link a peer to a value, or None.

    Of many peers not every coalition is measured, and few random coalitions hold all peers of a
    path. A coalition that holds all peers of a message's path follows the message, so a coalition
    of the length of a path is large enough.
    """
    first = next((size.size for size in among.sizes if size.people.mean > 0), None)
    return None if first is None else min(first, among.path)
