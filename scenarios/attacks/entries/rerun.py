"""`rerun`: the curator claims a crash after the count, and runs again without one person."""

from dataclasses import replace

from ....protocol.board.board import Board
from ....protocol.knowledge import exploits
from ....protocol.knowledge.batch_subtraction import counted
from ....protocol.wire import parties
from ....roles.cast import Cast
from ....roles.occasions import note_of
from ...populations.samples import Samples
from ...schema.model import Fault
from ..catalogue.attack import CURATOR, Attack, Measured, Sequel, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.settings import AttackSettings
from ..faults.curator import liar
from ..faults.users import fault


def crashed(cast: Cast, _entry: Fault, _number: int, place: int) -> Cast:
    """Return the inputs of the first session, in which the curator claims a crash after the count.

    place: the place of the entry among the file's `[[fault]]` tables.
    """
    crashing = liar("crash", notes={"crash": note_of(place)})
    return replace(cast, faults={**cast.faults, parties.CURATOR: crashing})


def without_target(
    cast: Cast, entry: Fault, _settings: AttackSettings, _crowd: Samples, _board: Board, _place: int
) -> Cast:
    """Return the inputs of the second session, in which the target does not submit."""
    return replace(cast, faults={**cast.faults, target(entry): fault("absent")})


def subtracted(scene: Scene, fault: Fault) -> Measured:
    """Return the number of the target's values read by subtraction, and the number of columns.

    A value is read if the counts of its column in the two sessions differ by one person.
    """
    columns = len(scene.people.schema.names)
    earlier_view = scene.earlier.loot((parties.CURATOR,)) if scene.earlier else None
    if earlier_view is None:
        return 0, columns
    earlier, two = counted(earlier_view, 1), counted(scene.loot((parties.CURATOR,)), 1)
    if not earlier or not two or scene.board.burned:
        return 0, columns
    differences = exploits.subtract(earlier, two)
    row = {
        column: next(iter(difference))
        for column, difference in enumerate(differences)
        if difference.total() == 1
    }
    return scene.right(parties.index(target(fault)), row), columns


ATTACK = Attack(
    by=CURATOR,
    does="claims a crash after the count, and runs the session again without one person",
    remedy="`burn`: the first shuffler remembers who took part",
    scenario="attack-rerun",
    unit="values of the target read",
    waits="counts in the session before",
    learns=wholly,
    measure=subtracted,
    reads=("target",),
    stopped_by=("burn",),
    trials={"": aimed()},
    sequel=Sequel(change_earlier=crashed, change_last=without_target),
)
