"""The ledger file: the participants and releases of sessions, from run to run.

    book.json       {"schema": 7, "entries": [...], "digest": "..."}, an entry a line
    book.json.key   32 random bytes, in hexadecimal

Between machines, the party that keeps the ledger (its keeper) signs the file with its identity. The
file then has the fields "keeper" and "signature" as well.

There is an entry for each session, in the order in which sessions began. The digest is a hash of
the entries, keyed with the ledger's key. A file with missing, reordered or edited entries is
refused. A change is written completely, and is on the disk before the session continues. The file
is locked while a session is played: of two simultaneous runs the second waits for the first.

An entry is written before its session begins. Every batch is written before it is forwarded: its
people, its joint columns, and their suppressed values. So a session that never ends has revealed at
most the batches in its entry. Without a batch, it counts as if all people asked had been counted.

People are written as fingerprints (people.py), and values of a release as marks, keyed hashes of
values (cells.py). Only the file's owner may read the files (mode 0600), because they show which
people were missing.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_bytes
from typing import Annotated

import msgspec
from msgspec import UNSET
from msgspec.structs import replace as changed

from ....crypto.signing import Signer
from ....errors import StorageError
from ....strict_text import Unreadable, converted, from_json
from ...serialization.atomic_file import write_whole
from .cells import CountedCell
from .certified import Certified
from .defects import entry_defect
from .entry import NEVER_ENDED, LedgerBatch, LedgerEntry
from .lock import locked

SCHEMA = 7
# format number of files without certificates (epsilon after shuffling) of runs with noise
UNCERTIFIED = 5
SIGNED = 7  # from this format number on, the party that keeps a ledger between machines signs it
# accepted format numbers; 6 lacks the signing party, and the number of tallies (published counts)
# that it saw
ACCEPTED = range(UNCERTIFIED, SCHEMA + 1)
# start of every text that a ledger's party signs, so that no other signed text equals it
LABEL = b"veilmix ledger 1\0"
PATIENCE = 10.0  # seconds that a run waits while another run has locked the file
KEY = 32  # bytes of a ledger's secret key
RECOVERY_ADVICE = (
    "without it nobody can tell what may still be released about whom: put back a copy, or name a "
    "new file and release nothing about the same people"
)


Hex32 = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]
Hex64 = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{128})?$")]


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of a ledger file.

    Attributes:
        schema: the number of the file's format.
        entries: the sessions, in order.
        digest: a hash of the entries, keyed with the ledger's key: it detects an edit.
        keeper: between machines: the public identity key of the party that keeps the ledger, in
            hexadecimal; otherwise "".
        signature: that party's signature over the digest; otherwise "".
    """

    schema: int
    entries: tuple[LedgerEntry, ...]
    digest: str
    keeper: Hex32 = ""
    signature: Hex64 = ""


@dataclass(slots=True)
class Ledger:
    """An open ledger file, to which the events of a session are added.

    Attributes:
        path: the path of the file.
        entries: the sessions, in order.
        key: the secret key of the ledger's hashes; b"" until it is needed.
        signer: the signing key of the party that keeps the ledger; None: the ledger is not signed,
            as in `veilmix run` and `veilmix score`.
        initial_book: the content of the file when it was opened; None: there was no file.
    """

    path: Path
    entries: list[LedgerEntry] = field(default_factory=list)
    key: bytes = b""
    signer: Signer | None = None
    initial_book: Book | None = None

    def secret(self) -> bytes:
        """Return the ledger's key for hashes of people and values; a missing key is generated."""
        self.key = self.key or _new_key(self.path)
        return self.key

    def past(self, session: str) -> list[LedgerEntry]:
        """Return the sessions before a session.

        session: the session's name; "" if it has no name. If a killed party resumes the session,
        the last entry is the session's own, and is left out.
        """
        resumed = session and self.entries and self.entries[-1].session == session
        return self.entries[:-1] if resumed else list(self.entries)

    def begin(self, entry: LedgerEntry) -> None:
        """Write a session's entry before it is played, with the end "the session never ended".

        The real end replaces this text later (`end`). A resumed session is not added again.
        """
        if len(self.past(entry.session)) < len(self.entries):
            return
        self.entries.append(changed(entry, burned=NEVER_ENDED, certified=None))
        self._write()

    def add(self, entry: LedgerEntry) -> None:
        """Write the entry of a release that is made without a session, as `veilmix score` makes it.

        The entry is on the disk before any file of the release is written.
        """
        self.entries.append(changed(entry, certified=None))
        self._write()

    def hand_on(self, batch: LedgerBatch) -> None:
        """Write a batch of the last session to the ledger, before the batch is forwarded.

        A party that was killed repeats its batches when it resumes; a repeated batch is not written
        again.
        """
        last = self.entries[-1]
        if batch in last.handed:
            return
        self.entries[-1] = changed(last, handed=(*last.handed, batch))
        self._write()

    def attest(self, tally_count: int, *, complete: bool) -> None:
        """Note the tallies (published counts) of the last session, without writing the file.

        The end of the session writes them (`end`).

        tally_count: the number of tallies on the board. complete: whether the last tally counts all
        people that the session asked. If it does, the last batch is no longer marked as possibly
        incomplete.
        """
        last = self.entries[-1]
        batches = list(last.handed)
        if complete and batches and tally_count == len(batches):
            batches[-1] = changed(batches[-1], unsure=UNSET)
        self.entries[-1] = changed(last, handed=tuple(batches), shown=tally_count)

    def end(
        self,
        session: str,
        released: Sequence[CountedCell],
        burned: str | None,
        certified: Certified | None = None,
    ) -> LedgerEntry:
        """Write the end of the last session, and return its entry.

        session: the session's name. released: the cells of the release, with their counts. burned:
        the reason of an abort; None: not aborted. certified: the epsilon after shuffling of people
        who add noise; None: not certified.
        """
        end = {
            "session": session,
            "released": tuple(released),
            "burned": burned,
            "certified": certified,
        }
        ended_entry = changed(self.entries[-1], **end)
        self.entries[-1] = ended_entry
        self._write()
        return ended_entry

    def _write(self) -> None:
        """Write the whole file, with its digest and, if there is a signing key, a signature."""
        lines = ",\n".join(msgspec.json.encode(entry).decode() for entry in self.entries)
        digest = digest_of(self.entries, self.secret())
        end = f'"digest": "{digest}"'
        if self.signer is not None:
            signature = self.signer.sign(signed_text(digest)).hex()
            end += f', "keeper": "{self.signer.public.hex()}", "signature": "{signature}"'
        text = f'{{"schema": {SCHEMA}, "entries": [\n{lines}\n], {end}}}\n'
        write_whole(self.path, text, force=True, private=True, lasting=True)


