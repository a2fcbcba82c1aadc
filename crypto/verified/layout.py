"""The strict reader of binary records: counts, elements, scalars, and no surplus byte.

    count      u32, big-endian, 1 or more: rows of a list
    width      u8, 1 or more: ciphertexts in a row
    element    32 bytes, canonical, not the identity
    scalar     32 bytes, little-endian, below the order

The sizes are those of ristretto255. A malformed record is refused as a whole, before memory is
reserved for a length that it merely claims.
"""

from collections.abc import Iterable

from ...errors import ParameterError, Reason, Refused
from .group import PrimeGroup

COUNT = 4  # bytes of an encoded number of rows
MAX_COUNT = (1 << 8 * COUNT) - 1
WIDEST = 255


class RecordReader:
    """A reader of a binary record from its first byte to its last; each method reads the next part.

    Args:
        group: the group of the elements and scalars.
        data: the record.
        name: the kind of record, for error messages.
    """

    __slots__ = ("_at", "_data", "_group", "_name")

    def __init__(self, group: PrimeGroup, data: bytes, name: str) -> None:
        """Begin at the first byte of the record."""
        self._group, self._data, self._name, self._at = group, data, name, 0

    def number(self, size: int) -> int:
        """Return the next unsigned integer of `size` bytes; Refused if it is 0."""
        number = int.from_bytes(self._take_bytes(size), "big")
        if number == 0:
            raise self._refusal("a count of 0")
        return number

    def elements(self, count: int) -> tuple[bytes, ...]:
        """Return the next `count` group elements; Refused if they are not valid."""
        size = self._group.element_size
        data = self._take_bytes(size * count)
        try:
            decode = self._group.decode
            return tuple([decode(data[at : at + size]) for at in range(0, len(data), size)])
        except Refused:
            raise self._refusal("not a group element") from None

    def scalars(self, count: int) -> tuple[int, ...]:
        """Return the next `count` scalars; Refused if they are not below the order."""
        size = self._group.scalar_size
        data = self._take_bytes(size * count)
        try:
            decode = self._group.decode_scalar
            return tuple([decode(data[at : at + size]) for at in range(0, len(data), size)])
        except Refused:
            raise self._refusal("a scalar out of range") from None

    def end(self) -> None:
        """Refuse the record if any bytes are left."""
        surplus = len(self._data) - self._at
        if surplus:
            raise self._refusal(f"{surplus} surplus bytes; none are accepted")

    def _take_bytes(self, size: int) -> bytes:
        """Return the next `size` bytes; Refused if the record has fewer."""
        data = self._data[self._at : self._at + size]
        if len(data) != size:
            raise self._refusal(f"found {len(data)} bytes; {size} are needed")
        self._at += size
        return data

    def _refusal(self, detail: str) -> Refused:
        """Return the exception that refuses a malformed record, with this detail."""
        return Refused(Reason.MALFORMED, f"{self._name}: {detail}")


def encoded_scalars(group: PrimeGroup, scalars: Iterable[int]) -> bytes:
    """Return scalars as concatenated bytes."""
    return b"".join(map(group.encode_scalar, scalars))


def check_shape(count: int, width: int) -> None:
    """Raise a ParameterError for a list of rows that a record cannot hold.

    count: number of rows, 1 to MAX_COUNT. width: number of ciphertexts in each row, 1 to WIDEST.
    """
    if not 0 < count <= MAX_COUNT or not 0 < width <= WIDEST:
        raise ParameterError(
            f"rows: found {count} of {width} ciphertexts; accepted: 1 to {MAX_COUNT} of 1 to "
            f"{WIDEST}"
        )
