"""`min_batch`: a round with fewer people than the minimum is aborted."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.min_batch",
    on=2,
    off=1,
    held_in=("protocol/wire/crowd_limits.py",),
    guards="a round of fewer people is aborted",
    setting="people without whom a round burns",
    label="minimum batch",
    price="people kept away stop the round",
)
