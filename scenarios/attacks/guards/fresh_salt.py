"""`fresh_salt`: every answer contains a new salt, so a common salt cannot link answers."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.fresh_salt",
    on=True,
    off=False,
    held_in=("protocol/rounds/ballots.py",),
    guards="a salt for every answer",
    setting="a salt for every answer",
    price="none: 16 random bytes an answer",
    lesson=True,
    unguarded="without fresh_salt nobody is hidden; say mix.lesson = true to show it",
    flaw="one-salt",
)
