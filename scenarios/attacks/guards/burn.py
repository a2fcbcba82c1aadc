"""`burn`: no session is repeated with almost the same people.

The difference of the counts of both sessions would reveal the rows of the few other people.
"""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.burn",
    on=True,
    off=False,
    held_in=("protocol/history/shuffler_history.py",),
    guards="a session is not run again on the same people less a few",
    setting="a session is not run again on the same people less a few",
    price="a failed round cannot be repeated; the first shuffler remembers who took part",
)
