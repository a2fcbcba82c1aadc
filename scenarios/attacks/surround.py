"""`surround`: the first shuffler replaces everybody but the target, and reads the release."""

from collections.abc import Mapping, Sequence

from ...protocol.exploits import Row
from ...protocol.own_batches import handed_on
from ...protocol.parties import shuffler
from ...roles.faults.shuffler import covering_rows
from ..catalogue.attack import SHUFFLER, Attack, Keys, wholly
from ..catalogue.entries import FIRST_USER, target
from ..catalogue.scene import Scene
from ..catalogue.session import AttackSetup
from ..catalogue.subtraction import UNIT, last_release, nobody_else, target_read
from ..schema.model import Fault

__all__ = ["ATTACK"]


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Known rows stand where everybody else's would."""
    setup.deed(entry, number, aimed=target(entry))


def made(scene: Scene, _entry: Fault) -> Mapping[int, Sequence[Row]]:
    """The known rows, as many as were put in."""
    loot, number = scene.loot((shuffler(1),)), last_release(scene)
    plan = loot.plan(number)
    if plan is None:
        return {}
    rows = covering_rows(plan, handed_on(loot, number).strange // plan.slots)
    return {number: [dict(enumerate(row)) for row in rows]}


def trial(_people: int, _shufflers: int) -> list[Keys]:
    """Everybody but the first person is replaced."""
    return [{"by": shuffler(1), "target": FIRST_USER}]


ATTACK = Attack(
    by=SHUFFLER,
    does="keeps the target and replaces everybody else by known rows in the release",
    remedy=(
        "`tokens`: the rows have none, and the round burns before anything is told. "
        "`sums`: where marginals are public, the analyst compares what it has read with them, and "
        "burns before anything is released; where they are secret, the curator does when the "
        "counts are out. `min_batch` helps nothing; `receipts` show it afterwards to whoever looks"
    ),
    scenario="attack-surround",
    unit=UNIT,
    learns=wholly,
    measure=target_read(nobody_else, made=made),
    reads=("target",),
    stopped_by=("tokens", "sums", "receipts"),
    trials={"": trial},
    commit=commit,
    first_only=True,
)
