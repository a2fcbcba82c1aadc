"""`promise`: the analyst releases only if the exposure bound is proved again for respondents."""

from dataclasses import replace

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.promise",
    on=True,
    off=False,
    held_in=("protocol/board/promise.py",),
    guards="the analyst releases only if the bound is proved again for the people who answered",
    setting="nothing is released of which the promise cannot be proved again",
    price="people who leave between the rounds may stop the release",
    lesson=True,
    unguarded="more people may be exposed than is promised; say mix.lesson = true to show it",
    observe=lambda guards, setting: replace(guards, proves=setting.defence.promise),
)
