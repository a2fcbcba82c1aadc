"""The persons and the dummies of each round, for runs in which persons have several rows.

A dummy is a ballot without an answer, by which all persons submit equally many ballots.
"""

from collections.abc import Sequence

from ....protocol.wire.messages import Counts
from ....protocol.wire.rows_per_person import dummies_in, people_among
from ...serialization.record import Record


class RoundOfPersons(Record, frozen=True):
    """The number of persons and of dummies in a counted round.

    Attributes:
        people: persons counted in it.
        dummies: ballots without an answer, of each question.
    """

    people: int
    dummies: tuple[int, ...]


class SeveralRows(Record, frozen=True):
    """The persons and dummies of a run in which persons have several rows.

    Attributes:
        rows: ballots of each person to a question, dummies included.
        rounds: the persons of each round.
    """

    rows: int
    rounds: tuple[RoundOfPersons, ...]

    @classmethod
    def from_tallies(cls, rows: int, tallies: Sequence[Sequence[Counts]]) -> "SeveralRows":
        """Return persons and dummies. tallies: counts by round and question, dummies included."""
        return cls(rows, tuple(_round(rows, tally) for tally in tallies))

    def ballots(self, number: int) -> int:
        """Return the ballots of a round, from 1: answers and dummies of all persons."""
        counted = self.rounds[number - 1]
        return self.rows * counted.people * len(counted.dummies)

    @property
    def people(self) -> int:
        """The persons of the last round that was counted; 0 without a round."""
        return self.rounds[-1].people if self.rounds else 0


def _round(rows: int, tally: Sequence[Counts]) -> RoundOfPersons:
    """Return persons and dummies of a round. rows: ballots of a person to a question."""
    people = max(people_among(sum(counts.values()), rows) for counts in tally)
    return RoundOfPersons(people, tuple(map(dummies_in, tally)))
