"""`order`: a batch leaves sorted by its bytes, and every recipient checks that it is sorted."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.order",
    on="sorted",
    off="kept",
    held_in=("protocol/rounds/mixing.py",),
    guards="a batch leaves in the order of its bytes; all who get it check that",
    setting="a batch leaves in no order of people",
    label="sorted batches",
    price="none: sorting is nothing beside opening",
    lesson=True,
)
