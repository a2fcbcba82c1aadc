"""`substitute`: the first shuffler replaces people by people of its own; n is what it was."""

from collections import Counter

from ..catalogue.attack import LOSES, SHUFFLER, Attack, Measured, by_shuffler
from ..catalogue.scene import Scene
from ..catalogue.session import AttackSetup
from ..schema.model import Fault


def replaced(scene: Scene, _fault: Fault) -> Measured:
    """At least so many people are not counted as they are: the largest over the columns."""
    gone = [
        (scene.truth(column) - Counter(count)).total()
        for column, count in enumerate(scene.counts())
    ]
    return max(gone, default=0), scene.n


ATTACK = Attack(
    by=SHUFFLER,
    does="puts answers of its own in the place of people's",
    remedy="`receipts` only: n is what it was",
    scenario="attack-substitute",
    unit="people not counted as they are",
    measure=replaced,
    reads=(*LOSES, "target"),
    stopped_by=("receipts",),
    trials={"": by_shuffler()},
    commit=AttackSetup.deed,
    first_only=True,
)
