"""`fresh_key`: every answer has a new ephemeral key, so a common key cannot link answers."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.fresh_key",
    on=True,
    off=False,
    held_in=("protocol/rounds/ballots.py",),
    guards="an ephemeral key for every answer",
    setting="a key for every answer",
    price="none: a key for every layer",
    lesson=True,
    unguarded="without fresh_key nobody is hidden; say mix.lesson = true to show it",
    flaw="one-key",
)
