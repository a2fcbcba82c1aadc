"""The presenter of attacks in a run: attacks that its scenario enables, and their outcomes."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...scenarios.attacks.catalogue.attack import ANALYST, BYSTANDER, CURATOR, NETWORK
from ...scenarios.attacks.catalogue.registry import ATTACKS, GUARDS, helping
from ...scenarios.programs.topology import Topology, topology_of
from ...scenarios.schema.model import Fault, Scenario
from ..text_blocks import Score

if TYPE_CHECKING:
    from ...scenarios.lab.scoring.outcome import Outcome
    from ...scenarios.programs.interface import Effect, Raised
    from ...scenarios.records.result_file import Run


def scores(run: "Outcome | Run") -> Iterator[Score]:
    """Yield scores on a run: refused messages, outcomes of attacks, and alarms of parties."""
    for reason, number in run.refused.items():
        yield f"refused: {reason}", f"{number:,}", "messages that were not counted"
    for effect in run.attacks:
        yield f"attack: {effect.attack}", _outcome_text(effect), effect.unit
    yield from _alarms(run.alarms)


def _outcome_text(effect: "Effect") -> str:
    """Return the success of an attack and its largest possible success, as text."""
    whole = effect.value.is_integer() and effect.of.is_integer()
    achieved, maximum = (f"{x:,.0f}" if whole else f"{x:.2f}" for x in (effect.value, effect.of))
    return f"{achieved} of {maximum}"


def _alarms(alarms: "tuple[Raised, ...]") -> Iterator[Score]:
    """Yield a score for each cause and party of alarms: their number, and whether they are true.

    An alarm is true if the posts on the board confirm it. The alarms of all users are counted
    together.
    """
    counted = Counter(
        (alarm.cause, "users" if alarm.party.startswith("user-") else alarm.party, alarm.borne_out)
        for alarm in alarms
    )
    for (cause, party, true), number in counted.items():
        kind = "alarm" if true else "false alarm"
        evidence_note = "" if true else "; the board does not bear it out"
        yield f"{kind}: {cause}", f"{number:,}", f"raised on the board by {party}{evidence_note}"


def faults(scenario: Scenario) -> Iterator[tuple[str, str, str]]:
    """Yield each attack that a scenario enables: name, description, and defences.

    The description names the attacker and its deviation. Each defence is marked as on or off.
    """
    topology = topology_of(scenario)
    for fault in scenario.fault:
        how = ATTACKS[fault.attack].among(topology.name) or ATTACKS[fault.attack]
        does = f"{_attacker_name(fault, topology)} {how.does}{_aim(fault)}"
        names = helping(fault.attack, topology.name)
        yield fault.attack, does, ", ".join(f"{name} ({_state(scenario, name)})" for name in names)


def _attacker_name(fault: Fault, topology: Topology) -> str:
    """Return the parties that carry out an attack, as the subject of a sentence."""
    if fault.by is not None:
        return fault.by
    role = ATTACKS[fault.attack].by
    if role == BYSTANDER:
        return "somebody can"
    if fault.users is None and fault.share is None and role in (NETWORK, CURATOR, ANALYST):
        return f"the {role}"
    attacker_share = f"{percent(fault.share or 0)} of the {topology.member[1]}"
    return (
        "each of "
        f"{attacker_share if fault.users is None else plural(fault.users, *topology.member)}"
    )


def _aim(fault: Fault) -> str:
    """Return the target, rate and round of an attack, as the end of a sentence; "" if not set."""
    target = f", aimed at {fault.target}" if fault.target else ""
    rate = "" if fault.rate is None else f", at a rate of {percent(fault.rate)}"
    return f"{target}{rate}" + (f", in round {fault.round}" if fault.round else "")


def _state(scenario: Scenario, name: str) -> str:
    """Return whether a guard (countermeasure) is on or off in a scenario, as a word."""
    return "on" if GUARDS[name].is_on(scenario) else "off"
