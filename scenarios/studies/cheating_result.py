"""What is left of playing the attacks on a person: every run, and the worst for each coalition.

A coalition that cheats may do whatever a part of it can do, and may just as well watch: so its
worst is the largest of all that its parts achieve, in one order, and a larger coalition never does
worse than a smaller one.

    watching      it links somebody though it keeps to the rules: that is worked out, and certain
    read / runs   else the largest share of runs in which an attack read somebody's row
    noticed       of attacks that read as often, one that is noticed later, or never
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Annotated, Literal

from msgspec import Meta

from ...analysis.estimation.confidence import clopper_pearson
from ..mean import LEVEL
from ..serialization.record import Record

SCHEMA = 1
Noticed = Literal["before", "after", "never"]
WHEN: tuple[Noticed, ...] = ("before", "after", "never")
LATE = {when: late for late, when in enumerate(WHEN)}
PERSON = "a person"  # stands for whoever of the people helps
ANYBODY = "anybody who reads the board"
EVERY_SUBSET = 6  # parties; of more, only single ones, pairs and those that an attack needs
Members = tuple[tuple[str, ...], int]  # parties, and how many of the people

Count = Annotated[int, Meta(ge=0)]


class AttackRun(Record, frozen=True):
    """One run.

    Attributes:
        seed: of the run.
        value: what was achieved.
        of: the most it could be.
        read: whether somebody's row was read.
        noticed: when anybody noticed.
    """

    seed: Count
    value: float
    of: float
    read: bool
    noticed: Noticed


class AttackResult(Record, frozen=True):
    """What one attack achieved, over all its runs.

    Attributes:
        attack: its row of the matrix.
        parties: who is in it, people left out.
        friends: people who are in it.
        runs: how many were played.
        read: runs in which somebody's row was read.
        low, high: of the probability of that, 95 % (Clopper-Pearson).
        value, of, unit: what was achieved, mean of the runs.
        before, after, never: of the runs in which a row was read, when that was noticed.
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
        """Who is in it, in words."""
        return name_members((self.parties, self.friends))

    @property
    def noticed(self) -> Noticed:
        """The latest that it was noticed in a run in which a row was read."""
        return "never" if self.never else "after" if self.after else "before"


class AttackRuns(Record, frozen=True):
    """One attack on a person, committed by a coalition, and its runs so far; the first seed first.

    Attributes:
        attack: its name.
        parties: who commit it.
        friends: how many of the people help.
        unit: of its success.
        shots: one a run.
    """

    attack: str
    parties: tuple[str, ...]
    friends: Count
    unit: str
    shots: tuple[AttackRun, ...] = ()

    def summed(self) -> AttackResult:
        """All its runs together; there has to be one."""
        read = [shot for shot in self.shots if shot.read]
        many = len(self.shots)
        low, high = clopper_pearson(len(read), many, (1 - LEVEL) / 2)
        when = Counter(shot.noticed for shot in read)
        return AttackResult(
            self.attack,
            self.parties,
            self.friends,
            many,
            len(read),
            float(low),
            float(high),
            sum(shot.value for shot in self.shots) / many,
            sum(shot.of for shot in self.shots) / many,
            self.unit,
            *(when[time] for time in WHEN),
        )


class WorstAttack(Record, frozen=True):
    """The worst for one coalition, by itself or through a part of it.

    Attributes:
        parties: members of the coalition who are no people.
        friends: people who are in it.
        watching: it links somebody though it keeps to the rules.
        worst: the attack that reads most; None: no attack of the catalogue read anything, which
            is no statement of safety.
    """

    parties: tuple[str, ...]
    friends: Count
    watching: bool
    worst: AttackResult | None


class LinkingCoalition(Record, frozen=True):
    """A coalition that links somebody though it keeps to the rules.

    Among peers some coalition of so many does, and not everyone.

    Attributes:
        parties: its members who are no people.
        friends: people who are in it.
    """

    parties: tuple[str, ...]
    friends: Count = 0


