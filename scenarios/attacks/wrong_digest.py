"""`wrong-digest`: a shuffler accounts for a batch that is not the one it hands on."""

from ...protocol import parties
from ..catalogue.attack import SHUFFLER, Attack, Measured, committed
from ..catalogue.entries import rounds_of
from ..catalogue.scene import Scene
from ..catalogue.session import AttackSetup
from ..schema.model import Fault


def taken(scene: Scene, fault: Fault) -> Measured:
    """Rounds counted all the same, of those in which it was tried."""
    tried = [call.round for call in scene.board.calls if call.round in rounds_of(fault)]
    return sum(number <= len(scene.board.tallies) for number in tried), len(tried)


ATTACK = Attack(
    by=SHUFFLER,
    does="accounts for a batch that is not the one it hands on",
    remedy="always on: who gets a batch compares it with the account, and burns the round",
    scenario="attack-wrong-digest",
    unit="rounds counted from a batch nobody accounted for",
    measure=taken,
    reads=("round",),
    trials={"": committed(by=parties.shuffler(1))},
    commit=AttackSetup.deed,
)
