"""The posts of an audit of pairs of shufflers (audit.py): random bytes, hashes of layers, openings.

In an audit, shufflers open a random half of the layers, to prove that they forwarded them.
"""

from dataclasses import dataclass
from typing import Annotated

from ...crypto.box_key import BOX_KEY, BOX_PROOF
from .fields import U8, U32, Array, Bytes, Digest, FixedBytes, Items, Maybe, Nested
from .records import Body, MessageRecord

TOSS = 32  # random bytes of each keyholder, which together choose the layers of an audit
HASH = 32  # bytes of SHA-256


@dataclass(frozen=True, slots=True)
class Coin(Body):
    """The post of a party's commitment to its random bytes for an audit.

    The bytes of all shufflers and of the curator or analyst together choose the layers to open.

    Attributes:
        digest: the hash of the bytes.
    """

    digest: Digest


@dataclass(frozen=True, slots=True)
class Toss(Body):
    """The post that reveals a party's random bytes for an audit.

    Attributes:
        value: the bytes; the bytes of all shufflers and of the curator or analyst together choose
            the layers to open.
    """

    value: Annotated[bytes, FixedBytes(TOSS)]


@dataclass(frozen=True, slots=True)
class Traced(Body):
    """The post of a shuffler with the hashes of the layers that it forwards, in batch order.

    Attributes:
        hop: the shuffler's number in the chain, from 1.
        hashes: the hash of each layer, 32 bytes.
    """

    hop: U8
    hashes: Annotated[tuple[bytes, ...], Items(FixedBytes(HASH), order="distinct")]


@dataclass(frozen=True, slots=True)
class Link(MessageRecord):
    """A layer that a shuffler opens in an audit: an input layer, its position and its key.

    Attributes:
        place: the index of the layer among the shuffler's inputs, from 0.
        layer: the bytes of the layer.
        key: the key that opens only this layer.
        proof: if the layer does not open, the proof that the key is right; else empty.
    """

    place: U32
    layer: Bytes
    key: Annotated[bytes, FixedBytes(BOX_KEY)]
    proof: Annotated[bytes, Maybe(FixedBytes(BOX_PROOF), absent=b"")] = b""


@dataclass(frozen=True, slots=True)
class Opened(Body):
    """The post of a shuffler that opens the layers chosen by an audit.

    Attributes:
        hop: the shuffler's number in the chain, from 1.
        links: the layers that it opens, by their positions, ascending.
    """

    hop: U8
    links: Annotated[tuple[Link, ...], Array(Nested(Link), count=4, order="ascending")]
