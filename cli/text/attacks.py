"""What goes wrong in a scenario, in words: who does what, and which defences are on."""

from collections.abc import Iterator

from ...scenarios.catalogue.attack import ANALYST, BYSTANDER, CURATOR, NETWORK
from ...scenarios.catalogue.registry import ATTACKS, GUARDS, helping
from ...scenarios.schema.model import Fault, Scenario
from .layout import many, percent


def attacks(scenario: Scenario) -> Iterator[str]:
    """Two lines an attack: what is done and by whom; what would stop or show it, on or off."""
    for fault in scenario.fault:
        attack = ATTACKS[fault.attack]
        yield f"attack    {fault.attack}: {_who(fault)} {attack.does}{_aim(fault)}"
        if names := helping(fault.attack):
            guards = [f"{name} ({_state(scenario, name)})" for name in names]
            yield f"          stopped or shown by: {', '.join(guards)}"


def _who(fault: Fault) -> str:
    """Who commits it; a verb in the singular follows."""
    if fault.by is not None:
        return fault.by
    role = ATTACKS[fault.attack].by
    if role in (NETWORK, CURATOR, ANALYST):
        return f"the {role}"
    if role == BYSTANDER:
        return "somebody can"
    several = fault.users is not None
    return f"each of {many(fault.users or 0, 'person', 'people') if several else _share(fault)}"


def _share(fault: Fault) -> str:
    return f"{percent(fault.share or 0)} of the people"


def _aim(fault: Fault) -> str:
    target = f", aimed at {fault.target}" if fault.target else ""
    return target + (f", in round {fault.round}" if fault.round else "")


def _state(scenario: Scenario, name: str) -> str:
    return "on" if GUARDS[name].is_on(scenario) else "off"
