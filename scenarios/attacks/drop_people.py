"""`drop-people`: the first shuffler loses all answers of some people."""

from ..catalogue.attack import LOSES, SHUFFLER, Attack, by_shuffler
from ..catalogue.measures import uncounted
from ..catalogue.session import AttackSetup

ATTACK = Attack(
    by=SHUFFLER,
    does="loses all answers of some people",
    remedy="`receipts` only: all totals are short by as many",
    scenario="attack-drop-people",
    unit="people not counted",
    measure=uncounted,
    reads=(*LOSES, "target"),
    stopped_by=("receipts",),
    trials={"": by_shuffler(every=True)},
    commit=AttackSetup.deed,
    first_only=True,
)
