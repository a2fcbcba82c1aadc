"""`one-salt`: the curator links the answers of a person by their common salt.

The attack works only with a design error: all answers of a person contain the same salt.
"""

from ..catalogue.attack import BYSTANDER, Attack, counts_victim
from ..catalogue.measures import whole

ATTACK = Attack(
    by=BYSTANDER,
    does="put answers with one salt together",
    remedy="`fresh_salt`",
    scenario="attack-one-salt",
    unit="rows read whole",
    learns=counts_victim,
    measure=whole,
    helpers=lambda _policy, _entry: ("curator",),
    switches={"defence.fresh_salt": False, "mix.lesson": True},
    stopped_by=("fresh_salt",),
)
