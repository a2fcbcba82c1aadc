"""Where the places of a session are, and by which certificate each is known.

A place is a machine, or a process: the board, a keyholder, or the people (one process may look
after many). Parties are called as everywhere; all users are at the place `people`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ParameterError
from ..protocol import parties
from ..protocol.phases import BOARD

PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Place:
    """One of them. certificate: PEM. host, port: where it listens; 0: nowhere, it only talks."""

    name: str
    certificate: str
    host: str = "127.0.0.1"
    port: int = 0


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


def place_of(party: str) -> str:
    """Where a party is."""
    return PEOPLE if parties.role(party) is parties.Role.USER else party


def speaks_for(place: str, party: str) -> bool:
    """Whether a place may say something in a party's name; no place may in no party's name."""
    try:
        return place_of(party) == place
    except ParameterError:
        return False
