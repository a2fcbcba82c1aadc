"""The study of malicious coalitions: the largest measured success of any attack of the catalogue.

The leakage to an honest-but-curious coalition can be computed exactly from its view (`veilmix
leak`). A malicious coalition may deviate in any way open to its members. The study therefore
measures the known attacks, with the scenario's own guards (countermeasures). Success in 0 of r runs
does not prove that an attack cannot succeed: it only bounds the probability of success. And no
catalogue has all attacks.

    learns     in a run: the attackers read a person's whole row, or whole released row
    noticed    an honest party aborts a round, or raises an alarm that the board confirms: before
        a release is posted, after it, or never
    coalition  the parties that commit an attack or help with it; of people only the number counts

Every attack is played once before any attack is played twice, so that a stopped study has all
attacks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import msgspec

from ....errors import ParameterError, ScenarioError
from ....protocol.board.board import replay
from ....protocol.wire import parties
from ....protocol.wire.messages import Alarm, Burned, Tally
from ....protocol.wire.parties import Role
from ....roles.compute.backend import results
from ....version import __version__
from ...attacks.catalogue.attack import PEER, USER, Attack, Learns, PeerAttack
from ...attacks.catalogue.registry import ATTACKS
from ...lab.play.fault_schedule import draw_faults
from ...lab.play.run import carrier, run
from ...lab.play.session_plan import SessionPlan
from ...lab.validation.load import resolve
from ...programs.interface import Played
from ...programs.peer_findings import smallest_linking
from ...programs.registry import samples
from ...programs.topology import CENTRAL, PEERS, onions_only, topology_of
from ...records.verification.views import breaking
from ...schema.model import Fault, Scenario
from ...serialization.content import as_read
from ..matrix.attack_plan import changed, mark_of, rows_of, suited
from .cheating_result import AttackRun, AttackRuns, CheatingStudy, LinkingCoalition, Noticed

# ending of an attack's text for several helping people, such as `9 of the people`
OF_THE_PEOPLE = " of the people"
NOTICED_BEFORE: Noticed = "before"
NOTICED_AFTER: Noticed = "after"
SEED = 7  # seed of the first run, if the scenario has no seed


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attack that can be committed in a scenario, with the scenario's own guards.

    Attributes:
        row: the name of the attack's row in the attack matrix.
        scenario: the scenario with the attack in it.
        party_names: the parties in the coalition, without people.
        friends: the number of people in the coalition.
        unit: the unit of the attack's success.
    """

    row: str
    scenario: Scenario
    party_names: tuple[str, ...]
    friends: int
    unit: str = ""


@dataclass(frozen=True, slots=True)
class AttemptTrial:
    """A planned run of an attack.

    Attributes:
        attempt: the attack.
        seed: the seed of the run.
    """

    attempt: Attempt
    seed: int


class CheatingStopped(KeyboardInterrupt):
    """The interruption of a study of malicious coalitions by Ctrl-C.

    study: the study so far.
    """

    def __init__(self, study: CheatingStudy) -> None:
        """Keep the study with the runs that were played."""
        super().__init__(f"{study.played} of {study.due} runs played")
        self.study = study


def attempts(scenario: Scenario) -> Iterator[Attempt]:
    """Yield the attacks on a person that can be committed in a scenario with its own guards.

    Guards are countermeasures. Raises DataError if attacks are not measured in this scenario.
    """
    suited(scenario)
    topology = topology_of(scenario)
    people = samples(scenario, scenario.scenario.seed or SEED).people.n
    for name, row in rows_of(scenario).items():
        record = ATTACKS[row.attack].among(topology.name)
        if record is None or not _reads(record) or "scenario.seed" in record.switches:
            continue  # left out: attacks on the seed, because no party of a session learns a seed
        try:
            attack_scenario = changed(scenario, {}, row.faults(people, scenario.mix.shufflers))
        except ScenarioError:
            # left out: the scenario lacks a party of the attack, such as a second shuffler
            continue
        parties, friends = _coalition(attack_scenario, attack_scenario.fault[-1], record)
        unit = record.rows_read.unit if record.rows_read else record.unit
        yield Attempt(name, attack_scenario, parties, friends, unit)


