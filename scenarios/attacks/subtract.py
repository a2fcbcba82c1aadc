"""`subtract`: the first shuffler replaces the target in the release, and subtracts."""

from collections.abc import Mapping, Sequence

from ...protocol.exploits import Row
from ...protocol.own_batches import handed_on
from ...protocol.parties import shuffler
from ...roles.faults.shuffler import forged_row
from ..catalogue.attack import SHUFFLER, Attack, Keys, wholly
from ..catalogue.entries import FIRST_USER, target
from ..catalogue.scene import Scene
from ..catalogue.session import AttackSetup
from ..catalogue.subtraction import UNIT, last_release, target_read, with_curator
from ..schema.model import Fault

__all__ = ["ATTACK"]


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """One known row stands where the target's would."""
    setup.deed(entry, number, aimed=target(entry))


def made(scene: Scene, _entry: Fault) -> Mapping[int, Sequence[Row]]:
    """The known row, as often as it was put in."""
    loot, number = scene.loot((shuffler(1),)), last_release(scene)
    plan = loot.plan(number)
    if plan is None:
        return {}
    many = handed_on(loot, number).strange // plan.slots
    return {number: [dict(enumerate(forged_row(plan)))] * many}


def trial(_people: int, _shufflers: int) -> list[Keys]:
    """The first person is replaced."""
    return [{"by": shuffler(1), "target": FIRST_USER}]


ATTACK = Attack(
    by=SHUFFLER,
    does="replaces the target by a known row in the release, and subtracts it from round 1",
    remedy=(
        "`tokens`: the row has none, and the target's is missing, which burns the round before "
        "anything is told. `sums`: where marginals are public, the analyst compares what it has "
        "read with them, and burns before anything is released. Where they are secret the curator "
        "has to be in it, who alone could compare, and does when the counts are out; `receipts` "
        "show it afterwards to a target that looks"
    ),
    scenario="attack-subtract",
    unit=UNIT,
    learns=wholly,
    measure=target_read(with_curator, made=made),
    reads=("target",),
    stopped_by=("tokens", "sums", "receipts"),
    trials={"": trial},
    commit=commit,
    first_only=True,
    helpers=with_curator,
)
