"""The parties of a scenario: a name such as `shuffler-3` is a party only if there are so many."""

from ...errors import ParameterError
from ...protocol import parties


def exists(party: str, shufflers: int | None, people: int | None, *, peers: bool = False) -> bool:
    """Whether a scenario has this party. None: their number is not known.

    peers: whether all people are peers; then there are no other parties but the network.
    """
    try:
        role = parties.role(party)
    except ParameterError:
        return False
    if role is parties.Role.BOARD:
        return False  # it holds only public posts
    if role is parties.Role.PEER:
        return peers and (people is None or parties.index(party) < people)
    if peers:
        return role is parties.Role.NETWORK
    if role is parties.Role.SHUFFLER:
        return shufflers is None or parties.index(party) < shufflers
    if role is parties.Role.USER:
        return people is None or parties.index(party) < people
    return True
