"""Shared parts of attacks that read a person's row off a release by subtraction.

The first shuffler chooses the people whose answers a release counts. Some attacks subtract known
rows from the release. Others compare the release with the counts of round 1; if these counts are
not public, the curator tells them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ....protocol.knowledge.batch_subtraction import AccompliceRows, handed_on, left_over
from ....protocol.wire import parties
from ....protocol.wire.parties import Role
from .fault_entries import target

if TYPE_CHECKING:
    from ....protocol.knowledge.adversary_view import Row
    from ....protocol.rounds.round_context import Round
    from ...schema.model import Fault, Policy
    from .attack import Measure, Measured
    from .scene import Scene

UNIT = "values of the target read"
# Part of a sentence in docs/attacks.md: countermeasures if the first shuffler exchanges people
# between round 1 and the release.
COMPARED = "`sums`, `challenge` or `receipts`"
InsertedRows = Callable[["Scene", "Fault"], Mapping[int, "Sequence[Row]"]]


def with_curator(policy: "Policy", _entry: "Fault") -> tuple[str, ...]:
    """Return the curator as an accomplice if the counts are secret; () if they are public."""
    return () if policy.publish_marginals else (parties.CURATOR,)


def nobody_else(_policy: "Policy", _entry: "Fault") -> tuple[str, ...]:
    """Return no accomplices: the first shuffler of this attack acts alone."""
    return ()


def friends_of(entry: "Fault", people: int, count: int) -> tuple[str, ...]:
    """Return users that help the attackers: the last `count` users, without the target.

    people: the number of real users. entry: names the target.
    """
    candidates = (parties.user(i) for i in reversed(range(people)))
    return tuple(user for user in candidates if user != target(entry))[:count]


def no_rows(_scene: "Scene", _entry: "Fault") -> Mapping[int, "Sequence[Row]"]:
    """Return an empty table: the first shuffler of this attack inserts no rows of its own."""
    return {}


def put_in(
    scene: "Scene", number: int, rows: "Callable[[Round, int], Sequence[Sequence[str]]]"
) -> Mapping[int, "Sequence[Row]"]:
    """Return the rows that the first shuffler inserted in round `number`, by round.

    {} if the round was not called. rows: returns the inserted rows, each with a value for every
    column; called with the round and the number of inserted rows.
    """
    loot = scene.loot((parties.shuffler(1),))
    plan = loot.plan(number)
    if plan is None:
        return {}
    row_count = handed_on(loot, number).strange // plan.slots
    return {number: [dict(enumerate(row)) for row in rows(plan, row_count)]}


def target_read(
    helpers: "Callable[[Policy, Fault], tuple[str, ...]]",
    friends: "Callable[[Scene, Fault], tuple[str, ...]]" = lambda _scene, _entry: (),
    inserted_rows: InsertedRows = no_rows,
) -> "Measure":
    """Return a measure: the target's released values read by the attackers, of all its values.

    helpers: the parties that share their messages and keys with the first shuffler. friends: users
    that disclose their rows. inserted_rows: the first shuffler's own rows, by round.
    """

    def measure(scene: "Scene", entry: "Fault") -> "Measured":
        """Return the number of the target's values read correctly, of all released columns."""
        loot = scene.loot((parties.shuffler(1), *helpers(scene.settings.policy, entry)))
        friend_indices = [parties.index(party) for party in friends(scene, entry)]
        rows = {friend: dict(enumerate(scene.people.row(friend))) for friend in friend_indices}
        people = left_over(loot, AccompliceRows(rows, inserted_rows(scene, entry)))
        decision = scene.board.decision
        columns = len(decision.kept) if decision else len(scene.people.schema.names)
        target_index = parties.index(target(entry))
        return scene.right(target_index, people.get(target_index, {})), columns

    return measure


def last_release(scene: "Scene") -> int:
    """Return the number of the round in which the analyst read the release.

    0 without such a round.
    """
    calls = [call.round for call in scene.board.calls if call.reader is Role.ANALYST]
    return max(calls, default=0)
