"""`duplicate`: a user sends the same bytes twice, to be counted twice."""

from ....errors import Reason
from ..catalogue.attack import STRIKES, USER, Attack, by_some
from ..catalogue.measures import refused_for

ATTACK = Attack(
    by=USER,
    does="sends the same bytes twice",
    remedy="`dedupe`: the second is refused and counted",
    scenario="attack-poison",
    unit="messages refused",
    waits="an answer of one of those who commit it",
    measure=refused_for(Reason.DUPLICATE),
    reads=STRIKES,
    stopped_by=("dedupe",),
    trials={"": by_some(round=1)},
    unlike_honest=True,
    strike=lambda setup, index, rounds: setup.message(index, rounds, "duplicate"),
)
