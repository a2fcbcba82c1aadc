"""`lie-counts`: the analyst publishes counts that differ from the counts of the opened ballots."""

from ....protocol.knowledge.batch_subtraction import public_release, read_by
from ....protocol.wire import parties
from ....roles.occasions import note_of
from ...schema.model import Fault
from ..catalogue.attack import ANALYST, Attack, Measured
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..faults.analyst import miscounting


def commit(setup: AttackSetup, _entry: Fault, number: int) -> None:
    """Let the analyst publish a release in which all people have the most frequent row.

    number: the place of the entry among the file's `[[fault]]` tables.
    """
    setup.places[parties.ANALYST] = miscounting(note_of(number))


def miscounted(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of people published in a wrong cell, and the number of all people.

    In each cell, the people above the count that the analyst read are in a wrong cell.
    """
    loot = scene.loot((parties.ANALYST,))
    published_counts, read = public_release(loot.board), read_by(loot, len(loot.board.tallies))
    if loot.board.burned or published_counts is None or not read:
        return 0, scene.n
    return sum(
        max(0, count - read[0].get(cell, 0)) for cell, count in published_counts.items()
    ), scene.n


ATTACK = Attack(
    by=ANALYST,
    does="publishes counts that it has not read",
    remedy="`sums`: the curator has counted the same people, and aborts",
    scenario="attack-lie-counts",
    unit="people released as somebody else",
    waits="a release in which people differ",
    measure=miscounted,
    stopped_by=("sums",),
    commit=commit,
)
