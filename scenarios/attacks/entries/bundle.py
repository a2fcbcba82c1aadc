"""`bundle`: the curator reads all answers of a person side by side.

The attack needs a design error: all answers of a person are in the same ballot (`unbundle` is off).
"""

from ..catalogue.attack import BYSTANDER, Attack, counts_victim
from ..catalogue.measures import whole

ATTACK = Attack(
    by=BYSTANDER,
    does="read a person's answers side by side",
    remedy="`unbundle`",
    scenario="attack-bundle",
    unit="rows read whole",
    learns=counts_victim,
    measure=whole,
    helpers=lambda _policy, _entry: ("curator",),
    switches={"defence.unbundle": False, "mix.lesson": True},
    stopped_by=("unbundle",),
)
