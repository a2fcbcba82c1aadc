"""What an entry of `[[fault]]` means: at whom it is aimed, in which rounds, whom it strikes."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...protocol import parties
from ...roles.network import EVERY_ROUND

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.random import Generator

    from ..schema.model import Fault

FIRST_USER = parties.user(0)


def target(entry: "Fault") -> str:
    """The user whom an attack is aimed at."""
    return entry.target or FIRST_USER


def rounds_of(entry: "Fault") -> "Collection[int]":
    """The rounds of an attack."""
    return EVERY_ROUND if entry.round is None else (entry.round,)


def drawn(entry: "Fault", people: int, rng: "Generator") -> frozenset[str]:
    """The users whom an attack strikes that nobody of them commits: its target, or some drawn."""
    if entry.users is None and entry.share is None:
        return frozenset({target(entry)})
    count = entry.users if entry.users is not None else round((entry.share or 0) * people)
    indices = rng.choice(people, size=min(count, people), replace=False).tolist()
    return frozenset(parties.user(index) for index in indices)


def all_but(aimed: str, people: int) -> Callable[[str], bool]:
    """Whether a user exists and is not this one."""
    return lambda user: user != aimed and parties.index(user) < people
