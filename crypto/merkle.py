"""The root of the Merkle tree of RFC 6962, section 2.1: a hash of 32 bytes over a list of entries.

    MTH()              = SHA-256()
    MTH(d)             = SHA-256(0x00 || d)
    MTH(D of n > 1)    = SHA-256(0x01 || MTH(D[0:k]) || MTH(D[k:n])),  k the largest power of 2 < n

MTH is the Merkle tree hash of a list: of no entry, of one entry d, and of a list D of n entries.
The two prefixes prevent that an inner node is passed off as an entry. The root does not contain the
number of entries.
"""

from collections.abc import Iterable
from hashlib import sha256

EMPTY_ROOT = sha256(b"").digest()

_LEAF = b"\x00"
_NODE = b"\x01"


def merkle_root(entries: Iterable[bytes]) -> bytes:
    """Return the Merkle root, 32 bytes, over the entries in their order."""
    hashes = [sha256(_LEAF + entry).digest() for entry in entries]
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=False)
        above = [sha256(_NODE + left + right).digest() for left, right in pairs]
        hashes = above + hashes[2 * len(above) :]  # an unpaired last hash moves up a level
    return hashes[0] if hashes else EMPTY_ROOT
