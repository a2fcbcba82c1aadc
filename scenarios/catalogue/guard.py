"""What a guard is: one record, which says all that the rest of veilmix asks of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..programs.topology import CENTRAL

if TYPE_CHECKING:
    from numpy.random import Generator

    from ...roles.cast import Guards
    from ..schema.model import Scenario


RESOLVED = {"defence.registered": "registered"}  # key -> what `Scenario` makes of it


def value_at(scenario: "Scenario", key: str) -> object:
    """Return the value at a dotted key, or the one that holds where the key says nothing."""
    if resolved := RESOLVED.get(key):
        return getattr(scenario, resolved)
    table, _, inner = key.partition(".")
    return getattr(getattr(scenario, table), inner)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a guard must not be without: the value of another key, and what to tell who lacks it.

    Attributes:
        key: of the file.
        value: that it must have.
        message: for a file in which it has not.
    """

    key: str
    value: object
    message: str

    @classmethod
    def switched_on(cls, key: str, why: str) -> "Requirement":
        """A key that has to be true, and why."""
        return cls(key, True, f"{why}; say {key} = true")


@dataclass(frozen=True, slots=True)
class Setting:
    """A session that a guard is switched on in.

    Attributes:
        scenario: what the file says.
        people: how many people exist.
        struck: the indices of those who are struck by a fault, and observe nothing.
        rng: for what a guard draws.
    """

    scenario: "Scenario"
    people: int
    struck: frozenset[int]
    rng: "Generator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """One guard.

    Attributes:
        key: its key in a scenario file.
        on, off: values of the key with which it is on, as in its trial, and off.
        held_in: the files in which it is held, in the order in which to read them.
        guards: what it guards.
        setting: what the value of its key means, for reports; empty: they leave it out.
        price: what it costs besides what the attack matrix measures.
        label: what reports call it; empty: the last part of its key.
        default: whether it is on where a file says nothing.
        needs: other settings without which it does nothing: its trial has them.
        wanted: other settings without which a file with this guard is wrong.
        shufflers: how many it takes.
        stops: attacks that it stops or shows, besides those whose records say so.
        lesson: whether only a lesson leaves it out.
        unguarded: what to tell a file that leaves it out and is no lesson; empty: told elsewhere.
        flaw: the design error that is announced without it, by the name that has on the wire.
        observe: switches on what parties look at.
        among: the topologies in which it is a guard.
    """

    key: str
    on: object
    off: object
    held_in: tuple[str, ...]
    guards: str
    price: str
    setting: str = ""
    label: str = ""
    default: bool = True
    needs: Mapping[str, object] = field(default_factory=dict)
    wanted: tuple[Requirement, ...] = ()
    shufflers: int = 1
    stops: tuple[str, ...] = ()
    lesson: bool = False
    unguarded: str = ""
    flaw: str = ""
    observe: "Callable[[Guards, Setting], Guards] | None" = None
    among: tuple[str, ...] = (CENTRAL.name,)

    def value(self, scenario: "Scenario") -> object:
        """What a scenario says at its key."""
        return value_at(scenario, self.key)

    def is_on(self, scenario: "Scenario") -> bool:
        """Whether a scenario has it on."""
        return self.value(scenario) != self.off
