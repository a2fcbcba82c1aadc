"""The counts of round 1 that a curator has read, for a ledger in the same process.

A first shuffler knows the participants and no counts; the curator knows counts and no participant.
Groups of people that follow from releases by arithmetic are judged by both: the shuffler names
factors of sessions, the curator adds counts by these factors and decides whether the promise can be
proved. In a run of one process this instrument stands for that message. Between machines there is
no such message, and a shuffler has only the board's counts (scenarios/deployment/ledger.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ....protocol.knowledge.transcript import Read
from ....protocol.wire.messages import Counts
from ....protocol.wire.parties import CURATOR
from ....roles.network.instruments import Instrument


@dataclass(slots=True)
class CuratorCounts(Instrument):
    """An instrument that keeps the curator's counts of round 1.

    Attributes:
        counts: the counts of each column; None: it has read no counts.
    """

    counts: Sequence[Counts] | None = None

    def read(self, read: Read) -> None:
        """Keep the counts of round 1."""
        if read.reader == CURATOR and read.round == 1:
            self.counts = read.counts

    def first(self) -> Sequence[Counts] | None:
        """Return the counts of round 1."""
        return self.counts
