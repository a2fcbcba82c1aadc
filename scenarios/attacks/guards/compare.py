"""`compare`: users compare the announcement that they received with the board."""

from dataclasses import replace

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.compare",
    on=True,
    off=False,
    held_in=("roles/board_monitor.py",),
    guards="users compare the announcement that they received with the board",
    setting="people compare what they were told with the board",
    price="none: a hash a user",
    observe=lambda guards, setting: replace(guards, compares=setting.defence.compare),
)
