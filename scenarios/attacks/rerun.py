"""`rerun`: the curator claims a crash after the count, and runs again without one person."""

from dataclasses import replace

from ...protocol import exploits, parties
from ...protocol.board import Board
from ...roles.faults.curator import liar
from ...roles.faults.users import fault
from ...roles.session import Cast
from ..catalogue.attack import CURATOR, Attack, Measured, Sequel, aimed
from ..catalogue.entries import target
from ..catalogue.scene import Scene, counts_of
from ..populations.samples import Samples
from ..schema.model import Fault, Scenario


def crashed(cast: Cast, _entry: Fault) -> Cast:
    """The session before, which ends when the curator has counted."""
    return replace(cast, faults={**cast.faults, parties.CURATOR: liar("crash")})


def without_target(
    cast: Cast, entry: Fault, _scenario: Scenario, _crowd: Samples, _board: Board
) -> Cast:
    """The session that follows, in which the target says nothing."""
    return replace(cast, faults={**cast.faults, target(entry): fault("absent")})


def subtracted(scene: Scene, fault: Fault) -> Measured:
    """Values of the target that are left when the second session is subtracted from the first."""
    columns = len(scene.people.schema.names)
    if scene.earlier is None:
        return 0, columns
    one, two = counts_of(scene.earlier[0]), scene.counts()
    if not one or not two or scene.board.burned:
        return 0, columns
    gone = exploits.subtract(one, two)
    row = {column: next(iter(left)) for column, left in enumerate(gone) if left.total() == 1}
    return scene.right(parties.index(target(fault)), row), columns


ATTACK = Attack(
    by=CURATOR,
    does="claims a crash after the count, and runs the session again without one person",
    remedy="`burn`: the first shuffler remembers who took part",
    scenario="attack-rerun",
    unit="values of the target read",
    measure=subtracted,
    reads=("target",),
    stopped_by=("burn",),
    trials={"": aimed()},
    sequel=Sequel(before=crashed, after=without_target),
)
