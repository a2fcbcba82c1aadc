"""What coalitions learn that cheat: the worst that any attack of the catalogue achieves, measured.

Watching is a matter of proof: all that members saw, and nothing else (`veilmix leak`). Cheating is
not: members may do whatever their place lets them, and what is measured here is what the known
attacks achieve, with the guards that the scenario has on. Nought runs of r are not "cannot": the
probability is below the upper end of its interval, and nobody knows all attacks.

    learns     in a run: somebody's whole row, or whole released row, was read by the attackers
    noticed    before a release was posted, after it, or never: a round burned, or an alarm raised
               that the board bears out
    coalition  those who commit an attack and those who help it; people who help are counted
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Literal

from ...analysis.estimation.confidence import clopper_pearson
from ...errors import ParameterError, ScenarioError
from ...protocol import parties
from ...protocol.board import replay
from ...protocol.messages import Alarm, Tally
from ...protocol.parties import Role
from ..catalogue.attack import PEER, Attack, PeerAttack
from ..catalogue.registry import ATTACKS
from ..mean import LEVEL
from ..play.announcement import draw_faults
from ..play.run import CARRIED
from ..programs.interface import Played
from ..programs.registry import samples
from ..programs.topology import CENTRAL, PEERS, topology_of
from ..schema.model import Fault, Scenario
from ..serialization.record import Record
from ..validation.load import resolve
from .attack_plan import changed, plan_rows, suited

Noticed = Literal["before", "after", "never"]
WHEN: tuple[Noticed, ...] = ("before", "after", "never")
OF_THE_PEOPLE = " of the people"  # ends what an attack says of people who help it
PERSON = "a person"  # stands for whoever of the people helps
SEED = 7  # of the first run, where the scenario has none


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attack on a scenario as it stands. who: its coalition; friends: people among them."""

    row: str
    scenario: Scenario
    who: tuple[str, ...]
    friends: int


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of an attempt."""

    attempt: Attempt
    seed: int


class Cheated(Record, frozen=True):
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
    friends: int
    runs: int
    read: int
    low: float
    high: float
    value: float
    of: float
    unit: str
    before: int
    after: int
    never: int

    @property
    def coalition(self) -> str:
        """Who is in it, in words."""
        people = f"{self.friends:,} people" if self.friends > 1 else PERSON
        return " + ".join((*self.parties, *([people] if self.friends else ()))) or "nobody"


class Worst(Record, frozen=True):
    """The worst for one coalition: by itself, or through a part of it. None: no known attack."""

    parties: tuple[str, ...]
    friends: int
    worst: Cheated | None


def attempts(scenario: Scenario) -> Iterator[Attempt]:
    """Every attack on a person that can be committed in a scenario, with its guards as they are."""
    suited(scenario)
    topology = topology_of(scenario)
    people = samples(scenario, scenario.scenario.seed or SEED).people.n
    for name, row in plan_rows(topology.name).items():
        record = ATTACKS[row.attack].among(topology.name)
        if record is None or record.learns is None or "scenario.seed" in record.switches:
            continue  # runs are seeded to be repeated; that an attacker knows the seed is no place
        try:
            made = changed(scenario, {}, row.faults(people, scenario.mix.shufflers))
        except ScenarioError:
            continue  # such as a second shuffler's where there is one
        who, friends = _coalition(made, made.fault[-1], record)
        yield Attempt(name, made, who, friends)


def _coalition(
    scenario: Scenario, fault: Fault, record: Attack | PeerAttack
) -> tuple[tuple[str, ...], int]:
    """Who commits an attack and who helps, and how many of them are people."""
    who = {fault.by} if fault.by else {record.by} if record.by and record.by != PEER else set()
    if isinstance(record, Attack):
        who |= set(record.helpers(scenario, fault))
    people = {one for one in who if one.endswith(OF_THE_PEOPLE) or _is_person(one)}
    many = sum(_many(one) for one in people)
    return tuple(sorted(who - people)), many


def _is_person(name: str) -> bool:
    return parties.role(name) in (Role.USER, Role.PEER)


def _many(said: str) -> int:
    """How many people a helper stands for: a user, or `one` or `9 of the people`."""
    if not said.endswith(OF_THE_PEOPLE):
        return 1
    number = said.removesuffix(OF_THE_PEOPLE)
    return 1 if number == "one" else int(number)


def measure(
    scenario: Scenario,
    seed: int,
    runs: int = 5,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> tuple[Cheated, ...]:
    """Play every attack on a person so many times.

    Args:
        scenario: what is attacked, with its guards; its own [[fault]] are left out.
        seed: of the first run; the next have the seeds after it.
        runs: of every attack.
        executor: plays runs elsewhere; None: here.
        progress: told how many runs are done, and of how many.
    """
    if runs < 1:
        raise ParameterError(f"runs: found {runs}; at least 1 is accepted")
    tried = list(attempts(scenario))
    trials = [Trial(one, seed + i) for one in tried for i in range(runs)]
    played = executor.map(play, trials) if executor else map(play, trials)
    found = []
    for done, one in enumerate(played, start=1):
        found.append(one)
        progress(done, len(trials))
    return tuple(
        summed(one, found[place * runs : (place + 1) * runs]) for place, one in enumerate(tried)
    )


@dataclass(frozen=True, slots=True)
class Shot:
    """What one run came to."""

    value: float
    of: float
    unit: str
    read: bool
    noticed: Noticed


def play(trial: Trial) -> Shot:
    """Play one run and measure it."""
    crowd = samples(trial.attempt.scenario, trial.seed)
    names, others = crowd.people.schema.names, crowd.others
    scenario = resolve(trial.attempt.scenario, crowd.first, names, others)
    topology = topology_of(scenario)
    faults = draw_faults(scenario, crowd.people.n, trial.seed)
    played = CARRIED[topology.name](scenario, crowd, faults, trial.seed, "real")
    effect = played.attacks[-1]
    record = ATTACKS[scenario.fault[-1].attack].among(topology.name)
    learns = record.learns if record is not None and record.learns is not None else _nothing
    read = learns(effect.value, effect.of)
    when = NOTICING[topology.name](played)
    return Shot(effect.value, effect.of, effect.unit, read, when)


def _nothing(_value: float, _most: float) -> bool:
    return False


def noticed(played: Played) -> Noticed:
    """When anybody noticed: before a release stood on the board, after it, or never."""
    assert played.transcript is not None  # noqa: S101 - it was played with messages
    posts = played.transcript.posts
    board = replay(posts)
    borne_out = {(one.party, one.round, one.cause) for one in played.alarms if one.borne_out}
    released = False
    for entry in board.entries:
        body = entry.message.body
        if isinstance(body, Tally) and entry.author == parties.ANALYST:
            released = True
        if isinstance(body, Alarm) and (entry.author, body.round, body.cause.value) in borne_out:
            return "after" if released else "before"
    if played.burned is not None:
        return "after" if released else "before"
    return "never"


def _among_peers(played: Played) -> Noticed:
    return "never" if played.burned is None else "before"


NOTICING: Mapping[str, Callable[[Played], Noticed]] = {
    CENTRAL.name: noticed,
    PEERS.name: _among_peers,
}  # topology -> when anybody noticed


def summed(attempt: Attempt, shots: Sequence[Shot]) -> Cheated:
    """Put the runs of an attack together."""
    read = [one for one in shots if one.read]
    low, high = clopper_pearson(len(read), len(shots), (1 - LEVEL) / 2)
    when = Counter(one.noticed for one in read)
    many = len(shots)
    return Cheated(
        attempt.row,
        attempt.who,
        attempt.friends,
        many,
        len(read),
        float(low),
        float(high),
        sum(one.value for one in shots) / many,
        sum(one.of for one in shots) / many,
        shots[0].unit,
        *(when[one] for one in WHEN),
    )


def worst_of(found: Iterable[Cheated], who: Iterable[str], friends: int = 0) -> Worst:
    """The worst for a coalition: what it, or a part of it, can commit and reads most with."""
    members, reads = frozenset(who), [one for one in found if one.read]
    able = [one for one in reads if members.issuperset(one.parties) and friends >= one.friends]
    late = {"never": 2, "after": 1, "before": 0}

    def badness(one: Cheated) -> tuple[float, int, int]:
        unseen = late["never"] if one.never else late["after"] if one.after else late["before"]
        return one.read / one.runs, unseen, -len(one.parties)

    return Worst(tuple(sorted(members)), friends, max(able, key=badness, default=None))


def by_coalition(found: Sequence[Cheated], single: Iterable[str]) -> tuple[Worst, ...]:
    """The worst for every single party, and for every coalition that some attack needs."""
    asked: set[tuple[tuple[str, ...], int]] = {((one,), 0) for one in single}
    asked |= {(one.parties, one.friends) for one in found if one.parties or one.friends}
    ordered = sorted(asked, key=lambda one: (len(one[0]) + one[1], one))
    return tuple(worst_of(found, who, friends) for who, friends in ordered)


def smallest(found: Sequence[Cheated]) -> tuple[Cheated, ...]:
    """Of the coalitions that read somebody's row, those of which no part does, each once."""
    read = [one for one in found if one.read]
    chosen: dict[tuple[tuple[str, ...], int], Cheated] = {}
    for one in read:
        part = any(
            set(other.parties) <= set(one.parties)
            and other.friends <= one.friends
            and (other.parties, other.friends) != (one.parties, one.friends)
            for other in read
        )
        if not part:
            worst = worst_of(read, one.parties, one.friends).worst
            chosen[one.parties, one.friends] = worst or one
    return tuple(
        sorted(chosen.values(), key=lambda one: (len(one.parties) + one.friends, one.parties))
    )
