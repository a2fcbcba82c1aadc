"""Posts for an audit of pairs of hops (audit.py): coins, hashes of layers, and openings."""

from dataclasses import dataclass
from typing import Annotated

from ...crypto.box_key import BOX_KEY, BOX_PROOF
from .fields import U8, U32, Array, Bytes, Digest, FixedBytes, Items, Maybe, Nested
from .records import Body, MessageRecord

TOSS = 32  # bytes
HASH = 32  # bytes of SHA-256


@dataclass(frozen=True, slots=True)
class Coin(Body):
    """A keyholder has drawn its part of the coins of a round, and shows its hash."""

    digest: Digest


@dataclass(frozen=True, slots=True)
class Toss(Body):
    """A keyholder shows its part of the coins."""

    value: Annotated[bytes, FixedBytes(TOSS)]


@dataclass(frozen=True, slots=True)
class Traced(Body):
    """A shuffler shows the hashes of the layers of its batch, in the order of the batch.

    Attributes:
        hop: the shuffler's hop, from 1.
        hashes: 32 bytes each.
    """

    hop: U8
    hashes: Annotated[tuple[bytes, ...], Items(FixedBytes(HASH), order="distinct")]


@dataclass(frozen=True, slots=True)
class Link(MessageRecord):
    """An input layer of a hop, with its place and the key that opens it.

    Attributes:
        place: of the layer among the hop's inputs, from 0.
        layer: its bytes.
        key: the key that opens this layer and no other.
        proof: that the key is right, if it opens nothing; else empty.
    """

    place: U32
    layer: Bytes
    key: Annotated[bytes, FixedBytes(BOX_KEY)]
    proof: Annotated[bytes, Maybe(FixedBytes(BOX_PROOF), absent=b"")] = b""


@dataclass(frozen=True, slots=True)
class Opened(Body):
    """A shuffler shows the keys of the layers that the coins have chosen.

    Attributes:
        hop: the shuffler's hop, from 1.
        links: the layers that it opens, by their places.
    """

    hop: U8
    links: Annotated[tuple[Link, ...], Array(Nested(Link), count=4, order="ascending")]
