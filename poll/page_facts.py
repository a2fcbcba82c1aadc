"""The state of a session that every phone receives besides the posts of the board.

It holds no person's name and no person's answer.
"""

from typing import Any

import trio

from ..languages.language import Language, english, languages
from ..machines.gate import LOOPBACKS
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.registry import answers_in
from ..scenarios.schema.model import Scenario
from .cheats import happened
from .class_settings import ClassTerms
from .classroom import Classroom
from .mixers import Mixers
from .precision_forecast import expected_of


def facts_of(
    scenario: Scenario,
    terms: ClassTerms,
    room: Classroom,
    mixers: Mixers | None,
    language: Language | None = None,
) -> dict[str, Any]:
    """Return the present state of the session for a phone, as JSON data.

    scenario: the questions. terms: the settings of the class. room: the joined phones. mixers: the
    offers of other computers to run a shuffler; None: all shufflers run here. language: the
    language of the sentences; None: English.

    Some keys: `language` is None if each phone chooses its language. In the program `threshold`,
    where a row opens only if k people share it, `opens` is k. There `asking` is the number of
    seconds in which a phone may still query the party `randomness` for the values that seal its
    row.
    """
    mix, opens = scenario.mix, answers_in(scenario) is AnswerKind.OPENED
    seconds = int(room.deadline)
    return {
        "title": scenario.scenario.title,
        "people": len(room.phones),
        "simulated": terms.simulated,
        "answered": room.answered,
        "round": room.round,
        "collecting": room.collecting,
        "left": _until(room.closes) if room.collecting else 0,
        "needed": mix.min_batch,
        "due": len(room.due),
        "seconds": seconds // 2 if opens else seconds,
        "shufflers": mix.shufflers,
        "questions": len(scenario.feature),
        "language": _spoken(terms.language),
        "slips": room.slips is not None,
        "kept": terms.has_run_folder,
        "verified": mix.kind == "verified",
        "once": mix.submit == "once",
        "others": None if mixers is None else _shuffler_list(terms, mixers),
        "started": room.started,
        "ended": room.ended_in(language or english()),
        "stopped": room.stopped,
        "attempt": room.attempt,
        "again": room.repeatable,
        "noisy": scenario.local.epsilon is not None,
        "noise": room.noisy_result,
        "singles": room.singles,
        "expected": None
        if room.started
        else expected_of(scenario, len(room.phones), terms.people, language),
        "opens": scenario.policy.k if opens else None,
        "asking": _until(room.asking_closes) if opens and room.collecting else 0,
        "happened": happened(scenario, language) if room.ended else None,
    }


def _spoken(tag: str | None) -> tuple[str, str] | None:
    """Return the tag and the writing direction of the questions' language; None without a tag."""
    return None if tag is None else (tag, languages()[tag].direction)


def _until(time: float) -> int:
    """Return the whole seconds from now until a time on trio's clock; 0 if the time has passed."""
    return round(max(0.0, time - trio.current_time()))


def _shuffler_list(terms: ClassTerms, mixers: Mixers) -> list[dict[str, Any]]:
    """Return each shuffler's name, owner and address, and whether it runs on this computer."""
    local_hosts = (terms.host, *LOOPBACKS)
    return [
        {"party": name, "who": seat.who.name, "host": seat.host, "here": seat.host in local_hosts}
        for name, seat in mixers.present_seats.items()
    ]
