"""`random`: keys and salts come from the system, so that no party can derive them from a seed."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="scenario.seed",
    on=None,
    off=1,
    held_in=("crypto/entropy.py",),
    guards="keys and salts that nobody can compute again",
    price="a run cannot be repeated",
)
