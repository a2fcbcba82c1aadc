"""`dropout`: a second round is aborted if only a few people left after round 1.

The difference of the counts of both rounds would reveal the values of these few people.
"""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.min_dropout",
    on=10,
    off=1,
    held_in=("protocol/wire/crowd_limits.py",),
    guards="a second round is aborted if people left, but fewer than this number",
    setting="people who must have left, if any did, for a second round to be released",
    price="one person who leaves stops the release",
)