def _reads(record: Attack | PeerAttack) -> Learns | None:
    """Return the function that says whether a success means that a person's row was read.

    The function takes the success and the largest possible success. None: the attack reads no row.
    """
    return record.rows_read.learns if record.rows_read else record.learns


def _coalition(
    scenario: Scenario, fault: Fault, record: Attack | PeerAttack
) -> tuple[tuple[str, ...], int]:
    """Return the parties that commit or help an attack, and the number of people among them.

    scenario: the scenario with the attack. fault: the attack's entry in the scenario. record: the
    facts about the attack.
    """
    # attacking users are counted as people, not listed as parties
    is_party = record.by and record.by not in (PEER, USER)
    members = {fault.by} if fault.by else {record.by} if is_party else set()
    if record.rows_read is not None:
        members |= set(record.rows_read.helpers(scenario.policy, fault))
    elif isinstance(record, Attack):
        members |= set(record.helpers(scenario.policy, fault))
    people = {member for member in members if member.endswith(OF_THE_PEOPLE) or _is_person(member)}
    friends = sum(_helper_count(group) for group in people)
    return tuple(sorted(members - people)), friends


def _is_person(name: str) -> bool:
    """Whether a party's name is that of a user or a peer."""
    return parties.role(name) in (Role.USER, Role.PEER)


def _helper_count(member: str) -> int:
    """Return the number of people in a helper's text: a user's name, or `9 of the people`."""
    if not member.endswith(OF_THE_PEOPLE):
        return 1
    number = member.removesuffix(OF_THE_PEOPLE)
    return 1 if number == "one" else int(number)


def begin(scenario: Scenario, seed: int, runs: int) -> CheatingStudy:
    """Return a study of malicious coalitions before its first run.

    An honest run with the first seed finds the coalitions that link people by following the
    protocol.

    Args:
        scenario: the scenario under attack, with its guards; its own [[fault]] tables are left out.
        seed: the seed of the first run; each further run has the next larger seed.
        runs: the number of runs of every attack.

    Raises:
        DataError: attacks are not measured in this scenario. ParameterError: the mix is verified,
            or `runs` is below 1.
    """
    onions_only(scenario, "the study of cheating")
    if runs < 1:
        raise ParameterError(f"runs: found {runs}; at least 1 is accepted")
    topology = topology_of(scenario)
    planned = tuple(attempts(scenario))
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
            AttackRuns(attempt.row, attempt.party_names, attempt.friends, attempt.unit)
            for attempt in planned
        ),
    )


def _watching(scenario: Scenario, seed: int) -> Iterator[LinkingCoalition]:
    """Yield the smallest honest-but-curious coalitions that link a person, from an honest run.

    seed: the seed of the run.
    """
    outcome = run(changed(scenario, {}, ()), seed, worst_case_nodes=0)
    linking = [LinkingCoalition(tuple(members)) for members in breaking(outcome.coalitions)]
    yield from linking
    peer_result = outcome.peers if not linking else None
    smallest = smallest_linking(peer_result) if peer_result else None
    if smallest is not None:
        yield LinkingCoalition((), smallest)


def study(
    scenario: Scenario,
    begun: CheatingStudy,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda _completed, _total: None,
    keep: Callable[[CheatingStudy], None] = lambda _study: None,
) -> CheatingStudy:
    """Return a study after its missing runs: every attack once, then every attack twice, and so on.

    Args:
        scenario: the scenario of the study.
        begun: the study so far.
        executor: plays runs elsewhere; None: here.
        progress: called with the numbers of finished runs and of all runs.
        keep: called with the study whenever every attack has been played once more.

    Raises:
        CheatingStopped: Ctrl-C; it holds the study with all runs that were played.
    """
    planned = {attempt.row: attempt for attempt in attempts(scenario)}
    shots = {attempt.attack: list(attempt.shots) for attempt in begun.attempts}
    trials = [
        AttemptTrial(planned[name], begun.seed + number)
        for number in range(begun.runs)
        for name, runs in shots.items()
        if len(runs) <= number
    ]
    runs_before = begun.played
    try:
        runs = results(executor, as_read(play), trials)
        for run_number, (trial, shot) in enumerate(zip(trials, runs, strict=True), start=1):
            shots[trial.attempt.row].append(shot)
            progress(runs_before + run_number, begun.due)
            if run_number == len(trials) or trials[run_number].seed != trial.seed:
                keep(_with(begun, shots))
    except KeyboardInterrupt as stop:
        raise CheatingStopped(_with(begun, shots)) from stop
    return _with(begun, shots)


