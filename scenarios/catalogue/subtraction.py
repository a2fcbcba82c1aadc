"""What the attacks share that read one row off a release: who is in it, and what is measured.

A first shuffler that handles the people of a release as it likes needs what was counted before, or
the release alone. Counts that are not public it has from the curator.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...protocol import parties
from ...protocol.own_batches import AccompliceRows, handed_on, left_over
from ...protocol.parties import Role
from .entries import target

if TYPE_CHECKING:
    from ...protocol.adversary_view import Row
    from ...protocol.session import Round
    from ..schema.model import Fault, Scenario
    from .attack import Measure, Measured
    from .scene import Scene

UNIT = "values of the target read"
# What stops a release whose people are not those of round 1, in the words of a remedy.
COMPARED = (
    "`sums`, unless rows are replaced in both rounds (S3): where marginals are public, the analyst "
    "compares what it has read with them, and burns before anything is released. Where they are "
    "secret the curator has to be in it, who "
    "alone could compare, and does when the counts are out. `challenge`, or `receipts` if the "
    "target looks, burn the round before it is opened"
)
InsertedRows = Callable[["Scene", "Fault"], Mapping[int, "Sequence[Row]"]]


def with_curator(scenario: "Scenario", _entry: "Fault") -> tuple[str, ...]:
    """The curator, where only it knows what was counted."""
    return () if scenario.policy.publish_marginals else (parties.CURATOR,)


def nobody_else(_scenario: "Scenario", _entry: "Fault") -> tuple[str, ...]:
    """The first shuffler does without friends."""
    return ()


def friends_of(entry: "Fault", people: int, many: int) -> tuple[str, ...]:
    """The last of the people, the target left out: so many friends of the first shuffler."""
    others = (parties.user(i) for i in reversed(range(people)))
    return tuple(user for user in others if user != target(entry))[:many]


def no_rows(_scene: "Scene", _entry: "Fault") -> Mapping[int, "Sequence[Row]"]:
    """The first shuffler puts in nothing of its own."""
    return {}


def put_in(
    scene: "Scene", number: int, rows: "Callable[[Round, int], Sequence[Sequence[str]]]"
) -> Mapping[int, "Sequence[Row]"]:
    """What the first shuffler put in of its own in a round; nothing where none was called.

    rows: gives so many rows as it put in, a value of every column each.
    """
    loot = scene.loot((parties.shuffler(1),))
    plan = loot.plan(number)
    if plan is None:
        return {}
    many = handed_on(loot, number).strange // plan.slots
    return {number: [dict(enumerate(row)) for row in rows(plan, many)]}


def target_read(
    helpers: "Callable[[Scenario, Fault], tuple[str, ...]]",
    friends: "Callable[[Scene, Fault], tuple[str, ...]]" = lambda _scene, _entry: (),
    made: InsertedRows = no_rows,
) -> "Measure":
    """Measure how many released values of the target are read, of all that are released of it.

    helpers: who gives letters and keys besides the first shuffler. friends: people who tell their
    rows. made: what the first shuffler put in of its own, by round.
    """

    def measure(scene: "Scene", entry: "Fault") -> "Measured":
        loot = scene.loot((parties.shuffler(1), *helpers(scene.scenario, entry)))
        told = [parties.index(party) for party in friends(scene, entry)]
        rows = {friend: dict(enumerate(scene.people.row(friend))) for friend in told}
        people = left_over(loot, AccompliceRows(rows, made(scene, entry)))
        decision = scene.board.decision
        columns = len(decision.kept) if decision else len(scene.people.schema.names)
        who = parties.index(target(entry))
        return scene.right(who, people.get(who, {})), columns

    return measure


def last_release(scene: "Scene") -> int:
    """The round of the release; 0 if none was called."""
    calls = [call.round for call in scene.board.calls if call.reader is Role.ANALYST]
    return max(calls, default=0)
