"""The ledger: who took part in which session, and what was told of them, from run to run.

    book.json       {"schema": 6, "entries": [...], "digest": "..."}, an entry a line
    book.json.key   32 random bytes, in hexadecimal

An entry a session, in the order in which they began; the digest is that of the entries under the
key: a file that was cut, mixed up or edited is not read. It is written whole, and lasts before
anything goes on, under a lock that is held while a session is played: of two runs at a time the
second waits for the first.

An entry is there before its session begins, and every batch before it is handed on: whom it counts,
which columns together, with which values unsaid. So a session that never ends has told, whatever
became of it, at most what stands there; and if nothing does, it counts as having counted everybody
whom it asked.

People are written as fingerprints (people.py), values of a release as marks (cells.py). Only their
owner may read the files (mode 0600): they say who was missing.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes

import msgspec
from msgspec.structs import replace as changed

from ...errors import StorageError
from ...strict_text import Unreadable, converted, from_json
from ..serialization.atomic_file import write_whole
from .cells import CountedCell
from .certified import Certified
from .defects import entry_defect
from .entry import NEVER_ENDED, Entry, LedgerBatch
from .lock import locked

SCHEMA = 6
UNCERTIFIED = 5  # this schema did not note what a run certified after the mix
PATIENCE = 10.0  # seconds to wait for another run that has the file
KEY = 32  # bytes
LOST = (
    "without it nobody can tell what may still be released about whom: put back a copy, or name a "
    "new file and release nothing about the same people"
)


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file.

    Attributes:
        schema: the number of this format.
        entries: the sessions, in order.
        digest: of the entries, under the key of the ledger: by it an edit is seen.
    """

    schema: int
    entries: tuple[Entry, ...]
    digest: str


@dataclass(slots=True)
class Ledger:
    """An open ledger file: what it says, and what is added to it.

    Attributes:
        path: of the file.
        entries: the sessions, in order.
        key: b"" until it is needed.
    """

    path: Path
    entries: list[Entry] = field(default_factory=list)
    key: bytes = b""

    def secret(self) -> bytes:
        """The key of the fingerprints, made if there is none."""
        self.key = self.key or _new_key(self.path)
        return self.key

    def begin(self, entry: Entry) -> None:
        """Note a session before it is played, as one that never ended."""
        self.entries.append(changed(entry, burned=NEVER_ENDED, certified=None))
        self._write()

    def add(self, entry: Entry) -> None:
        """Note a release that is made without a session, before anything of it is written."""
        self.entries.append(changed(entry, certified=None))
        self._write()

    def hand_on(self, batch: LedgerBatch) -> None:
        """Note a batch of the last session before it is handed on."""
        last = self.entries[-1]
        self.entries[-1] = changed(last, handed=(*last.handed, batch))
        self._write()

    def end(
        self,
        session: str,
        released: Sequence[CountedCell],
        burned: str | None,
        certified: Certified | None = None,
    ) -> Entry:
        """Say how the last session ended. certified: of people who add noise."""
        end = {
            "session": session,
            "released": tuple(released),
            "burned": burned,
            "certified": certified,
        }
        done = changed(self.entries[-1], **end)
        self.entries[-1] = done
        self._write()
        return done

    def _write(self) -> None:
        lines = ",\n".join(msgspec.json.encode(entry).decode() for entry in self.entries)
        digest = _digest(self.entries, self.secret())
        text = f'{{"schema": {SCHEMA}, "entries": [\n{lines}\n], "digest": "{digest}"}}\n'
        write_whole(self.path, text, force=True, private=True, lasting=True)


def _digest(entries: Sequence[Entry], key: bytes) -> str:
    return hashlib.blake2b(msgspec.json.encode(entries), key=key, digest_size=32).hexdigest()


@contextmanager
def opened(path: str | os.PathLike[str], patience: float = PATIENCE) -> Iterator[Ledger]:
    """Open a ledger, and keep others out until it is closed. A file that is not there is begun.

    StorageError if it is damaged, or another run keeps it for longer than `patience` seconds.
    """
    file = Path(path)
    with locked(file, patience):
        entries = read(file)
        yield Ledger(file, list(entries), _key(file) or b"")


def key_of(path: Path) -> Path:
    """Where the key of a ledger is."""
    return path.with_name(f"{path.name}.key")


def _key(path: Path) -> bytes | None:
    """Read the key of a ledger; None if there is none."""
    place = key_of(path)
    try:
        key = bytes.fromhex(place.read_text("ascii"))
    except FileNotFoundError:
        return None
    except OSError as bad:
        raise StorageError(f"{place}: cannot be read: {bad.strerror}") from None
    except ValueError:
        key = b""
    if len(key) != KEY:
        raise StorageError(f"{place}: no key of {KEY} bytes in hexadecimal; {LOST}")
    return key


def _new_key(path: Path) -> bytes:
    key = token_bytes(KEY)
    write_whole(key_of(path), key.hex() + "\n", force=False, private=True, lasting=True)
    return key


def read(path: Path) -> tuple[Entry, ...]:
    """Read a ledger; () if there is none. StorageError, which says what is wrong with it."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror}") from None
    book = _decoded(path, data)
    key = _key(path)
    if key is None:
        raise StorageError(f"{key_of(path)}: the key of {path.name} is not there; {LOST}")
    for number, entry in enumerate(book.entries, start=1):
        if wrong := entry_defect(entry, certifies=book.schema != UNCERTIFIED):
            raise _damaged(path, f"entry {number}: {wrong}")
    if _digest(book.entries, key) != book.digest:
        raise _damaged(path, "its entries are not those that were written with this key")
    return book.entries


def _decoded(path: Path, data: bytes) -> Book:
    """The book, by its grammar alone; another version's is told by its number."""
    try:
        plain = from_json(data)
        schema = plain.get("schema") if isinstance(plain, dict) else None
        if isinstance(schema, int) and schema not in (UNCERTIFIED, SCHEMA):
            raise StorageError(
                f"{path}: schema {schema}; this version reads {UNCERTIFIED} and {SCHEMA}, which "
                "keep the counts of releases, to know what they give by subtraction; name a new "
                "file and release nothing about the same people"
            )
        book: Book = converted(plain, Book, data.decode())
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: no ledger: {bad.why}; {LOST}") from None
    return book


def _damaged(path: Path, what: str) -> StorageError:
    return StorageError(f"{path}: {what}; {LOST}")
