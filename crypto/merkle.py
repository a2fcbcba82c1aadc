"""The Merkle tree of RFC 6962, section 2.1: short proofs that an append-only list holds an entry.

    MTH()              = SHA-256()
    MTH(d)             = SHA-256(0x00 || d)
    MTH(D of n > 1)    = SHA-256(0x01 || MTH(D[0:k]) || MTH(D[k:n])),  k the largest power of 2 < n

An inclusion proof shows that entry i is in the tree with a given root; a consistency proof, that
an older root is of a beginning of the newer tree. The two prefixes keep a node from being passed
off as an entry.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from ..errors import ParameterError, VerificationError

EMPTY_ROOT = sha256(b"").digest()

_HASH_SIZE = 32
_LEAF = b"\x00"
_NODE = b"\x01"


def leaf_hash(entry: bytes) -> bytes:
    """Hash an entry as a leaf."""
    return sha256(_LEAF + entry).digest()


class MerkleTree:
    """An append-only list of entries with its roots and proofs, now and at every earlier size.

    Keeps the hash of every complete subtree (64 bytes an entry), not the entries.
    """

    __slots__ = ("_levels",)

    def __init__(self, entries: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]
        self.extend(entries)

    def __len__(self) -> int:
        return len(self._levels[0])

    def extend(self, entries: Iterable[bytes]) -> None:
        """Append entries in their order."""
        self._levels[0] += [leaf_hash(entry) for entry in entries]
        height = 0
        while len(below := self._levels[height]) > 1:
            height += 1
            if height == len(self._levels):
                self._levels.append([])
            above = self._levels[height]
            for i in range(2 * len(above), len(below) - 1, 2):
                above.append(sha256(_NODE + below[i] + below[i + 1]).digest())

    def root(self, size: int | None = None) -> bytes:
        """Give the root (32 bytes) over the first `size` entries; over all if None."""
        size = self._size("size", size)
        return self._hash(0, size) if size else EMPTY_ROOT

    def inclusion_proof(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """Give the audit path of entry `index` (from 0) in the tree of the first `size` entries.

        Raises:
            ParameterError: not 0 <= index < size <= len(tree).
        """
        size = self._size("size", size)
        if not 0 <= index < size:
            raise ParameterError(f"index: got {index}, accepted: 0 <= index < {size}")
        return tuple(self._path(index, 0, size))

    def consistency_proof(self, old: int, new: int | None = None) -> tuple[bytes, ...]:
        """Give the proof that the tree of `old` entries is the beginning of that of `new`.

        The proof is empty for old = 0 and for old = new.

        Raises:
            ParameterError: not 0 <= old <= new <= len(tree).
        """
        new = self._size("new", new)
        if not 0 <= old <= new:
            raise ParameterError(f"old: got {old}, accepted: 0 <= old <= {new}")
        return tuple(self._subproof(old, 0, new, has_hash=True)) if old else ()

    def _size(self, name: str, size: int | None) -> int:
        if size is None:
            return len(self)
        if not 0 <= size <= len(self):
            raise ParameterError(f"{name}: got {size}, accepted: 0 <= {name} <= {len(self)}")
        return size

    def _hash(self, start: int, end: int) -> bytes:
        """Give MTH(D[start:end]) for a range that the tree's recursion reaches."""
        size = end - start
        height = size.bit_length() - 1
        if size == 1 << height:  # complete, and start is a multiple of its size
            return self._levels[height][start >> height]
        middle = start + _split(size)
        return _node(self._hash(start, middle), self._hash(middle, end))

    def _path(self, index: int, start: int, end: int) -> Iterator[bytes]:
        """PATH of RFC 6962, section 2.1.1, over D[start:end]; index counts from 0 of the whole."""
        if end - start == 1:
            return
        middle = start + _split(end - start)
        if index < middle:
            yield from self._path(index, start, middle)
            yield self._hash(middle, end)
        else:
            yield from self._path(index, middle, end)
            yield self._hash(start, middle)

    def _subproof(self, old: int, start: int, end: int, *, has_hash: bool) -> Iterator[bytes]:
        """SUBPROOF of RFC 6962, section 2.1.2; `has_hash`: the verifier has this subtree's hash."""
        if old == end:
            if not has_hash:
                yield self._hash(start, end)
            return
        middle = start + _split(end - start)
        if old <= middle:
            yield from self._subproof(old, start, middle, has_hash=has_hash)
            yield self._hash(middle, end)
        else:
            yield from self._subproof(old, middle, end, has_hash=False)
            yield self._hash(start, middle)


def verify_inclusion(
    entry: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Check that `entry` is entry `index` (from 0) of the tree of `size` entries with this root.

    The algorithm of RFC 9162, section 2.1.3.2.

    Raises:
        VerificationError: it is not, or the proof is malformed.
    """
    if not 0 <= index < size:
        raise VerificationError(f"inclusion: entry {index} of a tree of {size}")
    _check_hashes(proof)
    place, last, reached = index, size - 1, leaf_hash(entry)
    for sibling in proof:
        if last == 0:
            raise VerificationError("inclusion: the proof is too long for this tree")
        if place & 1 or place == last:
            reached = _node(sibling, reached)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            reached = _node(reached, sibling)
        place, last = place >> 1, last >> 1
    if last != 0 or reached != root:
        raise VerificationError(f"inclusion: entry {index} of {size} does not lead to this root")


def verify_consistency(
    old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Check that the tree of `old` entries is the beginning of the tree of `new` entries.

    The algorithm of RFC 9162, section 2.1.4.2. The empty tree is the beginning of every tree.
    A root does not contain its size: take both together from their publisher. (A proof from 3
    entries to 7 has the shape of a proof from 3 to 8, so either size passes with it.)

    Raises:
        VerificationError: it is not, or the proof is malformed.
    """
    if not 0 <= old <= new:
        raise VerificationError(f"consistency: from {old} entries to {new}")
    _check_hashes(proof)
    if old in (0, new):
        if proof or old_root != (EMPTY_ROOT if old == 0 else new_root):
            raise VerificationError(f"consistency: not the root of {old} of {new} entries")
        return
    reached_old, reached_new = _climb(old, new, old_root, proof)
    if reached_old != old_root or reached_new != new_root:
        raise VerificationError(f"consistency: {old} entries are not the beginning of these {new}")


def _climb(old: int, new: int, old_root: bytes, proof: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Compute both roots that a consistency proof leads to, for 0 < old < new."""
    # A complete old tree is itself the first node; it is not repeated in the proof.
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    place, last = old - 1, new - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    if not path:
        raise VerificationError("consistency: the proof is empty")
    reached_old = reached_new = path[0]
    for sibling in path[1:]:
        if last == 0:
            raise VerificationError("consistency: the proof is too long for these trees")
        if place & 1 or place == last:
            reached_old = _node(sibling, reached_old)
            reached_new = _node(sibling, reached_new)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            reached_new = _node(reached_new, sibling)
        place, last = place >> 1, last >> 1
    if last != 0:
        raise VerificationError("consistency: the proof is too short for these trees")
    return reached_old, reached_new


def _check_hashes(proof: Sequence[bytes]) -> None:
    if not all(isinstance(item, bytes) and len(item) == _HASH_SIZE for item in proof):
        raise VerificationError(f"proof: an item is not a hash of {_HASH_SIZE} bytes")


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(_NODE + left + right).digest()


def _split(size: int) -> int:
    """Give the largest power of two below size, for size >= 2."""
    return 1 << (size - 1).bit_length() - 1
