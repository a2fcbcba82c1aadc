"""The results of a search for attacks, as they are written and read.

A search makes no statement about strategies that it has not played. So a result says how many
strategies it played, with which kinds of deviations, how many people and which seeds.
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
    """A strategy of deviations by which a coalition reads data of people. The target is one person.

    Attributes:
        strategy: the deviations, as in a scenario file.
        words: the strategy in words.
        reads: `row`: the row of the target. `joint`: joint counts that no honest session shows the
            coalition. `closed`: a row that should stay closed, as fewer than k people submit it.
        crowd: the people, the target included, that can exchange rows with the target without a
            change of the coalition's view; 1 for `row`, all honest people for `joint` and `closed`.
        guess: the probability that the attacker's best guess is right. `row`: a guess of one value
            of the target. `joint`: the same, by an attacker that knows all other values of all
            people. `closed`: a guess between the closed row and another row.
        honest: the probability of the same guess if all parties follow the protocol.
        noticed: when an honest party aborted the round or raised an alarm that the board confirms:
            before the release, after it, or never.
        place: the number of the strategy, from 1, in the order in which its coalition's strategies
            are played.
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
    """The result of the search for attacks by one coalition.

    Attributes:
        members: the parties of the coalition.
        watching: whether the coalition reads data of people even by following the protocol.
        watched: the kind of data that it then reads: the row of the target (`row`), joint counts
            (`joint`), or a row that should stay closed (`closed`).
        played: strategies that were played, up to the first find.
        due: strategies in the space that was requested.
        told: strategies that distinguish the rows of two people without isolating a person.
        kinds: the kinds of deviations of the strategies that were played.
        part: a smaller coalition of some of the members that already reads data of people; () if
            there is none. If there is one, no strategy was played: the larger coalition can do the
            same.
        find: the first strategy by which the coalition reads data; None: no strategy among those
            played.
        errors: strategies that ended a session with an error of a role (a party's code).
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
        """The members of the coalition in one text, joined by " + "."""
        return " + ".join(self.members)


class SearchResult(Record, frozen=True, kw_only=True):
    """The results of a search for attacks with one set of guards (countermeasures).

    Attributes:
        schema: the number of the format of this record.
        version: the version of veilmix that wrote the record.
        scenario: the name of the scenario that gave the guards.
        guards: names of the guards that were on.
        public: whether the counts of round 1 are published.
        program: the release program of the small session, in words, with its limits.
        people, shufflers: the numbers of people and shufflers of the small session.
        seeds: the seeds that confirm that a view differs between two assignments of rows.
        pairs: whether pairs of deviations were played too.
        times: whether views had the exact times of posts on the board.
        strategies: the most strategies of each coalition; 0: all.
        whole: whether the search was played to its end.
        coalitions: one result for each coalition, in the order in which they were searched.
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
        """The results of the coalitions with a strategy that reads data of people."""
        return tuple(result for result in self.coalitions if result.find is not None)

    @property
    def played(self) -> int:
        """The number of strategies that were played, over all coalitions."""
        return sum(result.played for result in self.coalitions)
