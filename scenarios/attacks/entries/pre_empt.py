"""`pre-empt`: the first shuffler sends the reader false ballots before the last shuffler's batch.

The reader is the party that opens the ballots.
"""

from ....protocol.knowledge.adversary_view import batches
from ....protocol.wire import parties
from ...schema.model import Fault
from ..catalogue.attack import SHUFFLER, Attack, Measured, committed
from ..catalogue.measures import largest_excess
from ..catalogue.scene import Scene
from ..catalogue.setup import commits
from ..faults.shuffler import pre_empt


def taken_for_the_last(scene: Scene, _fault: Fault) -> Measured:
    """Return the largest excess of a count of round 1, in people, and the number of all people.

    The excess over the true count is at most the number of answers that the first shuffler sent
    directly to the party that opens the ballots.
    """
    first = parties.shuffler(1)
    loot = scene.loot((first,))
    plan = loot.plan(1)
    if plan is None:
        return 0, scene.n
    handed = sum(len(layers) for layers in batches(loot, plan, first, plan.reader))
    return min(largest_excess(scene), handed // plan.slots), scene.n


ATTACK = Attack(
    by=SHUFFLER,
    does="hands the reader a batch of its own in the place of the last shuffler's",
    remedy=(
        "always on: the batch must come from the hop before, and match the digest that this hop "
        "posted"
    ),
    scenario="attack-pre-empt",
    unit="people by whom a count is moved",
    waits="a batch of a first shuffler that is not the last one",
    measure=taken_for_the_last,
    reads=("round",),
    trials={"": committed(by=parties.shuffler(1))},
    commit=commits(pre_empt),
    first_only=True,
)
