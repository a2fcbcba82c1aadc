"""What the attacks of a scenario have achieved, each measured as its record says."""

from ..programs.interface import Effect
from ..programs.registry import program_of
from .attack import handed_on
from .registry import ATTACKS
from .scene import PeerScene, Scene


def measure(scene: Scene) -> tuple[Effect, ...]:
    """Measure every attack of a scenario, in its order; where it is not meant, it is left out."""
    effects, here = [], handed_on(program_of(scene.scenario))
    for fault in scene.scenario.fault:
        attack = ATTACKS[fault.attack]
        if attack.about != here:
            continue
        value, most = attack.measure(scene, fault)
        who = (fault.by,) if fault.by is not None else ()
        who = (*who, *attack.helpers(scene.scenario, fault))
        effects.append(Effect(fault.attack, who, attack.unit, float(value), float(most)))
    return tuple(effects)


def measure_among_peers(scene: PeerScene) -> tuple[Effect, ...]:
    """The same of a session among peers."""
    effects = []
    for fault in scene.scenario.fault:
        among = ATTACKS[fault.attack].among_peers
        if among is not None:
            value, most = among.measure(scene, fault)
            who = (fault.by,) if fault.by is not None else ()
            effects.append(Effect(fault.attack, who, among.unit, float(value), float(most)))
    return tuple(effects)
