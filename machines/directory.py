"""The directory of a session: the address and the certificate of each place.

A place is a machine or a process of the session. It runs the board, a keyholder
(shuffler, curator or analyst), or users; one place may run many users.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..errors import ParameterError
from ..protocol.board.phases import BOARD
from ..protocol.wire import parties

ALL_USERS = range(1 << 31)
Address = tuple[str, int]  # host and port


def parse_address(text: str, name: str) -> Address:
    """Return host and port of an address HOST:PORT; an IPv6 host is in brackets.

    name: name of the field, for the error's message.

    Raises:
        ParameterError: the text is no such address; ports are 1 to 65,535.
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ParameterError(f"{name}: found {text!r:.200}; HOST:PORT is accepted")
    return host.strip("[]"), int(port)


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """A place of a session: a process with its parties, its address and its certificate.

    Attributes:
        name: the name of the place in the session file.
        certificate: the TLS certificate of the place, PEM.
        host, port: the address of the place; port 0: it does not listen, it only connects to
            other places.
        users: the indices of the users that this place runs.
    """

    name: str
    certificate: str
    host: str = "127.0.0.1"
    port: int = 0
    users: range = range(0)


@dataclass(frozen=True, slots=True)
class Directory:
    """The places (processes or machines) of a session, by name.

    Attributes:
        places: by name, each place with its address, certificate and users.
    """

    places: Mapping[str, SessionPlace]

    @property
    def board(self) -> SessionPlace:
        """The place (process) of the board, with its address and certificate."""
        return self.places[BOARD]

    @property
    def certificates(self) -> Mapping[str, str]:
        """The TLS certificate (PEM) of every place of the session, by name."""
        return {name: place.certificate for name, place in self.places.items()}

    def place_of(self, party: str) -> str:
        """Return the name of the place (process) that runs a party."""
        if party in self.places or parties.role(party) is not parties.Role.USER:
            return party
        matching_places = (
            name for name, place in self.places.items() if parties.index(party) in place.users
        )
        return next(matching_places, party)

    def speaks_for(self, place: str, party: str) -> bool:
        """Whether a place (process) may send messages in a party's name."""
        try:
            if parties.role(party) is parties.Role.USER:
                return place in self.places and parties.index(party) in self.places[place].users
        except ParameterError:
            return False
        return place == party
