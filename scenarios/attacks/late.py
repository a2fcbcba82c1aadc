"""`late`: a person sends when the collection has closed; late ones are never flushed alone."""

from ..catalogue.attack import STRIKES, USER, Attack, by_some
from ..catalogue.measures import uncounted

ATTACK = Attack(
    by=USER,
    does="sends after the collection has closed",
    remedy="late ones are refused and counted, never sent on by themselves",
    scenario="attack-late-batch",
    unit="people not counted",
    measure=uncounted,
    reads=STRIKES,
    trials={"": by_some(round=1)},
    strike=lambda setup, index, rounds: setup.message(index, rounds, "late"),
)
