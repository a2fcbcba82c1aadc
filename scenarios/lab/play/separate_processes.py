"""The play of a scenario with a process for each party, or with an executor for long computations.

Parties in separate processes exchange only messages. So scenarios are refused in which
parties share more: two sessions with a shared memory, or a curator's private message to one user.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ....errors import ParameterError
from ....installation import missing
from ...attacks.catalogue.commit import sequels
from ...programs.capability import AnswerKind
from ...programs.registry import answers_in
from ...programs.topology import central_only
from ...schema.model import Scenario

if TYPE_CHECKING:
    from ....protocol.board.board import Board
    from ....roles.cast import Cast
    from ....roles.compute.backend import Workplace
    from ....roles.network.instruments import Instrument
    from ....roles.session import Stage

WHISPERED = ("equivocate", "split-view")  # attacks that send a message past the bulletin board


def processes(scenario: Scenario, mode: str, durable: str, *, ledger: bool) -> "Stage":
    """Return a function that runs each party of a session in its own process.

    ParameterError if the scenario does not allow it. mode: "real" or "ideal". durable: the place of
    each process's journal, from which a killed process restarts. ledger: whether a ledger records
    the release.
    """
    if mode != "real":
        raise ParameterError(
            f"processes: mode {mode!r} runs no parties; choose mode real, or leave processes out"
        )
    central_only(scenario, "processes")
    if ledger:
        raise ParameterError(
            "processes: a ledger needs the first shuffler's memory in this process; leave "
            "processes or the ledger out"
        )
    if answers_in(scenario) is AnswerKind.OPENED:
        raise ParameterError(
            f"processes: policy.kind = {scenario.policy.kind!r} is only played in one process; "
            "leave processes out"
        )
    for entry, _, _ in sequels(scenario.fault):
        raise ParameterError(
            f"processes: attack {entry.attack!r} needs two sessions that share a memory; play it "
            "in one process"
        )
    for entry in scenario.fault:
        if entry.attack in WHISPERED:
            raise ParameterError(
                f"processes: attack {entry.attack!r} sends a message past the bulletin board; "
                "play it in one process"
            )
    if find_spec("h11") is None:
        raise ParameterError(missing("web", "processes"))
    from ....machines.journal import Durable
    from ....machines.processes import play_apart

    if durable not in set(Durable):
        raise ParameterError(f"durable: found {durable!r}; {', '.join(Durable)} are accepted")
    return partial(play_apart, durable=Durable(durable))


def executor_stage(
    scenario: Scenario, mode: str, workplace: "Workplace", *, processes: bool
) -> "Stage":
    """Return a function that runs the parties, with an executor for long lists of computations.

    An executor computes in further processes or on other computers. The choice excludes a process
    per party, because such a process computes everything itself; ParameterError for both.

    mode: "real" or "ideal". workplace: the executor. processes: whether the caller requested a
    process per party.
    """
    from ....roles.session import play

    if processes:
        raise ParameterError(
            "processes: each party computes in its own process, so an executor has no work; leave "
            "processes or the executor out"
        )
    if workplace.helpers is not None:
        name = workplace.helpers.name
        if mode != "real":
            raise ParameterError(
                f"{name}: mode {mode!r} has no work for an executor; choose mode real"
            )
        central_only(scenario, name)

    def stage(
        cast: "Cast",
        instruments: "Sequence[Instrument]" = (),
        report: Callable[[str], None] = lambda _: None,
    ) -> "Board":
        """Return the board of a session in which the executor does the long computations."""
        return play(replace(cast, workplace=workplace), instruments, report)

    return stage
