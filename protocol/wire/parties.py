"""The parties: their roles and their names.

Names are `curator`, `analyst`, `shuffler-1` to `shuffler-m`, and `user-1` to `user-n`. `network` is
the attacker that listens on the wires, `board` the keeper of the board. `randomness` evaluates the
oblivious function of the program `threshold`. Without a central party, every person is a peer:
`peer-1` to `peer-n`. A user's or peer's index counts from 0, the number in its name from 1.
"""

from enum import StrEnum
from functools import cache

from ...errors import ParameterError


class Role(StrEnum):
    """The role of a party in the protocol.

    NETWORK: the attacker on the wires. PEER: a person in a session without central parties.
    BOARD: the keeper of the bulletin board. RANDOMNESS: evaluates an oblivious function for users.
    """

    USER = "user"
    SHUFFLER = "shuffler"
    CURATOR = "curator"
    ANALYST = "analyst"
    NETWORK = "network"
    PEER = "peer"
    BOARD = "board"
    RANDOMNESS = "randomness"


DIGITS = 18  # largest number of digits in the number of a party's name

CURATOR, ANALYST, NETWORK = Role.CURATOR.value, Role.ANALYST.value, Role.NETWORK.value
RANDOMNESS = Role.RANDOMNESS.value


def user(index: int) -> str:
    """Return the name of the user with this index (from 0)."""
    return f"user-{index + 1}"


def shuffler(hop: int) -> str:
    """Return the name of a shuffler.

    hop: its number in the chain, from 1.
    """
    return f"shuffler-{hop}"


def peer(index: int) -> str:
    """Return the name of the peer with this index (from 0)."""
    return f"peer-{index + 1}"


@cache
def role(party: str) -> Role:
    """Return the role of a party. ParameterError for a name that no party can have."""
    kind, _, number = party.partition("-")
    if kind in (Role.USER, Role.SHUFFLER, Role.PEER):
        if number.isdecimal() and number.isascii() and number[0] != "0" and len(number) <= DIGITS:
            return Role(kind)
    elif not number and kind in (CURATOR, ANALYST, NETWORK, RANDOMNESS, Role.BOARD):
        return Role(kind)
    raise ParameterError(
        f"no party can be called {party!r}; parties are curator, analyst, randomness, network, "
        "shuffler-1, shuffler-2, ..., user-1, user-2, ... and peer-1, peer-2, ..."
    )


def index(party: str) -> int:
    """Return the index (from 0) of a user, shuffler or peer."""
    return int(party.partition("-")[2]) - 1


def identity_label(party: str) -> str:
    """Return the label from which, with a session's entropy, a party's signing key is derived."""
    return f"identity of {party}"


def key_label(party: str) -> str:
    """Return the label from which, with a session's entropy, a party's key pair is derived."""
    return f"key of {party}"


def lock_label(party: str) -> str:
    """Return the label from which, with a session's entropy, a party's key shares are derived.

    A key share is the party's part of the joint key to which ballots are sealed.
    """
    return f"locks of {party}"


def paired(hops: int) -> int:
    """Any party: return the number of shufflers that are audited.

    Shufflers are audited in pairs, so the last of an odd number is not. hops: the number of
    shufflers.
    """
    return hops - hops % 2
