"""`swap`: in the release, an accomplice's row takes the place of the target's row.

The accomplice, a user that helps the first shuffler, submits nothing in round 1. Both rounds then
have equal totals, and their counts differ by the rows of the target and the accomplice.
"""

from collections.abc import Mapping, Sequence

from ....protocol.knowledge.adversary_view import Row
from ....protocol.wire.parties import index, shuffler
from ....roles.occasions import unnoted
from ...schema.model import Fault, Policy
from ..catalogue.attack import SHUFFLER, Attack, aimed, wholly
from ..catalogue.fault_entries import target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..catalogue.subtraction import (
    COMPARED,
    UNIT,
    friends_of,
    last_release,
    put_in,
    target_read,
    with_curator,
)
from ..faults.shuffler import subtract

__all__ = ["ATTACK"]

# all rounds: the accomplice sends nothing itself; the shuffler inserts its row in the release
ALWAYS = range(1, 256)


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the first shuffler put an accomplice's answers in the target's place in the release.

    The accomplice itself submits in no round, so both rounds count equally many people. number: the
    place of the entry among the file's `[[fault]]` tables.
    """
    (friend,) = friends_of(entry, setup.people, 1)
    setup.message(index(friend), unnoted(ALWAYS), "absent")
    setup.deed(subtract, entry, number, setup.row(index(friend)), aimed=target(entry))


def forged_rows(scene: Scene, entry: Fault) -> Mapping[int, Sequence[Row]]:
    """Return the accomplice's row, by round, once for each row that the first shuffler inserted."""
    (friend,) = friends_of(entry, scene.n, 1)
    row = scene.people.row(index(friend))
    return put_in(scene, last_release(scene), lambda _plan, row_count: [row] * row_count)


def helpers(policy: Policy, entry: Fault) -> tuple[str, ...]:
    """Return the accomplices, for a report: a user, and the curator if only it knows the counts."""
    return "one of the people", *with_curator(policy, entry)


ATTACK = Attack(
    by=SHUFFLER,
    does="takes the target out of the release, in which a friend answers who was away in round 1",
    remedy=f"`tokens`: the friend has none in round 2, or is missing in round 1; {COMPARED}",
    scenario="attack-swap",
    unit=UNIT,
    waits="an answer of the target in the round of the release",
    learns=wholly,
    measure=target_read(with_curator, inserted_rows=forged_rows),
    reads=("target",),
    stopped_by=("tokens", "sums", "receipts"),
    trials={"": aimed(by=shuffler(1))},
    commit=commit,
    first_only=True,
    helpers=helpers,
)
