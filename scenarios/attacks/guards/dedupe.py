"""`dedupe`: a shuffler drops repeated layers of a batch, so that copies are not counted."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.dedupe",
    on=True,
    off=False,
    held_in=("protocol/rounds/mixing.py",),
    guards="a shuffler drops repeated layers",
    setting="repeats are dropped",
    price="none: salts keep equal answers apart",
    lesson=True,
    unguarded="without dedupe nobody is hidden; say mix.lesson = true to show it",
    flaw="repeats",
)
