"""The results of a study of malicious coalitions: all runs, and each coalition's worst attack.

A malicious coalition can also act as any part of itself would, and can follow the protocol. So its
worst attack is the worst of all its parts, and a larger coalition is never less harmful. Attacks
are ordered by harm as follows:

    watching      the coalition links a person by following the protocol, which is certain
    read / runs   else the share of runs in which the attack read a person's row, the largest first
    noticed       of equal shares, the attack that an honest party notices last, or never
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated, Literal

from msgspec import Meta

from ....analysis.estimation.confidence import clopper_pearson
from ....analysis.estimation.mean_interval import LEVEL
from ...serialization.record import Record

SCHEMA = 1
Noticed = Literal["before", "after", "never"]
WHEN: tuple[Noticed, ...] = ("before", "after", "never")
LATE = {when: late for late, when in enumerate(WHEN)}
PERSON = "a person"  # the name of a coalition member that is a person
ANY_READER = "anybody who reads the board"
# largest number of parties with a result for every coalition of parties; with more parties, only
# for single parties, pairs, and coalitions that commit an attack or link users
EVERY_SUBSET = 6
# members of a coalition: the names of its parties without people, and the number of its people
Members = tuple[tuple[str, ...], int]

Count = Annotated[int, Meta(ge=0)]
NO_SUCCESS = "none by the catalogue"


class AttackRun(Record, frozen=True):
    """The outcome of a run of an attack.

    Attributes:
        seed: the seed of the run.
        value: the success, in the unit of the attack.
        of: the largest possible success.
        read: whether the attackers read a person's row.
        noticed: when an honest party noticed the attack: before the release, after it, or never.
    """

    seed: Count
    value: float
    of: float
    read: bool
    noticed: Noticed


class AttackResult(Record, frozen=True):
    """The success of an attack over all its runs.

    Attributes:
        attack: the name of the attack's row in the attack matrix.
        parties: the parties in the coalition, without people.
        friends: the number of people in the coalition.
        runs: the number of runs.
        read: the number of runs in which a person's row was read.
        low, high: 95 % confidence limits (Clopper-Pearson) of the probability that a run reads a
            row.
        value, of, unit: the success and the largest possible success, means over the runs, and
            their unit.
        before, after, never: numbers of runs in which a row was read, by the time at which an
            honest party noticed the attack: before the release, after it, or never.
    """

    attack: str
    parties: tuple[str, ...]
    friends: Count
    runs: Annotated[int, Meta(ge=1)]
    read: Count
    low: float
    high: float
    value: float
    of: float
    unit: str
    before: Count
    after: Count
    never: Count

    @property
    def coalition(self) -> str:
        """The members of the attacking coalition, in words."""
        return name_members((self.parties, self.friends))

    @property
    def noticed(self) -> Noticed:
        """The latest time at which honest parties noticed the attack, in runs that read a row.

        The times are before the release, after it, and never, which counts as latest.
        """
        return "never" if self.never else "after" if self.after else "before"


class AttackRuns(Record, frozen=True):
    """An attack on a person by a coalition, with its runs so far, in the order of their seeds.

    Attributes:
        attack: the name of the attack's row in the attack matrix.
        parties: the parties in the coalition, without people.
        friends: the number of people in the coalition.
        unit: the unit of its success.
        shots: the outcome of each run.
    """

    attack: str
    parties: tuple[str, ...]
    friends: Count
    unit: str
    shots: tuple[AttackRun, ...] = ()

    def summed(self) -> AttackResult:
        """Return the attack's result over all its runs; at least one run is needed."""
        reading_shots = [shot for shot in self.shots if shot.read]
        runs = len(self.shots)
        low, high = clopper_pearson(len(reading_shots), runs, (1 - LEVEL) / 2)
        times_noticed = Counter(shot.noticed for shot in reading_shots)
        return AttackResult(
            self.attack,
            self.parties,
            self.friends,
            runs,
            len(reading_shots),
            float(low),
            float(high),
            sum(shot.value for shot in self.shots) / runs,
            sum(shot.of for shot in self.shots) / runs,
            self.unit,
            *(times_noticed[time] for time in WHEN),
        )


