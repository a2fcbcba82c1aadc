r"""The bulletin board: a public append-only log, in the order of the phases table (phases.py).

    head of entry i = SHA-256("veilmix board 1\0" || head of entry i - 1 || author || 0 || message)

so that the last hash (the head) names all posts so far. A post that is malformed, out of turn, of
another session or by the wrong author is refused, and the board stays unchanged.

If the first post is a roster (the signing keys of all parties), the board takes only posts that
their authors have signed. Alarms of users are the exception: users have no signing identity. Such a
board also signs its own head when the query of each round is posted, and at the end
(signed_posts.py).

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
# index of the signed tree head at the end of the session; other heads have the number of their
# round as index
END = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A post: its author, bytes and message, and the hash of the whole log after it.

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
    """All posts of a session, and the state that follows from them; it accepts only legal posts.

    Attributes:
        entries: every post, in order.
    """

    entries: list[Entry] = field(default_factory=list)

    @property
    def due(self) -> int | None:
        """The index of the signed tree head that the board must post now; None: not due yet.

        The index is the number of the round if its query was just posted, or END (0) after the
        session. The signed tree head is the board's signature over its whole log.
        """
        if self.roster is None:
            return None
        if self.phase is Phase.OVER:
            return None if END in self.heads else END
        called = self.calls[-1].round if self.calls else 0
        return None if called in self.heads or not called else called

    @property
    def witness(self) -> bytes:
        """The board's last signed tree head as bytes, which messages cite; empty before the first.

        A signed tree head is the board's signature over the whole log. The citation shows if
        parties saw different logs.
        """
        return witness_of(next(reversed(self.heads.values()))) if self.heads else b""

    @property
    def state(self) -> bytes:
        """The hash of all posts so far except alarms, 32 bytes.

        Two boards with the same posts in another order have the same hash.
        """
        counted = (entry for entry in self.entries if entry.message.kind is not Kind.ALARM)
        return hashlib.sha256(STATE_LABEL + digest_of(counted)).digest()

    @property
    def head(self) -> bytes:
        """The hash that names all posts so far, in their order, 32 bytes."""
        return self.entries[-1].head if self.entries else bytes(DIGEST)

    def post(self, author: str, data: bytes) -> Entry:
        """Append a post and return its entry; raise Refused, without a change, if it is illegal.

        author: the party that posts. data: the encoded message.
        """
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
        """Refuse a post of another session or round, or one that contradicts earlier posts."""
        expected = self.number + (
            message.kind is Kind.CALL
        )  # a call (a round's query) opens the next round, so it already has the next number
        if (message.session, message.round) != (self.session, expected):
            raise Refused(Reason.UNEXPECTED)
        check = CHECKS.get(message.kind)
        if check is not None and not check(self, author, message.body):
            raise Refused(Reason.UNEXPECTED)

    def _check_seal(self, author: str, message: Message, data: bytes) -> None:
        """Refuse a post that lacks its author's signature, or is signed for another board.

        After a call (a round's query) the board's own signed tree head must follow before any other
        post. Alarms of users have no signature.
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
        """Refuse a signed tree head that is not due, or that does not sign the present posts.

        A signed tree head is the board's signature over its whole log.
        """
        if self.roster is None or head.place != self.due or head.state != self.state:
            raise Refused(Reason.UNEXPECTED)
        check_head(self.roster.board, self.roster.opening, head)

    def digest(self) -> bytes:
        """Return a hash of all posts in a canonical order, 32 bytes.

        Two runs with equal posts have the same hash, even if the posts arrived in another order.
        """
        return digest_of(self.entries)


def digest_of(entries: Iterable[Entry]) -> bytes:
    """Any party: return a hash of posts in a canonical order, 32 bytes.

    Two runs with the same posts have equal digests, even if the posts arrived in another order.
    """
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
    """Any party: return the board rebuilt from its posts; raise Refused at the first illegal post.

    posts: author and bytes of each post. known_roster: the signing keys that the caller expects;
    None: the keys on the board are believed.
    """
    board = Board(known_roster=known_roster)
    for author, data in posts:
        board.post(author, data)
    return board
