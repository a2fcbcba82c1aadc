"""`receipts`: readers show salted hashes of ballots; some users look for theirs."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalogue.guard import Guard, Requirement, Setting

if TYPE_CHECKING:
    from ...roles.cast import Guards


def observe(guards: "Guards", setting: Setting) -> "Guards":
    """Draw who looks; people who do something wrong do not."""
    count = round(setting.scenario.defence.receipts * setting.people)
    drawn = setting.rng.choice(setting.people, size=count, replace=False).tolist()
    looking = frozenset(drawn) - setting.struck
    return replace(guards, looks=looking.__contains__ if looking else None)


GUARD = Guard(
    key="defence.receipts",
    on=0.05,
    off=0.0,
    held_in=("protocol/receipts.py",),
    guards="readers show salted hashes of ballots; some users look",
    setting="share of people who check that they were counted",
    price=(
        "whoever complains shows its receipt to the reader that left it out, which then has its "
        "row (S1); a hash of 32 bytes a ballot on the board, and a post of each reader"
    ),
    default=False,
    wanted=(
        Requirement.switched_on("mix.salt", "without salt anyone could guess what a receipt is of"),
    ),
    observe=observe,
)
