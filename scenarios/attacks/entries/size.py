"""`size`: the first shuffler reads answers from the length of their ciphertexts.

The attack works only with a design error: answers are not padded to equal length.
"""

from ....protocol.knowledge import exploits
from ....protocol.wire import parties
from ...schema.model import Fault
from ..catalogue.attack import BYSTANDER, Attack, Measured, RowsRead, counts_victim
from ..catalogue.measures import linked
from ..catalogue.scene import Scene


def cells(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of cells of which the first shuffler alone is certain, and of all cells.

    A cell is a person's value of a column. It is certain if only one value fits the lengths of the
    person's encrypted answers.
    """
    people = exploits.by_length(scene.loot((parties.shuffler(1),)), 1)
    right = sum(scene.right(index, row) for index, row in people.items())
    return right, scene.n * len(scene.people.schema.names)


ATTACK = Attack(
    by=BYSTANDER,
    does="read answers from their length",
    remedy="`pad`; without it the first shuffler alone is certain of 481 of 800 cells",
    scenario="attack-size",
    unit="cells certain",
    measure=cells,
    rows_read=RowsRead(
        unit="people linked",
        measure=linked((parties.shuffler(1),), exploits.by_length),
        learns=counts_victim,
        helpers=lambda _policy, _entry: (parties.shuffler(1),),
    ),
    helpers=lambda _policy, _entry: (parties.shuffler(1),),
    switches={"mix.pad": False, "mix.lesson": True},
    stopped_by=("pad",),
)
