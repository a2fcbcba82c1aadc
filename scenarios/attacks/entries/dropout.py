"""`dropout`: attackers compare the counts before and after a user leaves, to learn its values."""

from ....protocol.knowledge import exploits
from ....protocol.knowledge.adversary_view import senders
from ....protocol.knowledge.batch_subtraction import counted, public_release
from ....protocol.wire.parties import NETWORK
from ...schema.model import Fault
from ..catalogue.attack import BYSTANDER, Attack, Keys, Measured, wholly
from ..catalogue.fault_entries import FIRST_USER
from ..catalogue.scene import Scene
from ..catalogue.subtraction import with_curator


def left_between(scene: Scene, fault: Fault) -> Measured:
    """Measure the certain cells of users that left after round 1, of all their cells.

    A cell is a value in a released column. It is certain if the difference of the counts of both
    rounds allows only one value. The network saw the dropouts; the curator knows the first counts,
    unless they are public.
    """
    loot = scene.loot((NETWORK, *with_curator(scene.settings.policy, fault)))
    earlier_counts, decision = counted(loot, 1), loot.board.decision
    joint = public_release(loot.board)
    dropouts = set(senders(loot, 1)) - set(senders(loot, len(loot.board.calls)))
    if decision is None or joint is None or not earlier_counts or not dropouts:
        return 0, 0
    released_columns = decision.kept
    later_counts = [exploits.sums(joint, released_columns, column) for column in released_columns]
    less = exploits.subtract([earlier_counts[column] for column in released_columns], later_counts)
    return exploits.certain_cells(less), sum(difference.total() for difference in less)


def trial(_people: int, _shufflers: int) -> list[Keys]:
    """Return the two `[[fault]]` entries with which the attack matrix tries this attack.

    The attack matrix runs each attack with and without countermeasures. In the first entry a user
    leaves after round 1. The second entry needs no keys: it adds this attack, in which parties
    subtract the counts of both rounds.
    """
    return [{"attack": "absent", "by": FIRST_USER, "round": 2}, {}]


ATTACK = Attack(
    by=BYSTANDER,
    does="subtract the round after somebody has left from the one before",
    remedy="`min_dropout`",
    scenario="attack-dropout",
    unit="cells certain of who left",
    learns=wholly,
    measure=left_between,
    helpers=lambda policy, entry: (NETWORK, *with_curator(policy, entry)),
    stopped_by=("dropout",),
    trials={"": trial},
)
