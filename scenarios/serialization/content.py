"""The bytes of a file, read once: all later requests for the file get this copy.

A file can change during a run: a program appends rows, a user renames the file or tidies its
folder. So no result depends on reading a file twice:

    content_of       returns the bytes of a file now
    reading_once     a block in which every call returns the bytes of the first call
    as_read          gives another process the same bytes

The copy is compressed in memory, in pieces of 1 MiB. Data about people are not written to a disk,
except while duckdb reads a Parquet file (`Content.file`).
"""

import hashlib
import io
import os
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, BinaryIO, ParamSpec, TextIO, TypeVar

from ...errors import DataError
from ...temporary_files import private_folder, set_aside

MAX_BYTES = 2 << 30  # bytes; larger files are refused
# bytes; a file is compressed in pieces of this size, so that a stream decompresses one at a time
PIECE = 1 << 20
LEVEL = 1  # compression level of zlib: the fastest

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file as they were when it was read, compressed.

    Contents with equal bytes compare equal.

    Attributes:
        path: the path of the file, for messages; it is not opened again.
        size: the number of bytes.
        sha256: the SHA-256 of the bytes, in hexadecimal.
        pieces: the bytes, compressed piece by piece.
    """

    path: Path = field(compare=False)
    size: int
    sha256: str
    pieces: tuple[bytes, ...] = field(compare=False, repr=False)

    def open(self) -> BinaryIO:
        """Return a new binary stream of the bytes, from the beginning."""
        return io.BufferedReader(_Stream(self), PIECE)

    def text(self, encoding: str, errors: str = "strict") -> TextIO:
        """Return a new text stream of the content; line ends are not changed.

        encoding: such as `utf-8`. errors: the handling of bytes that are not valid, as in `open`.
        """
        return io.TextIOWrapper(self.open(), encoding=encoding, errors=errors, newline="")

    @contextmanager
    def file(self) -> Iterator[Path]:
        """Provide a private temporary file with these bytes, and remove it after the block.

        The file is for libraries that take a path. Raises StorageError if the disk has no room for
        the file.
        """
        description = f"{self.path}: a copy of its {self.size:,} bytes"
        with private_folder(description) as folder:
            place = folder / f"copy{self.path.suffix}"
            with set_aside(description), place.open("wb") as file:
                file.writelines(map(zlib.decompress, self.pieces))
            yield place


class _Stream(io.RawIOBase):
    """A seekable binary stream of a file's bytes, which decompresses them piece by piece."""

    def __init__(self, content: Content) -> None:
        """Begin at the first byte of a content."""
        super().__init__()
        self._content, self._at = content, 0
        self._number, self._piece = -1, b""  # number and bytes of the last decompressed piece

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def seekable(self) -> bool:
        """Return True: the stream has random access."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position by `offset` bytes from the point `whence`; return the new position."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._content.size}[whence]
        self._at = max(0, start + offset)
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Copy bytes from the present position into a buffer; return their number, 0 at the end.

        A call copies from a single compressed piece, so it may fill only a part of the buffer.
        """
        number, first = divmod(self._at, PIECE)
        if self._at >= self._content.size:
            return 0
        if number != self._number:
            self._number, self._piece = number, zlib.decompress(self._content.pieces[number])
        chunk = self._piece[first : first + len(buffer)]
        buffer[: len(chunk)] = chunk
        self._at += len(chunk)
        return len(chunk)


_read_contents: ContextVar[dict[Path, Content] | None] = ContextVar("_kept", default=None)
# (path and state of a file) -> its content; holds only the last file that was read
_last: dict[tuple[Any, ...], Content] = {}


@contextmanager
def reading_once(read: Mapping[Path, Content] | None = None) -> Iterator[None]:
    """Read each file at most once inside this block, so that all calls see the same bytes.

    A nested block shares the contents of the outer block. read: contents that were read before, by
    absolute path.
    """
    if _read_contents.get() is not None:
        yield
        return
    token = _read_contents.set(dict(read or {}))
    try:
        yield
    finally:
        _read_contents.reset(token)


def as_read(work: Callable[P, R]) -> Callable[P, R]:
    """Return a picklable function that runs `work` with the file contents read here.

    Another process that calls it does not read these files again.
    """
    return _AsRead(work, dict(_read_contents.get() or {}))


@dataclass(frozen=True, slots=True)
class _AsRead:
    """A picklable function: `work`, with the file contents read before it.

    Attributes:
        work: the function to call.
        read: absolute path -> content of the file.
    """

    work: Callable[..., Any]
    read: Mapping[Path, Content]

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """Return the result of `work` with the contents read before."""
        with reading_once(self.read):
            return self.work(*args, **keywords)


def content_of(path: Path) -> Content:
    """Return the bytes of a file as a `Content`; an unchanged file is not opened again.

    Raises OSError or ValueError if the file cannot be read, DataError if it is too large.
    """
    contents, place = _read_contents.get(), path.absolute()
    content = contents.get(place) if contents is not None else None
    if content is None:
        content = _now(path, place)
        if contents is not None:
            contents[place] = content
    return content if content.path == path else replace(content, path=path)


def _now(path: Path, place: Path) -> Content:
    """Return the present bytes of a file, from memory if the file is unchanged since the last read.

    place: the absolute path.
    """
    content = _last.get((place, *_state(path.stat())))
    if content is None:
        with path.open("rb") as file:
            state = _state(os.fstat(file.fileno()))
            content = _read(path, file)
        _last.clear()
        _last[place, *state] = content
    return content


def _state(stat: os.stat_result) -> tuple[int, ...]:
    """Return data that change if a file is written or replaced: device, inode, size and times."""
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


def _read(path: Path, file: BinaryIO) -> Content:
    """Return the bytes of an open file, compressed and hashed; DataError above 2 GiB."""
    size, digest, pieces = 0, hashlib.sha256(), list[bytes]()
    while piece := file.read(PIECE):
        size += len(piece)
        if size > MAX_BYTES:
            size = max(size, os.fstat(file.fileno()).st_size)
            raise DataError(
                f"{path}: {size:,} bytes; at most {MAX_BYTES:,} are accepted: take a sample first"
            )
        digest.update(piece)
        pieces.append(zlib.compress(piece, LEVEL))
    return Content(path, size, digest.hexdigest(), tuple(pieces))
