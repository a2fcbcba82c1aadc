"""`try-rows`: the analyst and the party `randomness` test all possible rows on closed ballots.

In the release program `threshold`, a row opens only if k people share it. The party `randomness`
computes the secret function from which a row's encryption key follows. With this function, the
analyst can encrypt each candidate row, and compare.
"""

from collections import Counter

from ....protocol.knowledge.opened_exploits import opened_cells, rows_by_trying
from ....protocol.wire import parties
from ...schema.model import Fault
from ..catalogue.attack import BYSTANDER, OPENED, Attack, Measured, counts_victim
from ..catalogue.scene import Scene

COALITION = (parties.ANALYST, parties.RANDOMNESS)


def read(scene: Scene, _fault: Fault) -> Measured:
    """Return the number of people's rows read only by this attack, and the number of all people.

    Rows that k people share are open to the analyst anyway, and do not count.
    """
    loot = scene.loot(COALITION)
    guessed = rows_by_trying(loot, 1) - opened_cells(loot, 1)
    true = Counter(tuple(scene.people.row(index)) for index in range(scene.n))
    return (guessed & true).total(), scene.n


ATTACK = Attack(
    by=BYSTANDER,
    does="compute what every row would be sealed with, and compare",
    remedy=(
        "nothing: `threshold` assumes that reader and `randomness` do not pool, which leaves no "
        "trace. Only all shufflers know whose row it is"
    ),
    scenario="attack-try-rows",
    unit="closed rows read",
    learns=counts_victim,
    measure=read,
    about=OPENED,
    helpers=lambda _policy, _entry: COALITION,
    watchers="the analyst and randomness",
)
