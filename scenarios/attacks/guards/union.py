"""`union`: a second release about the same people may not contain further columns."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.union",
    on=True,
    off=False,
    held_in=("protocol/history/release_safety.py",),
    guards="a second release adds no columns to the first",
    setting="nor for other columns",
    price="the same people are released on the first columns or not at all",
    default=False,
)
