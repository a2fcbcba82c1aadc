"""The ledgers of a first shuffler and of a curator between machines, a separate ledger for each.

A ledger is a file that remembers earlier sessions, so that releases cannot be combined against a
person. A person is identified by its registered key: a user with another key is another person. The
board of a session shows the counts of its release, and the counts of single columns if they are
published.

Several releases together can give the counts of a group of people by subtraction. If the counts of
single columns are secret, no exposure bound can be proved for such a group, so the release is
refused (scenarios/lab/ledger/subtraction.py). The curator knows these counts, but refuses as well,
so that its refusal does not depend on them.

The first shuffler knows the participants. The curator knows the people asked, and the number of
respondents. If some people did not respond, it notes the batch as unsure, and refuses batches that
overlap with it.

The party that keeps a ledger signs it, and publishes a signed head (digest) of it for the next
session file (ledger_heads.py). If this party was killed, it resumes with the same command; its
earlier notes are not repeated in the ledger.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ...crypto.identity import Identity, PublicIdentity
from ...crypto.signing import valid_signatures
from ...errors import ParameterError, StorageError
from ...protocol.board.board import Board
from ...protocol.history.shuffler_history import HandedBatch, History
from ...protocol.wire import parties
from ..lab.ledger.account import Account
from ..lab.ledger.book import SIGNED, Book, Ledger, opened, signed_text
from ..lab.ledger.entry import NEVER_ENDED
from ..lab.ledger.keep import SessionEnd, begin, check_suited
from ..lab.ledger.people import crowd_of_keys
from ..programs.capability import AnswerKind
from ..programs.registry import answers_in
from .ledger_heads import KEEPERS, SUFFIX, head_of, write_head
from .place import released
from .session_file import SessionFile


def check_kept(session: SessionFile, place: str) -> None:
    """Raise ParameterError unless a party of this session can keep a ledger.

    place: the name of the party. First shuffler and curator can, if users are registered and add no
    noise. Raises DataError if the scenario cannot have a ledger (`check_suited`).
    """
    if place not in KEEPERS:
        raise ParameterError(
            f"--ledger: found {place}; the first shuffler (shuffler-1), which knows who took part, "
            "and the curator, which decides, keep one"
        )
    if session.registry is None:
        raise ParameterError(
            "--ledger: without registered keys nobody can tell who is in two sessions; "
            'name the file of their keys in the session file: people = "hall.people.toml"'
        )
    check_suited(session.scenario, "real")
    if answers_in(session.scenario) is AnswerKind.REPORTS:
        raise ParameterError(
            "--ledger: people's machines keep no noise from session to session, so the epsilon of "
            "reports is not added up between machines; veilmix run adds it up"
        )


def check_named(session: SessionFile, place: str) -> None:
    """Raise ParameterError if the session file names a ledger of this party.

    This check is made if the command was given no ledger. The session file names a ledger by its
    head (signed digest). place: the name of the party.
    """
    if place in session.heads:
        raise ParameterError(
            f"--ledger: missing, give the path of the ledger; the session file says that {place} "
            f"keeps a ledger: place.{place}.ledger"
        )


@dataclass(frozen=True, slots=True)
class Keeper:
    """The party that keeps a ledger, with the file and the party's signing identity.

    Attributes:
        place: the name of the party's machine in the session file.
        identity: the identity of the party, which signs the ledger.
        path: the file of the ledger.
        predecessor: the identity of the party that kept this ledger before; None: no other party
            did.
    """

    place: str
    identity: Identity
    path: Path
    predecessor: PublicIdentity | None = None

    @property
    def head_file(self) -> Path:
        """The path of the file with the ledger's head (signed digest), beside the ledger."""
        return self.path.with_name(self.path.name + SUFFIX)


