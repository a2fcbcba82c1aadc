"""The Merkle tree against RFC 6962's reference values and against its recursive definition."""

from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.merkle import (
    EMPTY_ROOT,
    MerkleTree,
    leaf_hash,
    verify_consistency,
    verify_inclusion,
)
from veilmix.errors import ParameterError, VerificationError

ENTRIES = [
    bytes.fromhex(e)
    for e in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [  # for 0 to 8 entries, from the tests of the certificate-transparency code base
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
A = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
B = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
C = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
D = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
E = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
F = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"


def test_roots_of_the_reference_entries() -> None:
    tree = MerkleTree(ENTRIES)
    assert [tree.root(n).hex() for n in range(9)] == ROOTS
    assert tree.root() == tree.root(8)
    assert MerkleTree().root() == EMPTY_ROOT


def test_audit_paths_of_the_reference_entries() -> None:
    tree = MerkleTree(ENTRIES)
    paths = {(0, 1): [], (0, 8): [A, B, C], (5, 8): [D, E, ROOTS[4]], (2, 3): [ROOTS[2]]}
    for (index, size), expected in paths.items():
        assert [h.hex() for h in tree.inclusion_proof(index, size)] == expected


def test_consistency_proofs_of_the_reference_entries() -> None:
    tree = MerkleTree(ENTRIES)
    proofs = {(1, 1): [], (1, 8): [A, B, C], (6, 8): [F, E, ROOTS[4]], (2, 5): [B, D]}
    for (old, new), expected in proofs.items():
        assert [h.hex() for h in tree.consistency_proof(old, new)] == expected


@pytest.mark.parametrize("size", range(1, 34))
def test_every_proof_is_the_recursive_one_and_verifies(size: int, reader: Any) -> None:
    entries = [bytes((i,)) * i for i in range(size)]
    tree = MerkleTree(entries)
    root = reader.mth(entries)
    assert tree.root() == root
    for index in range(size):
        proof = tree.inclusion_proof(index)
        assert list(proof) == reader.audit_path(index, entries)
        verify_inclusion(entries[index], index, size, proof, root)
    for old in range(1, size + 1):
        proof = tree.consistency_proof(old)
        assert list(proof) == reader.consistency_path(old, entries)
        verify_consistency(old, reader.mth(entries[:old]), size, root, proof)
    verify_consistency(0, EMPTY_ROOT, size, root, tree.consistency_proof(0))


@given(cuts=st.lists(st.integers(0, 9), max_size=8))
def test_growing_in_steps_is_growing_at_once(cuts: list[int]) -> None:
    entries = [b"%d" % i for i in range(sum(cuts))]
    whole, grown, at = MerkleTree(entries), MerkleTree(), 0
    for step in cuts:
        grown.extend(entries[at : at + step])
        at += step
        assert len(grown) == at
        assert grown.root() == whole.root(at)
        verify_consistency(at, grown.root(), len(whole), whole.root(), whole.consistency_proof(at))


@given(data=st.data())
def test_a_changed_proof_does_not_verify(data: st.DataObject, reader: Any) -> None:
    size = data.draw(st.integers(2, 40))
    index = data.draw(st.integers(0, size - 1))
    entries = [b"%d" % i for i in range(size)]
    tree = MerkleTree(entries)
    proof = list(tree.inclusion_proof(index))
    at = data.draw(st.integers(0, len(proof) - 1))
    proof[at] = data.draw(st.binary(min_size=32, max_size=32).filter(lambda b: b != proof[at]))
    with pytest.raises(VerificationError):
        verify_inclusion(entries[index], index, size, proof, tree.root())


def test_an_inclusion_proof_fits_one_entry_of_one_tree() -> None:
    tree = MerkleTree(ENTRIES)
    root, proof = tree.root(7), tree.inclusion_proof(5, 7)
    verify_inclusion(ENTRIES[5], 5, 7, proof, root)
    wrong: list[tuple[Any, ...]] = [
        (ENTRIES[4], 5, 7, proof, root),
        (ENTRIES[5], 4, 7, proof, root),
        (ENTRIES[5], 5, 6, proof, root),
        (ENTRIES[5], 5, 100, proof, root),
        (ENTRIES[5], 5, 7, proof, tree.root(8)),
        (ENTRIES[5], 5, 7, proof[:-1], root),
        (ENTRIES[5], 5, 7, (*proof, root), root),
        (ENTRIES[5], 5, 7, (proof[0][:-1], *proof[1:]), root),
        (ENTRIES[5], 5, 7, ("a", *proof[1:]), root),
        (ENTRIES[5], 7, 7, proof, root),
        (ENTRIES[5], -1, 7, proof, root),
        (ENTRIES[0], 0, 0, (), EMPTY_ROOT),
    ]
    for arguments in wrong:
        with pytest.raises(VerificationError):
            verify_inclusion(*arguments)


def flipped(data: bytes, at: int) -> bytes:
    """Turn over a bit of one byte."""
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


@pytest.mark.parametrize("at", [0, 15, 16, 31])
def test_a_root_that_differs_in_one_byte_is_another(at: int) -> None:
    tree = MerkleTree(ENTRIES)
    for old, new in ((3, 7), (4, 7), (7, 7), (0, 7)):
        proof, roots = tree.consistency_proof(old, new), (tree.root(old), tree.root(new))
        verify_consistency(old, roots[0], new, roots[1], proof)
        with pytest.raises(VerificationError):
            verify_consistency(old, flipped(roots[0], at), new, roots[1], proof)
        if old:
            with pytest.raises(VerificationError):
                verify_consistency(old, roots[0], new, flipped(roots[1], at), proof)
    with pytest.raises(VerificationError):
        verify_inclusion(ENTRIES[5], 5, 7, tree.inclusion_proof(5, 7), flipped(tree.root(7), at))


@pytest.mark.parametrize("wrong", ["a" * 32, b"", b"a" * 31, b"a" * 33, bytearray(32), None])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_each_item_of_a_proof_is_a_hash(wrong: Any, at: int) -> None:
    tree = MerkleTree(ENTRIES)
    proof = list(tree.inclusion_proof(5))
    proof[at] = wrong
    with pytest.raises(VerificationError, match="an item is not a hash of 32 bytes"):
        verify_inclusion(ENTRIES[5], 5, 8, proof, tree.root())
    proof = list(tree.consistency_proof(6))
    proof[at] = wrong
    with pytest.raises(VerificationError, match="an item is not a hash of 32 bytes"):
        verify_consistency(6, tree.root(6), 8, tree.root(), proof)


@pytest.mark.parametrize(("old", "new"), [(-1, 7), (8, 7), (-1, -1), (-2, 0)])
def test_a_list_does_not_shrink_and_has_no_fewer_entries_than_none(old: int, new: int) -> None:
    with pytest.raises(VerificationError, match=f"from {old} entries to {new}"):
        verify_consistency(old, EMPTY_ROOT, new, EMPTY_ROOT, ())


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8])
def test_an_index_equal_to_the_size_is_no_entry(size: int) -> None:
    """The path of a last entry would lead from one place further to the same root."""
    entries = [bytes([i]) for i in range(size)]
    tree = MerkleTree(entries)
    for index in (size, -1, 2 * size):
        for of in range(size):
            with pytest.raises(VerificationError, match=f"entry {index} of a tree of {size}"):
                verify_inclusion(entries[of], index, size, tree.inclusion_proof(of), tree.root())


