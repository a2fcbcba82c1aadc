"""`pre-empt`: the first shuffler hands the reader a batch of its own in the last one's place."""

from ...protocol import parties
from ..catalogue.attack import SHUFFLER, Attack, committed
from ..catalogue.measures import moved
from ..catalogue.session import AttackSetup

ATTACK = Attack(
    by=SHUFFLER,
    does="hands the reader a batch of its own in the place of the last shuffler's",
    remedy="always on: a batch comes from the hop before, and is the one that it accounted for",
    scenario="attack-pre-empt",
    unit="people by whom a count is moved",
    measure=moved,
    reads=("round",),
    trials={"": committed(by=parties.shuffler(1))},
    commit=AttackSetup.deed,
    first_only=True,
)
