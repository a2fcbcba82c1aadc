"""The record of a guard (countermeasure): all facts about it that other modules of veilmix need."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...programs.topology import CENTRAL

if TYPE_CHECKING:
    from numpy.random import Generator

    from ....roles.cast import Guards
    from ...schema.model import Defence, Scenario


# key of a scenario file -> property of `Scenario` that derives the value
RESOLVED = {"defence.registered": "registered"}


def value_at(scenario: "Scenario", key: str) -> object:
    """Return a scenario's value at a dotted key such as "mix.order".

    For a key in `RESOLVED`, return the value that the scenario derives where the file leaves it
    out.
    """
    if resolved := RESOLVED.get(key):
        return getattr(scenario, resolved)
    table, _, inner = key.partition(".")
    return getattr(getattr(scenario, table), inner)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A setting that a guard (a countermeasure against attacks) needs in a scenario file.

    Attributes:
        key: the dotted key in the scenario file.
        value: the value that the key must have.
        message: the error for a file in which the key has another value.
    """

    key: str
    value: object
    message: str

    @classmethod
    def switched_on(cls, key: str, why: str) -> "Requirement":
        """Return the requirement that a key is true.

        why: the reason, which becomes the first half of the error message.
        """
        return cls(key, True, f"{why}; say {key} = true")


@dataclass(frozen=True, slots=True)
class GuardSetting:
    """The facts about a session by which a guard (countermeasure) chooses the parties' checks.

    Attributes:
        defence: the table `[defence]`, which switches guards on and off.
        registered: whether only users known beforehand may send.
        people: the number of real people.
        struck: the indices of people with a fault; they do not check the board.
        rng: the generator of a guard's random choices.
    """

    defence: "Defence"
    registered: bool
    people: int
    struck: frozenset[int]
    rng: "Generator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A guard: a countermeasure that a key of a scenario file switches on.

    Attributes:
        key: the dotted key of the guard in a scenario file.
        on, off: the value of the key with which the matrix of attacks tries the guard, and the
            value that switches the guard off.
        held_in: the source files that enforce the guard, in the order in which to read them.
        guards: a clause that says, for tables, which rule the guard enforces.
        setting: the meaning of the key's value, for reports; empty: reports leave it out.
        price: costs of the guard besides the costs that the attack matrix measures.
        label: the name of the guard in reports; empty: the last part of the key.
        default: whether the guard is on if a file does not set the key.
        needs: other settings without which the guard has no effect: its trial has them.
        wanted: other settings without which a file with this guard is wrong.
        shufflers: the number of shufflers that the guard needs.
        stops: attacks that the guard stops or shows, besides attacks that name it in `stopped_by`.
        lesson: whether only a lesson (a scenario that shows a design error) may switch the guard
            off.
        unguarded: the warning for a file without the guard that is no lesson; empty: another check
            warns.
        flaw: the design error that the announcement states without the guard, by its name on the
            wire.
        observe: switches on the checks that parties make for this guard; None: no checks.
        among: the topologies (central parties, or peers) in which the guard exists.
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
    observe: "Callable[[Guards, GuardSetting], Guards] | None" = None
    among: tuple[str, ...] = (CENTRAL.name,)

    def value(self, scenario: "Scenario") -> object:
        """Return the value that a scenario has at this countermeasure's key."""
        return value_at(scenario, self.key)

    def is_on(self, scenario: "Scenario") -> bool:
        """Whether a scenario has this countermeasure switched on."""
        return self.value(scenario) != self.off
