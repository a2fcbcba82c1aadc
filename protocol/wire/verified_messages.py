"""The posts of a round with a verified mix.

The records inside are those of `crypto/verified` (docs/verified.md). This module checks only their
sizes: the checker of a proof also reads its record, and names its author if it is malformed.
"""

from dataclasses import dataclass
from typing import Annotated

from ...crypto.verified.keys import KEY_SIZE
from ...errors import ParameterError
from .fields import U8, U32, Array, Blob, Digest, EqualSize, FixedBytes, Nested, Signature
from .records import Body, MessageRecord

RECORDS = Array(Blob(), minimum=1)


@dataclass(frozen=True, slots=True)
class BallotKeys(Body):
    """The public keys of a keyholder for the ballots of a round.

    Attributes:
        keys: by query: X and the proof of its owner, 96 bytes.
    """

    keys: Annotated[tuple[bytes, ...], Array(FixedBytes(KEY_SIZE), minimum=1)]


@dataclass(frozen=True, slots=True)
class HandedBallot(MessageRecord):
    """The ballots of a user, as submitted to a keyholder.

    Attributes:
        person: the place among the registered people, from 0.
        ballots: the records of all queries, in order.
        signature: of that user, 64 bytes.
    """

    person: U32
    ballots: Annotated[bytes, EqualSize()]
    signature: Signature


@dataclass(frozen=True, slots=True)
class HandedBallots(Body):
    """Ballots submitted to a keyholder in time, without ballots that are on the board already.

    Attributes:
        people: in the order of the registry, each user once.
    """

    people: Annotated[
        tuple[HandedBallot, ...], Array(Nested(HandedBallot), count=4, order="ascending")
    ]

    def check(self) -> None:
        """Raise ParameterError unless the ballots of all users have one size."""
        if len({len(handed.ballots) for handed in self.people}) > 1:
            raise ParameterError("people: ballots of the same size are accepted")


@dataclass(frozen=True, slots=True)
class CheckedBallots(Body):
    """A keyholder has checked the closed list of ballots.

    Attributes:
        digest: of the list, 32 bytes.
    """

    digest: Digest


@dataclass(frozen=True, slots=True)
class ShuffledLists(Body):
    """A shuffler's lists of a round, by query, with the proofs of the shuffles.

    Attributes:
        hop: from 1.
        lists: records of rows.
        proofs: records of proofs, in the same order.
    """

    hop: U8
    lists: Annotated[tuple[bytes, ...], RECORDS]
    proofs: Annotated[tuple[bytes, ...], RECORDS]

    def check(self) -> None:
        """Raise ParameterError unless each list has a proof."""
        if len(self.lists) != len(self.proofs):
            raise ParameterError("proofs: a proof for each list is accepted")


@dataclass(frozen=True, slots=True)
class OpeningShares(Body):
    """A keyholder's decryption shares of the last lists of a round.

    Attributes:
        shares: records of shares with their proof, by query.
    """

    shares: Annotated[tuple[bytes, ...], RECORDS]
