"""Figures for the wall at the end of a session with a run folder: attack and linked people."""

from collections.abc import Iterable
from copy import copy
from dataclasses import replace

import msgspec

from ..protocol.wire import parties
from ..protocol.wire.announcement import Program
from ..scenarios.lab.scoring.outcome import Outcome
from ..scenarios.programs.registry import wire
from ..scenarios.schema.model import Scenario
from .record import outcome_of_phones
from .session_result import FinishedSession


class WatchingEyes(msgspec.Struct, frozen=True):
    """The numbers of people that coalitions link to their answers in an honest session.

    Attributes:
        people: the number of all people.
        linked: the number linked by all shufflers together, by curator and analyst together, and by
            all these parties together.
    """

    people: int
    linked: tuple[int, int, int]


class EndFigures(msgspec.Struct, frozen=True):
    """The figures that the wall shows at the end.

    Attributes:
        attack: the achieved units and the largest possible number; None: no party cheated.
        eyes: the people that coalitions link, in an honest session; None if a party cheated.
    """

    attack: tuple[float, float] | None
    eyes: WatchingEyes | None


def measured_of(scenario: Scenario, finished_session: FinishedSession) -> EndFigures | None:
    """Return the figures of a finished session; None unless it is of two rounds.

    Its envelopes are opened again, as for the run folder; its transcript stays unchanged.
    """
    if wire(scenario) is not Program.TWO_ROUND:
        return None
    transcript_copy = copy(finished_session.transcript)
    transcript_copy.sealed_answers = list(finished_session.transcript.sealed_answers)
    outcome = outcome_of_phones(scenario, replace(finished_session, transcript=transcript_copy))
    if outcome is None or (outcome.burned and not scenario.fault):
        return None
    if scenario.fault:
        effects = ((effect.value, effect.of) for effect in outcome.attacks)
        return EndFigures(next(effects, None), None)
    return EndFigures(None, _eyes(outcome, scenario.mix.shufflers))


def _eyes(outcome: Outcome, shufflers: int) -> WatchingEyes:
    """Return the numbers of people whom all shufflers, the readers, and all of them can link."""
    hops = [parties.shuffler(hop) for hop in range(1, shufflers + 1)]
    readers = [parties.CURATOR, parties.ANALYST]

    def linked(members: Iterable[str]) -> int:
        """Return the number of people to whom these parties together can link values."""
        return outcome.coalition(*members).linked

    return WatchingEyes(outcome.users, (linked(hops), linked(readers), linked(hops + readers)))
