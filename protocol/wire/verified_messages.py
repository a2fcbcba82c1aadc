"""The posts of a round with a verified mix, in which every step is proved in zero knowledge.

The encoded keys, ballots and proofs in them are those of `crypto/verified` (docs/verified.md). This
module checks only their sizes. The checker of a proof also decodes it; if it is malformed, the
checker names its author.
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

    Keyholders are the shufflers, and the curator or analyst that counts the round.

    Attributes:
        keys: by query, the public key with the proof that the keyholder owns it, 96 bytes.
    """

    keys: Annotated[tuple[bytes, ...], Array(FixedBytes(KEY_SIZE), minimum=1)]


@dataclass(frozen=True, slots=True)
class HandedBallot(MessageRecord):
    """The ballots of a user, as submitted to a keyholder (shuffler, curator or analyst).

    Attributes:
        person: the user's index in the registry, from 0.
        ballots: the encrypted ballots of all queries, concatenated in order.
        signature: the signature of that user, 64 bytes.
    """

    person: U32
    ballots: Annotated[bytes, EqualSize()]
    signature: Signature


@dataclass(frozen=True, slots=True)
class HandedBallots(Body):
    """A keyholder's post of the ballots that users submitted to it in time.

    Ballots that are on the board already are left out. Keyholders are the shufflers, and the
    curator or analyst that counts the round.

    Attributes:
        people: the ballots of each user, in the order of the registry, each user once.
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
    """The post of a shuffler, curator or analyst that has checked the list of ballots that count.

    Attributes:
        digest: the digest of the closed list, 32 bytes.
    """

    digest: Digest


@dataclass(frozen=True, slots=True)
class ShuffledLists(Body):
    """A shuffler's post of its re-encrypted and permuted ciphertexts, with proofs of the shuffles.

    Attributes:
        hop: the shuffler's number in the chain, from 1.
        lists: for each query, the encoded ciphertexts.
        proofs: for each query, the encoded proof that the list is a shuffle of the list before.
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
    """A keyholder's post of its decryption shares for the last shuffled ciphertexts of a round.

    The shares of all keyholders together decrypt.

    Attributes:
        shares: for each query, the encoded shares with their proof.
    """

    shares: Annotated[tuple[bytes, ...], RECORDS]
