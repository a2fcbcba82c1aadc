"""The play of a scenario from its people to its outcome.

`run` is the only entry point. `mode="real"` sends every message through the mix. `mode="ideal"`
answers the same queries without messages (protocol/ideal.py). Unless an attack changes them,
marginals, decision and release are the same in both modes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from ....errors import DataError, ParameterError
from ....protocol.knowledge.transcript import Transcript
from ....roles.compute.backend import LOCAL_WORKPLACE, Workplace
from ....roles.compute.garbage_collection import uncollected
from ...populations.samples import Samples
from ...programs.interface import Mode, Played, Report, Session
from ...programs.registry import samples
from ...programs.topology import CENTRAL, PEERS
from ...schema.model import Scenario
from ...schema.plugs import load
from ...serialization.content import reading_once
from ..scoring.outcome import Outcome, ScenarioRun
from ..scoring.policy import expectations
from ..validation.load import loaded, resolve
from .fault_schedule import draw_faults, present
from .outcomes import outcome_of
from .session_plan import SessionPlan
from .verified_mix import check_answers

if TYPE_CHECKING:
    from ....roles.network.instruments import Instrument
    from ..ledger.account import Account
    from ..ledger.book import Ledger
    from .real import CuratorCounts

Recorded = Callable[[Transcript | None, int, Sequence[int]], None]

ROOM = "veilmix.scenarios.lab.play"
CARRIED = {
    CENTRAL.name: f"{ROOM}.central:play_central",
    PEERS.name: f"{ROOM}.peers:play_peers",
}  # name of a topology -> place of the function that plays a scenario with it


def run(
    scenario: Scenario | str | PathLike[str],
    seed: int | None = None,
    mode: Mode = "real",
    *,
    instruments: Sequence[Instrument] = (),
    report: Report | None = None,
    worst_case_nodes: int | None = None,
    ledger: Ledger | None = None,
    processes: bool = False,
    durable: str = "off",
    workplace: Workplace = LOCAL_WORKPLACE,
    recorded: Recorded | None = None,
) -> Outcome:
    """Run a scenario once, and return its outcome with all scores.

    Args:
        scenario: a scenario, the path of its file, or the name of a shipped scenario.
        seed: replaces the scenario's seed; None keeps the scenario's. Without any seed, system
            randomness is used. A seeded run is reproducible and NOT secret.
        mode: `real` (every message is sent) or `ideal` (the same queries without messages).
        instruments: observers of the run's messages and events (real mode).
        report: called with each note of instruments and of the data, as a line of text.
        worst_case_nodes: the maximum number of nodes of every search tree for the exact worst case;
            0: no search. None: 100 nodes, and only for small tables with an unclear worst case:
            cheap bounds differ by more than 0.2 % of the people, and at most 100 cells are left
            after rare values are merged.
        ledger: earlier releases by person; this run is added to it (real mode).
        processes: whether every party has a process of its own (real mode; Linux); all users share
            a process. The parties connect by TLS on this machine; the outcome is otherwise the
            same.
        durable: `off`, `tmpfs` or `disk`: the place of the journals of processes, from which a
            killed process restarts and continues.
        workplace: the executor of long computations (real mode;
            `veilmix.roles.compute.backends.workplace`).
        recorded: called before the scoring with the transcript (None: no messages), the number of
            people and the number of values of each column.

    Raises:
        ScenarioError: the scenario cannot be used.
        DataError: its data cannot be used, or an attack could not act in the session.
        ParameterError: the options do not fit the scenario.
    """
    how = _How(
        mode=mode,
        instruments=instruments,
        report=report or (lambda _: None),
        worst_case_nodes=worst_case_nodes,
        ledger=ledger,
        processes=processes,
        durable=durable,
        workplace=workplace,
        recorded=recorded or (lambda *_: None),
    )
    with reading_once():
        return _once(loaded(scenario), seed, how)


@dataclass(frozen=True, slots=True)
class _How:
    """The options of a run, as `run` receives and describes them.

    Attributes:
        mode: `real` or `ideal`.
        instruments: observers of the run's messages and events.
        report: receives lines on the progress.
        worst_case_nodes: the maximum number of nodes of each search tree; None: the default.
        ledger: the ledger to which the run is added; None: no ledger.
        processes: whether each party has a process of its own.
        durable: the place of the processes' journals: `off`, `tmpfs` or `disk`.
        workplace: the executor of long computations.
        recorded: receives the transcript before the scoring.
    """

    mode: Mode
    instruments: Sequence[Instrument]
    report: Report
    worst_case_nodes: int | None
    ledger: Ledger | None
    processes: bool
    durable: str
    workplace: Workplace
    recorded: Recorded

    def __post_init__(self) -> None:
        """Raise ParameterError for an unknown mode."""
        if self.mode not in ("real", "ideal"):
            raise ParameterError(f"mode: found {self.mode!r}; real or ideal is accepted")

    def stage(self, scenario: Scenario) -> dict[str, Any]:
        """Return {"stage": function that runs the parties}; {} if they run in this process."""
        if self.workplace != LOCAL_WORKPLACE:
            from .separate_processes import executor_stage

            executor = executor_stage(scenario, self.mode, self.workplace, processes=self.processes)
            return {"stage": executor}
        if self.processes:
            from .separate_processes import processes

            has_ledger = self.ledger is not None
            return {"stage": processes(scenario, self.mode, self.durable, ledger=has_ledger)}
        return {}


def _once(asked_for: Scenario, seed: int | None, how: _How) -> Outcome:
    """Play one run: draw the people, play the session, and return its scored outcome.

    asked_for: the scenario. seed: replaces the scenario's seed; None: the scenario's. how: the
    options.
    """
    seed = asked_for.scenario.seed if seed is None else seed
    crowd = samples(asked_for, seed)
    chosen = resolve(asked_for, crowd.first, crowd.people.schema.names, crowd.round2_people)
    check_answers(chosen, crowd.people.schema)
    faults = draw_faults(chosen, crowd.people.n, seed)
    stage, watched = how.stage(chosen), (how.instruments, how.report)
    plan = SessionPlan.from_scenario(chosen, crowd, faults)
    started, ledger_record = time.perf_counter(), None
    with uncollected(crowd.people.n):
        if how.ledger is not None:
            from .real import CuratorCounts, play_real

            counts = CuratorCounts()
            watching = ((*how.instruments, counts), how.report)
            session = partial(_with_occasions, play_real, plan, seed, *watching)
            kept_by = (how.ledger, asked_for, chosen, crowd, seed, how.mode)
            played, ledger_record = _play_in_ledger(*kept_by, partial(session, **stage), counts)
        else:
            played = _with_occasions(carrier(plan), plan, seed, how.mode, *watched, **stage)
        seconds = time.perf_counter() - started
        how.recorded(played.transcript, crowd.people.n, plan.scoring.sizes)
        played_session = Session(plan.scoring, crowd, played, partial(present, crowd, faults))
        scenario_run = ScenarioRun(chosen, seed, how.mode, seconds)
        outcome = outcome_of(played_session, scenario_run, how.worst_case_nodes)
    trust = how.workplace.helpers.trust if how.workplace.helpers else None
    return expectations(replace(outcome, ledger=ledger_record, executor=trust), plan.scoring)


def _with_occasions(play: Callable[..., Played], *arguments: Any, **named: Any) -> Played:
    """Play a session and return it; DataError if an attack or a deviation could not act in it.

    play: the function that plays the session; it receives the other arguments.
    """
    played = play(*arguments, **named)
    if played.unmet:
        raise DataError("\n".join(played.unmet))
    return played


def _play_in_ledger(
    ledger: Ledger,
    asked_for: Scenario,
    chosen: Scenario,
    crowd: Samples,
    seed: int | None,
    mode: Mode,
    session: Callable[..., Played],
    counts: CuratorCounts,
) -> tuple[Played, Account]:
    """Play a session, record it in a ledger, and return it with the ledger's account of its people.

    asked_for: the scenario as given. chosen: the scenario with the facts from its data filled in.
    crowd: the people. session: plays the session. counts: holds the curator's counts of round 1.
    """
    from ..ledger.keep import check_suited, keep, secrets

    check_suited(chosen, mode)
    if memory := secrets(ledger, asked_for, crowd):
        session = partial(session, memory=memory)
    return keep(ledger, asked_for, crowd, seed, session, counts.first)


def carrier(plan: SessionPlan) -> Callable[..., Played]:
    """Return the function that plays a session with its topology (central parties or peers).

    The function is imported on demand.
    """
    play: Callable[..., Played] = load(CARRIED[plan.topology])
    return play
