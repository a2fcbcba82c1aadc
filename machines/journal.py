"""What a place writes down so that it can be killed at any time: its inputs, in order.

    kept            32 bytes that all randomness of the place comes from, if it has no seed
    inputs          each (inputs.py), with who it came from, before the role hears it
    acknowledged    the id of each thing it has said that the other side has

Started again, the place plays its role from the first input on, and says what was not acknowledged.
How durable that is is a choice, for what is written down can be found:

    off      nothing is written. A place that is killed is lost, and so is its key: what it opened
             cannot be opened again by anybody (forward secrecy from the end of the process).
    tmpfs    in memory that the system keeps (/dev/shm): survives the process, not the machine. Who
             is root on the machine while the session lasts can read keys and letters.
    disk     survives the machine, too. Who gets the disk before the session ends can read keys and
             letters; after it, what the disk itself has kept elsewhere (spare blocks, snapshots,
             backups), because it is overwritten only where the file was.

At the end of the session a journal is overwritten with zeros and deleted (`erase`).
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path

from .. import systems
from ..errors import StorageError

SECRET = 32  # bytes
SHM = Path("/dev/shm")  # noqa: S108 - memory, in a folder of its own with mode 0700
BLOCK = 1 << 20  # bytes overwritten at once
CONTENT = ("", "-wal", "-journal")  # files in which sqlite keeps what was written
PARTS = (*CONTENT, "-shm")  # and one of page numbers, part of which is locked while it is open


class Durable(StrEnum):
    """How much a journal survives."""

    OFF = "off"
    TMPFS = "tmpfs"
    DISK = "disk"


COSTS = {
    Durable.OFF: "off: nothing is written down; killed, this place is lost, and its key with it",
    Durable.TMPFS: "tmpfs: written down in memory, which root here can read until the end",
    Durable.DISK: "disk: written down; who gets the disk before the end can read keys and letters",
}  # what a place says of it when it starts

TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inputs (number INTEGER PRIMARY KEY, peer TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS acknowledged (id BLOB PRIMARY KEY) WITHOUT ROWID;
"""  # noqa: E501 - a line a table


RESUME = (
    "what was written before still stands: make room, and start this party again with the same "
    "command"
)


class Journal:
    """The journal of one place, in a file that is made where it is not.

    remedy: what whoever started the place does where the journal cannot be used.

    Raises:
        StorageError: here and from every method, if it cannot be read or written; what was written
            before still stands.
    """

    def __init__(self, path: Path, durable: Durable, remedy: str = RESUME) -> None:
        self.path = path
        self._remedy = remedy
        with self._said():
            path.touch(mode=0o600)
            self._database = sqlite3.connect(path, isolation_level=None)
            try:
                self._prepare(durable)
            except BaseException:
                self._database.close()
                raise

    def _prepare(self, durable: Durable) -> None:
        self._database.execute("PRAGMA journal_mode = WAL")
        sync = "FULL" if durable is Durable.DISK else "OFF"
        self._database.execute(f"PRAGMA synchronous = {sync}")
        self._database.execute("PRAGMA secure_delete = ON")
        self._database.executescript(TABLES)

    def close(self) -> None:
        """Let go of it; what was written stands."""
        with self._said():
            self._database.close()

    def fact(self, name: str, first: bytes) -> bytes:
        """Give what was written under a name, or write it if nothing was."""
        with self._said():
            self._database.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, first))
            query = "SELECT value FROM facts WHERE name = ?"
            (value,) = self._database.execute(query, (name,)).fetchone()
        return bytes(value)

    def write(self, peer: str, data: bytes) -> None:
        """Write down an input, before anything follows from it."""
        with self._said():
            self._database.execute("INSERT INTO inputs (peer, data) VALUES (?, ?)", (peer, data))

    def inputs(self) -> Iterator[tuple[str, bytes]]:
        """Yield all inputs in their order, with who they came from."""
        with self._said():
            yield from self._database.execute("SELECT peer, data FROM inputs ORDER BY number")

    def acknowledge(self, ids: Iterable[bytes]) -> None:
        """Write down that others have what has these ids."""
        with self._said():
            self._database.execute("BEGIN")
            rows = ((letter,) for letter in ids)
            self._database.executemany("INSERT OR IGNORE INTO acknowledged VALUES (?)", rows)
            self._database.execute("COMMIT")

    def acknowledged(self) -> set[bytes]:
        """What others have, by id."""
        with self._said():
            return {
                bytes(letter) for (letter,) in self._database.execute("SELECT id FROM acknowledged")
            }

    def erase(self) -> None:
        """Overwrite and delete it: the session is over.

        First overwrite, then close: whoever closes last deletes sqlite's own log, as it stands.
        Then delete: Windows deletes no file that is open.
        """
        with self._said():
            _overwrite(self.path)
            with suppress(sqlite3.Error):  # its own log is zeros
                self._database.close()
            _delete(self.path)

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Say what is wrong with the journal, in words."""
        try:
            yield
        except (sqlite3.Error, OSError) as wrong:
            raise StorageError(
                f"{self.path}: the journal cannot be used ({wrong}); {self._remedy}"
            ) from None


def erase(path: Path) -> None:
    """Overwrite a journal that is not open, with all that sqlite keeps of it, and delete it."""
    _overwrite(path)
    _delete(path)


def _overwrite(path: Path) -> None:
    """Write zeros over all that was written down."""
    for part in CONTENT:
        file = path.with_name(path.name + part)
        if not file.exists():
            continue
        with file.open("r+b") as open_file:
            left = file.stat().st_size
            while left > 0:
                left -= open_file.write(bytes(min(left, BLOCK)))
            open_file.flush()
            os.fsync(open_file.fileno())


def _delete(path: Path) -> None:
    """Delete a journal and the files beside it."""
    for part in PARTS:
        path.with_name(path.name + part).unlink(missing_ok=True)


def memory_folder() -> Path:
    """Where files live in memory; StorageError where there is no such place."""
    if not systems.MEMORY_FOLDER:
        raise StorageError("--durable tmpfs: there is no /dev/shm here; choose off or disk")
    return SHM
