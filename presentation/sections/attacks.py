"""The section of a run's page on attacks: faults, guards, refused messages, alarms, outcomes.

A guard is a countermeasure that stops or detects an attack.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent
from ...scenarios.attacks.catalogue.registry import guarding
from ...scenarios.programs.topology import topology_of
from ..blocks import Block, Section
from ..presenters import attacks
from ..text_blocks import Grid, score_grid

if TYPE_CHECKING:
    from ...scenarios.schema.model import Scenario
    from ..presenters.page_facts import PageFacts


def section(facts: "PageFacts") -> Section | None:
    """Return the section on attacks.

    None if the scenario has no fault, and the run no refused message, alarm or outcome of an
    attack.
    """
    scenario = facts.run.scenario
    rows = [*attacks.scores(facts.run)]
    if not scenario.fault and not rows:
        return None
    blocks: list[Block] = []
    if scenario.fault:
        headings = ("attack", "what happens", "stopped or shown by")
        fault_rows = list(attacks.faults(scenario))
        blocks.append(Grid(headings, fault_rows, caption="Faults of this scenario"))
    blocks.append(
        Grid(("guard", "state", "what it does"), list(_guards(scenario)), caption="Guards")
    )
    if rows:
        blocks.append(score_grid(rows, "What was refused, achieved and raised"))
    if facts.result.attacks:
        by = [(effect.attack, " + ".join(effect.parties)) for effect in facts.result.attacks]
        blocks.append(Grid(("attack", "by"), by, caption="Who attacked"))
    if facts.alarms:
        alarms = [
            (alarm.party, str(alarm.round), alarm.cause, "yes" if alarm.borne_out else "no")
            for alarm in facts.alarms
        ]
        blocks.append(Grid(("party", "round", "cause", "borne out"), alarms, caption="Alarms"))
    lead = "What was made to go wrong, the guards that were on, and what they refused or raised."
    return Section("attacks", "Attacks and defences", lead, tuple(blocks))


def _guards(scenario: "Scenario") -> Iterator[tuple[str, str, str]]:
    """Yield the guards (countermeasures) of a scenario: name, state, and meaning of the setting.

    Guards with a setting in [mix] come before guards with a setting in [defence].
    """
    guards = [guard for guard in guarding(topology_of(scenario).name).values() if guard.setting]
    for guard in sorted(guards, key=lambda guard: guard.key.startswith("defence.")):
        name = guard.label or guard.key.partition(".")[2].replace("_", " ")
        state = guard.is_on(scenario) if isinstance(guard.on, str) else guard.value(scenario)
        yield name, _state(state), guard.setting


def _state(value: object) -> str:
    """Return the value of a countermeasure's setting as text.

    The text is on or off, a percentage, or a number.
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return percent(value)
    return str(value)
