"""`registered`: users sign their messages, with keys on a list made before the session."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ..catalogue.guard import Guard, GuardSetting

if TYPE_CHECKING:
    from ....roles.cast import Guards


def observe(guards: "Guards", setting: GuardSetting) -> "Guards":
    """Return the parties' checks (guards), in which all users of the scenario are registered.

    Users that an attack invents are not registered. guards: the checks so far. setting: the
    scenario's settings that guards read; without a list of users, no user is registered.
    """
    registered = setting.people if setting.registered else None
    return replace(guards, registered=registered)


GUARD = Guard(
    key="defence.registered",
    on=True,
    off=False,
    held_in=("protocol/rounds/registered_users.py",),
    guards="users sign what they send, with keys on a list made before the session",
    setting="only people known beforehand may send",
    price="a public list of who may take part",
    observe=observe,
)
