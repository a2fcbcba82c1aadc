"""Playing a scenario: people, parties and a decision rule in; an outcome out.

`run` is the one entry. `mode="real"` sends every message through the mix; `mode="ideal"` answers
the same questions without any (protocol/ideal.py) and gives the same marginals, decision and
release.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...crypto.entropy import Entropy, SeededEntropy, SystemEntropy
from ...errors import ParameterError
from ...protocol.alarms import borne_out
from ...protocol.board import Board
from ...protocol.hiding import COVERS, Redact, cover_draws
from ...protocol.history import History
from ...protocol.ideal import (
    Ideal,
    Table,
    count_cells,
    hide_table,
    ideal_view,
    randomized,
    run_through,
)
from ...protocol.messages import Call
from ...protocol.parties import user
from ...protocol.transcript import Transcript
from ...roles.cast import Cast
from ...roles.elsewhere import HERE, Workplace
from ...roles.instruments import Instrument, Recorder
from ...roles.session import Stage, play
from ..catalogue.commit import after, before, commit
from ..populations import Population
from ..populations.samples import Samples
from ..programs.interface import Mode, Played, Raised, Report, Session
from ..programs.randomized.questions import Randomization, ideal_reports, randomization
from ..programs.registry import (
    announced_schema,
    noisy_questions,
    participation,
    program_of,
    samples,
    strategy,
    wire,
)
from ..programs.topology import CENTRAL, PEERS, topology_of
from ..schema.model import Scenario
from ..scoring.outcome import Outcome
from ..scoring.policy import expectations
from ..validation.load import load, resolve
from .announcement import announced_policy, announced_rules
from .imagined import imagined
from .outcomes import outcome_of, played_of
from .peers import play_peers
from .presence import Faults, draw_faults, present

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...roles.adversary_record import AdversaryRecord
    from ..ledger.book import Ledger
    from ..ledger.keep import Account
    from ..programs.interface import Effect


_Earlier = tuple[Transcript, Board, "AdversaryRecord | None"]  # a session that came before
SILENT = ("absent",)  # faults of people who do not even ask for tokens


def run(
    scenario: Scenario | str | Path,
    seed: int | None = None,
    mode: Mode = "real",
    *,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    worst_case_seconds: float | None = None,
    ledger: "Ledger | None" = None,
    processes: bool = False,
    durable: str = "off",
    workplace: Workplace = HERE,
) -> Outcome:
    """Play a scenario once.

    Args:
        scenario: a scenario, the path of its file, or the name of a shipped one.
        seed: overrides the scenario's; None leaves it, and without any, randomness is the system's.
            A seeded run is reproducible and NOT secret.
        mode: `real` (every message) or `ideal` (the same questions without messages).
        instruments: watch the run (real mode).
        report: told, in one line each, of what an instrument or the data have to say.
        worst_case_seconds: for how long the exact worst case may be sought; 0 leaves it out. None:
            2, and only where the bounds found at once leave open more than 0.2 % of the people.
        ledger: what was released of whom before; what this run does is added to it (real mode).
        processes: whether every party is a process of its own (real mode; Linux); the people are
            one. They meet over TLS on the loopback, and nothing else of the outcome changes.
        durable: `off`, `tmpfs` or `disk`: where processes write down what they hear, so that one
            that is killed is started again and goes on.
        workplace: where long lists of work are done (real mode;
            `veilmix.scenarios.studies.executors.workplace`).

    Raises:
        ScenarioError, DataError: the scenario or its data cannot be used.
        ParameterError: it cannot be played so.
    """
    if mode not in ("real", "ideal"):
        raise ParameterError(f"mode: found {mode!r}; real or ideal is accepted")
    chosen = scenario if isinstance(scenario, Scenario) else load(scenario)
    seed = chosen.scenario.seed if seed is None else seed
    crowd = samples(chosen, seed)
    asked_for = chosen
    chosen = resolve(chosen, crowd.first, crowd.people.schema.names, crowd.others)
    faults = draw_faults(chosen, crowd.people.n, seed)
    more: dict[str, Any] = {}  # the stage, where it is another
    if workplace != HERE:
        from .apart import elsewhere

        more["stage"] = elsewhere(chosen, mode, workplace, processes=processes)
    elif processes:
        from .apart import processes as apart

        more["stage"] = apart(chosen, mode, durable, ledger=ledger is not None)
    started, kept = time.perf_counter(), None
    if ledger is not None:
        session = partial(play_real, chosen, crowd, faults, seed, instruments, report, **more)
        played, kept = _kept(ledger, asked_for, chosen, crowd, seed, mode, session)
    else:
        carry = CARRIED[topology_of(chosen).name]
        played = carry(chosen, crowd, faults, seed, mode, instruments, report, **more)
    seconds = time.perf_counter() - started
    done = Session(chosen, crowd, played, partial(present, crowd, faults))
    scored = program_of(chosen).score(done)
    outcome = outcome_of(done, scored, seed, mode, seconds, worst_case_seconds)
    trust = workplace.helpers.trust if workplace.helpers else None
    return expectations(replace(outcome, ledger=kept, executor=trust))


def _kept(
    ledger: "Ledger",
    asked_for: Scenario,
    chosen: Scenario,
    crowd: Samples,
    seed: int | None,
    mode: Mode,
    session: "Callable[..., Played]",
) -> "tuple[Played, Account]":
    """Play a session that a ledger knows of. chosen: what was asked for, resolved."""
    from ..ledger.keep import check_suited, keep, secrets

    check_suited(chosen, mode)
    if memory := secrets(ledger, asked_for, crowd):
        session = partial(session, memory=memory)
    return keep(ledger, asked_for, crowd, seed, session)


def cast_of(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> Cast:
    """Everything a session of this scenario starts from."""
    people = crowd.people
    questions = noisy_questions(scenario, people)
    cast = Cast(
        scenario.scenario.name,
        announced_schema(scenario, people.schema),
        announced_policy(scenario),
        announced_rules(scenario),
        scenario.mix.suite,
        scenario.mix.shufflers,
        people.n,
        people.own,
        strategy(scenario, crowd.others),
        _entropy(seed),
        crowd.rounds,
        program=wire(scenario),
        randomize=(
            randomization(questions, people.schema) if questions else participation(scenario)
        ),
    )
    return commit(scenario, cast, crowd, faults, seed)


def _remembering(
    scenario: Scenario, people: Population, memory: Callable[[int], bytes]
) -> Callable[[int], Randomization]:
    """What each person, by index, does to its answers, with the noise that it keeps."""
    asked = noisy_questions(scenario, people)
    return lambda index: randomization(asked, people.schema, memory(index))


def play_real(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    history: History | None = None,
    stage: Stage = play,
    memory: Callable[[int], bytes] | None = None,
) -> Played:
    """Send every message through the mix.

    history: what the first shuffler remembers. stage: where parties are. memory: a secret of each
    person, by index, from which noise is drawn that it keeps from run to run.
    """
    cast = cast_of(scenario, crowd, faults, seed)
    if memory is not None and cast.randomize is not None:
        cast = replace(cast, remembering=_remembering(scenario, crowd.people, memory))
    if history is not None:
        cast = replace(cast, guards=replace(cast.guards, history=history))
    earlier: list[_Earlier] = []
    first = cast
    for first in before(scenario, cast):
        old = Transcript.sized(first.people)
        adversaries = [first.adversary] if first.adversary else []
        earlier.append((old, stage(first, [Recorder(old), *adversaries], report), first.adversary))
    if earlier:
        cast = after(scenario, cast, crowd, first, earlier[-1][1])
    transcript = Transcript.sized(cast.people)
    adversaries = [cast.adversary] if cast.adversary else []
    board = stage(cast, [Recorder(transcript), *adversaries, *instruments], report)
    effects = _effects(scenario, crowd, cast, board, transcript, seed, earlier, faults)
    return played_of(transcript, board, effects, _raised(scenario, crowd, board))


def _raised(scenario: Scenario, crowd: Samples, board: Board) -> tuple[Raised, ...]:
    """The alarms, each with whether the board bears it out."""
    rule = strategy(scenario, crowd.others) if board.alarms else None
    raised = (
        (party, alarm.round, alarm.cause.value, borne_out(board, alarm, rule))
        for party, alarm in board.alarms
    )
    return tuple(Raised(*alarm) for alarm in sorted(raised))


def _effects(
    scenario: Scenario,
    crowd: Samples,
    cast: Cast,
    board: Board,
    transcript: Transcript,
    seed: int | None,
    earlier: "Sequence[_Earlier]",
    faults: Faults,
) -> "tuple[Effect, ...]":
    """What the attacks have achieved; not told of a summary."""
    if cast.adversary is None or transcript.summary:
        return ()
    from ..catalogue.effects import measure
    from ..catalogue.scene import Earlier, Scene

    before = tuple(Earlier(*session) for session in earlier)
    scene = Scene(scenario, crowd.people, board, transcript, cast.adversary, seed, before, faults)
    return measure(scene)


def _entropy(seed: int | None) -> Entropy:
    return SystemEntropy() if seed is None else SeededEntropy(seed)


def play_ideal(
    scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None = None
) -> Played:
    """Answer the same questions without a message.

    seed: of the noise that people add and of the values that they leave blank to cover others.
    """
    policy = announced_policy(scenario)
    said = _said(scenario, crowd, faults, seed)
    ideal = _ideal(scenario, crowd, faults, seed, said)
    return imagined(
        ideal,
        lambda members: ideal_view(
            crowd.people.n,
            ideal,
            policy,
            scenario.mix.shufflers,
            *members,
            asked=scenario.defence.tokens,
            public=scenario.defence.challenge or scenario.defence.audit,
            whole=None if said is None else count_cells(said, range(len(said.values))),
        ),
    )


def _said(scenario: Scenario, crowd: Samples, faults: Faults, seed: int | None) -> "Table | None":
    """What people say where only some of it is opened; else None."""
    if not program_of(scenario).opens:
        return None
    people, here = crowd.people, present(crowd, faults, 1)
    table = Table(people.values, people.codes[here])
    some = participation(scenario)
    return table if some is None else some.said(table, here, _entropy(seed))


def _ideal(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    said: "Table | None",
) -> Ideal:
    people, rules = crowd.people, announced_rules(scenario)
    if questions := noisy_questions(scenario, people):
        reports = ideal_reports(questions, people, present(crowd, faults, 1), _entropy(seed))
        given = len(present(crowd, faults, 1, SILENT)) if rules.tokens else None
        return randomized(announced_schema(scenario, people.schema), reports, rules, given)

    def answering(call: Call) -> Table:
        if said is not None:
            return said
        here = present(crowd, faults, call.round)
        everybody = len(here) == people.n
        table = Table(people.values, people.codes if everybody else people.codes[here])
        return hide_table(table, call.hidden, _covers(call, here, _entropy(seed)))

    def asking(call: Call) -> int:
        return len(present(crowd, faults, call.round, SILENT))

    return run_through(
        wire(scenario),
        people.schema,
        answering,
        announced_policy(scenario),
        rules,
        strategy(scenario, crowd.others),
        proving=scenario.defence.promise,
        asking=asking if rules.tokens else None,
    )


def _covers(call: Call, here: "npt.NDArray[np.intp]", entropy: Entropy) -> "npt.ArrayLike":
    """What the people with these indices draw for a call's rules: seeded, as in a real run."""
    import numpy as np

    shape = len(here), len(call.hidden)
    if not any(isinstance(rule, Redact) for rule in call.hidden):
        return np.zeros(shape, dtype=np.uint64)
    if not entropy.seeded:
        return np.random.default_rng().integers(0, COVERS, shape, dtype=np.uint64)
    drawn = [
        cover_draws(call.hidden, entropy.fork(user(i)).fork(f"round-{call.round}"))
        for i in here.tolist()
    ]
    return np.array(drawn, dtype=np.uint64).reshape(shape)


def play_central(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    mode: Mode,
    instruments: Sequence[Instrument] = (),
    report: Report = lambda _: None,
    stage: Stage = play,
) -> Played:
    """Play a scenario with central parties."""
    if mode == "real":
        return play_real(scenario, crowd, faults, seed, instruments, report, stage=stage)
    return play_ideal(scenario, crowd, faults, seed)


CARRIED: Mapping[str, Callable[..., Played]] = {
    CENTRAL.name: play_central,
    PEERS.name: play_peers,
}  # topology -> how a scenario is played
