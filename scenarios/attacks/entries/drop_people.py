"""`drop-people`: the first shuffler loses all answers of some people."""

from ....protocol.knowledge.adversary_view import senders
from ....protocol.knowledge.batch_subtraction import handed_on
from ....protocol.wire.parties import shuffler
from ...schema.model import Fault
from ..catalogue.attack import LOSES, SHUFFLER, Attack, Measured, by_shuffler
from ..catalogue.measures import uncounted
from ..catalogue.scene import Scene
from ..catalogue.setup import commits
from ..faults.shuffler import drop_people


def left_out(scene: Scene, fault: Fault) -> Measured:
    """Return the number of people missing in the last round, and the number of all people.

    The number missing is at most the number of people that the first shuffler knows to have
    dropped.
    """
    loot, (missing, maximum) = scene.loot((shuffler(1),)), uncounted(scene, fault)
    rounds = range(1, len(loot.board.tallies) + 1)
    dropped_counts = [
        len(senders(loot, number)) - len(handed_on(loot, number).people) for number in rounds
    ]
    return min(missing, max(dropped_counts, default=0)), maximum


ATTACK = Attack(
    by=SHUFFLER,
    does="loses all answers of some people",
    remedy=("`tokens`, `challenge`, `receipts`; else nothing: all totals are short by as many"),
    scenario="attack-drop-people",
    unit="people not counted",
    waits="a batch of the first shuffler, with a person to strike",
    measure=left_out,
    reads=(*LOSES, "target"),
    stopped_by=("tokens", "receipts"),
    trials={"": by_shuffler(every=True)},
    commit=commits(drop_people),
    first_only=True,
)
