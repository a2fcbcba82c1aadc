"""The meaning of an entry of `[[fault]]`: its target, its rounds, and the users that it affects."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....protocol.wire import parties
from ....roles.network.memory_network import EVERY_ROUND

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.random import Generator

    from ...schema.model import Fault

FIRST_USER = parties.user(0)


def target(entry: "Fault") -> str:
    """Return the name of the user at which an attack is aimed.

    The first user if the entry has no key `target`.
    """
    return entry.target or FIRST_USER


def rounds_of(entry: "Fault") -> "Collection[int]":
    """Return the rounds of an attack; all rounds if the entry has no `round`."""
    return EVERY_ROUND if entry.round is None else (entry.round,)


def drawn(entry: "Fault", people: int, rng: "Generator") -> frozenset[str]:
    """Return the users affected by another party's attack.

    They are a random sample of `users` or `share` of the people; without either key, the target
    alone. entry: the attack's entry of `[[fault]]`. people: the number of real users.
    """
    if entry.users is None and entry.share is None:
        return frozenset({target(entry)})
    count = entry.users if entry.users is not None else round((entry.share or 0) * people)
    indices = rng.choice(people, size=min(count, people), replace=False).tolist()
    return frozenset(parties.user(index) for index in indices)


def all_but(aimed: str, people: int) -> Callable[[str], bool]:
    """Return a predicate: whether a user, by name, is a real user other than `aimed`.

    people: the number of real users; invented users have larger indices.
    """
    return lambda user: user != aimed and parties.index(user) < people
