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
    """A keyholder's post of its public keys, to which the ballots of a round are encrypted.

    Attributes:
        keys: by query, the public key with the proof that its poster owns it, 96 bytes.
    """

    keys: Annotated[tuple[bytes, ...], Array(FixedBytes(KEY_SIZE), minimum=1)]


@dataclass(frozen=True, slots=True)
class HandedBallot(MessageRecord):
    """The ballots of a user, as submitted to a keyholder.

    Attributes:
        person: the place among the registered people, from 0.
        ballots: the records of all queries, in order.
        signature: the signature of that user, 64 bytes.
    """

    person: U32
    ballots: Annotated[bytes, EqualSize()]
    signature: Signature


@dataclass(frozen=True, slots=True)
class HandedBallots(Body):
    """A keyholder's post of the ballots that users submitted to it in time.

    Ballots that are on the board already are left out.

    Attributes:
        people: in the order of the registry, each user once.
    """

    people: Annotated[
        tuple[HandedBallot, ...], Array(Nested(HandedBallot), count=4, order="ascending")
    ]

    def check(self) -> None:
        """Raise ParameterError unless the ballots of all users have one size."""
        if len({len(handed.ballots) for handed in self.people}) > 1:
            raise ParameterError("people: found ballots of different sizes; one size is accepted")


@dataclass(frozen=True, slots=True)
class CheckedBallots(Body):
    """A keyholder's post that it has checked the closed list (the ballots that count).

    Attributes:
        digest: the digest of the list, 32 bytes.
    """

    digest: Digest


@dataclass(frozen=True, slots=True)
class ShuffledLists(Body):
    """A shuffler's post of its re-encrypted and permuted lists, with proofs of the shuffles.

    Attributes:
        hop: the shuffler's hop, from 1.
        lists: for each query, the encoded rows of ciphertexts.
        proofs: for each query, the encoded proof of shuffle.
    """

    hop: U8
    lists: Annotated[tuple[bytes, ...], RECORDS]
    proofs: Annotated[tuple[bytes, ...], RECORDS]

    def check(self) -> None:
        """Raise ParameterError unless each list has a proof."""
        if len(self.lists) != len(self.proofs):
            raise ParameterError(
                f"proofs: found {len(self.proofs)} for {len(self.lists)} lists; one proof for each "
                "list is accepted"
            )


@dataclass(frozen=True, slots=True)
class OpeningShares(Body):
    """A keyholder's post of its decryption shares for the last lists of a round.

    Attributes:
        shares: for each query, the encoded shares with their proof.
    """

    shares: Annotated[tuple[bytes, ...], RECORDS]
