"""The signed head (digest) of a ledger, which all parties of the next session can check.

    people.json.head.toml   name = "shuffler-1"
                            book = "<64 hexadecimal digits>"
                            sessions = [["<session>", noted, seen], ...]
                            signature = "<by the keeper's identity, over all of it>"

A ledger is a party's memory of earlier sessions; the party is its keeper. book: the digest of the
entries, keyed with the ledger's secret key. It commits the keeper to the entries, and hides them.

Each row of sessions has the hash of a session file and two numbers. noted: the number of batches
that the keeper noted before they were forwarded. seen: the number of tallies (published counts)
that the keeper saw on the board. The board of that session shows both numbers, so the head reveals
no more than the board.

First shuffler and curator each note a batch before its tally can be posted. So for every
tally that the first party saw, the ledger of the second must have a batch, and vice versa. If the
batch is missing, that ledger was lost, or an old copy was put back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import UNSET

from ...crypto.identity import PublicIdentity
from ...crypto.signing import Signer, verify_signature
from ...errors import ParameterError, Refused, StorageError
from ...protocol.wire import parties
from ...strict_text import Unreadable, from_toml
from ..lab.ledger.book import Ledger, digest_of
from ..serialization.atomic_file import write_whole
from ..serialization.bounded_file import read_bounded

KEEPERS = (parties.shuffler(1), parties.CURATOR)
SUFFIX = ".head.toml"
LABEL = b"veilmix ledger head 1\0"
LARGEST = 1 << 22  # bytes; a larger head file is refused
MOST_BATCHES = 1 << 20  # largest number of batches of a session that a head file may state

_Count = Annotated[int, msgspec.Meta(ge=0, le=MOST_BATCHES)]
_Session = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


class _HeadFile(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a head file, which shows the signed digest of a ledger.

    Attributes:
        name: the party that keeps the ledger.
        book: the digest of the ledger's entries.
        sessions: for each session: the hash of its file, the number of batches that the party noted
            in the ledger, and the number of tallies (published counts) that it saw on the board.
        signature: the signature of the party, in hexadecimal.
    """

    name: str
    book: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    sessions: tuple[tuple[_Session, _Count, _Count], ...]
    signature: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{128}$")]


@dataclass(frozen=True, slots=True)
class LedgerHead:
    """The head (digest) of a ledger between machines, without its signature.

    Attributes:
        name: the party that keeps the ledger.
        book: the digest of the ledger's entries, in hexadecimal.
        sessions: hash of a session file -> (number of batches noted in the ledger, number of
            tallies seen on the board). A tally is the published counts of a round.
    """

    name: str
    book: str
    sessions: Mapping[str, tuple[int, int]]

    @property
    def text(self) -> bytes:
        """The bytes that the keeper signs: name, digest of the entries, a line for each session."""
        rows = [
            f"{name} {batch_count} {tally_count}"
            for name, (batch_count, tally_count) in self.sessions.items()
        ]
        return LABEL + "\n".join([self.name, self.book, *rows]).encode()


def head_of(ledger: Ledger, name: str, excluded_session: str = "") -> LedgerHead:
    """Return the head (digest) of a ledger.

    name: the party that keeps the ledger. excluded_session: a session to leave out if it is the
    last; "" leaves out no session. A session that never ended counts as zero tallies (published
    counts) seen.
    """
    entries = ledger.past(excluded_session)
    sessions = {
        entry.session: (len(entry.handed), 0 if entry.shown is UNSET else entry.shown)
        for entry in entries
    }
    return LedgerHead(name, digest_of(entries, ledger.secret()), sessions)


def write_head(path: Path, head: LedgerHead, signer: Signer) -> None:
    """Write the head (digest) of a ledger with a signature, over any older head.

    signer: the signing key of the party that keeps the ledger. Raises StorageError if the file
    cannot be written.
    """
    rows = [
        f'  ["{name}", {batch_count}, {tally_count}],'
        for name, (batch_count, tally_count) in head.sessions.items()
    ]
    lines = [
        f"# the ledger of {head.name}: public, for the next session file",
        f'name = "{head.name}"',
        f'book = "{head.book}"',
        *("sessions = [", *rows, "]"),
        f'signature = "{signer.sign(head.text).hex()}"',
    ]
    write_whole(path, "\n".join(lines) + "\n", force=True, lasting=True)


def read_head(path: Path, name: str, identity: PublicIdentity) -> LedgerHead:
    """Return the head (digest) of a party's ledger from a file, after checking its signature.

    name: the party. identity: the party's public identity. Raises StorageError if the file is no
    head of this party's ledger, or the party did not sign it.
    """
    data = read_bounded(path, LARGEST, "head of a ledger")
    try:
        content = from_toml(data, _HeadFile)
    except Unreadable as bad:
        raise StorageError(f"{path}:{bad.line}: no head of a ledger: {bad.why}") from None
    rows = {
        session: (batch_count, tally_count)
        for session, batch_count, tally_count in content.sessions
    }
    head = LedgerHead(content.name, content.book, rows)
    if head.name != name or len(rows) < len(content.sessions):
        raise StorageError(f"{path}: is no head of the ledger of {name}")
    try:
        verify_signature(identity.key, head.text, bytes.fromhex(content.signature))
    except Refused:
        raise StorageError(f"{path}: was not signed by {name}") from None
    return head


def read_heads(
    path: Path, files: Mapping[str, str], identities: Mapping[str, PublicIdentity]
) -> dict[str, LedgerHead]:
    """Return the heads (digests) of the ledgers that a session file names, by party.

    Args:
        path: the session file.
        files: party -> path of its head file, from the folder of the session file.
        identities: party -> its public identity.

    Raises:
        ParameterError: a named party cannot keep a ledger, or two ledgers contradict each other.
        StorageError: a head file is missing or damaged, as for `read_head`.
    """
    if other_places := sorted(set(files) - set(KEEPERS)):
        raise ParameterError(
            f"place.{other_places[0]}.ledger: {' and '.join(KEEPERS)} keep a ledger, no other party"
        )
    heads = {
        name: read_head(path.parent / file, name, identities[name]) for name, file in files.items()
    }
    if why := disagreement(list(heads.values())):
        raise ParameterError(f"place: ledger: {why}")
    return heads


def disagreement(heads: Sequence[LedgerHead]) -> str | None:
    """Return a sentence about a contradiction between two parties' ledgers; None if they agree.

    heads: the digests of the ledgers, with numbers for each session. Every tally (published counts
    of a round) that one party saw must have a batch in the other party's ledger, because both note
    a batch before its tally can be posted.
    """
    for first_head in heads:
        for second_head in heads:
            for session, (_, tally_count) in first_head.sessions.items():
                batch_count, _ = second_head.sessions.get(session, (0, 0))
                if tally_count > batch_count:
                    return (
                        f"{first_head.name} saw {tally_count} tallies of the session {session}, "
                        "and the ledger "
                        f"of {second_head.name} has {batch_count} of its batches: it was lost, or "
                        "an old copy "
                        "was put back; put back the newest copy and its new head, or ask people "
                        "of no earlier session"
                    )
    return None
