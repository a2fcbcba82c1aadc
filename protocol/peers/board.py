r"""The board of peers: one post for each peer and step, in order; it carries all messages.

    head of entry i = SHA-256("veilmix board 1\0" || head of entry i - 1 || author || 0 || message)

as on every board (board.py). The participants are the peers that post a key before the first step.
A post is refused if it is malformed, out of turn, of another session or of a stranger, or if its
author has already posted in this step. The board then stays as it was. A share of a round's key is
refused if its author cannot prove to know its secret. A revealed secret is refused if it does not
fit its share.

A relay is a peer's post with the layers that it forwards.

    digest of the relays of a round =
        SHA-256("veilmix relays 1\0" || session || round
                || SHA-256(message) for every step and peer, ascending)
    digest of the found ballots =
        SHA-256("veilmix found 1\0" || session || round
                || SHA-256(message) for every peer, ascending)
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...crypto.joint_key import check_share, check_shown
from ...crypto.keys import PublicKey
from ...errors import Reason, Refused
from ..board.board import LABEL, Entry, digest_of
from ..wire import parties
from ..wire.fields import DIGEST
from ..wire.frames import NO_SESSION, Message, decode_message
from ..wire.messages import Body, Key, Kind
from ..wire.parties import Role
from ..wire.peer_messages import Accusation, FoundBallots, Relay, Share, ShareSecret
from .agreement import Agreement, accusable, due, last_step, share_context

RELAYS_LABEL = b"veilmix relays 1\0"
FOUND_LABEL = b"veilmix found 1\0"
Place = tuple[int, int]  # round and step of a post; (0, 0): the posts of keys


@dataclass(slots=True)
class PeerBoard:
    """All posts of a session of peers, in order; it accepts only legal posts.

    Peers are identified by number, from 1.

    Attributes:
        agreement: the agreed terms.
        entries: all posts, in order.
        keys: by number, the key that a peer posted.
        session: the digest that every later message carries; 32 bytes.
        posts: by round and step, the post of each peer.
        place: the round and the step in which posts are awaited.
    """

    agreement: Agreement
    entries: list[Entry] = field(default_factory=list)
    keys: dict[int, PublicKey] = field(default_factory=dict)
    session: bytes = NO_SESSION
    posts: dict[Place, dict[int, Entry]] = field(default_factory=dict)
    place: Place = (0, 0)

    @property
    def head(self) -> bytes:
        """The hash that names all posts so far, in their order, 32 bytes."""
        return self.entries[-1].head if self.entries else bytes(DIGEST)

    def post(self, author: str, data: bytes) -> Entry:
        """Append a post and return its entry; Refused, without a change, if it is illegal."""
        message, number = decode_message(data), number_of(author)
        place = self._check(number, message)
        head = hashlib.sha256(LABEL + self.head + author.encode() + b"\0" + data).digest()
        entry = Entry(author, data, message, head)
        if isinstance(message.body, Key):
            self.keys[number] = message.body.key
        else:
            self.session, self.place = message.session, place
        self.entries.append(entry)
        self.posts.setdefault(place, {})[number] = entry
        return entry

    def _check(self, number: int, message: Message) -> Place:
        """Return the round and step of a post; Refused if it is illegal now, or not from this peer.

        number: the peer that posted it.
        """
        body = message.body
        place = (message.round, getattr(body, "step", 0))
        if isinstance(body, Key):
            fresh = number not in self.keys and body.key not in self.keys.values()
            right = self.place == (0, 0) and fresh and body.key.suite is self.agreement.suite
            right = right and (message.session, message.round) == (NO_SESSION, 0)
        else:
            session = self.session
            if self.place == (0, 0):
                session = self.agreement.session(self.keys)
            due_kind = due(self.agreement, place[1]) if message.round else None
            accused = message.kind is Kind.ACCUSATION and accusable(self.agreement, place[1])
            kind = message.kind is due_kind or accused
            right = number in self.keys and message.session == session and kind
            right = right and self._in_turn(place) and number not in self.posts.get(place, {})
        if not right or message.seal is not None:
            raise Refused(Reason.UNEXPECTED)
        if isinstance(body, Share):
            check_share(body.public, body.proof, self.owner(message.round, number))
        if isinstance(body, ShareSecret):
            check_shown(body.secret, self.shares(message.round)[number].public)
        return place

    def owner(self, number: int, peer: int) -> bytes:
        """Return the bytes that bind a peer's share of a joint key to session, round and peer.

        number: the round.
        """
        session = self.agreement.session(self.keys) if self.place == (0, 0) else self.session
        return share_context(session, number, peer)

    def _in_turn(self, place: Place) -> bool:
        """Whether posts of a round and step are due: it is the present step, or the next one.

        The next step begins when all peers have posted in the present step, without an accusation.
        """
        number, step = self.place
        last = self.place == (0, 0) or step == last_step(self.agreement)
        following = (number + 1, 0) if last else (number, step + 1)
        if place == self.place or self.place == (0, 0):
            return place in (self.place, following)
        calm = not any(self.accusations(self.place))
        return place == following and full(self, number, step) and calm

    def bodies(self, place: Place) -> dict[int, Body]:
        """Return the contents of the posts in a round and step, by peer."""
        return {number: entry.message.body for number, entry in self.posts.get(place, {}).items()}

    def relays(self, number: int, step: int) -> dict[int, Relay]:
        """Return the posts with the layers that peers forwarded in a step of a round, by peer."""
        bodies = self.bodies((number, step)).items()
        return {peer: body for peer, body in bodies if isinstance(body, Relay)}

    def found_ballots(self, number: int) -> dict[int, FoundBallots]:
        """Return, by posting peer, the sealed ballots that onions held at the end of their paths.

        number: the round.
        """
        bodies = self.bodies((number, self.agreement.path + 2)).items()
        return {peer: body for peer, body in bodies if isinstance(body, FoundBallots)}

    def shares(self, number: int) -> dict[int, Share]:
        """Return, by peer, its public share of the joint key that seals a round's ballots."""
        bodies = self.bodies((number, 0)).items()
        return {peer: body for peer, body in bodies if isinstance(body, Share)}

    def revealed_secrets(self, number: int) -> dict[int, bytes]:
        """Return, by peer, the secret of its share of a round's joint key, if revealed."""
        bodies = self.bodies((number, self.agreement.path + 4)).items()
        return {peer: body.secret for peer, body in bodies if isinstance(body, ShareSecret)}

    def accusations(self, place: Place) -> Iterator[tuple[int, Accusation]]:
        """Yield the accusations in a round and step, each after its author's number."""
        for peer, body in sorted(self.bodies(place).items()):
            if isinstance(body, Accusation):
                yield peer, body

    def arrived(self, number: int, step: int) -> dict[int, list[bytes]]:
        """Return the layers that arrived at each peer in a step, with repeats."""
        arrived_layers: dict[int, list[bytes]] = {peer: [] for peer in self.keys}
        for relay in self.relays(number, step).values():
            for receiver, layers in relay.bags:
                arrived_layers.setdefault(receiver, []).extend(layers)
        return arrived_layers

    def relays_digest(self, number: int) -> bytes:
        """Return the hash of all posts of a round with forwarded layers.

        All peers must post this hash, which shows that all have seen the same posts. number: the
        round.
        """
        digest = hashlib.sha256(RELAYS_LABEL + self.session + bytes([number]))
        for step in range(1, self.agreement.path + 1):
            posts = self.posts.get((number, step), {})
            for peer in sorted(posts):
                digest.update(hashlib.sha256(posts[peer].data).digest())
        return digest.digest()

    def found_digest(self, number: int) -> bytes:
        """Return the hash of all posts of a round that list ballots at the end of their paths.

        All peers must post this hash, which shows that all have seen the same posts. number: the
        round.
        """
        digest = hashlib.sha256(FOUND_LABEL + self.session + bytes([number]))
        posts = self.posts.get((number, self.agreement.path + 2), {})
        for peer in sorted(posts):
            digest.update(hashlib.sha256(posts[peer].data).digest())
        return digest.digest()

    def digest(self) -> bytes:
        """Return a hash of all posts, 32 bytes; the order in which they arrived does not matter."""
        return digest_of(self.entries)


def full(board: PeerBoard, number: int, step: int) -> bool:
    """Whether all peers have posted in a step of a round."""
    return len(board.posts.get((number, step), {})) == len(board.keys)


def number_of(author: str) -> int:
    """Return the number of a peer by its name. Refused for all other parties."""
    if parties.role(author) is not Role.PEER:
        raise Refused(Reason.UNEXPECTED)
    return parties.index(author) + 1


def replay_peers(agreement: Agreement, posts: list[tuple[str, bytes]]) -> PeerBoard:
    """Any party: return the board rebuilt from its posts. Refused at the first illegal post.

    agreement: the agreed terms. posts: author and bytes of each post.
    """
    board = PeerBoard(agreement)
    for author, data in posts:
        board.post(author, data)
    return board
