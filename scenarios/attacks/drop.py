"""`drop`: a shuffler loses single answers, and its account says that they did not open."""

from ..catalogue.attack import LOSES, SHUFFLER, Attack, by_shuffler
from ..catalogue.measures import answers_lost
from ..catalogue.session import AttackSetup

ATTACK = Attack(
    by=SHUFFLER,
    does="loses single answers and says that they did not open",
    remedy="`balance`; `receipts`",
    scenario="attack-drop",
    unit="answers lost",
    measure=answers_lost,
    reads=LOSES,
    stopped_by=("balance", "receipts"),
    trials={"": by_shuffler(last=True)},
    commit=AttackSetup.deed,
)
