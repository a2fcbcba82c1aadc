"""`substitute`: the first shuffler replaces people's answers by as many invented answers."""

from collections import Counter

from ....protocol.knowledge.batch_subtraction import handed_on
from ....protocol.wire.parties import shuffler
from ...schema.model import Fault
from ..catalogue.attack import LOSES, SHUFFLER, Attack, Measured, by_shuffler
from ..catalogue.scene import Scene
from ..catalogue.setup import commits
from ..faults.shuffler import substitute


def replaced(scene: Scene, _fault: Fault) -> Measured:
    """Return a lower bound on the number of people counted wrongly, and the number of all people.

    For each column, the people missing from the counts of their true value are added up; the bound
    is the largest sum. The bound is at most the number of people that the shuffler replaced.
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
    remedy="`challenge`, or `receipts` if a replaced person checks; else nothing: n stays the same",
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
