"""The attack of a reused ephemeral key: link the answers that are sealed with it."""

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
