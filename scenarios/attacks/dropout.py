"""`dropout`: subtract the round after somebody has left from the one before."""

from ...protocol import exploits
from ..catalogue.attack import BYSTANDER, Attack, Keys, Measured
from ..catalogue.entries import FIRST_USER
from ..catalogue.scene import Scene
from ..schema.model import Fault


def left_between(scene: Scene, _fault: Fault) -> Measured:
    """Cells, of those who left after round 1, that are certain from the two rounds' counts."""
    before, decision = scene.counts(1), scene.board.decision
    joint = scene.release()
    if decision is None or joint is None or not before:
        return 0, 0
    kept = decision.kept
    after = [exploits.sums(joint, kept, column) for column in kept]
    gone = exploits.subtract([before[column] for column in kept], after)
    return exploits.certain_cells(gone), sum(left.total() for left in gone)


def trial(_people: int, _shufflers: int) -> list[Keys]:
    """One person leaves, and everybody subtracts."""
    return [{"attack": "absent", "by": FIRST_USER, "round": 2}, {}]


ATTACK = Attack(
    by=BYSTANDER,
    does="subtract the round after somebody has left from the one before",
    remedy="`min_dropout`. Without it who left is known for certain on every released column",
    scenario="attack-dropout",
    unit="cells certain of who left",
    measure=left_between,
    stopped_by=("dropout",),
    trials={"": trial},
)
