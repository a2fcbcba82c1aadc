"""`one-key`: the curator links the answers of a person by their common ephemeral key.

The attack works only with a design error: all answers of a person are sealed with the same key.
"""

from ..catalogue.attack import BYSTANDER, Attack, counts_victim
from ..catalogue.measures import whole

ATTACK = Attack(
    by=BYSTANDER,
    does="put answers sealed with one key together",
    remedy="`fresh_key`",
    scenario="attack-one-key",
    unit="rows read whole",
    learns=counts_victim,
    measure=whole,
    helpers=lambda _policy, _entry: ("curator",),
    switches={"defence.fresh_key": False, "mix.lesson": True},
    stopped_by=("fresh_key",),
)
