"""Where the places of a session are, and by which certificate each is known.

A place is a machine, or a process: the board, a keyholder, or people (one place may look after
many). Parties are called as everywhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ParameterError
from ..protocol import parties
from ..protocol.phases import BOARD

EVERYBODY = range(1 << 31)


@dataclass(frozen=True, slots=True)
class Place:
    """One of them.

    Attributes:
        name: what it is called in the session file.
        certificate: PEM.
        host, port: where it listens; 0: nowhere, it only talks.
        users: the indices of those whom it looks after.
    """

    name: str
    certificate: str
    host: str = "127.0.0.1"
    port: int = 0
    users: range = range(0)


@dataclass(frozen=True, slots=True)
class Directory:
    """All places by name."""

    places: Mapping[str, Place]

    @property
    def board(self) -> Place:
        """Where the board is."""
        return self.places[BOARD]

    @property
    def certificates(self) -> Mapping[str, str]:
        """The certificate of every place."""
        return {name: place.certificate for name, place in self.places.items()}

    def place_of(self, party: str) -> str:
        """Where a party is."""
        if party in self.places or parties.role(party) is not parties.Role.USER:
            return party
        here = (name for name, place in self.places.items() if parties.index(party) in place.users)
        return next(here, party)

    def speaks_for(self, place: str, party: str) -> bool:
        """Whether a place may say something in a party's name."""
        try:
            if parties.role(party) is parties.Role.USER:
                return place in self.places and parties.index(party) in self.places[place].users
        except ParameterError:
            return False
        return place == party
