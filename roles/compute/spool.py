"""A sequence of byte strings that is kept in memory while small, and beyond that on disk.

A spool replaces the list of layers of a small session. Above `MEMORY_LIMIT` bytes it lies in a file
without a name, in the folder that `folder()` names: only its process can open it, and the file ends
with the process, also if that is killed. It holds only ciphertexts for other parties: envelopes as
they arrived, and layers as they leave.

Values are read back by place or by slice. A slice is a view, which reads the file only when its
values are used: copies of the process are handed slices, and each reads its own.
"""

import os
import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import overload

from ... import systems
from ...errors import NO_ROOM, StorageError
from ...temporary_files import set_aside

MEMORY_LIMIT = 1 << 26  # bytes; larger spools go to disk
BLOCK = 1 << 20  # bytes that are read or written at once
FOLDER = "VEILMIX_SCRATCH"  # environment variable that names another folder for large spools


def folder() -> Path:
    """Return the folder of spools that are too large for memory.

    The folder that VEILMIX_SCRATCH names, else TMPDIR's, else /var/tmp, if it exists: /tmp may
    itself be memory.
    """
    named = os.environ.get(FOLDER) or os.environ.get("TMPDIR")
    if named:
        return Path(named)
    lasting = Path("/var/tmp")  # noqa: S108 - no name is made in it
    if lasting.is_dir():
        return lasting
    with set_aside("what is too large for memory"):
        return Path(tempfile.gettempdir())


