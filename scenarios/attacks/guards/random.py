"""`random`: keys and salts that no party can derive again."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="scenario.seed",
    on=None,
    off=1,
    held_in=("crypto/entropy.py",),
    guards="keys and salts that nobody can derive again",
    price="a run cannot be repeated",
)