class WorstAttack(Record, frozen=True):
    """The worst attack of a coalition, committed by itself or by a part of it.

    Attributes:
        parties: members of the coalition, without people.
        friends: the number of members that are people.
        watching: whether the coalition links a person by following the protocol.
        worst: the attack that reads a row most often; None: no attack of the catalogue read a row,
            which is no statement of safety.
    """

    parties: tuple[str, ...]
    friends: Count
    watching: bool
    worst: AttackResult | None


class LinkingCoalition(Record, frozen=True):
    """A coalition that links a person by following the protocol.

    Among peers, only the number of people is known: some coalition of this size links a person.

    Attributes:
        parties: the parties in the coalition, without people.
        friends: the number of members that are people.
    """

    parties: tuple[str, ...]
    friends: Count = 0


class CheatingStudy(Record, frozen=True, kw_only=True):
    """A study of every known attack on a person, in one scenario with its guards (countermeasures).

    Attributes:
        schema: the number of the format of this record.
        version: the version of veilmix that wrote it.
        scenario: the name of the scenario.
        mark: a SHA-256 hash that identifies the scenario's settings, guards and people.
        seed: the seed of the first run of each attack; each further run has the next larger seed.
        runs: the requested number of runs of each attack.
        users: the number of people.
        handlers: the parties that handle people's messages: readers and shufflers. The study rates
            coalitions of them.
        watching: the smallest honest-but-curious coalitions that link a person.
        attempts: the attacks, each with its runs so far.
    """

    schema: int = SCHEMA
    version: str
    scenario: str
    mark: str
    seed: Count
    runs: Annotated[int, Meta(ge=1)]
    users: Count
    handlers: tuple[str, ...]
    watching: tuple[LinkingCoalition, ...]
    attempts: tuple[AttackRuns, ...]

    @property
    def played(self) -> int:
        """The number of runs that were played, over all attacks."""
        return sum(len(attempt.shots) for attempt in self.attempts)

    @property
    def due(self) -> int:
        """The number of runs that were requested, over all attacks."""
        return self.runs * len(self.attempts)

    @property
    def whole(self) -> bool:
        """Whether every attack was played as often as requested."""
        return all(len(attempt.shots) >= self.runs for attempt in self.attempts)

    @property
    def attacks(self) -> tuple[AttackResult, ...]:
        """The result of each attack that was played at least once."""
        return tuple(attempt.summed() for attempt in self.attempts if attempt.shots)

    @property
    def min_runs(self) -> int:
        """The number of runs of the attack with the fewest runs."""
        return min((attack.runs for attack in self.attacks), default=0)

    def able(self, coalition: WorstAttack) -> int:
        """Return the number of played attacks that a coalition, or a part of it, can commit."""
        members = _members(coalition)
        return sum(within(_members(attack), members) for attack in self.attacks)

    @property
    def coalitions(self) -> tuple[WorstAttack, ...]:
        """The worst attack of each coalition, smaller coalitions first."""
        return by_coalition(self.attacks, self.handlers, self.watching)

    @property
    def smallest(self) -> tuple[WorstAttack, ...]:
        """The smallest coalitions known to learn a row; even smaller coalitions may do so."""
        return smallest(self.attacks, self.watching)


def name_members(members: Members) -> str:
    """Return the name of a coalition in words.

    members: the names of its parties, and the number of people in it.
    """
    parties, friends = members
    people = f"{friends:,} people" if friends > 1 else PERSON
    return " + ".join((*parties, *([people] if friends else ()))) or ANY_READER


def badness(result: AttackResult) -> tuple[float, int, int, int]:
    """Return a sort key that orders attacks by harm, the least harmful first.

    More harmful is an attack that reads a row in more runs, then an attack noticed later, then an
    attack of a smaller coalition.
    """
    return result.read / result.runs, LATE[result.noticed], -len(result.parties), -result.friends


def within(small: Members, large: Members) -> bool:
    """Whether the coalition `small` equals the coalition `large`, or is a part of it."""
    return set(small[0]) <= set(large[0]) and small[1] <= large[1]


