"""The ledger file: the participants and releases of sessions, from run to run.

    book.json       {"schema": 7, "entries": [...], "digest": "..."}, an entry a line
    book.json.key   32 random bytes, in hexadecimal

Between machines the keeper (the party that keeps the ledger) signs the file with its identity:
"keeper" and "signature".

An entry a session, in the order in which they began; the digest is of the entries under the key: a
file that was cut, mixed up or edited is not read. It is written completely, and is on the disk
before anything goes on, under a lock that is held while a session is played: of two runs at a time
the second waits for the first.

An entry is there before its session begins, and every batch before it is handed on: its people, its
joint columns, and their suppressed values. So a session that never ends has revealed, in any case,
at most the batches in it; and without a batch, it counts as having counted all people it asked.

People are written as fingerprints (people.py), values of a release as marks, keyed hashes
(cells.py). Only their owner may read the files (mode 0600): they show the missing people.
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
UNCERTIFIED = 5  # the schema that did not record what a run certified after the mix
SIGNED = 7  # from this schema on, a place signs its ledger
ACCEPTED = range(UNCERTIFIED, SCHEMA + 1)  # schemas read; 6 lacks keepers and tallies
LABEL = b"veilmix ledger 1\0"  # starts every text that a keeper signs
PATIENCE = 10.0  # seconds that a run waits while another run has the file
KEY = 32  # bytes of a key
RECOVERY_ADVICE = (
    "without it nobody can tell what may still be released about whom: put back a copy, or name a "
    "new file and release nothing about the same people"
)


Hex32 = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")]
Hex64 = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{128})?$")]


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of a ledger file.

    Attributes:
        schema: the number of this format.
        entries: the sessions, in order.
        digest: the digest of the entries, under the key of the ledger: it detects an edit.
        keeper: between machines: the identity key of the party that keeps it, in hexadecimal.
        signature: the keeper's, over the digest.
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
        key: the secret key of the fingerprints; b"" until it is needed.
        signer: the keeper's signing key; None: `veilmix run` and `score` sign no ledger.
        initial_book: the file as it was when it was opened; None: there was no file.
    """

    path: Path
    entries: list[LedgerEntry] = field(default_factory=list)
    key: bytes = b""
    signer: Signer | None = None
    initial_book: Book | None = None

    def secret(self) -> bytes:
        """Return the ledger's key, from which fingerprints are made; a missing key is generated."""
        self.key = self.key or _new_key(self.path)
        return self.key

    def past(self, session: str) -> list[LedgerEntry]:
        """Return the sessions before a session.

        session: its name; "" is no name. The last entry is the session's own if its keeper was
        killed before the end.
        """
        resumed = session and self.entries and self.entries[-1].session == session
        return self.entries[:-1] if resumed else list(self.entries)

    def begin(self, entry: LedgerEntry) -> None:
        """Write a session before it is played, as if it never ended.

        A resumed session is not added again.
        """
        if len(self.past(entry.session)) < len(self.entries):
            return
        self.entries.append(changed(entry, burned=NEVER_ENDED, certified=None))
        self._write()

    def add(self, entry: LedgerEntry) -> None:
        """Write a release that is made without a session, before any part of it is written."""
        self.entries.append(changed(entry, certified=None))
        self._write()

    def hand_on(self, batch: LedgerBatch) -> None:
        """Write a batch of the last session before it is handed on.

        A keeper that was killed repeats its batches: each stands in the ledger once.
        """
        last = self.entries[-1]
        if batch in last.handed:
            return
        self.entries[-1] = changed(last, handed=(*last.handed, batch))
        self._write()

    def attest(self, tally_count: int, *, complete: bool) -> None:
        """Note the tallies of the last session in memory, to be written with its end.

        tally_count: the number of tallies on the board. complete: whether the last tally counts all
        people that the session asked, so that its batch is no longer unsure.
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
        """Write the end of the last session; return its entry.

        session: the session's name. released: cells of the release. burned: reason of an abort.
        certified: the epsilon after shuffling of people who add noise.
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
        """Write the whole file, with its digest and the keeper's signature, if any."""
        lines = ",\n".join(msgspec.json.encode(entry).decode() for entry in self.entries)
        digest = digest_of(self.entries, self.secret())
        end = f'"digest": "{digest}"'
        if self.signer is not None:
            signature = self.signer.sign(signed_text(digest)).hex()
            end += f', "keeper": "{self.signer.public.hex()}", "signature": "{signature}"'
        text = f'{{"schema": {SCHEMA}, "entries": [\n{lines}\n], {end}}}\n'
        write_whole(self.path, text, force=True, private=True, lasting=True)


def signed_text(digest: str) -> bytes:
    """Return the bytes that the keeper of a ledger signs: a label and the digest."""
    return LABEL + digest.encode()


def digest_of(entries: Sequence[LedgerEntry], key: bytes) -> str:
    """Return the digest (keyed hash) of entries under the key of a ledger, in hexadecimal."""
    return hashlib.blake2b(msgspec.json.encode(entries), key=key, digest_size=32).hexdigest()


@contextmanager
def opened(path: str | os.PathLike[str], patience: float = PATIENCE) -> Iterator[Ledger]:
    """Open a ledger for this block, and lock out other runs. A missing file is begun.

    StorageError if it is damaged, or another run keeps it for longer than `patience` seconds.
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
    """Return a new random key, after writing its file."""
    key = token_bytes(KEY)
    write_whole(key_of(path), key.hex() + "\n", force=False, private=True, lasting=True)
    return key


def read(path: Path) -> tuple[LedgerEntry, ...]:
    """Return the entries of a ledger; () if the file is missing. StorageError as of `read_book`."""
    book = read_book(path)
    return () if book is None else book.entries


def read_book(path: Path) -> Book | None:
    """Return the content of a ledger; None if the file is missing.

    StorageError names a defect. The signature is checked by sessions, which know the keeper
    (scenarios/deployment/ledger.py).
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
    """Return the book in these bytes, checked for its form only; StorageError otherwise."""
    try:
        plain = from_json(data)
        schema = plain.get("schema") if isinstance(plain, dict) else None
        if isinstance(schema, int) and schema not in ACCEPTED:
            raise StorageError(
                f"{path}: schema {schema}; this version reads {UNCERTIFIED} to {SCHEMA}, which "
                "keep the counts of releases, to know what they give by subtraction; name a new "
                "file and release nothing about the same people"
            )
        book: Book = converted(plain, Book, data.decode())
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: no ledger: {bad.why}; {RECOVERY_ADVICE}") from None
    return book


def _damaged(path: Path, defect: str) -> StorageError:
    """Return the error for a defect in a ledger, with advice."""
    return StorageError(f"{path}: {defect}; {RECOVERY_ADVICE}")
