"""`surround`: the first shuffler replaces all people but the target by known rows, in the release.

The only unknown row in the release is then the target's.
"""

from collections.abc import Mapping, Sequence

from ....protocol.knowledge.adversary_view import Row
from ....protocol.wire.parties import shuffler
from ...schema.model import Fault
from ..catalogue.attack import SHUFFLER, Attack, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..catalogue.subtraction import UNIT, last_release, nobody_else, put_in, target_read
from ..faults.shuffler import covering_rows, surround

__all__ = ["ATTACK"]


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the first shuffler replace all answers but the target's, in the round of the release.

    number: the place of the entry among the file's `[[fault]]` tables.
    """
    setup.deed(surround, entry, number, aimed=target(entry))


def forged_rows(scene: Scene, _entry: Fault) -> Mapping[int, Sequence[Row]]:
    """Return the invented rows that the first shuffler inserted for all other users, by round."""
    return put_in(scene, last_release(scene), covering_rows)


ATTACK = Attack(
    by=SHUFFLER,
    does="keeps the target and replaces everybody else by known rows in the release",
    remedy="`tokens`: the rows have none; `sums`, `challenge` or `receipts`",
    scenario="attack-surround",
    unit=UNIT,
    waits="a batch of the first shuffler in the round of the release",
    learns=wholly,
    measure=target_read(nobody_else, inserted_rows=forged_rows),
    reads=("target",),
    stopped_by=("tokens", "sums", "receipts"),
    trials={"": aimed(by=shuffler(1))},
    commit=commit,
    first_only=True,
)
