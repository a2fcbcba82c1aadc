"""`tag`: a shuffler turns over a bit of some answers; what is tagged does not open."""

from ..catalogue.attack import LOSES, SHUFFLER, Attack, by_shuffler
from ..catalogue.measures import answers_lost
from ..catalogue.session import AttackSetup

ATTACK = Attack(
    by=SHUFFLER,
    does="turns over a bit of some answers, to know them again",
    remedy="authenticated layers: tagging is dropping, and `balance` shows it",
    scenario="attack-tag",
    unit="answers lost",
    measure=answers_lost,
    reads=(*LOSES, "bit"),
    stopped_by=("balance",),
    trials={"": by_shuffler()},
    commit=AttackSetup.deed,
)
