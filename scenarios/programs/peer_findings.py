"""The findings of a run among peers: misbehaving peers, and messages that coalitions can trace.

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
        mean: the mean over the measured coalitions.
        low: the lower end of the interval.
        high: the upper end of the interval.
    """

    mean: float
    low: float = field(name="low_95")
    high: float = field(name="high_95")


@keeps_old(all_="coalition_count")
class OfSize(Record, frozen=True):
    """The messages that coalitions of one size can trace from their sender to the ballot.

    Attributes:
        size: members of a coalition.
        tried: the number of coalitions measured.
        coalition_count: the number of coalitions of this size.
        expected: the expected share of onions with all peers of their path in the coalition.
        onions: the share of other peers' onions that the coalition traces to the ballot.
        people: the number of other peers that the coalition links to a value.
        rows: the number of other peers that the coalition links to their released row.
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
        sizes: the messages that coalitions can trace, by number of members; () without messages.
    """

    agreement: str
    peers: int
    path: int
    onions: int
    charges: tuple[Charge, ...] = field(name="named", default=())
    sizes: tuple[OfSize, ...] = field(name="coalitions", default=())


def smallest_linking(among: PeersFound) -> int | None:
    """Return the size of the smallest coalition known to link a peer to a value, or None.

    With many peers only random coalitions are measured, and few of them contain all peers of a
    message's path. A coalition with all peers of a path traces the message. So the length of a path
    is an upper bound on the size. None if no measured coalition links a peer to a value.
    """
    first = next((size.size for size in among.sizes if size.people.mean > 0), None)
    return None if first is None else min(first, among.path)
