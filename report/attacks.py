"""The section on attacks: faults of the scenario, guards, refused messages, alarms and outcomes."""

from collections.abc import Iterator

from ..number_text import percent
from ..presentation.blocks import Block, Grid, Line, Section
from ..scenarios.attacks.catalogue.registry import guarding
from ..scenarios.programs.topology import topology_of
from ..scenarios.schema.model import Scenario
from .facts import PageFacts


def section(facts: PageFacts) -> Section | None:
    """Return the section on attacks; None if there is no fault, refusal, alarm or outcome."""
    scenario = facts.run.scenario
    refused = facts.result.refused
    alarms, achieved = facts.alarms, facts.result.attacks
    if not scenario.fault and not refused and not alarms and not achieved:
        return None
    blocks: list[Block] = []
    if scenario.fault:
        headings = ("attack", "by", "how often", "round")
        blocks.append(Grid(headings, list(_faults(scenario)), caption="Faults of this scenario"))
    if achieved:
        told_achieved = [
            (
                effect.attack,
                " + ".join(effect.parties),
                f"{effect.value:g} of {effect.of:g}",
                effect.unit,
            )
            for effect in achieved
        ]
        headings = ("attack", "by", "achieved", "unit")
        blocks.append(Grid(headings, told_achieved, (2,), "What each attack achieved"))
    blocks.append(
        Grid(("guard", "state", "what it does"), list(_guards(scenario)), caption="Guards")
    )
    if refused:
        refused_rows = [(reason, f"{number:,}") for reason, number in refused.items()]
        blocks.append(Grid(("reason", "messages"), refused_rows, (1,), "Messages refused"))
    else:
        blocks.append(Line("No message was refused."))
    if alarms:
        told_alarms = [
            (alarm.party, str(alarm.round), alarm.cause, "yes" if alarm.borne_out else "no")
            for alarm in alarms
        ]
        headings = ("party", "round", "cause", "borne out")
        blocks.append(Grid(headings, told_alarms, caption="Alarms"))
    lead = "What was made to go wrong, the guards that were on, and what they refused or raised."
    return Section("attacks", "Attacks and defences", lead, tuple(blocks))


def _faults(scenario: Scenario) -> Iterator[tuple[str, str, str, str]]:
    """Yield each fault of the scenario: attack, attackers, frequency, round."""
    for fault in scenario.fault:
        often = [
            f"{key} {percent(value)}"
            for key, value in (("share", fault.share), ("rate", fault.rate))
            if value is not None
        ]
        by = fault.by or (f"{fault.users:,} people" if fault.users else "")
        yield fault.attack, by, " ".join(often) or "-", str(fault.round) if fault.round else "every"


def _guards(scenario: Scenario) -> Iterator[tuple[str, str, str]]:
    """Yield the guards of [mix], then of [defence]: name, state, meaning of the setting."""
    guards = [guard for guard in guarding(topology_of(scenario).name).values() if guard.setting]
    for guard in sorted(guards, key=lambda guard: guard.key.startswith("defence.")):
        name = guard.label or guard.key.partition(".")[2].replace("_", " ")
        state = guard.is_on(scenario) if isinstance(guard.on, str) else guard.value(scenario)
        yield name, _state(state), guard.setting


def _state(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return percent(value)
    return str(value)
