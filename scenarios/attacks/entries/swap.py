"""`swap`: an accomplice takes the target's place in the release.

A user that helps the first shuffler stays away in round 1; in the release its row replaces the
target's, so that both rounds have equal totals and differ by these two rows.
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

ALWAYS = range(1, 256)  # rounds without a submission by the accomplice


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the first shuffler put an accomplice's answers in the target's place in the release.

    The accomplice submits in no round itself, so both rounds have the same number of people.
    """
    (friend,) = friends_of(entry, setup.people, 1)
    setup.message(index(friend), unnoted(ALWAYS), "absent")
    setup.deed(subtract, entry, number, setup.row(index(friend)), aimed=target(entry))


def forged_rows(scene: Scene, entry: Fault) -> Mapping[int, Sequence[Row]]:
    """Return the accomplice's row, by round, if the shuffler inserted it."""
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
