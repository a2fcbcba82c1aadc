"""The measured effects of a scenario's attacks, each by the measure in the attack's record.

An effect is the success of an attack, such as the number of rows read, with its maximum.
"""

from collections.abc import Sequence

from ...programs.interface import Effect, ReleaseProgram
from ...programs.registry import answers_for
from ...schema.model import Fault
from .registry import ATTACKS
from .scene import PeerScene, Scene


def measure(scene: Scene) -> tuple[Effect, ...]:
    """Return the effect of each attack of a scenario, in order of the file.

    Attacks are left out if the release program does not collect the kind of answers that they read.
    """
    effects = []
    for fault in measured(scene.settings.entries, scene.settings.program):
        attack = ATTACKS[fault.attack]
        value, maximum = attack.measure(scene, fault)
        attackers = (fault.by,) if fault.by is not None else ()
        attackers = (*attackers, *attack.helpers(scene.settings.policy, fault))
        effects.append(Effect(fault.attack, attackers, attack.unit, float(value), float(maximum)))
    return tuple(effects)


def measure_rows(scene: Scene, effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """Return for each attack the rows that it reads, as an effect.

    Some attacks measure their success in another unit; then their record has a separate measure of
    rows. effects: the measured success of each attack, which is returned for all other attacks.
    """
    faults = measured(scene.settings.entries, scene.settings.program)
    return tuple(_rows(scene, fault, effect) for fault, effect in zip(faults, effects, strict=True))


def _rows(scene: Scene, fault: Fault, effect: Effect) -> Effect:
    """Return the number of rows that an attack reads, with its largest possible value.

    The record of an attack may have a separate measure of rows (`rows_read`). Without it, the
    result is `effect`, the measured success of the attack.
    """
    rows = ATTACKS[fault.attack].rows_read
    if rows is None:
        return effect
    value, maximum = rows.measure(scene, fault)
    return Effect(fault.attack, effect.parties, rows.unit, float(value), float(maximum))


def measured(entries: Sequence[Fault], program: ReleaseProgram) -> tuple[Fault, ...]:
    """Return the entries with attacks on the kind of answers that a release program collects."""
    answer_kind = answers_for(program)
    return tuple(fault for fault in entries if ATTACKS[fault.attack].about == answer_kind)


def measure_among_peers(scene: PeerScene) -> tuple[Effect, ...]:
    """Return the effect of each attack of a scenario in which peers run the session."""
    effects = []
    for fault in scene.entries:
        among = ATTACKS[fault.attack].among_peers
        if among is not None:
            value, maximum = among.measure(scene, fault)
            attackers = (fault.by,) if fault.by is not None else ()
            effects.append(
                Effect(fault.attack, attackers, among.unit, float(value), float(maximum))
            )
    return tuple(effects)
