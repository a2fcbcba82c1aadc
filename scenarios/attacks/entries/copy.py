"""`copy`: a shuffler sends some answers twice, so that they count twice."""

from ....protocol.knowledge.adversary_view import batch
from ....protocol.wire import parties
from ...schema.model import Fault
from ..catalogue.attack import LOSES, SHUFFLER, Attack, Measured, by_shuffler
from ..catalogue.measures import counted_besides
from ..catalogue.scene import Scene
from ..catalogue.setup import commits
from ..faults.shuffler import copy


def counted_twice(scene: Scene, fault: Fault) -> Measured:
    """Measure the answers of round 1 that count twice because the shuffler repeats them, in people.

    The shuffler knows the repeats in its own batch; the board shows the totals.
    """
    attacker = fault.by or parties.shuffler(1)
    loot = scene.loot((attacker,))
    plan = loot.plan(1)
    batch_layers = batch(loot, plan, parties.index(attacker) + 2) if plan is not None else ()
    people = max((mix.people for mix in scene.board.mixed if mix.hop == 1), default=0)
    return counted_besides(scene, len(batch_layers) - len(set(batch_layers)), people)


ATTACK = Attack(
    by=SHUFFLER,
    does="sends some answers twice",
    remedy="`order`: a batch with repeats does not ascend; `dedupe` where batches are not ordered",
    scenario="attack-copy",
    unit="people by whom a count is moved",
    waits="a batch that the shuffler forwards, with answers enough to strike one",
    measure=counted_twice,
    reads=LOSES,
    switches={"mix.order": "kept"},
    stopped_by=("dedupe", "order"),
    trials={"": by_shuffler(), "last": by_shuffler(last=True)},
    commit=commits(copy),
)
