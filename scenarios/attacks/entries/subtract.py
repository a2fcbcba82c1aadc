"""`subtract`: the first shuffler reads the target's row as a difference between two counts.

Round 1 counts the target. In the round of the release, the shuffler replaces the target by a row
that it knows, so the counts of both rounds differ by these two rows.
"""

from collections.abc import Mapping, Sequence

from ....protocol.knowledge.adversary_view import Row
from ....protocol.wire.parties import shuffler
from ...schema.model import Fault
from ..catalogue.attack import SHUFFLER, Attack, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..catalogue.subtraction import COMPARED, UNIT, last_release, put_in, target_read, with_curator
from ..faults.shuffler import forged_row, subtract

__all__ = ["ATTACK"]


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the first shuffler replace the target's answers by a known row, in the release's round.

    number: the place of the entry among the file's `[[fault]]` tables.
    """
    setup.deed(subtract, entry, number, aimed=target(entry))


def forged_rows(scene: Scene, _entry: Fault) -> Mapping[int, Sequence[Row]]:
    """Return the rows that the first shuffler inserted in place of the target's, by round.

    Each is the same invented row (`forged_row`), which the shuffler subtracts from the counts.
    """
    return put_in(
        scene, last_release(scene), lambda plan, row_count: [forged_row(plan)] * row_count
    )


ATTACK = Attack(
    by=SHUFFLER,
    does="replaces the target by a known row in the release, and subtracts it from round 1",
    remedy=f"`tokens`: the row has none, and the target's is missing; {COMPARED}",
    scenario="attack-subtract",
    unit=UNIT,
    waits="an answer of the target in the round of the release",
    learns=wholly,
    measure=target_read(with_curator, inserted_rows=forged_rows),
    reads=("target",),
    stopped_by=("tokens", "sums", "receipts"),
    trials={"": aimed(by=shuffler(1))},
    commit=commit,
    first_only=True,
    helpers=with_curator,
)
