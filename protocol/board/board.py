r"""The board: a public append-only log, in the order of the phases table.

    head of entry i = SHA-256("veilmix board 1\0" || head of entry i - 1 || author || 0 || message)

so that one hash names everything posted so far. A post that is malformed, out of turn, of another
session or by the wrong author is refused, and the board stays as it was.

A board whose first post is a roster takes only posts that their authors have signed (but alarms of
users, which have no identity), and has itself a head for the call of every round and for the end:
signed_posts.py defines the signed data.

    digest of a run = SHA-256("veilmix run 1\0" || SHA-256(post) for every post in ascending order)
    post            = round || kind || author || 0 || message
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...errors import Reason, Refused
from ..wire import parties
from ..wire.fields import DIGEST
from ..wire.frames import Message, decode_message
from ..wire.messages import Head, Kind, Roster
from ..wire.signed_posts import check_head, check_post, witness_of
from .board_state import BoardState
from .phases import Phase
from .post_content import CHECKS

LABEL = b"veilmix board 1\0"
DIGEST_LABEL = b"veilmix run 1\0"
STATE_LABEL = b"veilmix state 1\0"
END = 0  # the place of the last head of a session; heads of calls have the number of the round


@dataclass(frozen=True, slots=True)
class Entry:
    """A post: its author, bytes and message, and the board's head after it.

    Attributes:
        author: the party that posted it.
        data: the bytes of the post.
        message: the decoded bytes.
        head: the hash of all posts up to this post, 32 bytes.
    """

    author: str
    data: bytes
    message: Message
    head: bytes


@dataclass(slots=True)
class Board(BoardState):
    """All posts of a session, and the state that follows from them.

    Attributes:
        entries: every post, in order.
    """

    entries: list[Entry] = field(default_factory=list)

    @property
    def due(self) -> int | None:
        """The place of the head that must be signed now; None if no head is due."""
        if self.roster is None:
            return None
        if self.phase is Phase.OVER:
            return None if END in self.heads else END
        called = self.calls[-1].round if self.calls else 0
        return None if called in self.heads or not called else called

    @property
    def witness(self) -> bytes:
        """The last signed head of the board in the form that parties cite; empty before it."""
        return witness_of(next(reversed(self.heads.values()))) if self.heads else b""

    @property
    def state(self) -> bytes:
        """The hash of all posts so far but alarms: the same for every schedule."""
        counted = (entry for entry in self.entries if entry.message.kind is not Kind.ALARM)
        return hashlib.sha256(STATE_LABEL + digest_of(counted)).digest()

    @property
    def head(self) -> bytes:
        """The hash that names all posts so far."""
        return self.entries[-1].head if self.entries else bytes(DIGEST)

    def post(self, author: str, data: bytes) -> Entry:
        """Append a post. Refused, without a change, if it is wrong in any way."""
        message = decode_message(data)
        then = self.next_phase(author, message.kind)
        self._check(author, message)
        self._check_seal(author, message, data)
        head = hashlib.sha256(LABEL + self.head + author.encode() + b"\0" + data).digest()
        entry = Entry(author, data, message, head)
        self.advance(author, message.kind, message.round, then)
        self.entries.append(entry)
        self.learn(author, message)
        return entry

    def _check(self, author: str, message: Message) -> None:
        """Refuse a post of another session or round, or with content that does not fit."""
        expected = self.number + (message.kind is Kind.CALL)  # a call opens the round after
        if (message.session, message.round) != (self.session, expected):
            raise Refused(Reason.UNEXPECTED)
        check = CHECKS.get(message.kind)
        if check is not None and not check(self, author, message.body):
            raise Refused(Reason.UNEXPECTED)

    def _check_seal(self, author: str, message: Message, data: bytes) -> None:
        """Refuse a post without the signature that is due, or signed for another board.

        Only the due head may follow a call; alarms of users have no seal.
        """
        body, seal = message.body, message.seal
        roster = body if isinstance(body, Roster) else self.roster
        if isinstance(body, Head):
            self._check_head(body)
        if roster is None and self.known_roster is not None:
            raise Refused(Reason.UNREGISTERED)
        if roster is None or isinstance(body, Head) or parties.role(author) is parties.Role.USER:
            if seal is not None:
                raise Refused(Reason.UNEXPECTED)
            return
        if seal is None:
            raise Refused(Reason.UNREGISTERED)
        cited = (witness_of(head) for head in self.heads.values())
        if self.due is not None or seal.witness not in (cited if self.heads else (b"",)):
            raise Refused(Reason.UNEXPECTED)
        check_post(roster, author, data)

    def _check_head(self, head: Head) -> None:
        """Refuse a head that is not due, or that the board has not signed for its present state."""
        if self.roster is None or head.place != self.due or head.state != self.state:
            raise Refused(Reason.UNEXPECTED)
        check_head(self.roster.board, self.roster.opening, head)

    def digest(self) -> bytes:
        """Hash all posts in a canonical order: the same for every schedule of the parties."""
        return digest_of(self.entries)


def digest_of(entries: Iterable[Entry]) -> bytes:
    """Any party: hash posts in a canonical order: the same for every schedule of the parties."""
    digest = hashlib.sha256(DIGEST_LABEL)
    for post in sorted(
        bytes((entry.message.round, entry.message.kind))
        + entry.author.encode()
        + b"\0"
        + entry.data
        for entry in entries
    ):
        digest.update(hashlib.sha256(post).digest())
    return digest.digest()


def replay(posts: list[tuple[str, bytes]], known_roster: Roster | None = None) -> Board:
    """Any party: rebuild a board from its posts; Refused at the first illegal post.

    known_roster: the roster of signing keys; None: the roster on the board.
    """
    board = Board(known_roster=known_roster)
    for author, data in posts:
        board.post(author, data)
    return board
