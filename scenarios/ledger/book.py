"""The ledger: who took part in which session, and what was told of them, from run to run.

    book.json       {"schema": 5, "entries": [...], "digest": "..."}, an entry a line
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
from ...protocol.hiding import COVERS
from ...strict_text import Unreadable, converted, from_json
from ..serialization.atomic_file import write_whole
from .cells import CountedCell
from .lock import locked
from .noise import Noise

SCHEMA = 5
PATIENCE = 10.0  # seconds to wait for another run that has the file
KEY = 32  # bytes
NEVER_ENDED = "the session never ended"
LOST = (
    "without it nobody can tell what may still be released about whom: put back a copy, or name a "
    "new file and release nothing about the same people"
)


class Suppression(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is left unsaid in a column: all but `said`; or `blank`, with a cover (hiding.py).

    Attributes:
        column: its name in the source.
        said: the values that are said.
        blank: the values for which a blank is left.
        cover: of 2^32, with how many anybody else leaves one.
    """

    column: str
    said: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()
    cover: int = 0


class Coarsening(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rules that made the values of a column coarser before they were said, by their names.

    Attributes:
        column: its name in the source.
        rules: in the order in which they were applied.
    """

    column: str
    rules: tuple[str, ...]


class LedgerBatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A batch that was about to be handed on.

    Attributes:
        round: from 1.
        missing: people asked, by index, whom it does not count.
        others: people it counts who were not asked, each a name of its own.
        asks: columns counted together, by the names of the source.
        unsaid, coarser: what people left out of their values, and what made them coarser before.
        public: whether it is a release, or questions of the curator.
        singles: whether the counts of these are published.
        coins: which draw of the coins, "" if no other session can make it.
    """

    round: int
    missing: tuple[int, ...] = ()
    others: tuple[str, ...] = ()
    asks: tuple[tuple[str, ...], ...]
    unsaid: tuple[Suppression, ...] = ()
    coarser: tuple[Coarsening, ...] = ()
    public: bool
    singles: bool = False
    coins: str = ""


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One session.

    Attributes:
        scenario: its name.
        source: the columns of the table.
        people: fingerprints of who was asked.
        seed: of the run; None: the system's randomness.
        least: its `min_dropout`.
        session: the digest of its board, empty until it has ended; between machines the hash of
            its file, from the start.
        handed: its batches.
        k, max_exposure: the promise: the smallest crowd, and the share of people in smaller ones.
        released: the cells of the release, fewest people first; empty if none was completed.
        burned: why it was not completed.
        noise: of people who add some; None: they add none.
    """

    scenario: str
    source: tuple[str, ...]
    people: tuple[str, ...]
    seed: int | None
    least: int
    session: str = ""
    handed: tuple[LedgerBatch, ...] = ()
    k: int
    max_exposure: float
    released: tuple[CountedCell, ...] = ()
    burned: str | None = None
    noise: Noise | None = None

    @property
    def release(self) -> LedgerBatch | None:
        """The batch for the analyst, read or not; None if none was handed on."""
        return next((batch for batch in self.handed if batch.public), None)

    @property
    def cells(self) -> tuple[int, ...]:
        """The people in each cell of the release, fewest first; () if none was completed."""
        return tuple(cell.people for cell in self.released)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the release; () if there is none."""
        return self.release.asks[0] if self.release else ()

    @property
    def coarser(self) -> tuple[Coarsening, ...]:
        """How the values of the release were made coarser."""
        return self.release.coarser if self.release else ()

    def counted(self, batch: LedgerBatch) -> frozenset[str]:
        """Whom a batch counts."""
        gone = set(batch.missing)
        known = (mark for i, mark in enumerate(self.people) if i not in gone)
        return frozenset((*known, *batch.others))


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
        self.entries.append(changed(entry, burned=NEVER_ENDED))
        self._write()

    def add(self, entry: Entry) -> None:
        """Note a release that is made without a session, before anything of it is written."""
        self.entries.append(entry)
        self._write()

    def hand_on(self, batch: LedgerBatch) -> None:
        """Note a batch of the last session before it is handed on."""
        last = self.entries[-1]
        self.entries[-1] = changed(last, handed=(*last.handed, batch))
        self._write()

    def end(self, session: str, released: Sequence[CountedCell], burned: str | None) -> Entry:
        """Say how the last session ended."""
        end = {"session": session, "released": tuple(released), "burned": burned}
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
        if wrong := _wrong(entry):
            raise _damaged(path, f"entry {number}: {wrong}")
    if _digest(book.entries, key) != book.digest:
        raise _damaged(path, "its entries are not those that were written with this key")
    return book.entries


def _decoded(path: Path, data: bytes) -> Book:
    """The book, by its grammar alone; another version's is told by its number."""
    try:
        plain = from_json(data)
        schema = plain.get("schema") if isinstance(plain, dict) else None
        if isinstance(schema, int) and schema != SCHEMA:
            raise StorageError(
                f"{path}: schema {schema}; this version reads {SCHEMA}, which keeps the counts of "
                "releases, to know what they give by subtraction; name a new file and release "
                "nothing about the same people"
            )
        book: Book = converted(plain, Book, data.decode())
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: no ledger: {bad.why}; {LOST}") from None
    return book


def _damaged(path: Path, what: str) -> StorageError:
    return StorageError(f"{path}: {what}; {LOST}")


def _wrong(entry: Entry) -> str | None:
    many = len(entry.people)
    if not many or len(set(entry.people)) < many:
        return f"people: found {many}, some of them twice or none at all"
    if entry.least < 1:
        return f"least: found {entry.least}; at least 1 is accepted"
    for batch in entry.handed:
        if list(batch.missing) != sorted({i for i in batch.missing if 0 <= i < many}):
            return f"missing: not ascending indices below {many}"
        if not all(batch.asks) or not batch.asks:
            return "asks: a batch that asks for nothing"
        if any(bool(suppression.said) == bool(suppression.blank) for suppression in batch.unsaid):
            return "unsaid: either the values said or those left blank"
        if any(not 0 <= suppression.cover < COVERS for suppression in batch.unsaid):
            return "unsaid: a cover is less than 2^32"
        if not all(coarsening.rules for coarsening in batch.coarser):
            return "coarser: by no rule"
    if not 0 <= entry.max_exposure <= 1:
        return f"max_exposure: found {entry.max_exposure}; 0 to 1 is accepted"
    return _wrong_cells(entry)


def _wrong_cells(entry: Entry) -> str | None:
    if list(entry.cells) != sorted(entry.cells) or any(cell < 1 for cell in entry.cells):
        return "released: not the cells of a release, fewest people first"
    if entry.released and not entry.columns:
        return "released: of no release"
    if any(len(cell.marks) != len(entry.columns) for cell in entry.released):
        return "released: a cell has not one mark for each column"
    if len({cell.marks for cell in entry.released}) < len(entry.released):
        return "released: a cell is there twice"
    return None