def _with(started: CheatingStudy, shots: Mapping[str, Sequence[AttackRun]]) -> CheatingStudy:
    """Return a study with other runs. started: the study. shots: name of the attack -> its runs."""
    attempts_played = tuple(
        msgspec.structs.replace(attempt, shots=tuple(shots[attempt.attack]))
        for attempt in started.attempts
    )
    return msgspec.structs.replace(started, attempts=attempts_played)


def measure(
    scenario: Scenario,
    seed: int,
    runs: int = 5,
    *,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda _completed, _total: None,
) -> CheatingStudy:
    """Return a new study with `runs` runs of every attack on a person.

    seed: the seed of the first run. executor: plays runs elsewhere; None: here. progress: called
    with the numbers of finished runs and of all runs.
    """
    started = begin(scenario, seed, runs)
    return study(scenario, started, executor=executor, progress=progress)


def play(trial: AttemptTrial) -> AttackRun:
    """Return the outcome of a run of an attack: its success, and when honest parties noticed it."""
    crowd = samples(trial.attempt.scenario, trial.seed)
    names, rest = crowd.people.schema.names, crowd.round2_people
    scenario = resolve(trial.attempt.scenario, crowd.first, names, rest)
    topology = topology_of(scenario)
    faults = draw_faults(scenario, crowd.people.n, trial.seed)
    plan = SessionPlan.from_scenario(scenario, crowd, faults)
    session = carrier(plan)(plan, trial.seed, "real")
    effect = (session.rows_read() if session.rows_read else session.attacks)[-1]
    record = ATTACKS[scenario.fault[-1].attack].among(topology.name)
    learns: Learns = (record and _reads(record)) or _learns_nothing
    is_learnt = learns(effect.value, effect.of)
    noticed_when = NOTICING[topology.name](session, frozenset(trial.attempt.party_names))
    return AttackRun(trial.seed, effect.value, effect.of, is_learnt, noticed_when)


def _learns_nothing(_value: float, _max_value: float) -> bool:
    """Return False: an attack that aims at no person reads no row."""
    return False


def noticed(played: Played, members: frozenset[str]) -> Noticed:
    """Return when an honest party noticed the attack: before the release, after it, or never.

    An abort, or an alarm that the board confirms, shows that a party noticed. members: the
    attackers. Aborts and alarms of attackers do not count, because attackers need not post them.
    """
    assert played.transcript is not None  # noqa: S101 - it was played with messages
    board = replay(played.transcript.posts)
    borne_out = {(a.party, a.round, a.cause) for a in played.alarms if a.borne_out}
    released = False
    for entry in board.entries:
        body, moment = entry.message.body, NOTICED_AFTER if released else NOTICED_BEFORE
        alarm = isinstance(body, Alarm) and (entry.author, body.round, body.cause.value)
        if entry.author not in members and (isinstance(body, Burned) or alarm in borne_out):
            return moment
        released |= isinstance(body, Tally) and entry.author == parties.ANALYST
    return "never"


def _among_peers(session: Played, _members: frozenset[str]) -> Noticed:
    """Return when honest peers noticed: `before` the release if they aborted, else `never`."""
    return "never" if session.burned is None else "before"


NOTICING: Mapping[str, Callable[[Played, frozenset[str]], Noticed]] = {
    CENTRAL.name: noticed,
    PEERS.name: _among_peers,
}  # topology -> function that returns when an honest party noticed the attack