def with_ledger(
    session: SessionFile, keeper: Keeper, play: Callable[[History], Board]
) -> tuple[Board, Account]:
    """First shuffler, curator: play a session with a ledger, and record the session's end in it.

    Returns the board, and the account of the sessions in the ledger, with this session.

    Args:
        session: the session file.
        keeper: the party that keeps the ledger.
        play: runs the session with the ledger's memory of earlier sessions, and returns the board.

    Raises:
        StorageError: the ledger is damaged, belongs to another party, is not the ledger that the
            session file names, or has this session already.
    """
    assert session.registry is not None  # noqa: S101 - `check_kept` requires it
    people = session.registry.keys
    name = session.roster.opening.hex()
    with _open_ledger(session, keeper) as ledger:
        crowd = crowd_of_keys(people, ledger.secret())
        begun = begin(ledger, session.scenario, session.schema, crowd, None, name)
        if keeper.place == parties.CURATOR:
            begun.memory.write = _unsure_releases(begun.memory.write)
        board = play(begun.memory)
        names = session.schema.names
        released_columns = (
            [names[column] for column in board.decision.kept] if board.decision else []
        )
        counted = max(board.tallies[-1].totals, default=0) if board.tallies else 0
        ledger.attest(len(board.tallies), complete=counted == len(people))
        end = SessionEnd(name, released_columns, released(board, names), board.burned)
        return board, begun.end(end, None)


def _unsure_releases(write: Callable[[HandedBatch], None]) -> Callable[[HandedBatch], None]:
    """Return the curator's function that writes a batch to its ledger, a release as unsure.

    The curator does not see the people of a release, so some may be missing. The mark is removed
    later if the tally (published counts) shows that all people were counted. write: writes a batch
    unchanged.
    """
    return lambda batch: write(replace(batch, certain=batch.certain and not batch.public))


@contextmanager
def _open_ledger(session: SessionFile, keeper: Keeper) -> Iterator[Ledger]:
    """Open a party's ledger for a session, and write its head (signed digest) afterwards.

    Raises StorageError unless the ledger belongs to the party, and is the ledger that the session
    file names.
    """
    place, path, signer = keeper.place, keeper.path, keeper.identity.signer
    name = session.roster.opening.hex()
    with opened(path) as ledger:
        _check_keeper(keeper, ledger.initial_book)
        ledger.signer = signer
        _check_fresh(path, ledger, name)
        named, head = session.heads.get(place), head_of(ledger, place, name)
        if ledger.initial_book is not None:
            write_head(keeper.head_file, head_of(ledger, place), signer)
        if named is not None and named.book != head.book:
            raise StorageError(
                f"{path}: is not the ledger that the session file shows: it has "
                f"{len(head.sessions)} sessions, and place.{place}.ledger shows "
                f"{len(named.sessions)}, or other entries; put the newest copy back, or give "
                f"{keeper.head_file.name} to the party that writes session files"
            )
        try:
            yield ledger
        finally:
            if ledger.entries:
                write_head(keeper.head_file, head_of(ledger, place), signer)


def _check_keeper(keeper: Keeper, book: Book | None) -> None:
    """Raise StorageError unless the party that keeps the ledger, or its predecessor, signed it.

    book: the contents of the ledger; None: the file is new. A ledger of an earlier version has no
    signature, and is accepted; this party signs it from now on.
    """
    if book is None or (not book.keeper and book.schema < SIGNED):
        return
    keys = [identity.key for identity in (keeper.identity.public, keeper.predecessor) if identity]
    text, signature = signed_text(book.digest), bytes.fromhex(book.signature)
    if not any(valid_signatures(keys, [text] * len(keys), [signature] * len(keys))):
        signer_text = f"by the key {book.keeper[:16]}..." if book.keeper else "by no place"
        raise StorageError(
            f"{keeper.path}: this ledger was signed {signer_text}, not by the key of "
            f"{keeper.place}, {keeper.identity.public.key.hex()[:16]}...; each party keeps its own "
            "ledger. A new first shuffler or curator takes over an earlier party's ledger with "
            "--predecessor OLD.pub.toml"
        )


def _check_fresh(path: Path, ledger: Ledger, name: str) -> None:
    """Raise StorageError if the session has ended already, or another session has begun since.

    path: the file of the ledger, for the message. name: the hash of the session file. An
    interrupted session may be resumed.
    """
    old = [entry for entry in ledger.entries if entry.session == name]
    if old and (old[-1] is not ledger.entries[-1] or old[-1].burned != NEVER_ENDED):
        raise StorageError(
            f"{path}: the ledger has this session already; it has ended, or another has begun "
            "since; a session file is for one session: change it, if only its title"
        )
