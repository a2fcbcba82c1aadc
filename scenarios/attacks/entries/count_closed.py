"""`count-closed`: the reader learns how many people have each row that it cannot decrypt.

In the release program `threshold`, equal ballots form a group, and a group decrypts only with k
ballots or more. The reader sees the size of smaller groups, but not their row.
"""

from ....protocol.knowledge.opened_exploits import closed_sizes
from ....protocol.wire import parties
from ...schema.model import Fault
from ..catalogue.attack import BYSTANDER, OPENED, Attack, Measured
from ..catalogue.scene import Scene


def counted(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of people in closed groups of known size, and the number of all people.

    A group holds the ballots with an equal row. It is closed, and its row stays secret, if it has
    fewer than k people. If people take part at random, a group of size 1 may belong to no person,
    and is not counted.
    """
    min_size = 1 if scene.settings.policy.sample is None else 2
    sizes = closed_sizes(scene.loot((parties.ANALYST,)), 1)
    return sum(size for size in sizes if size >= min_size), scene.n


ATTACK = Attack(
    by=BYSTANDER,
    does="counts how many people are in each group that does not open",
    remedy=(
        "nothing: `threshold` opens groups of k equal rows. With `policy.prefixes` the reader sees "
        "only groups that continue an open prefix (the first values of a row); with "
        "`policy.sample` (people take part at random) groups of one may be dummies"
    ),
    scenario="attack-count-closed",
    unit="people in closed groups of known size",
    measure=counted,
    about=OPENED,
    helpers=lambda _policy, _entry: (parties.ANALYST,),
    watchers="the analyst",
)
