"""The journal of a process of a session (a place): its inputs in order, to replay after a kill.

    version         of veilmix; only the same version replays the inputs in the same way
    kept            32 bytes that all randomness of the place comes from, if it has no seed
    inputs          each (inputs.py), with its sender, stored before the party takes it
    acknowledged    the id of each message and post that its receiver has confirmed

After a restart, the place gives its parties all inputs from the first on, and resends
outputs without an acknowledgement. The durability is a choice, because stored data can
be found:

    off      no journal. A place that is killed is lost, and so is its key: messages it opened
             cannot be opened by any party again (forward secrecy from the end of the process).
    tmpfs    in memory that the system keeps (/dev/shm): survives the process, not the machine. The
             root of the machine can read keys and messages while the session lasts.
    disk     survives the machine, too. A thief of the disk before the session's end reads keys and
             messages. After the end a thief may find copies that the disk itself keeps (spare
             blocks, snapshots, backups), because only the file itself is overwritten.

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
from ..version import __version__

SECRET = 32  # bytes of the secret that seeds a process's randomness
SHM = Path("/dev/shm")  # noqa: S108 - memory, in a folder of its own with mode 0700
BLOCK = 1 << 20  # bytes of zeros that are written at once, so that a large file needs little memory
# bytes read at the start of a sqlite file: they are all zero only after the file was overwritten
HEADER = 16
CONTENT = ("", "-wal", "-journal")  # endings of the files of a sqlite database
# also the index of sqlite's log: it has no content of the journal, and sqlite locks parts of it
# while the database is open, so it is deleted without overwriting
PARTS = (*CONTENT, "-shm")


class Durable(StrEnum):
    """The durability of a journal: `off`, no journal; `tmpfs`, in memory; `disk`, on disk.

    A journal in memory survives the end of its process, a journal on disk also a restart of
    the machine.
    """

    OFF = "off"
    TMPFS = "tmpfs"
    DISK = "disk"


COSTS = {
    Durable.OFF: "off: nothing is written down; killed, this place is lost, and its key with it",
    Durable.TMPFS: "tmpfs: written down in memory, which root here can read until the end",
    Durable.DISK: "disk: written down; who gets the disk before the end can read keys and letters",
}  # the note on durability that a process prints when it starts

TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS inputs (number INTEGER PRIMARY KEY, peer TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS acknowledged (id BLOB PRIMARY KEY) WITHOUT ROWID;
"""  # noqa: E501 - a line a table


RESUME = (
    "what was written before still stands: make room, and start this party again with the same "
    "command"
)


ERASED = (
    "the session of this place is over, its outcome was printed, and this was the rest of its "
    "journal, erased now: there is nothing to go on with"
)


JOURNAL_IN_USE = (
    "another process has this journal, so this place runs already: let it go on, or end it before "
    "the same command is given again"
)


