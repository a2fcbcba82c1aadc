"""`sums`: curator and analyst compare their counts of the same people; a mismatch aborts."""

from dataclasses import replace

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.sums",
    on=True,
    off=False,
    held_in=("protocol/board/sum_check.py",),
    guards=(
        "curator and analyst compare their counts of the same people; a difference aborts the "
        "session"
    ),
    setting="a release fits what was counted of the same people before",
    price="a person whose answer differs in round 2 aborts it",
    observe=lambda guards, setting: replace(guards, sums=setting.defence.sums),
)
