"""Figures for the wall, the page projected for the class, at the end of a session.

They are shown only if a run folder is written. If a party cheated: the success of its attack. If no
party cheated: the numbers of people whom coalitions of parties link to their answers.
"""

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
    """The numbers of people whom coalitions link to their answers, in a session without cheating.

    Attributes:
        people: the number of all people.
        linked: three numbers of people: linked by all shufflers together; by curator and analyst
            together; and by all these parties together.
    """

    people: int
    linked: tuple[int, int, int]


class EndFigures(msgspec.Struct, frozen=True):
    """The figures that the wall (the page projected for the class) shows at the end of a session.

    Attributes:
        attack: the success of the attack and the largest possible success, in the attack's own
            unit; None: no attack was measured.
        eyes: the people whom coalitions link, if no party cheated; None if a party cheated.
    """

    attack: tuple[float, float] | None
    eyes: WatchingEyes | None


def measured_of(scenario: Scenario, finished_session: FinishedSession) -> EndFigures | None:
    """Return the figures of a finished session; None if it is not of the two-round program.

    None, too, if the session has no outcome, or was aborted although no party cheated. The
    envelopes of phones are opened with all keys, on a copy of the transcript: the transcript stays
    unchanged.
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
    """Return the numbers of people whom three coalitions link to their answers.

    The coalitions are all shufflers, both readers (curator and analyst), and all of these parties.
    """
    hops = [parties.shuffler(hop) for hop in range(1, shufflers + 1)]
    readers = [parties.CURATOR, parties.ANALYST]

    def linked(members: Iterable[str]) -> int:
        """Return the number of people to whom a coalition of these parties can link values."""
        return outcome.coalition(*members).linked

    return WatchingEyes(outcome.users, (linked(hops), linked(readers), linked(hops + readers)))
