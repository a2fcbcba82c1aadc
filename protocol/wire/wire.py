"""Bytes in, bytes out: the primitives of the wire format, strict and canonical.

Every value has exactly one encoding, integers are big-endian, and a reader consumes all its bytes.
For every error in the bytes, the reader raises only `Refused(Reason.MALFORMED)`. The writer raises
ParameterError, because its input comes from the caller. docs/wire.md has the layout of every
message.

    u8 u16 u32 f64        unsigned integers; an IEEE 754 double, finite, never negative zero
    flag                  one byte, 0 or 1
    text                  u16 length, UTF-8
    blob                  u32 length, bytes
    items                 u32 count, u32 width, then the items: `width` bytes each, or with width 0
                          each behind a u32 length (only if their lengths differ)
"""

import math
import struct
from collections.abc import Callable, Sequence
from typing import TypeVar

from ...errors import ParameterError, Reason, Refused

T = TypeVar("T")

MAX_ITEMS = 1 << 27  # largest number of list entries, so that sizes fit 32 bits


class Writer:
    """A builder of the bytes of one message; each method appends a value."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        """Start without bytes."""
        self._parts: list[bytes] = []

    def integer(self, value: int, size: int) -> "Writer":
        """Append an unsigned integer, big-endian, in `size` bytes."""
        try:
            self._parts.append(value.to_bytes(size, "big"))
        except OverflowError:
            raise ParameterError(f"{value} does not fit into {size} bytes of a message") from None
        return self

    def u8(self, value: int) -> "Writer":
        """Append an unsigned integer of one byte."""
        return self.integer(value, 1)

    def u16(self, value: int) -> "Writer":
        """Append an unsigned integer of two bytes, big-endian."""
        return self.integer(value, 2)

    def u32(self, value: int) -> "Writer":
        """Append an unsigned integer of four bytes, big-endian."""
        return self.integer(value, 4)

    def f64(self, value: float) -> "Writer":
        """Append a finite double; ParameterError for infinity or NaN."""
        if not math.isfinite(value):
            raise ParameterError(
                f"{value} is not a finite number and cannot be encoded in a message"
            )
        return self.raw(struct.pack(">d", value + 0.0))

    def flag(self, value: bool) -> "Writer":  # noqa: FBT001 - a flag is what it writes
        """Append a truth value as one byte."""
        return self.u8(int(value))

    def text(self, value: str) -> "Writer":
        """Append text as UTF-8, after its length in bytes (u16)."""
        try:
            data = value.encode()
        except UnicodeEncodeError:
            raise ParameterError(
                "text with a lone surrogate cannot be encoded in a message"
            ) from None
        return self.u16(len(data)).raw(data)

    def blob(self, value: bytes) -> "Writer":
        """Append bytes after their number (u32)."""
        return self.u32(len(value)).raw(value)

    def raw(self, value: bytes) -> "Writer":
        """Append bytes without their length, for fields of a fixed size."""
        self._parts.append(value)
        return self

    def items(self, values: Sequence[bytes]) -> "Writer":
        """Append a list of byte strings; equal lengths are encoded once."""
        widths = set(map(len, values))
        if len(widths) == 1 and 0 not in widths:
            self.u32(len(values)).u32(widths.pop())
            # The byte strings are joined only in `finish`, because a batch has many megabytes.
            self._parts.extend(values)
            return self
        self.u32(len(values)).u32(0)
        for value in values:
            self.blob(value)
        return self

    def structures(self, values: Sequence[T], write: "Callable[[Writer, T], object]") -> "Writer":
        """Append a list of at most 65,535 values: their number (u16), then each value.

        write: appends a value.
        """
        self.u16(len(values))
        for value in values:
            write(self, value)
        return self

    def finish(self) -> bytes:
        """Return the bytes of the message."""
        return b"".join(self._parts)


class Reader:
    """A strict reader of the bytes of a message; `finish` refuses remaining bytes."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes, at: int = 0) -> None:
        """Prepare to read `data` from the offset `at`."""
        self._data = data
        self._at = at

    def raw(self, size: int) -> bytes:
        """Read exactly `size` bytes; Refused if fewer remain."""
        end = self._at + size
        if end > len(self._data):
            raise Refused(Reason.MALFORMED)
        piece = self._data[self._at : end]
        self._at = end
        return piece

    def u8(self) -> int:
        """Read an unsigned integer of one byte."""
        return self.raw(1)[0]

    def u16(self) -> int:
        """Read an unsigned integer of two bytes."""
        return int.from_bytes(self.raw(2), "big")

    def u32(self) -> int:
        """Read an unsigned integer of four bytes."""
        return int.from_bytes(self.raw(4), "big")

    def f64(self) -> float:
        """Read a finite double; Refused for infinity, NaN and negative zero."""
        data = self.raw(8)
        (value,) = struct.unpack(">d", data)
        if not math.isfinite(value) or data == b"\x80" + bytes(7):
            raise Refused(Reason.MALFORMED)
        return float(value)

    def flag(self) -> bool:
        """Read a truth value of one byte."""
        value = self.u8()
        if value > 1:
            raise Refused(Reason.MALFORMED)
        return bool(value)

    def text(self) -> str:
        """Read UTF-8 text after its length in bytes (u16)."""
        try:
            return self.raw(self.u16()).decode()
        except UnicodeDecodeError:
            raise Refused(Reason.MALFORMED) from None

    def blob(self) -> bytes:
        """Read bytes after their number (u32)."""
        return self.raw(self.u32())

    def items(self) -> list[bytes]:
        """Read a list of byte strings; only its canonical encoding is accepted."""
        count, width = self.u32(), self.u32()
        if count > MAX_ITEMS:
            raise Refused(Reason.MALFORMED)
        if width:
            data, start, end = self._data, self._at, self._at + count * width
            if not count:
                raise Refused(Reason.MALFORMED)
            if end > len(data):
                raise Refused(Reason.MALFORMED)
            self._at = end
            return [data[at : at + width] for at in range(start, end, width)]
        if count * 4 > len(self._data) - self._at:
            raise Refused(Reason.MALFORMED)
        values = [self.blob() for _ in range(count)]
        if len({len(value) for value in values}) == 1 and values[0]:
            raise Refused(Reason.MALFORMED)
        return values

    def structures(self, read: "Callable[[Reader], T]") -> tuple[T, ...]:
        """Read a list of values after their number (u16).

        read: reads a value.
        """
        return tuple(read(self) for _ in range(self.u16()))

    def finish(self) -> None:
        """Raise Refused if bytes remain."""
        if self._at != len(self._data):
            raise Refused(Reason.MALFORMED)


def decode(data: bytes, read: Callable[[Reader], T], at: int = 0) -> T:
    """Read a value that takes all of `data` from byte `at` on; Refused(MALFORMED) if it is invalid.

    Some values are well-formed but impossible, such as a count of zero or a name twice. For these
    the constructor raises ParameterError. This is also the sender's mistake, so it becomes Refused.
    """
    reader = Reader(data, at)
    try:
        value = read(reader)
    except ParameterError:
        raise Refused(Reason.MALFORMED) from None
    reader.finish()
    return value
