"""The posts of an audit of pairs of hops (audit.py): random bytes, hashes of layers, openings."""

from dataclasses import dataclass
from typing import Annotated

from ...crypto.box_key import BOX_KEY, BOX_PROOF
from .fields import U8, U32, Array, Bytes, Digest, FixedBytes, Items, Maybe, Nested
from .records import Body, MessageRecord

TOSS = 32  # random bytes that each party gives to choose the layers of an audit
HASH = 32  # bytes of SHA-256


@dataclass(frozen=True, slots=True)
class Coin(Body):
    """The post of a keyholder's commitment to its random bytes for an audit.

    Attributes:
        digest: the hash of the bytes.
    """

    digest: Digest


@dataclass(frozen=True, slots=True)
class Toss(Body):
    """The post that reveals a keyholder's random bytes for an audit.

    Attributes:
        value: the bytes; all keyholders' bytes together choose the layers to open.
    """

    value: Annotated[bytes, FixedBytes(TOSS)]


@dataclass(frozen=True, slots=True)
class Traced(Body):
    """The post of a shuffler with the hashes of the layers that it forwards, in batch order.

    Attributes:
        hop: the shuffler's hop, from 1.
        hashes: 32 bytes each.
    """

    hop: U8
    hashes: Annotated[tuple[bytes, ...], Items(FixedBytes(HASH), order="distinct")]


@dataclass(frozen=True, slots=True)
class Link(MessageRecord):
    """A layer that is opened in an audit: an input of a hop, with its place and its key.

    Attributes:
        place: the place of the layer among the hop's inputs, from 0.
        layer: the bytes of the layer.
        key: the key that opens this layer and no other.
        proof: the proof that the key is right, if the layer is invalid; else empty.
    """

    place: U32
    layer: Bytes
    key: Annotated[bytes, FixedBytes(BOX_KEY)]
    proof: Annotated[bytes, Maybe(FixedBytes(BOX_PROOF), absent=b"")] = b""


@dataclass(frozen=True, slots=True)
class Opened(Body):
    """The post of a shuffler that opens the layers chosen by an audit.

    Attributes:
        hop: the shuffler's hop, from 1.
        links: the layers that it opens, by their places.
    """

    hop: U8
    links: Annotated[tuple[Link, ...], Array(Nested(Link), count=4, order="ascending")]