class CheatingStudy(Record, frozen=True, kw_only=True):
    """Every attack on a person, played on one scenario with the guards it has.

    Attributes:
        schema: of this record.
        version: of veilmix.
        scenario: its name.
        mark: what tells it, its guards and people from any other (SHA-256).
        seed: of the first run of each attack; the next have the seeds after it.
        runs: of each attack, as many as were asked for.
        users: how many people.
        handlers: the parties that are told by themselves.
        watching: the smallest coalitions that link somebody though they keep to the rules.
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
        """Runs that were played."""
        return sum(len(attempt.shots) for attempt in self.attempts)

    @property
    def due(self) -> int:
        """Runs that were asked for."""
        return self.runs * len(self.attempts)

    @property
    def whole(self) -> bool:
        """Whether every attack was played as often as was asked for."""
        return all(len(attempt.shots) >= self.runs for attempt in self.attempts)

    @property
    def attacks(self) -> tuple[AttackResult, ...]:
        """What each attack achieved that was played at least once."""
        return tuple(attempt.summed() for attempt in self.attempts if attempt.shots)

    @property
    def least_runs(self) -> int:
        """The runs of the attack that was played least often."""
        return min((attack.runs for attack in self.attacks), default=0)

    def able(self, coalition: WorstAttack) -> int:
        """Return the number of played attacks that a coalition, or a part of it, can commit."""
        members = _members(coalition)
        return sum(within(_members(attack), members) for attack in self.attacks)

    @property
    def coalitions(self) -> tuple[WorstAttack, ...]:
        """The worst for each coalition."""
        return by_coalition(self.attacks, self.handlers, self.watching)

    @property
    def smallest(self) -> tuple[WorstAttack, ...]:
        """The coalitions that were found to learn a row, and no part of them; others may too."""
        return smallest(self.attacks, self.watching)


def name_members(members: Members) -> str:
    """A coalition in words."""
    parties, friends = members
    people = f"{friends:,} people" if friends > 1 else PERSON
    return " + ".join((*parties, *([people] if friends else ()))) or ANYBODY


def badness(result: AttackResult) -> tuple[float, int, int, int]:
    """How bad an attack is; the same attack for whoever can commit it."""
    return result.read / result.runs, LATE[result.noticed], -len(result.parties), -result.friends


def within(small: Members, large: Members) -> bool:
    """Whether a coalition is the other one, or a part of it."""
    return set(small[0]) <= set(large[0]) and small[1] <= large[1]


def worst_of(
    results: Iterable[AttackResult],
    who: Iterable[str],
    friends: int = 0,
    watching: Iterable[LinkingCoalition] = (),
) -> WorstAttack:
    """The worst for a coalition: what it, or a part of it, can commit or see, and reads most with.

    watching: the smallest coalitions that link somebody though they keep to the rules.
    """
    members: Members = tuple(sorted(set(who))), friends
    links = any(within(_members(coalition), members) for coalition in watching)
    able = (result for result in results if result.read and within(_members(result), members))
    return WorstAttack(*members, links, max(able, key=badness, default=None))


def by_coalition(
    results: Sequence[AttackResult],
    single: Sequence[str],
    watching: Sequence[LinkingCoalition] = (),
) -> tuple[WorstAttack, ...]:
    """The worst for coalitions of one, two and more parties, the smallest first.

    single: the parties of which every coalition is told, up to 6 of them; of more, single ones and
    pairs. Coalitions that some attack needs, or that link by watching, are told in any case.
    """
    asked: set[Members] = {(party, 0) for party in _subsets(single)}
    asked |= {_members(result) for result in results if result.parties or result.friends}
    asked |= {_members(coalition) for coalition in watching}
    ordered = sorted(asked, key=lambda group: (len(group[0]) + group[1], group))
    return tuple(worst_of(results, who, friends, watching) for who, friends in ordered)


def _subsets(single: Sequence[str]) -> Iterator[tuple[str, ...]]:
    most = len(single) if len(single) <= EVERY_SUBSET else 2
    for size in range(1, most + 1):
        for parties in combinations(single, size):
            yield tuple(sorted(parties))


def telling(worst: Sequence[WorstAttack]) -> tuple[WorstAttack, ...]:
    """Single parties, and coalitions that do worse to people than every part of them."""
    told: list[WorstAttack] = []
    for coalition in worst:
        parts = [other for other in told if within(_members(other), _members(coalition))]
        if len(coalition.parties) + coalition.friends == 1 or all(
            _does_more(coalition, part) for part in parts
        ):
            told.append(coalition)
    return tuple(told)


def _does_more(coalition: WorstAttack, part: WorstAttack) -> bool:
    if coalition.watching or part.watching:
        return coalition.watching and not part.watching
    if coalition.worst is None or part.worst is None:
        return coalition.worst is not None
    return badness(coalition.worst)[:2] > badness(part.worst)[:2]


def _members(group: WorstAttack | AttackResult | LinkingCoalition) -> Members:
    return group.parties, group.friends


def smallest(
    results: Sequence[AttackResult], watching: Sequence[LinkingCoalition] = ()
) -> tuple[WorstAttack, ...]:
    """Of the coalitions found to learn somebody's row, those of which no part was, each once.

    By an attack that reads in some run, or by watching, which members may do who cheat elsewhere.
    It is a lower list: attacks that are not in `results` may need fewer members.
    """
    learning: set[Members] = {_members(result) for result in results if result.read}
    learning |= {_members(coalition) for coalition in watching}
    least = [
        group
        for group in learning
        if not any(other != group and within(other, group) for other in learning)
    ]
    ordered = sorted(least, key=lambda group: (len(group[0]) + group[1], group))
    return tuple(worst_of(results, who, friends, watching) for who, friends in ordered)
