"""Posts for an audit of pairs of hops (audit.py): coins, hashes of layers, and openings.

coin     32 bytes: the hash of a toss
toss     32 bytes
traced   u8 hop, items: hashes of 32 bytes
opened   u8 hop, u32 count, each: u32 place, blob layer, 32 bytes key, u8 1 and 96 bytes proof, or 0
"""

from dataclasses import dataclass
from itertools import pairwise

from ...crypto.box_key import BOX_KEY, BOX_PROOF
from ...errors import ParameterError
from .wire import Reader, Writer

TOSS = 32  # bytes
HASH = 32  # bytes of SHA-256


@dataclass(frozen=True, slots=True)
class Coin:
    """A keyholder has drawn its part of the coins of a round, and shows its hash."""

    digest: bytes

    def __post_init__(self) -> None:
        if len(self.digest) != HASH:
            raise ParameterError(f"digest: found {len(self.digest)} bytes; {HASH} are accepted")


@dataclass(frozen=True, slots=True)
class Toss:
    """A keyholder shows its part of the coins."""

    value: bytes

    def __post_init__(self) -> None:
        if len(self.value) != TOSS:
            raise ParameterError(f"value: found {len(self.value)} bytes; {TOSS} are accepted")


@dataclass(frozen=True, slots=True)
class Traced:
    """A shuffler shows the hashes of the layers of its batch, in the order of the batch.

    Attributes:
        hop: the shuffler's hop, from 1.
        hashes: 32 bytes each.
    """

    hop: int
    hashes: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if any(len(value) != HASH for value in self.hashes) or len(set(self.hashes)) < len(
            self.hashes
        ):
            raise ParameterError(f"hashes: {HASH} bytes each are accepted, none twice")


@dataclass(frozen=True, slots=True)
class Link:
    """An input layer of a hop, with its place and the key that opens it.

    Attributes:
        place: of the layer among the hop's inputs, from 0.
        layer: its bytes.
        key: the key that opens this layer and no other.
        proof: that the key is right, if it opens nothing; else empty.
    """

    place: int
    layer: bytes
    key: bytes
    proof: bytes = b""

    def __post_init__(self) -> None:
        if len(self.key) != BOX_KEY or len(self.proof) not in (0, BOX_PROOF):
            raise ParameterError(f"link: {BOX_KEY} bytes, and 0 or {BOX_PROOF}, are accepted")


@dataclass(frozen=True, slots=True)
class Opened:
    """A shuffler shows the keys of the layers that the coins have chosen.

    Attributes:
        hop: the shuffler's hop, from 1.
        links: the layers that it opens, by their places.
    """

    hop: int
    links: tuple[Link, ...]

    def __post_init__(self) -> None:
        if any(a.place >= b.place for a, b in pairwise(self.links)):
            raise ParameterError("places: ascending ones are accepted, none twice")


def write_traced(out: Writer, body: Traced) -> None:
    """Write the hashes of a batch."""
    out.u8(body.hop).items(body.hashes)


def read_traced(data: Reader) -> Traced:
    """Read the hashes of a batch."""
    return Traced(data.u8(), tuple(data.items()))


def write_opened(out: Writer, body: Opened) -> None:
    """Write openings."""
    out.u8(body.hop).u32(len(body.links))
    for link in body.links:
        out.u32(link.place).blob(link.layer).raw(link.key).flag(bool(link.proof)).raw(link.proof)


def read_opened(data: Reader) -> Opened:
    """Read openings."""
    hop, count = data.u8(), data.u32()
    return Opened(hop, tuple([_read_link(data) for _ in range(count)]))


def _read_link(data: Reader) -> Link:
    place, layer, key = data.u32(), data.blob(), data.raw(BOX_KEY)
    return Link(place, layer, key, data.raw(BOX_PROOF) if data.flag() else b"")
