"""The persons and the dummies of each round, for runs in which persons have several rows.

A dummy is a ballot without an answer. Persons with fewer rows add dummies, so that all persons
submit equally many ballots.
"""

from collections.abc import Sequence

from ....protocol.wire.messages import Counts
from ....protocol.wire.rows_per_person import dummies_in, people_among
from ...serialization.record import Record


class RoundOfPersons(Record, frozen=True):
    """The number of persons and of dummies (ballots without an answer) in a counted round.

    Attributes:
        people: persons counted in the round.
        dummies: number of dummies, for each question.
    """

    people: int
    dummies: tuple[int, ...]


class SeveralRows(Record, frozen=True):
    """The persons and dummies (ballots without an answer) of a run, if persons have several rows.

    Attributes:
        rows: ballots that each person submits to a question, dummies included.
        rounds: the persons and dummies of each round.
    """

    rows: int
    rounds: tuple[RoundOfPersons, ...]

    @classmethod
    def from_tallies(cls, rows: int, tallies: Sequence[Sequence[Counts]]) -> "SeveralRows":
        """Return the persons and dummies (ballots without an answer) of a run.

        rows: ballots of each person to a question. tallies: counts by round and question, dummies
        included.
        """
        return cls(rows, tuple(_round(rows, tally) for tally in tallies))

    def ballots(self, number: int) -> int:
        """Return the number of ballots in a round, dummies included: of all persons and questions.

        number: the number of the round, from 1.
        """
        counted = self.rounds[number - 1]
        return self.rows * counted.people * len(counted.dummies)

    @property
    def people(self) -> int:
        """The number of persons in the last counted round; 0 if no round was counted."""
        return self.rounds[-1].people if self.rounds else 0


def _round(rows: int, tally: Sequence[Counts]) -> RoundOfPersons:
    """Return the persons and dummies (ballots without an answer) of a round.

    rows: ballots of each person to a question. tally: the counts of each question.
    """
    people = max(people_among(sum(counts.values()), rows) for counts in tally)
    return RoundOfPersons(people, tuple(map(dummies_in, tally)))
