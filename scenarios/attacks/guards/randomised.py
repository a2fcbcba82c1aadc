"""`randomised`: encryption is randomized, so equal plaintexts give different layers."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.suite",
    on="sealedbox",
    off="textbook",
    held_in=("crypto/suites.py", "crypto/sealedbox.py"),
    guards="equal plaintexts are different layers",
    price="none: an ephemeral key for every layer",
    lesson=True,
)