def test_a_node_is_not_an_entry() -> None:
    """Without the two prefixes the concatenation of two leaves would pass as an entry."""
    tree = MerkleTree(ENTRIES[:4])
    left = leaf_hash(ENTRIES[0]) + leaf_hash(ENTRIES[1])
    with pytest.raises(VerificationError):
        verify_inclusion(left, 0, 2, tree.inclusion_proof(0)[1:], tree.root())


def test_a_consistency_proof_fits_two_trees() -> None:
    tree = MerkleTree(ENTRIES)
    old, new, proof = tree.root(3), tree.root(7), tree.consistency_proof(3, 7)
    verify_consistency(3, old, 7, new, proof)
    wrong: list[tuple[Any, ...]] = [
        (3, tree.root(2), 7, new, proof),
        (3, old, 7, tree.root(8), proof),
        (4, old, 7, new, proof),
        (3, old, 9, new, proof),
        (3, old, 7, new, proof[:-1]),
        (3, old, 7, new, (*proof, old)),
        (3, old, 7, new, ()),
        (7, new, 3, old, proof),
        (8, new, 7, new, ()),
        (-1, old, 7, new, proof),
        (3, old, 3, new, ()),
        (3, old, 3, old, (old,)),
        (0, old, 7, new, ()),
        (0, EMPTY_ROOT, 7, new, (old,)),
        (1, tree.root(1), 1_000_000, new, tree.consistency_proof(1, 7)),
    ]
    for arguments in wrong:
        with pytest.raises(VerificationError):
            verify_consistency(*arguments)


def test_a_proof_longer_than_its_tree_is_none_whatever_the_root() -> None:
    """Lead on to a root chosen to fit: the tree would be larger than the size that is claimed."""
    tree, extra = MerkleTree(ENTRIES), b"\x05" * 32

    def above(root: bytes) -> bytes:
        return sha256(b"\x01" + extra + root).digest()

    proof = (*tree.inclusion_proof(5), extra)
    with pytest.raises(VerificationError, match="too long"):
        verify_inclusion(ENTRIES[5], 5, 8, proof, above(tree.root()))
    proof = (*tree.consistency_proof(6), extra)
    with pytest.raises(VerificationError, match="too long"):
        verify_consistency(6, above(tree.root(6)), 8, above(tree.root()), proof)


def test_a_rewritten_list_has_no_consistency_proof() -> None:
    honest = MerkleTree(ENTRIES[:5])
    rewritten = MerkleTree([b"changed", *ENTRIES[1:]])
    with pytest.raises(VerificationError):
        verify_consistency(5, honest.root(), 8, rewritten.root(), rewritten.consistency_proof(5))


def test_positions_outside_the_tree_are_parameter_errors() -> None:
    tree = MerkleTree(ENTRIES)
    for call in (
        lambda: tree.root(9),
        lambda: tree.root(-1),
        lambda: tree.inclusion_proof(8),
        lambda: tree.inclusion_proof(-1),
        lambda: tree.inclusion_proof(3, 3),
        lambda: tree.inclusion_proof(0, 9),
        lambda: tree.consistency_proof(9),
        lambda: tree.consistency_proof(-1),
        lambda: tree.consistency_proof(5, 4),
    ):
        with pytest.raises(ParameterError, match=r"accepted: 0 <= "):
            call()


@pytest.mark.slow
def test_a_tree_of_130244_entries_proves_any_of_them() -> None:
    size = 130_244
    tree = MerkleTree(i.to_bytes(32, "big") for i in range(size))
    for index in (0, 1, 65_535, 65_536, 131_071 % size, size - 1):
        entry = index.to_bytes(32, "big")
        verify_inclusion(entry, index, size, tree.inclusion_proof(index), tree.root())
    assert max(len(tree.inclusion_proof(i)) for i in range(0, size, 997)) == 17
