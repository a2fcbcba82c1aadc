"""`salt`: equal answers become different plaintexts, because each contains random bytes."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.salt",
    on=True,
    off=False,
    held_in=("protocol/rounds/ballots.py",),
    guards="equal answers are different plaintexts",
    setting="equal answers look different, and can be told apart",
    price="none: 16 random bytes an answer; tokens need it",
    lesson=True,
)
