"""`pad`: all plaintexts of a round are padded to equal length."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="mix.pad",
    on=True,
    off=False,
    held_in=("crypto/padding.py", "protocol/rounds/round_context.py"),
    guards="all plaintexts of a round have one size",
    setting="all submissions of a round are equally long",
    label="padding",
    price="none: every answer has the bytes of the longest",
    lesson=True,
)
