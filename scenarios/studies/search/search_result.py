"""The results of a search for attacks, as they are written and read.

A search makes no statement about strategies that it has not played: a result says how many of which
kinds it played, with how many people and which seeds.
"""

from typing import Annotated, Literal

from msgspec import Meta

from ...schema.model import DeviationSection
from ...serialization.record import Record

SCHEMA = 1
Count = Annotated[int, Meta(ge=0)]
Noticed = Literal["before", "after", "never"]
Reads = Literal["row", "joint", "closed"]


class Find(Record, frozen=True, kw_only=True):
    """A strategy after which the coalition reads the row of a person, or joint counts.

    Attributes:
        strategy: the deviations, as a scenario file has them.
        words: the strategy in words.
        reads: the row of the target; or joint counts that no honest session tells it; or that a row
            is one of the rows that fewer than k people have.
        crowd: the people, the target included, that can be exchanged with it unseen: 1; if joint
            counts or closed rows are read, all honest people.
        guess: the probability that the best guess of one value of the target is right; if joint
            counts are read, by an attacker that knows the other values of all people; if a closed
            row is read, that the best guess between it and another is right.
        honest: the probability of the same guess if all parties follow the protocol.
        noticed: when an honest party burned the round or raised an alarm that the board confirms.
        place: the place of the strategy in the order of its coalition, from 1.
    """

    strategy: tuple[DeviationSection, ...]
    words: str
    reads: Reads = "row"
    crowd: Annotated[int, Meta(ge=1)]
    guess: float
    honest: float
    noticed: Noticed
    place: Annotated[int, Meta(ge=1)]


class CoalitionResult(Record, frozen=True, kw_only=True):
    """The result of the search for one coalition.

    Attributes:
        members: the coalition.
        watching: whether it reads data of people by following the protocol.
        watched: the kind of these data: the row of the target, or data that no member reads by
            itself.
        played: strategies that were played, up to the find.
        due: strategies in the space that was requested.
        told: strategies that distinguish the rows of two people without isolating a person.
        kinds: the kinds of deviations of the strategies that were played.
        part: the coalition, a part of this one, for which a strategy was found; () without any.
            Then no strategy was played: a larger coalition can do the same.
        find: the first strategy that was found; None: no strategy among those played.
        errors: strategies that ended a session with an error of a role.
    """

    members: tuple[str, ...]
    watching: bool = False
    watched: Reads = "row"
    played: Count = 0
    due: Count = 0
    told: Count = 0
    kinds: tuple[str, ...] = ()
    part: tuple[str, ...] = ()
    find: Find | None = None
    errors: Count = 0

    @property
    def name(self) -> str:
        """The coalition in words."""
        return " + ".join(self.members)


class SearchResult(Record, frozen=True, kw_only=True):
    """The results of a search for attacks with one set of guards (countermeasures).

    Attributes:
        schema: the number of the format of this record.
        version: the version of veilmix that wrote it.
        scenario: the name of the scenario that gave the guards.
        guards: the guards that were on.
        public: whether the counts of round 1 are published.
        program: the release program of the small session, with its limits.
        people, shufflers: the numbers of people and shufflers of the small session.
        seeds: the seeds that confirm a difference.
        pairs: whether pairs of deviations were played too.
        times: whether views had the exact times of posts on the board.
        strategies: at most so many of each coalition; 0: all.
        whole: whether the search was played to its end.
        coalitions: one result each, in the order in which they were searched.
    """

    schema: int = SCHEMA
    version: str
    scenario: str
    guards: tuple[str, ...]
    public: bool
    people: Count
    shufflers: Count
    seeds: tuple[int, ...]
    program: str = "fixed"
    pairs: bool = False
    times: bool = False
    strategies: Count = 0
    whole: bool = True
    coalitions: tuple[CoalitionResult, ...] = ()

    @property
    def finds(self) -> tuple[CoalitionResult, ...]:
        """The coalitions for which a strategy was found."""
        return tuple(result for result in self.coalitions if result.find is not None)

    @property
    def played(self) -> int:
        """Strategies that were played, over all coalitions."""
        return sum(result.played for result in self.coalitions)
