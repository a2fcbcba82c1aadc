"""The Merkle root against RFC 6962's reference values and against its recursive definition."""

from hashlib import sha256
from typing import Any

import pytest
from veilmix.crypto.merkle import EMPTY_ROOT, merkle_root

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


def test_roots_of_the_reference_entries() -> None:
    assert [merkle_root(ENTRIES[:n]).hex() for n in range(9)] == ROOTS
    assert merkle_root(iter(())) == EMPTY_ROOT


@pytest.mark.parametrize("size", [*range(34), 63, 64, 65, 1_000])
def test_the_root_is_the_recursive_one(size: int, reader: Any) -> None:
    entries = [bytes((i % 256,)) * i for i in range(size)]
    assert merkle_root(entries) == reader.mth(entries)


def test_a_node_is_not_an_entry() -> None:
    left, right = b"left", b"right"
    children = sha256(b"\x00" + left).digest() + sha256(b"\x00" + right).digest()
    assert merkle_root([children]) != merkle_root([left, right])
