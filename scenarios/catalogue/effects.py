"""The measured effects of a scenario's attacks, each by its record's measure."""

from collections.abc import Sequence

from ..programs.interface import Effect
from ..programs.registry import program_of
from ..schema.model import Fault, Scenario
from .attack import handed_on
from .registry import ATTACKS
from .scene import PeerScene, Scene


def measure(scene: Scene) -> tuple[Effect, ...]:
    """Measure every attack of a scenario, in order; attacks on other programs are left out."""
    effects = []
    for fault in measured(scene.scenario):
        attack = ATTACKS[fault.attack]
        value, most = attack.measure(scene, fault)
        who = (fault.by,) if fault.by is not None else ()
        who = (*who, *attack.helpers(scene.scenario, fault))
        effects.append(Effect(fault.attack, who, attack.unit, float(value), float(most)))
    return tuple(effects)


def measure_rows(scene: Scene, effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Measure the rows that every attack reads. effects: the effect of each attack."""
    return tuple(
        _rows(scene, fault, effect)
        for fault, effect in zip(measured(scene.scenario), effects, strict=True)
    )


def _rows(scene: Scene, fault: Fault, effect: Effect) -> Effect:
    rows = ATTACKS[fault.attack].rows_read
    if rows is None:
        return effect
    value, most = rows.measure(scene, fault)
    return Effect(fault.attack, effect.parties, rows.unit, float(value), float(most))


def measured(scenario: Scenario) -> tuple[Fault, ...]:
    """Return the faults of a scenario with an attack on its program's kind of answers."""
    here = handed_on(program_of(scenario))
    return tuple(fault for fault in scenario.fault if ATTACKS[fault.attack].about == here)


def measure_among_peers(scene: PeerScene) -> tuple[Effect, ...]:
    """Measure every attack of a scenario among peers."""
    effects = []
    for fault in scene.scenario.fault:
        among = ATTACKS[fault.attack].among_peers
        if among is not None:
            value, most = among.measure(scene, fault)
            who = (fault.by,) if fault.by is not None else ()
            effects.append(Effect(fault.attack, who, among.unit, float(value), float(most)))
    return tuple(effects)