def signed_text(digest: str) -> bytes:
    """Return the bytes that the keeper of a ledger signs: a label and the ledger's digest."""
    return LABEL + digest.encode()


def digest_of(entries: Sequence[LedgerEntry], key: bytes) -> str:
    """Return the digest of a ledger's entries, in hexadecimal. key: the secret key of the hash."""
    return hashlib.blake2b(msgspec.json.encode(entries), key=key, digest_size=32).hexdigest()


@contextmanager
def opened(path: str | os.PathLike[str], patience: float = PATIENCE) -> Iterator[Ledger]:
    """Open a ledger for this block, and lock out other runs. A missing file is begun.

    Raises StorageError if the file is damaged, or another run locks it for longer than `patience`
    seconds.
    """
    file = Path(path)
    with locked(file, patience):
        book = read_book(file)
        entries = [] if book is None else list(book.entries)
        yield Ledger(file, entries, _key(file) or b"", initial_book=book)


def key_of(path: Path) -> Path:
    """Return the path of the file with a ledger's key."""
    return path.with_name(f"{path.name}.key")


def _key(path: Path) -> bytes | None:
    """Return the key of a ledger from its file; None if the file is missing."""
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
        raise StorageError(f"{place}: no key of {KEY} bytes in hexadecimal; {RECOVERY_ADVICE}")
    return key


def _new_key(path: Path) -> bytes:
    """Return a new random key, after writing it to the ledger's key file."""
    key = token_bytes(KEY)
    write_whole(key_of(path), key.hex() + "\n", force=False, private=True, lasting=True)
    return key


def read(path: Path) -> tuple[LedgerEntry, ...]:
    """Return the entries of a ledger; () if the file is missing. Errors as in `read_book`."""
    book = read_book(path)
    return () if book is None else book.entries


def read_book(path: Path) -> Book | None:
    """Return the content of a ledger; None if the file is missing.

    Raises StorageError, which names the defect. The signature is not checked here, but by sessions,
    which know the party that keeps the ledger (scenarios/deployment/ledger.py).
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror}") from None
    book = _decoded(path, data)
    key = _key(path)
    if key is None:
        raise StorageError(
            f"{key_of(path)}: the key of {path.name} is not there; {RECOVERY_ADVICE}"
        )
    for number, entry in enumerate(book.entries, start=1):
        certifies, attests = book.schema != UNCERTIFIED, book.schema >= SIGNED
        if wrong := entry_defect(entry, certifies=certifies, attests=attests):
            raise _damaged(path, f"entry {number}: {wrong}")
    if digest_of(book.entries, key) != book.digest:
        raise _damaged(path, "the entries do not fit the digest that was made with this key")
    return book


def _decoded(path: Path, data: bytes) -> Book:
    """Return the ledger's content from the bytes of its file, after checking its form only.

    Raises StorageError if the form is wrong, or of an unknown version.
    """
    try:
        plain = from_json(data)
        schema = plain.get("schema") if isinstance(plain, dict) else None
        if isinstance(schema, int) and schema not in ACCEPTED:
            raise StorageError(
                f"{path}: schema {schema}; this version reads {UNCERTIFIED} to {SCHEMA}, which "
                "keep the counts of releases, from which differences are checked; name a new "
                "file and release nothing about the same people"
            )
        book: Book = converted(plain, Book, data.decode())
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: no ledger: {bad.why}; {RECOVERY_ADVICE}") from None
    return book


def _damaged(path: Path, defect: str) -> StorageError:
    """Return the error for a defect in a ledger, with advice on recovery."""
    return StorageError(f"{path}: {defect}; {RECOVERY_ADVICE}")
