"""`unbundle`: the first shuffler separates a person's answers, so that readers cannot link them."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.unbundle",
    on=True,
    off=False,
    held_in=("protocol/rounds/ballots.py",),
    guards="the first shuffler separates a person's answers",
    setting="the first shuffler takes a person's answers apart",
    price="none: an onion for every answer, not one for all",
    lesson=True,
    unguarded="without unbundle nobody is hidden; say mix.lesson = true to show it",
    flaw="bundled",
)
