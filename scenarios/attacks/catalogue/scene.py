"""An attacked session as the measures of attacks see it: its record, and the true rows.

Attackers work from their loot, the pooled views and keys of the attacking parties
(protocol/knowledge/adversary_view.py). Only the measure of their success reads the truth.
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
    """A session before the attacked session: its record, and the attackers' record of it.

    Attributes:
        transcript: the record of the session.
        board: the bulletin board at its end.
        adversary: the record of the attackers' views; None: there were no attackers.
    """

    transcript: Transcript
    board: Board
    adversary: AdversaryRecord | None

    def loot(self, accomplices: Sequence[str]) -> AdversaryView | None:
        """Return the pooled views and keys of these parties at the session's end.

        None without attackers.
        """
        return self.adversary.loot(self.board, accomplices) if self.adversary else None


@dataclass(frozen=True, slots=True)
class Scene:
    """An attacked session with central parties, as input of the attacks' measures.

    It holds the record, the views of the attackers, and the truth that only the simulation knows.

    Attributes:
        settings: the attacks of the session, and the settings that they read.
        people: the real people, with their true rows.
        board: the bulletin board at the end of the session.
        transcript: the record of the session.
        adversary: the record of the attackers' views.
        seed: the seed of the run; None: the system's randomness.
        sessions_before: the earlier sessions of the same people, in their order.
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
        """The session just before the attacked session; None without earlier sessions."""
        return self.sessions_before[-1] if self.sessions_before else None

    @property
    def public(self) -> Board:
        """The bulletin board as every bystander sees it, without an attacker's knowledge."""
        return self.loot(()).board

    def strikers(self, attack: str) -> tuple[str, ...]:
        """Return the names of the users that commit an attack in some round."""
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
        """Return the counts of a round, as its reader counted each question; () without counts."""
        return counts_of(self.transcript, number)

    def release(self) -> Counts | None:
        """Return the released counts: people by combination of values; None without a release."""
        return release_of(self.transcript, self.board)

    def truth(self, column: int) -> Counter[tuple[str, ...]]:
        """Return the number of people for each true value of a column; values as 1-tuples."""
        return Counter((self.people.row(index)[column],) for index in range(self.n))

    def right(self, index: int, row: Mapping[int, str]) -> int:
        """Return the number of columns in which a guessed row agrees with the true row of a person.

        row: column -> value. 0 for an invented person.
        """
        return matching(self.people, index, row)

    def loot(self, accomplices: Sequence[str]) -> AdversaryView:
        """Return the loot of these parties: their pooled views and keys, with the board."""
        return self.adversary.loot(self.board, accomplices)


@dataclass(frozen=True, slots=True)
class PeerScene:
    """An attacked session among peers, as input of the attacks' measures.

    Attributes:
        entries: the attacks, in the order of the file.
        people: the real people, with their true rows.
        record: the posts, which all peers see, and the results computed from the posts.
        secrets: by round and peer number, the attackers' secret shares of the round's key.
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
        """The released counts: people by combination of values; None without a release."""
        reckoning = self.record.reckoning
        return final_release(tuple(reckoning.calls), tuple(reckoning.tallies), reckoning.decision)

    def right(self, index: int, row: Mapping[int, str]) -> int:
        """Return the number of columns in which a guessed row agrees with the true row of a person.

        row: column -> value. index: the person.
        """
        return matching(self.people, index, row)

    @property
    def loot(self) -> PeerLoot:
        """The attackers' loot: the public state of the session, and their secret key shares."""
        return PeerLoot(self.record.reckoning, self.secrets)


def matching(people: Population, index: int, row: Mapping[int, str]) -> int:
    """Return the number of columns in which a guessed row agrees with the true row of a person.

    row: column -> value. index: the person; 0 for an invented person: its index is too large.
    """
    mine = people.row(index) if index < people.n else ()
    return sum(column < len(mine) and mine[column] == value for column, value in row.items())


def counts_of(transcript: Transcript, number: int = 1) -> tuple[Counts, ...]:
    """Return the counts of a round, as its reader counted each question; () without counts."""
    return next((read.counts for read in transcript.reads if read.round == number), ())


def release_of(transcript: Transcript, board: Board) -> Counts | None:
    """Return the released counts: people by combination of values; None without a release."""
    answered = len(board.tallies)
    tallies = tuple(read.counts for read in transcript.reads)[:answered]
    return final_release(board.calls[:answered], tallies, board.decision)
