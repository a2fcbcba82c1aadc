"""The attacks of a scenario, in words: attacker, deviation, and countermeasures that are on."""

from collections.abc import Iterator

from ...scenarios.attacks.catalogue.attack import ANALYST, BYSTANDER, CURATOR, NETWORK
from ...scenarios.attacks.catalogue.registry import ATTACKS, GUARDS, helping
from ...scenarios.programs.topology import Topology, topology_of
from ...scenarios.schema.model import Fault, Scenario
from .layout import percent, plural


def attacks(scenario: Scenario) -> Iterator[str]:
    """Yield two lines for each attack: attacker and deviation; countermeasures, on or off."""
    topology = topology_of(scenario)
    for fault in scenario.fault:
        how = ATTACKS[fault.attack].among(topology.name) or ATTACKS[fault.attack]
        yield f"attack    {fault.attack}: {_attacker_name(fault, topology)} {how.does}{_aim(fault)}"
        if names := helping(fault.attack, topology.name):
            guards = [f"{name} ({_state(scenario, name)})" for name in names]
            yield f"          stopped or shown by: {', '.join(guards)}"


def _attacker_name(fault: Fault, topology: Topology) -> str:
    """Return the attacker, as the subject of a verb in the singular."""
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
    target = f", aimed at {fault.target}" if fault.target else ""
    return target + (f", in round {fault.round}" if fault.round else "")


def _state(scenario: Scenario, name: str) -> str:
    return "on" if GUARDS[name].is_on(scenario) else "off"
