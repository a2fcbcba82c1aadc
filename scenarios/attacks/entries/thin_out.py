"""`thin-out`: the target leaves after round 1 together with accomplices of the first shuffler.

The counts of the two rounds differ by the rows of the target and the accomplices. The shuffler
knows the accomplices' rows, so the rest of the difference is the target's row.
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

# accomplices in the attack matrix, which tries every attack against every guard. With the target,
# 10 people leave. The default `min_dropout` is 10, and fewer dropouts would abort the round
FRIENDS = 9
LATER_ROUNDS = range(2, 256)  # rounds after the first, in which the accomplices send no message


def commit(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Let the target and its accomplices be missing after round 1.

    The accomplices do not submit. The first shuffler ignores the target's message, and claims that
    the message came too late. number: the place of the entry among the file's `[[fault]]` tables.
    """
    for friend in friends_of(entry, setup.people, entry.users or 0):
        setup.message(index(friend), unnoted(LATER_ROUNDS), "absent")
    setup.deed(thin_out, entry, number, aimed=target(entry), ignores=without_target)


def friends(scene: Scene, entry: Fault) -> tuple[str, ...]:
    """Return the names of the accomplices, users that disclose their rows to the first shuffler."""
    return friends_of(entry, scene.n, entry.users or 0)


def trial(people: int, _shufflers: int) -> list[Keys]:
    """Return the `[[fault]]` entry with which this attack is tried against every guard.

    The target is the first user. people: the number of users.
    """
    return [{"by": shuffler(1), "target": FIRST_USER, "users": min(FRIENDS, people - 1)}]


def helpers(policy: Policy, entry: Fault) -> tuple[str, ...]:
    """Return the accomplices, for a report: users, and the curator if only it knows the counts."""
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
