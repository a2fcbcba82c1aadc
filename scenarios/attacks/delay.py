"""`delay`: the network holds everybody else back until the batch has left: a batch of one."""

from ...protocol import parties
from ...roles.faults.wire import Delay
from ..catalogue.attack import NETWORK, Attack, Measured, aimed
from ..catalogue.entries import all_but, rounds_of, target
from ..catalogue.scene import Scene
from ..catalogue.session import AttackSetup
from ..schema.model import Fault


def commit(setup: AttackSetup, entry: Fault, _number: int) -> None:
    """Everybody's messages are late but the target's."""
    setup.wires.append(Delay(all_but(target(entry), setup.people), rounds_of(entry)))


def alone(scene: Scene, fault: Fault) -> Measured:
    """1 if the target was counted by itself, as the person it is."""
    counts = scene.counts(fault.round or 1)
    single = {column: next(iter(one))[0] for column, one in enumerate(counts) if len(one) == 1}
    one = bool(counts) and all(sum(count.values()) == 1 for count in counts)
    who = parties.index(target(fault))
    return float(one and scene.right(who, single) == len(counts)), 1


ATTACK = Attack(
    by=NETWORK,
    does="holds back everybody's messages but one person's until the batch has left",
    remedy="`min_batch`; late ones are never flushed",
    scenario="attack-delay",
    unit="people linked",
    measure=alone,
    reads=("target", "round"),
    stopped_by=("min_batch",),
    trials={"": aimed()},
    without=("dropout",),  # who is held back in round 1 is not missing between the rounds
    commit=commit,
)
