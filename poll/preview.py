"""The preview: the data with which a phone's screens can be shown before a session begins.

The announcement is that of a session of these questions, except for the keys and the nonce, which
are drawn for the preview alone. People compare six words that encode the digest of an announcement.
So the six words that a preview shows belong to no session.
"""

from dataclasses import replace
from typing import Any

from ..crypto.suites import suite
from ..languages.language import Language
from ..protocol.wire.announcement import NONCE, REGISTRY, Announcement
from ..scenarios.schema.model import Scenario
from .class_settings import ClassTerms
from .classroom import Classroom
from .mixers import Mixers
from .page_facts import facts_of
from .party_places import cast_of
from .slips import Slips


def preview_of(
    scenario: Scenario,
    terms: ClassTerms,
    slips: Slips | None,
    mixers: Mixers | None,
    language: Language,
) -> dict[str, Any]:
    """Return the state that a first phone would receive, and an announcement in hexadecimal.

    Args:
        scenario: the questions.
        terms: the settings of the class, such as the number of simulated people.
        slips: printed codes, each of which admits one phone; None: a name is enough.
        mixers: the offers of other computers to run a shuffler; None: all shufflers run here.
        language: the language of the phone's page.
    """
    room = Classroom(scenario.mix.deadline, slips=slips)
    spoken = replace(terms, language=language.tag)
    facts = {**facts_of(scenario, spoken, room, mixers, language), "people": 1 + terms.simulated}
    return {"facts": facts, "announcement": _announcement(scenario).encode().hex()}


def _announcement(scenario: Scenario) -> Announcement:
    """Return an announcement of these questions, with keys and a nonce drawn for the preview."""
    cast = cast_of(scenario)
    scheme = suite(cast.suite, lesson=cast.rules.lesson)
    curator, analyst, *hops = (
        scheme.keypair(cast.entropy).public for _ in range(cast.shufflers + 2)
    )
    registry = bytes(REGISTRY if scenario.mix.kind == "verified" else 0)
    return Announcement(
        cast.title,
        cast.entropy.random(NONCE),
        cast.schema,
        cast.policy,
        cast.rules,
        tuple(hops),
        curator,
        analyst,
        cast.program,
        registry,
    )
