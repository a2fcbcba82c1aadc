"""The names of places in a session file: parties listen, and a place with `users` is people."""

from collections.abc import Mapping

from ...errors import ParameterError, UnknownParty
from ...protocol.board.phases import BOARD
from ...protocol.wire import parties
from ..schema.parties import PartyNames

KEYHOLDERS = (parties.CURATOR, parties.ANALYST)
SERVED = PartyNames((BOARD, *KEYHOLDERS), {parties.Role.SHUFFLER.value: None})
NEEDED = (*SERVED.single, parties.shuffler(1))


def check_names(has_users: Mapping[str, bool]) -> None:
    """Raise an error if a party has no place, or the name of a place is misspelt.

    Args:
        has_users: the name of a place -> whether the place speaks for users.

    Raises:
        UnknownParty: a place without users is no party of a session.
        ParameterError: a party speaks for users, or a party is missing.
    """
    for name, speaks in has_users.items():
        is_party = name in SERVED or name.partition("-")[0] in SERVED.largest
        if speaks and is_party:
            raise ParameterError(f"place.{name}: found users; {name} speaks for no people")
        if not speaks and name not in SERVED:
            owner = "without `users` a place is one of"
            raise UnknownParty(f"place: {SERVED.refusal(name, owner, 'party of a session')}")
    missing = [name for name in NEEDED if name not in has_users]
    if missing:
        raise ParameterError(f"place: {', '.join(missing)} missing; every session has them")
