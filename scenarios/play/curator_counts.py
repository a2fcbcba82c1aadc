"""The counts of round 1 that a curator has read, for a ledger in the same process.

A first shuffler knows who took part and no counts; the curator knows counts and not who took part.
Groups of people that releases give by arithmetic are judged by both: the shuffler names factors of
sessions, the curator adds counts by these factors and says whether the promise can be proved. In a
run of one process this instrument stands for that message. Between machines there is none, and a
shuffler has only counts that the board shows (scenarios/sessions/ledger.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...protocol.messages import Counts
from ...protocol.parties import CURATOR
from ...protocol.transcript import Read
from ...roles.instruments import Instrument


@dataclass(slots=True)
class CuratorCounts(Instrument):
    """Keeps what the curator has read in round 1.

    Attributes:
        counts: a count of each column; None: it has read none.
    """

    counts: Sequence[Counts] | None = None

    def read(self, read: Read) -> None:
        """Keep the counts of round 1."""
        if read.reader == CURATOR and read.round == 1:
            self.counts = read.counts

    def first(self) -> Sequence[Counts] | None:
        """The counts of round 1."""
        return self.counts
