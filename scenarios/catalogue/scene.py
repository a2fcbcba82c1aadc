"""What an attack has achieved: from a session that was attacked, its record, and the truth.

Attackers work from loot (protocol/adversary_view.py); only the measuring looks at the truth.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...protocol import parties
from ...protocol.adversary_view import AdversaryView
from ...protocol.board import Board
from ...protocol.ideal import released
from ...protocol.messages import Counts
from ...protocol.peers.accusations import PeerLoot
from ...protocol.peers.view import PeerRecord
from ...protocol.transcript import Transcript
from ...roles.adversary_record import AdversaryRecord
from ..populations import Population
from ..schema.model import Scenario
from .strikes import Faults


@dataclass(frozen=True, slots=True)
class Earlier:
    """The session before one that was attacked: its record, its board, and what an adversary has.

    Attributes:
        transcript: of the session.
        board: as it stood at the end.
        adversary: what accomplices have kept; None: nobody looked on.
    """

    transcript: Transcript
    board: Board
    adversary: AdversaryRecord | None

    def loot(self, accomplices: Sequence[str]) -> AdversaryView | None:
        """What these parties had together when it ended; None if nobody kept it."""
        return self.adversary.loot(self.board, accomplices) if self.adversary else None


@dataclass(frozen=True, slots=True)
class Scene:
    """A session that was attacked: its record, what an adversary has, and the truth.

    Attributes:
        scenario: what was played.
        people: who took part, and what is true of them.
        board: as it stood at the end.
        transcript: of the session.
        adversary: what accomplices have kept.
        seed: of the run; None: the system's randomness.
        sessions_before: the sessions before it, the first one first.
        strikes: which users, by index, commit what in which round.
    """

    scenario: Scenario
    people: Population
    board: Board
    transcript: Transcript
    adversary: AdversaryRecord
    seed: int | None
    sessions_before: tuple[Earlier, ...] = ()
    strikes: Faults = field(default_factory=dict)

    @property
    def earlier(self) -> Earlier | None:
        """The session just before it; None if there was none."""
        return self.sessions_before[-1] if self.sessions_before else None

    @property
    def public(self) -> Board:
        """The board as whoever looks on has it."""
        return self.loot(()).board

    def strikers(self, attack: str) -> tuple[str, ...]:
        """The users who commit an attack in some round."""
        users = sorted(
            user
            for user, rounds in self.strikes.items()
            if any(strike.attack == attack for strike in rounds.values())
        )
        return tuple(map(parties.user, users))

    @property
    def n(self) -> int:
        """How many people exist."""
        return self.people.n

    @property
    def fakes(self) -> int:
        """How many people took part who do not exist."""
        return self.transcript.users - self.n

    def counts(self, number: int = 1) -> tuple[Counts, ...]:
        """What the reader of a round has counted; () if it did not."""
        return counts_of(self.transcript, number)

    def release(self) -> Counts | None:
        """What was released of the people, row by row."""
        return release_of(self.transcript, self.board)

    def truth(self, column: int) -> Counter[tuple[str, ...]]:
        """The people by their value of a column."""
        return Counter((self.people.row(index)[column],) for index in range(self.n))

    def right(self, index: int, row: Mapping[int, str]) -> int:
        """In how many columns a row is that of a person."""
        return matching(self.people, index, row)

    def loot(self, accomplices: Sequence[str]) -> AdversaryView:
        """What these parties have together."""
        return self.adversary.loot(self.board, accomplices)


@dataclass(frozen=True, slots=True)
class PeerScene:
    """A session among peers that was attacked: its record, which all of them see, and the truth.

    Attributes:
        scenario: what was played.
        people: those who exist.
        record: what was posted, and what follows from it.
        secrets: by round and number, what attackers hold of the rounds' keys.
    """

    scenario: Scenario
    people: Population
    record: PeerRecord
    secrets: Mapping[tuple[int, int], bytes] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """How many people exist."""
        return self.people.n

    @property
    def release(self) -> Counts | None:
        """What was released of the people, row by row."""
        seen = self.record.reckoning
        return released(tuple(seen.calls), tuple(seen.tallies), seen.decision)

    def right(self, index: int, row: Mapping[int, str]) -> int:
        """In how many columns a row is that of a person."""
        return matching(self.people, index, row)

    @property
    def loot(self) -> PeerLoot:
        """What attackers have together."""
        return PeerLoot(self.record.reckoning, self.secrets)


def matching(people: Population, index: int, row: Mapping[int, str]) -> int:
    """In how many columns a row is that of a person."""
    mine = people.row(index) if index < people.n else ()
    return sum(column < len(mine) and mine[column] == value for column, value in row.items())


def counts_of(transcript: Transcript, number: int = 1) -> tuple[Counts, ...]:
    """What the reader of a round has counted; () if it did not."""
    return next((read.counts for read in transcript.reads if read.round == number), ())


def release_of(transcript: Transcript, board: Board) -> Counts | None:
    """What a session has released of the people, row by row; None if nothing."""
    answered = len(board.tallies)
    tallies = tuple(read.counts for read in transcript.reads)[:answered]
    return released(board.calls[:answered], tallies, board.decision)
