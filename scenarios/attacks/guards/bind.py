"""`bind`: a layer opens only in the session, round, question and hop for which it was sealed."""

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.bind",
    on=True,
    off=False,
    held_in=("protocol/rounds/round_context.py",),
    guards="every layer opens in one session, round, question and hop only",
    setting="a layer opens in one session, round and hop",
    price="none: hashed, not sent",
    lesson=True,
    unguarded="without bind nobody is hidden; say mix.lesson = true to show it",
    flaw="unbound",
)
