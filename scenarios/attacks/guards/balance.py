"""`balance`: the analyst checks that the posted message numbers add up, and reports a mismatch."""

from dataclasses import replace

from ..catalogue.guard import Guard

GUARD = Guard(
    key="defence.balance",
    on=True,
    off=False,
    held_in=("roles/board_monitor.py", "protocol/board/alarms.py"),
    guards=(
        "the analyst adds up totals and accounts (each party's numbers of received, refused and "
        "forwarded messages) on the board, and reports a mismatch"
    ),
    setting="totals and accounts on the board are added up",
    price="none: sums of posts",
    default=False,
    observe=lambda guards, setting: replace(guards, balance=setting.defence.balance),
)