def worst_of(
    results: Iterable[AttackResult],
    party_names: Iterable[str],
    friends: int = 0,
    watching: Iterable[LinkingCoalition] = (),
) -> WorstAttack:
    """Return the worst attack of a coalition or a part of it, and whether it links by watching.

    results: the results of all attacks. party_names: the members that are no people. friends: the
    number of members that are people. watching: the smallest coalitions that link a person by
    following the protocol.
    """
    members: Members = tuple(sorted(set(party_names))), friends
    links = any(within(_members(coalition), members) for coalition in watching)
    able = (result for result in results if result.read and within(_members(result), members))
    return WorstAttack(*members, links, max(able, key=badness, default=None))


def by_coalition(
    results: Sequence[AttackResult],
    single: Sequence[str],
    watching: Sequence[LinkingCoalition] = (),
) -> tuple[WorstAttack, ...]:
    """Return the worst attack of each coalition, the smallest coalitions first.

    results: the results of all attacks. single: the parties. With up to 6 parties every coalition
    has a result; with more, only single parties and pairs. Coalitions that commit an attack, or
    that link users by watching (following the protocol), are added in any case.
    """
    coalitions: set[Members] = {(party, 0) for party in _subsets(single)}
    coalitions |= {_members(result) for result in results if result.parties or result.friends}
    coalitions |= {_members(coalition) for coalition in watching}
    ordered = sorted(coalitions, key=lambda group: (len(group[0]) + group[1], group))
    return tuple(worst_of(results, parties, friends, watching) for parties, friends in ordered)


def _subsets(single: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield coalitions of these parties: all, or with more than 6 parties singles and pairs."""
    largest = len(single) if len(single) <= EVERY_SUBSET else 2
    for size in range(1, largest + 1):
        for parties in combinations(single, size):
            yield tuple(sorted(parties))


def telling(worst: Sequence[WorstAttack]) -> tuple[WorstAttack, ...]:
    """Return single parties, and larger coalitions that are more harmful than each of their parts.

    worst: the worst attack of each coalition, the smallest coalitions first.
    """
    results_told: list[WorstAttack] = []
    for coalition in worst:
        parts = [
            smaller for smaller in results_told if within(_members(smaller), _members(coalition))
        ]
        if len(coalition.parties) + coalition.friends == 1 or all(
            _does_more(coalition, part) for part in parts
        ):
            results_told.append(coalition)
    return tuple(results_told)


def _does_more(coalition: WorstAttack, part: WorstAttack) -> bool:
    """Whether a coalition harms people more than `part`, a smaller coalition inside it."""
    if coalition.watching or part.watching:
        return coalition.watching and not part.watching
    if coalition.worst is None or part.worst is None:
        return coalition.worst is not None
    return badness(coalition.worst)[:2] > badness(part.worst)[:2]


def _members(group: WorstAttack | AttackResult | LinkingCoalition) -> Members:
    """Return the coalition of a result: the parties, and the number of people."""
    return group.parties, group.friends


def smallest(
    results: Sequence[AttackResult], watching: Sequence[LinkingCoalition] = ()
) -> tuple[WorstAttack, ...]:
    """Return the smallest coalitions known to learn a person's row, each once.

    A coalition learns a row if an attack read a row in at least one run. A coalition that links a
    person by following the protocol also learns a row. Attacks that are not in `results` may need
    even fewer members.
    """
    learning: set[Members] = {_members(result) for result in results if result.read}
    learning |= {_members(coalition) for coalition in watching}
    minimal = [
        group
        for group in learning
        if not any(second != group and within(second, group) for second in learning)
    ]
    ordered = sorted(minimal, key=lambda group: (len(group[0]) + group[1], group))
    return tuple(worst_of(results, parties, friends, watching) for parties, friends in ordered)


def detection_text(result: AttackResult) -> str:
    """Return in words when honest parties noticed an attack, over the runs that read a row."""
    runs_by_time = dict(zip(WHEN, (result.before, result.after, result.never), strict=True))
    times_present = {time_noticed: runs for time_noticed, runs in runs_by_time.items() if runs}
    if len(times_present) <= 1:
        return next(iter(times_present), "-")
    return ", ".join(f"{time_noticed} {runs:,}" for time_noticed, runs in times_present.items())
