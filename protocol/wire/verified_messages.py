"""The posts of a round with a verified mix, and their bytes (docs/wire.md).

    keys       a keyholder's public keys, one for each query, with proofs of ownership
    handed     the ballots submitted to a keyholder, with names and signatures
    checked    the digest of the closed list of ballots, by a keyholder that has checked it
    shuffled   a shuffler's list of each query, and the proof of each shuffle
    shared     a keyholder's decryption shares of each query, with their proofs

The records inside are those of `crypto/verified`. This module checks only their sizes: the checker
of a proof also reads its record, and names its author if it is malformed.
"""

from dataclasses import dataclass
from itertools import pairwise

from ...crypto.signing import SIGNATURE
from ...crypto.verified.keys import KEY_SIZE
from ...errors import ParameterError, Reason, Refused
from .wire import Reader, Writer

DIGEST = 32  # bytes of SHA-256


@dataclass(frozen=True, slots=True)
class BallotKeys:
    """The public keys of a keyholder for the ballots of a round.

    Attributes:
        keys: by query: X and the proof of its owner, 96 bytes.
    """

    keys: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if not self.keys or any(len(key) != KEY_SIZE for key in self.keys):
            raise ParameterError(f"keys: one or more of {KEY_SIZE} bytes are accepted")


@dataclass(frozen=True, slots=True)
class HandedBallot:
    """The ballots of a user, as submitted to a keyholder.

    Attributes:
        person: the place among the registered people, from 0.
        ballots: the records of all queries, in order.
        signature: of that user, 64 bytes.
    """

    person: int
    ballots: bytes
    signature: bytes

    def __post_init__(self) -> None:
        if len(self.signature) != SIGNATURE or not self.ballots:
            raise ParameterError(f"handed: ballots and {SIGNATURE} bytes of signature are accepted")


@dataclass(frozen=True, slots=True)
class HandedBallots:
    """Ballots submitted to a keyholder in time, without ballots that are on the board already.

    Attributes:
        people: in the order of the registry, each user once.
    """

    people: tuple[HandedBallot, ...]

    def __post_init__(self) -> None:
        if any(a.person >= b.person for a, b in pairwise(self.people)):
            raise ParameterError("people: ascending places are accepted, none twice")
        if len({len(handed.ballots) for handed in self.people}) > 1:
            raise ParameterError("people: ballots of one size are accepted")


@dataclass(frozen=True, slots=True)
class CheckedBallots:
    """A keyholder has checked the closed list of ballots.

    Attributes:
        digest: of the list, 32 bytes.
    """

    digest: bytes

    def __post_init__(self) -> None:
        if len(self.digest) != DIGEST:
            raise ParameterError(f"digest: {DIGEST} bytes are accepted")


@dataclass(frozen=True, slots=True)
class ShuffledLists:
    """A shuffler's lists of a round, by query, with the proofs of the shuffles.

    Attributes:
        hop: from 1.
        lists: records of rows.
        proofs: records of proofs, in the same order.
    """

    hop: int
    lists: tuple[bytes, ...]
    proofs: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if not self.lists or len(self.lists) != len(self.proofs):
            raise ParameterError("lists: one or more are accepted, with a proof each")


@dataclass(frozen=True, slots=True)
class OpeningShares:
    """A keyholder's decryption shares of the last lists of a round.

    Attributes:
        shares: records of shares with their proof, by query.
    """

    shares: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if not self.shares:
            raise ParameterError("shares: one record or more are accepted")


def read_keys(data: Reader) -> BallotKeys:
    """Read keys."""
    return BallotKeys(data.structures(lambda reader: reader.raw(KEY_SIZE)))


def write_keys(out: Writer, body: BallotKeys) -> None:
    """Write keys."""
    out.structures(body.keys, Writer.raw)


def read_handed(data: Reader) -> HandedBallots:
    """Read ballots. Refused unless their size is written once, and is 0 only without ballots."""
    count, size = data.u32(), data.u32()
    if (count == 0) != (size == 0):
        raise Refused(Reason.MALFORMED)
    people = list[HandedBallot]()
    for _ in range(count):  # ends with the bytes, however many are claimed
        people.append(HandedBallot(data.u32(), data.raw(size), data.raw(SIGNATURE)))
    return HandedBallots(tuple(people))


def write_handed(out: Writer, body: HandedBallots) -> None:
    """Write ballots behind their number and their size."""
    out.u32(len(body.people)).u32(len(body.people[0].ballots) if body.people else 0)
    for handed in body.people:
        out.u32(handed.person).raw(handed.ballots).raw(handed.signature)


def read_shuffled(data: Reader) -> ShuffledLists:
    """Read lists and proofs."""
    return ShuffledLists(data.u8(), data.structures(Reader.blob), data.structures(Reader.blob))


def write_shuffled(out: Writer, body: ShuffledLists) -> None:
    """Write lists and proofs."""
    out.u8(body.hop).structures(body.lists, Writer.blob).structures(body.proofs, Writer.blob)
