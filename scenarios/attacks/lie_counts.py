"""`lie-counts`: the analyst publishes counts that it has not read."""

from ...protocol import parties
from ...roles.faults.analyst import Miscounting
from ..catalogue.attack import ANALYST, Attack, Measured
from ..catalogue.scene import Scene
from ..catalogue.session import AttackSetup
from ..schema.model import Fault


def commit(setup: AttackSetup, _entry: Fault, _number: int) -> None:
    """The analyst publishes that all people are alike."""
    setup.places[parties.ANALYST] = Miscounting


def miscounted(scene: Scene, _fault: Fault) -> Measured:
    """People who are released as somebody they are not: of all who are released."""
    board = scene.board
    if board.burned or scene.release() is None or board.decision is None:
        return 0, scene.n
    (told,), kept = board.tallies[-1].counts or ({},), board.decision.kept
    true = [tuple(scene.people.row(index)[column] for column in kept) for index in range(scene.n)]
    wrong = sum(max(0, many - true.count(cell)) for cell, many in told.items())
    return wrong, scene.n


ATTACK = Attack(
    by=ANALYST,
    does="publishes counts that it has not read",
    remedy="`sums`: the curator, who has counted the same people, burns what does not fit",
    scenario="attack-lie-counts",
    unit="people released as somebody else",
    measure=miscounted,
    stopped_by=("sums",),
    commit=commit,
)
