"""A session that was attacked: its record and the truth, for measuring the attack's effect.

Attackers work from loot (protocol/knowledge/adversary_view.py); only the measuring reads the truth.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ....protocol.board.board import Board
from ....protocol.board.strategies import final_release
from ....protocol.knowledge.adversary_view import AdversaryView
from ....protocol.knowledge.transcript import Transcript
from ....protocol.peers.accusations import PeerLoot
from ....protocol.peers.view import PeerRecord
from ....protocol.wire import parties
from ....protocol.wire.messages import Counts
from ....roles.adversary_record import AdversaryRecord
from ...populations import Population
from ...schema.model import Fault
from .settings import AttackSettings
from .strikes import Faults


@dataclass(frozen=True, slots=True)
class Earlier:
    """The session before an attacked session: its record, its board, and the adversary's loot.

    Attributes:
        transcript: of the session.
        board: as it stood at the end.
        adversary: the record of accomplices; None: there were no accomplices.
    """

    transcript: Transcript
    board: Board
    adversary: AdversaryRecord | None

    def loot(self, accomplices: Sequence[str]) -> AdversaryView | None:
        """Return the pooled loot of these parties at its end; None without accomplices."""
        return self.adversary.loot(self.board, accomplices) if self.adversary else None


@dataclass(frozen=True, slots=True)
class Scene:
    """A session that was attacked: its record, the adversary's loot, and the truth.

    Attributes:
        settings: the attacks of the session, and what they need of it.
        people: the real people, with their true rows.
        board: as it stood at the end.
        transcript: of the session.
        adversary: the record of accomplices.
        seed: of the run; None: the system's randomness.
        sessions_before: the sessions before it, in their order.
        strikes: the attacks of users, by index and round.
    """

    settings: AttackSettings
    people: Population
    board: Board
    transcript: Transcript
    adversary: AdversaryRecord
    seed: int | None
    sessions_before: tuple[Earlier, ...] = ()
    strikes: Faults = field(default_factory=dict)

    @property
    def earlier(self) -> Earlier | None:
        """The session just before it; None without earlier sessions."""
        return self.sessions_before[-1] if self.sessions_before else None

    @property
    def public(self) -> Board:
        """The board as a bystander has it."""
        return self.loot(()).board

    def strikers(self, attack: str) -> tuple[str, ...]:
        """Return the users that commit an attack in some round."""
        users = sorted(
            user
            for user, rounds in self.strikes.items()
            if any(strike.attack == attack for strike in rounds.values())
        )
        return tuple(map(parties.user, users))

    @property
    def n(self) -> int:
        """The number of real people."""
        return self.people.n

    @property
    def fakes(self) -> int:
        """The number of invented participants."""
        return self.transcript.users - self.n

    def counts(self, number: int = 1) -> tuple[Counts, ...]:
        """Return the counts of a round by its reader; () without counts."""
        return counts_of(self.transcript, number)

    def release(self) -> Counts | None:
        """Return the released counts, by row."""
        return release_of(self.transcript, self.board)

    def truth(self, column: int) -> Counter[tuple[str, ...]]:
        """Return the number of people by their true value of a column."""
        return Counter((self.people.row(index)[column],) for index in range(self.n))

    def right(self, index: int, row: Mapping[int, str]) -> int:
        """Return the number of columns in which a row equals a person's."""
        return matching(self.people, index, row)

    def loot(self, accomplices: Sequence[str]) -> AdversaryView:
        """Return the pooled loot of these parties."""
        return self.adversary.loot(self.board, accomplices)


@dataclass(frozen=True, slots=True)
class PeerScene:
    """A session among peers that was attacked: its record, which all of them see, and the truth.

    Attributes:
        entries: the attacks, in the order of the file.
        people: the people who exist.
        record: the posts, and the accounts that follow from them.
        secrets: by round and number, the attackers' parts of the rounds' keys.
    """

    entries: tuple[Fault, ...]
    people: Population
    record: PeerRecord
    secrets: Mapping[tuple[int, int], bytes] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """The number of real people."""
        return self.people.n

    @property
    def release(self) -> Counts | None:
        """The released counts, by row."""
        reckoning = self.record.reckoning
        return final_release(tuple(reckoning.calls), tuple(reckoning.tallies), reckoning.decision)

    def right(self, index: int, row: Mapping[int, str]) -> int:
        """Return the number of columns in which a row equals a person's."""
        return matching(self.people, index, row)

    @property
    def loot(self) -> PeerLoot:
        """The pooled loot of the attackers."""
        return PeerLoot(self.record.reckoning, self.secrets)


def matching(people: Population, index: int, row: Mapping[int, str]) -> int:
    """Return the number of columns in which a row equals a person's."""
    mine = people.row(index) if index < people.n else ()
    return sum(column < len(mine) and mine[column] == value for column, value in row.items())


def counts_of(transcript: Transcript, number: int = 1) -> tuple[Counts, ...]:
    """Return the counts of a round by its reader; () without counts."""
    return next((read.counts for read in transcript.reads if read.round == number), ())


def release_of(transcript: Transcript, board: Board) -> Counts | None:
    """Return the released counts of a session, by row; None without a release."""
    answered = len(board.tallies)
    tallies = tuple(read.counts for read in transcript.reads)[:answered]
    return final_release(board.calls[:answered], tallies, board.decision)
