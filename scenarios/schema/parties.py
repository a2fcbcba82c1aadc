"""The names of the parties of a scenario, a run or a comparison, and the error for any other name.

A name such as `shuffler-3` is a party only if the scenario has three shufflers. All code that
accepts the name of a party asks `PartyNames`, so that a misspelt name gets the same message.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...protocol.wire.parties import ANALYST, CURATOR, DIGITS, NETWORK, RANDOMNESS, Role
from .problems import did_you_mean, quoted

NUMBERED = re.compile(r"([a-z]+)-([1-9][0-9]*)", re.ASCII)
USER, PEER = Role.USER.value, Role.PEER.value
LATE = (RANDOMNESS, NETWORK)
# largest number of parties of a kind that a message lists singly; of more parties it names the
# first and the last
MAX_LISTED = 6
WILD = ("*", "?", "[")  # wildcards: a name with any of them is a pattern of users
NUMBER = re.compile(r"[0-9]+$", re.ASCII)


@dataclass(frozen=True, slots=True)
class PartyNames:
    """A set of accepted party names, with the error for any other name.

    Attributes:
        single: the names without a number, in the order in which messages list them.
        largest: kind of numbered party, such as `user` -> the largest number; None: unknown.
    """

    single: tuple[str, ...] = ()
    largest: Mapping[str, int | None] = field(default_factory=dict[str, "int | None"])

    @classmethod
    def from_names(cls, names: Iterable[str]) -> PartyNames:
        """Return the parties with these names; numbered kinds include all smaller numbers."""
        single, largest = list[str](), dict[str, int | None]()
        for name in sorted(names):
            match = NUMBERED.fullmatch(name)
            if match is None:
                single.append(name)
            else:
                largest[match[1]] = max(largest.get(match[1]) or 0, int(match[2]))
        return cls(tuple(single), largest)

    def __contains__(self, name: object) -> bool:
        """Whether a party has this name."""
        match = NUMBERED.fullmatch(name) if isinstance(name, str) else None
        if match is None or match[1] not in self.largest:
            return name in self.single
        largest = self.largest[match[1]]
        return len(match[2]) <= DIGITS and (largest is None or int(match[2]) <= largest)

    def __str__(self) -> str:
        """Return the names in words; of many parties of a kind, only the first and the last."""
        last_names = [name for name in self.single if name in LATE]
        parts = [name for name in self.single if name not in LATE]
        for kind, largest in self.largest.items():
            if kind != USER:
                parts += _numbered(kind, largest)
        parts += last_names
        if USER not in self.largest:
            return ", ".join(parts) or "no party"
        max_user = self.largest[USER]
        users = "users" if max_user is None else f"users 1-{max_user}"
        return f"{', '.join(parts)} and {users}" if parts else f"{users}, called user-1, ..."

    def refusal(self, name: str, owner: str, noun: str = "party") -> str:
        """Return the message for an unknown name: accepted names, and a close name.

        Args:
            name: the name as it was found.
            owner: the clause before the accepted names, such as `this run has`.
            noun: the kind of party that is accepted here.
        """
        return f"no {noun} is called {quoted(name)}; {owner} {self}{self._hint(name)}"

    def _hint(self, name: str) -> str:
        """Return ` (did you mean ...?)` with a close name, or an empty text.

        The text is empty if only the number is wrong, or if the name is a pattern.
        """
        match = NUMBERED.fullmatch(name)
        if (match and match[1] in self.largest) or any(sign in name for sign in WILD):
            return ""
        number = NUMBER.search(name)
        numbered = (f"{kind}-{number[0] if number else 1}" for kind in self.largest)
        return did_you_mean(name, (*self.single, *(near for near in numbered if near in self)))


def _numbered(kind: str, largest: int | None) -> list[str]:
    """Return texts that list the parties of a numbered kind: each, or the first and the last.

    kind: such as `shuffler`. largest: the largest number; None: unknown.
    """
    if largest is None:
        return [f"{kind}-1, ..."]
    if largest <= MAX_LISTED and kind != PEER:
        return [f"{kind}-{number}" for number in range(1, largest + 1)]
    return [f"{kind}-1 to {kind}-{largest}"]


def central_names(
    shufflers: int | None, people: int | None, *, randomness: bool = False
) -> PartyNames:
    """Return the names of the parties of a scenario with central parties.

    The board has no name here, because it holds only public posts.

    Args:
        shufflers: the number of shufflers; None: unknown.
        people: the number of users; None: unknown.
        randomness: whether the scenario has the party `randomness`, which helps users to seal rows
            that open only if enough people share them.
    """
    single = (ANALYST, CURATOR, *((RANDOMNESS,) if randomness else ()), NETWORK)
    return PartyNames(single, {Role.SHUFFLER.value: shufflers, USER: people})


def peer_names(people: int | None) -> PartyNames:
    """Return the names of the parties of a scenario among peers.

    people: the number of peers; None: unknown.
    """
    return PartyNames((NETWORK,), {PEER: people})


def user_names(people: int | None) -> PartyNames:
    """Return the names of the users of a scenario. people: the number of users; None: unknown."""
    return PartyNames((), {USER: people})