class Journal:
    """The journal of a process of a session, a sqlite file that is made if it is missing.

    It stores the process's inputs, so that a restarted process can replay them. remedy: the
    operator's next step if the journal cannot be used, for messages.

    Raises:
        StorageError: by every method, if the file cannot be read or written, or another
            process uses it; earlier records stay. Also by the constructor, if another
            version of veilmix has written the file, or if its erasure was interrupted; the
            erasure is then completed.
    """

    def __init__(self, path: Path, durable: Durable, remedy: str = RESUME) -> None:
        """Open the file of the journal, or create it.

        path: the file. durable: whether each input is forced to disk. remedy: the operator's next
        step if the journal cannot be used, for messages.
        """
        self.path = path
        self._remedy = remedy
        with self._storage_errors():
            if is_erased(path):
                erase(path)
                raise StorageError(f"{path}: {ERASED}")
            path.touch(mode=0o600)
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
            try:
                self._prepare(durable)
                self._check_version()
            except BaseException:
                self._database.close()
                raise

    def _prepare(self, durable: Durable) -> None:
        """Set the database's options for this durability, and create its tables."""
        # sqlite then locks the file, so that no second process uses the journal
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute("PRAGMA journal_mode = WAL")
        sync = "FULL" if durable is Durable.DISK else "OFF"
        self._database.execute(f"PRAGMA synchronous = {sync}")
        self._database.execute("PRAGMA secure_delete = ON")
        self._database.executescript(TABLES)

    def _check_version(self) -> None:
        """Write veilmix's version into a new journal; StorageError if another version wrote it."""
        (facts,) = self._database.execute("SELECT count(*) FROM facts").fetchone()
        if not facts:
            self._database.execute(
                "INSERT INTO facts VALUES ('version', ?)", (__version__.encode(),)
            )
        query = "SELECT value FROM facts WHERE name = 'version'"
        row = self._database.execute(query).fetchone()
        writer_version = bytes(row[0]).decode() if row else "before 0.1.0"
        if writer_version != __version__:
            raise StorageError(
                f"{self.path}: veilmix {writer_version} has written this journal, and this is "
                "veilmix "
                f"{__version__}: the same inputs may lead to other posts here; go on with veilmix "
                f"{writer_version}, or let the session end without this place"
            )

    def close(self) -> None:
        """Close the journal; its records stay."""
        with self._storage_errors():
            self._database.close()

    def fact(self, name: str, first: bytes) -> bytes:
        """Return the stored value of a name; if there is none, store and return `first`."""
        with self._storage_errors():
            self._database.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, first))
            query = "SELECT value FROM facts WHERE name = ?"
            (value,) = self._database.execute(query, (name,)).fetchone()
        return bytes(value)

    def write(self, peer: str, data: bytes) -> None:
        """Store an input and its sender, before the party's code takes the input."""
        with self._storage_errors():
            self._database.execute("INSERT INTO inputs (peer, data) VALUES (?, ?)", (peer, data))

    def inputs(self) -> Iterator[tuple[str, bytes]]:
        """Yield all inputs in their order, each after its sender."""
        with self._storage_errors():
            yield from self._database.execute("SELECT peer, data FROM inputs ORDER BY number")

    def acknowledge(self, ids: Iterable[bytes]) -> None:
        """Store the ids of outputs that the receiving processes have confirmed."""
        with self._storage_errors():
            self._database.execute("BEGIN")
            rows = ((letter,) for letter in ids)
            self._database.executemany("INSERT OR IGNORE INTO acknowledged VALUES (?)", rows)
            self._database.execute("COMMIT")

    def acknowledged(self) -> set[bytes]:
        """Return the ids of the outputs that the receiving processes have confirmed."""
        with self._storage_errors():
            return {
                bytes(letter) for (letter,) in self._database.execute("SELECT id FROM acknowledged")
            }

    def erase(self) -> None:
        """Overwrite the journal's files with zeros and delete them, because the session is over.

        Overwriting comes first, because closing deletes sqlite's log without overwriting it.
        Closing comes before deletion, because Windows deletes no open file.
        """
        with self._storage_errors():
            _overwrite(self.path)
            # closing may fail, because sqlite's log has been overwritten
            with suppress(sqlite3.Error):
                self._database.close()
            _delete(self.path)

    @contextmanager
    def _storage_errors(self) -> Iterator[None]:
        """Turn an error of the file or the database into a StorageError that names the journal."""
        try:
            yield
        except (sqlite3.Error, OSError) as wrong:
            if getattr(wrong, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
                raise StorageError(f"{self.path}: {JOURNAL_IN_USE}") from None
            raise StorageError(
                f"{self.path}: the journal cannot be used ({wrong}); {self._remedy}"
            ) from None


def is_erased(path: Path) -> bool:
    """Whether a journal has been overwritten, and not yet deleted (a process was killed then)."""
    try:
        with path.open("rb") as file:
            return file.read(HEADER) == bytes(HEADER) and _has_no_log(path)
    except FileNotFoundError:
        return False


def _has_no_log(path: Path) -> bool:
    """Whether sqlite's own log files are missing, empty, or begin with zeros.

    Otherwise sqlite would restore the overwritten start of the journal from a log.
    """
    log_paths = [path.with_name(path.name + part) for part in CONTENT[1:]]
    for log in log_paths:
        if log.exists():
            with log.open("rb") as file:
                if any(file.read(HEADER)):
                    return False
    return True


def erase(path: Path) -> None:
    """Overwrite a closed journal, with all its sqlite files, and delete it."""
    _overwrite(path)
    _delete(path)


def _overwrite(path: Path) -> None:
    """Write zeros over all content of a journal's files."""
    for part in CONTENT:
        file = path.with_name(path.name + part)
        if not file.exists():
            continue
        with file.open("r+b") as open_file:
            remaining_bytes = file.stat().st_size
            while remaining_bytes > 0:
                remaining_bytes -= open_file.write(bytes(min(remaining_bytes, BLOCK)))
            open_file.flush()
            os.fsync(open_file.fileno())


def _delete(path: Path) -> None:
    """Delete a journal and its sqlite files; the journal last, since they are found by its name."""
    for part in reversed(PARTS):
        path.with_name(path.name + part).unlink(missing_ok=True)


def memory_folder() -> Path:
    """Return the folder of files in memory; StorageError if the system has no such folder."""
    if not systems.MEMORY_FOLDER:
        raise StorageError("--durable tmpfs: there is no /dev/shm here; choose off or disk")
    return SHM
