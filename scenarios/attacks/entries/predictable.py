"""`predictable`: the network knows the seed, derives every key from it, and opens all answers."""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ...schema.model import Fault
from ..catalogue.attack import BYSTANDER, Attack, Measured, counts_victim
from ..catalogue.scene import Scene


def derived(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of whole rows that the network reads, and the number of all people.

    The network derives every secret key from the scenario's seed.
    """
    loot = scene.loot((parties.NETWORK,))
    if scene.seed is None:
        return 0, scene.n
    people = exploits.open_envelopes(exploits.rederived(loot, scene.seed), 1)
    columns = len(scene.people.schema.names)
    return sum(scene.right(i, row) == columns for i, row in people.items()), scene.n


ATTACK = Attack(
    by=BYSTANDER,
    does="know the seed, derive every key again, open everything",
    remedy="`random`",
    scenario="attack-predictable",
    unit="people linked",
    learns=counts_victim,
    measure=derived,
    helpers=lambda _policy, _entry: (parties.NETWORK,),
    switches={"scenario.seed": 1},
    stopped_by=("random",),
)
