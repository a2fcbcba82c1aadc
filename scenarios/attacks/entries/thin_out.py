"""`thin-out`: the target leaves after round 1 together with accomplices of the first shuffler.

Their known rows are subtracted from the difference of the counts, and leave the target's row.
"""

from ....protocol.wire.parties import index, shuffler
from ....roles.occasions import unnoted
from ...schema.model import Fault, Policy
from ..catalogue.attack import SHUFFLER, Attack, Keys, wholly
from ..catalogue.fault_entries import FIRST_USER, target
from ..catalogue.scene import Scene
from ..catalogue.setup import AttackSetup
from ..catalogue.subtraction import UNIT, friends_of, target_read, with_curator
from ..faults.shuffler import thin_out, without_target

__all__ = ["ATTACK"]

FRIENDS = 9  # accomplices in the matrix; with the target they reach the default `min_dropout`
LATER_ROUNDS = range(2, 256)  # rounds after the first


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let accomplices stay away after round 1.

    The shuffler claims that the target came too late.
    """
    for friend in friends_of(entry, setup.people, entry.users or 0):
        setup.message(index(friend), unnoted(LATER_ROUNDS), "absent")
    setup.deed(thin_out, entry, number, aimed=target(entry), ignores=without_target)


def friends(scene: Scene, entry: Fault) -> tuple[str, ...]:
    """Return the names of the accomplices, which disclose their rows to the first shuffler."""
    return friends_of(entry, scene.n, entry.users or 0)


def trial(people: int, _shufflers: int) -> list[Keys]:
    """Return the matrix's `[[fault]]` entry: the first user is removed from the release."""
    return [{"by": shuffler(1), "target": FIRST_USER, "users": min(FRIENDS, people - 1)}]


def helpers(policy: Policy, entry: Fault) -> tuple[str, ...]:
    """Return the accomplices, for a report: users, and the curator if it alone knows the counts."""
    friend_group = (f"{entry.users} of the people",) if entry.users else ()
    return *friend_group, *with_curator(policy, entry)


ATTACK = Attack(
    by=SHUFFLER,
    does="takes the target out of the release when so many friends leave that nobody stands out",
    remedy=(
        "`tokens`: a person who asked for one may not be missing (S5 is left); `min_dropout` above "
        "the number of friends; `promise` if the bound allows no further exposed person"
    ),
    scenario="attack-thin-out",
    unit=UNIT,
    waits="an answer of the target in the round of the release",
    learns=wholly,
    measure=target_read(with_curator, friends),
    reads=("target", "users"),
    stopped_by=("tokens", "promise"),
    trials={"": trial},
    commit=commit,
    first_only=True,
    helpers=helpers,
)
