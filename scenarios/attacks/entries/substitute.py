"""`substitute`: the first shuffler replaces people by invented people; the total stays equal."""

from collections import Counter

from ....protocol.knowledge.batch_subtraction import handed_on
from ....protocol.wire.parties import shuffler
from ...schema.model import Fault
from ..catalogue.attack import LOSES, SHUFFLER, Attack, Measured, by_shuffler
from ..catalogue.scene import Scene
from ..catalogue.setup import commits
from ..faults.shuffler import substitute


def replaced(scene: Scene, _fault: Fault) -> Measured:
    """Return a lower bound on the people counted wrongly (maximum over the columns), of all.

    It is at most the number of people that the shuffler knows to have replaced.
    """
    loot = scene.loot((shuffler(1),))
    plan = loot.plan(1)
    invented_people = handed_on(loot, 1).strange // plan.slots if plan else 0
    replaced_counts = [
        (scene.truth(column) - Counter(count)).total()
        for column, count in enumerate(scene.counts())
    ]
    return min(max(replaced_counts, default=0), invented_people), scene.n


ATTACK = Attack(
    by=SHUFFLER,
    does="puts answers of its own in the place of people's",
    remedy="`challenge`, or `receipts` if a replaced person looks; else nothing: n stays the same",
    scenario="attack-substitute",
    unit="people not counted as they are",
    waits="a batch of the first shuffler, with a person to strike",
    measure=replaced,
    reads=(*LOSES, "target"),
    stopped_by=("receipts",),
    trials={"": by_shuffler()},
    commit=commits(substitute),
    first_only=True,
)
