"""The play of a scenario with a process per party, or with an executor for long work.

Parties in separate processes share bytes only. So a scenario cannot be played if they share more
than that: the memory of two sessions, or a curator's private message to a user.
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
    """Return the stage: a function that runs each party in its process.

    ParameterError if impossible. durable: the place of each process's journal
    (machines/journal.py). ledger: whether the release is to be kept in a ledger.
    """
    if mode != "real":
        raise ParameterError(f"processes: mode {mode!r} has no messages; leave one of them out")
    central_only(scenario, "processes")
    if ledger:
        raise ParameterError(
            "processes: with a ledger the first shuffler keeps its memory in this "
            "process; leave one of them out"
        )
    if answers_in(scenario) is AnswerKind.OPENED:
        raise ParameterError(
            f"processes: kind {scenario.policy.kind!r} is played in one process; leave it out"
        )
    for entry, _, _ in sequels(scenario.fault):
        raise ParameterError(
            f"processes: attack {entry.attack!r} needs two sessions that share a memory; play it "
            "in one process"
        )
    for entry in scenario.fault:
        if entry.attack in WHISPERED:
            raise ParameterError(
                f"processes: attack {entry.attack!r} tells one person something by another way "
                "than the board; play it in one process"
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
    """Return the stage: a function that runs the parties with an executor.

    ParameterError if impossible. processes: whether a process per party was requested.
    """
    from ....roles.session import play

    if processes:
        raise ParameterError(
            "processes: each party works in its own; with an executor leave --processes out"
        )
    if workplace.helpers is not None:
        name = workplace.helpers.name
        if mode != "real":
            raise ParameterError(f"{name}: mode {mode!r} has no work to give; play it real")
        central_only(scenario, name)

    def stage(
        cast: "Cast",
        instruments: "Sequence[Instrument]" = (),
        report: Callable[[str], None] = lambda _: None,
    ) -> "Board":
        """Return the board of a session in which the executor does long lists of work."""
        return play(replace(cast, workplace=workplace), instruments, report)

    return stage