class Spool(Sequence[bytes]):
    """A sequence of byte strings in append order, in memory or, if large, in an unnamed file."""

    def __init__(self, values: Iterable[bytes] = ()) -> None:
        """Start with these byte strings, in order."""
        self._tail = bytearray()  # bytes that are not on disk yet
        self._written = 0  # bytes on disk
        self._descriptor: int | None = None
        self._close: weakref.finalize[[int], Spool] | None = None
        self._count = 0
        self._width: int | None = None  # bytes of each value; None: no values yet, or unequal sizes
        # offset in bytes of each value's end; None: equal sizes
        self._ends: array[int] | None = None
        self.extend(values)

    def __len__(self) -> int:
        """Return the number of values."""
        return self._count

    @property
    def on_disk(self) -> int:
        """The number of bytes on disk."""
        return self._written

    def extend(self, values: Iterable[bytes]) -> None:
        """Append values in order."""
        for width, group in groupby(values, len):
            group_values = list(group)
            self._append(b"".join(group_values), width, len(group_values))

    def add(self, data: bytes, width: int) -> None:
        """Append byte strings of one width, which are concatenated in `data`."""
        self._append(data, width, len(data) // width)

    def joined(self, start: int, stop: int) -> bytes:
        """Return the concatenated values at positions `start` to `stop` - 1."""
        return self._read(self._begin(start), self._begin(stop))

    def close(self) -> None:
        """Drop all values; the spool is empty then."""
        if self._close is not None:
            self._close()
        self._descriptor = self._close = self._width = self._ends = None
        self._tail, self._written, self._count = bytearray(), 0, 0

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> "SpoolSlice": ...

    def __getitem__(self, at: int | slice) -> "bytes | SpoolSlice":
        """Return the value at an index, or a view of a slice."""
        if isinstance(at, slice):
            return SpoolSlice(self, range(self._count)[at])
        at = range(self._count)[at]
        return self.joined(at, at + 1)

    def __iter__(self) -> Iterator[bytes]:
        """Yield all values in order."""
        return self.between(0, self._count)

    def between(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the values at positions `start` to `stop` - 1, reading a block at a time."""
        mean = max(1, (self._begin(stop) - self._begin(start)) // max(1, stop - start))
        step = max(1, BLOCK // mean)
        for at in range(start, stop, step):
            last = min(at + step, stop)
            data, begin = self.joined(at, last), self._begin(at)
            for place in range(at, last):
                yield data[self._begin(place) - begin : self._begin(place + 1) - begin]

    def __reduce__(self) -> tuple[type[list[bytes]], tuple[list[bytes]]]:
        """Pickle as a list of its values: a worker on another machine cannot read this disk."""
        return list, (list(self),)

    def __repr__(self) -> str:
        """Return the number of values and of bytes, for error messages."""
        return f"Spool({self._count:,} of {self._written + len(self._tail):,} bytes)"

    def _begin(self, place: int) -> int:
        """Return the offset of the value at an index, in bytes."""
        if self._ends is None:
            return place * (self._width or 0)
        return self._ends[place - 1] if place else 0

    def _append(self, data: bytes, width: int, count: int) -> None:
        """Append `count` values of a width, and write to disk if memory holds too many bytes."""
        if not count:
            return
        self._measure(width, count)
        self._tail += data
        limit = MEMORY_LIMIT if self._descriptor is None else BLOCK
        if len(self._tail) > limit and systems.POSITIONAL_READS:
            self._write()

    def _measure(self, width: int, count: int) -> None:
        """Update the number of values, and their offsets, for `count` more values of a width."""
        if self._ends is None and self._count and width != self._width:
            each = self._width or 0
            self._ends = array("Q", range(each, each * self._count + 1, each) if each else ())
            self._ends.extend([0] * (self._count if not each else 0))
        if self._ends is None:
            self._width = width
        else:
            last = self._ends[-1]
            self._ends.extend(last + width * each for each in range(1, count + 1))
        self._count += count

    def _write(self) -> None:
        """Move the bytes in memory to the file.

        StorageError with advice if the disk refuses them.
        """
        where = folder()
        try:
            if self._descriptor is None:
                self._descriptor = nameless(where)
                self._close = weakref.finalize(self, os.close, self._descriptor)
            offset = 0
            with memoryview(self._tail) as tail:
                while offset < len(tail):
                    with tail[offset:] as remainder:
                        offset += os.pwrite(self._descriptor, remainder, self._written + offset)
            self._written += offset
        except OSError as bad:
            room = f"make room there, or name another folder: {FOLDER}=FOLDER"
            advice = room if bad.errno in NO_ROOM else f"name another folder: {FOLDER}=FOLDER"
            raise StorageError(
                f"{where}: data too large for memory cannot be put there: {bad.strerror}; {advice}"
            ) from None
        self._tail.clear()

    def _read(self, start: int, stop: int) -> bytes:
        """Return the bytes from one offset to another."""
        inside = b""
        if start < self._written and self._descriptor is not None:
            inside = read_at(self._descriptor, start, min(stop, self._written) - start)
        if stop > self._written:
            inside += self._tail[max(0, start - self._written) : stop - self._written]
        return inside


class SpoolSlice(Sequence[bytes]):
    """A view of some values of a spool, which reads them only when they are used."""

    def __init__(self, spool: Spool, places: range) -> None:
        """Keep the spool and the indices of the values in it."""
        self._spool = spool
        self._places = places

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> bytes: ...

    @overload
    def __getitem__(self, at: slice) -> "SpoolSlice": ...

    def __getitem__(self, at: int | slice) -> "bytes | SpoolSlice":
        """Return the value at an index of the slice, or a smaller slice."""
        if isinstance(at, slice):
            return SpoolSlice(self._spool, self._places[at])
        return self._spool[self._places[at]]

    def __iter__(self) -> Iterator[bytes]:
        """Yield the values in order."""
        if self._places.step == 1:
            return self._spool.between(self._places.start, self._places.stop)
        return (self._spool[at] for at in self._places)

    def __reduce__(self) -> tuple[type[list[bytes]], tuple[list[bytes]]]:
        """Pickle as a list of its values."""
        return list, (list(self),)


def nameless(where: Path) -> int:
    """Make a temporary file without a name; return its descriptor.

    The system deletes the file when its last descriptor is closed.
    """
    with tempfile.TemporaryFile(dir=where, buffering=0) as file:
        return os.dup(file.fileno())


def read_at(descriptor: int, start: int, size: int) -> bytes:
    """Read `size` bytes from an offset. Raises StorageError if the file is shorter."""
    parts = []
    while size:
        part = os.pread(descriptor, size, start)
        if not part:
            raise StorageError("an unnamed temporary file is shorter than the data written to it")
        parts.append(part)
        start, size = start + len(part), size - len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
