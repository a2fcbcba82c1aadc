r"""Receipts: a reader shows by salted hashes which ballots it has counted, and users look.

    receipt = SHA-256("veilmix receipt 1\0" || session || round || plaintext of the ballot)
    root    = Merkle tree (RFC 6962) over all receipts of a round in ascending order

All hashes are on the board: whoever asked the reader for one of them would tell it whose ballot it
is. Of looking, nobody learns. A ballot that a shuffler dropped or replaced is missing, and its user
can show the hash that is not there.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..crypto.merkle import MerkleTree, verify_inclusion
from ..errors import VerificationError
from .messages import Receipts


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A proof that a receipt is one of `size` under a root: its place, and the audit path.

    Attributes:
        index: the place of the receipt among all, from 0.
        size: how many receipts there are.
        path: the hashes beside it on the way up to the root, 32 bytes each.
    """

    index: int
    size: int
    path: tuple[bytes, ...]


def root_of(hashes: Sequence[bytes]) -> bytes:
    """Anybody: the root over receipts in ascending order."""
    return MerkleTree(hashes).root()


def show(receipts: Iterable[bytes]) -> Receipts:
    """Reader: what goes on the board of the receipts of a round."""
    hashes = tuple(sorted(set(receipts)))
    return Receipts(root_of(hashes), hashes)


def missing(shown: Receipts, mine: Iterable[bytes]) -> tuple[bytes, ...]:
    """User: which of its own receipts are not among those shown."""
    return tuple(receipt for receipt in mine if not contains(shown, receipt))


def contains(shown: Receipts, receipt: bytes) -> bool:
    """Anybody: whether a receipt is among those shown."""
    at = bisect_left(shown.hashes, receipt)
    return at < len(shown.hashes) and shown.hashes[at] == receipt


def prove(shown: Receipts, receipt: bytes) -> Inclusion:
    """Anybody: the proof that a receipt is there, for whoever has only the root.

    Raises VerificationError if it is not.
    """
    if not contains(shown, receipt):
        raise VerificationError(f"receipt {receipt.hex()[:16]}: not among those shown")
    index = bisect_left(shown.hashes, receipt)
    return Inclusion(index, len(shown.hashes), MerkleTree(shown.hashes).inclusion_proof(index))


def check_inclusion(root: bytes, receipt: bytes, proof: Inclusion) -> None:
    """Anybody: VerificationError unless the proof shows that the receipt is under the root."""
    verify_inclusion(receipt, proof.index, proof.size, proof.path, root)
