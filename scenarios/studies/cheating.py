"""What coalitions learn that cheat: the worst that any attack of the catalogue achieves, measured.

Watching is a matter of proof: all that members saw, and nothing else (`veilmix leak`). Cheating is
not: members may do whatever their place lets them, and what is measured here is what the known
attacks achieve, with the guards that the scenario has on. Nought runs of r are not "cannot": the
probability is below the upper end of its interval, and nobody knows all attacks.

    learns     in a run: somebody's whole row, or whole released row, was read by the attackers
    noticed    before a release was posted, after it, or never: a round burned, or an alarm raised
               that the board bears out
    coalition  those who commit an attack and those who help it; people who help are counted

Every attack is played once before any is played twice: whoever stops a study has all of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import msgspec

from ... import __version__
from ...errors import ParameterError, ScenarioError
from ...protocol import parties
from ...protocol.board import replay
from ...protocol.messages import Alarm, Burned, Tally
from ...protocol.parties import Role
from ..catalogue.attack import PEER, USER, Attack, Learns, PeerAttack
from ..catalogue.registry import ATTACKS
from ..play.presence import draw_faults
from ..play.run import carrier, run
from ..programs.interface import Played
from ..programs.peers.found import smallest_linking
from ..programs.registry import samples
from ..programs.topology import CENTRAL, PEERS, topology_of
from ..schema.model import Fault, Scenario
from ..serialization.content import as_read
from ..validation.load import resolve
from ..verification.views import breaking
from .attack_plan import changed, mark_of, rows_of, suited
from .cheating_result import AttackRun, AttackRuns, CheatingStudy, LinkingCoalition, Noticed

OF_THE_PEOPLE = " of the people"  # ends what an attack says of people who help it
BEFORE: Noticed = "before"
AFTER: Noticed = "after"
SEED = 7  # of the first run, where the scenario has none


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attack on a scenario as it stands.

    Attributes:
        row: its name in the matrix.
        scenario: with the attack in it.
        who: its coalition.
        friends: people among them.
        unit: of its success.
    """

    row: str
    scenario: Scenario
    who: tuple[str, ...]
    friends: int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of an attempt.

    Attributes:
        attempt: which.
        seed: of the run.
    """

    attempt: Attempt
    seed: int


class CheatingStopped(KeyboardInterrupt):
    """Ctrl-C while a study is played. found: the study as far as it is."""

    def __init__(self, study: CheatingStudy) -> None:
        super().__init__(f"{study.played} of {study.due} runs played")
        self.found = study


def attempts(scenario: Scenario) -> Iterator[Attempt]:
    """Every attack on a person that can be committed in a scenario, with its guards as they are."""
    suited(scenario)
    topology = topology_of(scenario)
    people = samples(scenario, scenario.scenario.seed or SEED).people.n
    for name, row in rows_of(scenario).items():
        record = ATTACKS[row.attack].among(topology.name)
        if record is None or not _reads(record) or "scenario.seed" in record.switches:
            continue  # runs are seeded to be repeated; that an attacker knows the seed is no place
        try:
            made = changed(scenario, {}, row.faults(people, scenario.mix.shufflers))
        except ScenarioError:
            continue  # such as a second shuffler's where there is one
        who, friends = _coalition(made, made.fault[-1], record)
        unit = record.rows_read.unit if record.rows_read else record.unit
        yield Attempt(name, made, who, friends, unit)


def _reads(record: Attack | PeerAttack) -> Learns | None:
    """Return when an attack has read a row of a person; None: it is no attack on one."""
    return record.rows_read.learns if record.rows_read else record.learns


def _coalition(
    scenario: Scenario, fault: Fault, record: Attack | PeerAttack
) -> tuple[tuple[str, ...], int]:
    """Who commits an attack and who helps, and how many of them are people."""
    named = record.by and record.by not in (PEER, USER)  # users are helpers of what they commit
    who = {fault.by} if fault.by else {record.by} if named else set()
    if record.rows_read is not None:
        who |= set(record.rows_read.helpers(scenario, fault))
    elif isinstance(record, Attack):
        who |= set(record.helpers(scenario, fault))
    people = {member for member in who if member.endswith(OF_THE_PEOPLE) or _is_person(member)}
    many = sum(_many(group) for group in people)
    return tuple(sorted(who - people)), many


def _is_person(name: str) -> bool:
    return parties.role(name) in (Role.USER, Role.PEER)


def _many(said: str) -> int:
    """How many people a helper stands for: a user, or `one` or `9 of the people`."""
    if not said.endswith(OF_THE_PEOPLE):
        return 1
    number = said.removesuffix(OF_THE_PEOPLE)
    return 1 if number == "one" else int(number)


def begin(scenario: Scenario, seed: int, runs: int) -> CheatingStudy:
    """A study of which nothing is played yet.

    Args:
        scenario: what is attacked, with its guards; its own [[fault]] are left out.
        seed: of the first run; the next have the seeds after it.
        runs: of every attack.

    Who links somebody by watching is found in a run that nobody attacks, with the first seed.
    Raises DataError for a scenario in which attacks are not measured.
    """
    if runs < 1:
        raise ParameterError(f"runs: found {runs}; at least 1 is accepted")
    topology = topology_of(scenario)
    tried = tuple(attempts(scenario))
    return CheatingStudy(
        version=__version__,
        scenario=scenario.scenario.name,
        mark=mark_of(scenario),
        seed=seed,
        runs=runs,
        users=samples(scenario, seed).people.n,
        handlers=topology.handlers(scenario),
        watching=tuple(_watching(scenario, seed)),
        attempts=tuple(
            AttackRuns(attempt.row, attempt.who, attempt.friends, attempt.unit) for attempt in tried
        ),
    )


def _watching(scenario: Scenario, seed: int) -> Iterator[LinkingCoalition]:
    """The smallest coalitions that link somebody though they keep to the rules."""
    outcome = run(changed(scenario, {}, ()), seed, worst_case_nodes=0)
    named = [LinkingCoalition(tuple(members)) for members in breaking(outcome.coalitions)]
    yield from named
    among = outcome.peers if not named else None
    smallest = smallest_linking(among) if among else None
    if smallest is not None:
        yield LinkingCoalition((), smallest)


def study(
    scenario: Scenario,
    begun: CheatingStudy,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
    keep: Callable[[CheatingStudy], None] = lambda _found: None,
) -> CheatingStudy:
    """Play what a study has not been played yet: every attack once, then every attack twice, ...

    Args:
        scenario: of the study.
        begun: the study so far.
        executor: plays runs elsewhere; None: here.
        progress: told how many runs are done, and of how many.
        keep: given the study whenever every attack has been played once more.

    Raises CheatingStopped at Ctrl-C, with all that was played.
    """
    tried = {attempt.row: attempt for attempt in attempts(scenario)}
    shots = {attempt.attack: list(attempt.shots) for attempt in begun.attempts}
    trials = [
        Trial(tried[name], begun.seed + number)
        for number in range(begun.runs)
        for name, played in shots.items()
        if len(played) <= number
    ]
    before = begun.played
    try:
        played = executor.map(as_read(play), trials) if executor else map(play, trials)
        for done, (trial, shot) in enumerate(zip(trials, played, strict=True), start=1):
            shots[trial.attempt.row].append(shot)
            progress(before + done, begun.due)
            if done == len(trials) or trials[done].seed != trial.seed:
                keep(_with(begun, shots))
    except KeyboardInterrupt as stop:
        raise CheatingStopped(_with(begun, shots)) from stop
    return _with(begun, shots)


def _with(begun: CheatingStudy, shots: Mapping[str, Sequence[AttackRun]]) -> CheatingStudy:
    played = tuple(
        msgspec.structs.replace(attempt, shots=tuple(shots[attempt.attack]))
        for attempt in begun.attempts
    )
    return msgspec.structs.replace(begun, attempts=played)


def measure(
    scenario: Scenario,
    seed: int,
    runs: int = 5,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> CheatingStudy:
    """Play every attack on a person so many times: `begin` and `study` in one."""
    begun = begin(scenario, seed, runs)
    return study(scenario, begun, executor=executor, progress=progress)


def play(trial: Trial) -> AttackRun:
    """Play one run and measure it."""
    crowd = samples(trial.attempt.scenario, trial.seed)
    names, others = crowd.people.schema.names, crowd.others
    scenario = resolve(trial.attempt.scenario, crowd.first, names, others)
    topology = topology_of(scenario)
    faults = draw_faults(scenario, crowd.people.n, trial.seed)
    played = carrier(scenario)(scenario, crowd, faults, trial.seed, "real")
    effect = (played.rows_read() if played.rows_read else played.attacks)[-1]
    record = ATTACKS[scenario.fault[-1].attack].among(topology.name)
    learns: Learns = (record and _reads(record)) or _nothing
    read = learns(effect.value, effect.of)
    when = NOTICING[topology.name](played, frozenset(trial.attempt.who))
    return AttackRun(trial.seed, effect.value, effect.of, read, when)


def _nothing(_value: float, _most: float) -> bool:
    return False


def noticed(played: Played, members: frozenset[str]) -> Noticed:
    """When anybody noticed: before a release stood on the board, after it, or never.

    What members burn themselves shows nothing: they need not have done so.
    """
    assert played.transcript is not None  # noqa: S101 - it was played with messages
    board = replay(played.transcript.posts)
    borne_out = {(a.party, a.round, a.cause) for a in played.alarms if a.borne_out}
    released = False
    for entry in board.entries:
        body, when = entry.message.body, AFTER if released else BEFORE
        alarm = isinstance(body, Alarm) and (entry.author, body.round, body.cause.value)
        if entry.author not in members and (isinstance(body, Burned) or alarm in borne_out):
            return when
        released |= isinstance(body, Tally) and entry.author == parties.ANALYST
    return "never"


def _among_peers(played: Played, _members: frozenset[str]) -> Noticed:
    return "never" if played.burned is None else "before"


NOTICING: Mapping[str, Callable[[Played, frozenset[str]], Noticed]] = {
    CENTRAL.name: noticed,
    PEERS.name: _among_peers,
}  # topology -> when anybody noticed
