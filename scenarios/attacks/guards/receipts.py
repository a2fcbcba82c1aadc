"""`receipts`: some users check that their messages arrived, before any ballot is opened."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalogue.guard import Guard, GuardSetting
from .challenge import HELD_IN, LOCKED

if TYPE_CHECKING:
    from ....roles.cast import Guards


def observe(guards: "Guards", setting: GuardSetting) -> "Guards":
    """Return the parties' checks (guards), in which a random share of users look for their ballots.

    guards: the checks so far. setting: the scenario's settings that guards read. Users with a fault
    do not look. With `challenge`, all users look anyway, so `guards` is returned unchanged.
    """
    defence = setting.defence
    if defence.challenge or not defence.receipts:
        return guards
    count = round(defence.receipts * setting.people)
    drawn = setting.rng.choice(setting.people, size=count, replace=False).tolist()
    looking = frozenset(drawn) - setting.struck
    return replace(guards, looks=looking.__contains__)


GUARD = Guard(
    key="defence.receipts",
    on=0.05,
    off=0.0,
    held_in=HELD_IN,
    guards=(
        "as `challenge`, but only a share of people checks: a replaced ballot of another person is "
        "not seen"
    ),
    setting="share of people who look whether what they sent has come, before it is opened",
    price="as `challenge`",
    default=False,
    needs={"defence.registered": True},
    wanted=LOCKED,
    stops=("tag",),
    observe=observe,
)
