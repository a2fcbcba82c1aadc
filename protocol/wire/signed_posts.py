r"""Signed posts, signed tree heads, and the proof of equivocation: two boards for two readers.

    post     Ed25519("veilmix post 1\0" || SHA-256(roster) || author || 0 || SHA-256(frame))
             by the author; `frame` is all of the post but the signature at its end
    state    SHA-256("veilmix state 1\0" || digest of all posts so far but alarms)  (board.py)
    head     Ed25519("veilmix head 1\0" || opening || place || state), by the board's keeper
    witness  place || state || head: cited by parties in all their messages (97 bytes)

The roster is the list of the parties' identity keys. The opening is 16 random bytes that
distinguish sessions of the same parties. The place is the round whose query is the last post in the
state, or 0 for the end of the session.

Parties may post in a different order, so the state depends only on the set of posts: all parties
that have seen the same posts cite the same bytes. Alarms come at any time, so they are left out.

Two heads for one place of one session with different states are a `Fork`: only the board can have
made it, and every party that knows the board's identity key can check it. But if the board delays
posts, or withholds them from all parties, there is no proof.
"""

import hashlib
from dataclasses import dataclass

from ...crypto.signing import SIGNATURE, Signer, verify_signature
from ...errors import ParameterError, Reason, Refused, VerificationError
from .frames import Message, Seal
from .messages import OPENING, STATE, WITNESS, Head, Roster

POST_LABEL = b"veilmix post 1\0"
HEAD_LABEL = b"veilmix head 1\0"


def roster_digest(roster: Roster) -> bytes:
    """Any party: return the digest of the parties' identity keys, which signatures of posts cover.

    It has 32 bytes.
    """
    keys = (roster.board, roster.curator, roster.analyst, *roster.shufflers)
    return hashlib.sha256(roster.opening + b"".join(keys)).digest()


def sealed_post(
    message: Message, roster: Roster, author: str, signer: Signer, witness: bytes
) -> bytes:
    """Author: return the bytes of a signed post.

    witness: the board's last signed tree head, which the post cites; empty before the first head.
    """
    seal = Seal(witness, bytes(SIGNATURE))
    frame = Message(message.session, message.round, message.body, seal).encode()[:-SIGNATURE]
    return frame + signer.sign(post_statement(roster, author, frame))


def check_post(roster: Roster, author: str, data: bytes) -> None:
    """Any party: Refused (UNREGISTERED) unless a post is signed with its author's identity key."""
    key = roster.key(author)
    if key is None or len(data) < SIGNATURE:
        raise Refused(Reason.UNREGISTERED)
    verify_signature(key, post_statement(roster, author, data[:-SIGNATURE]), data[-SIGNATURE:])


def post_statement(roster: Roster, author: str, frame: bytes) -> bytes:
    """Return the bytes that the author of a post signs.

    roster: the identity keys of all parties. frame: the whole post without the signature at its
    end.
    """
    place = roster_digest(roster) + author.encode() + b"\0"
    return POST_LABEL + place + hashlib.sha256(frame).digest()


def sign_head(roster: Roster, place: int, state: bytes, signer: Signer) -> Head:
    """Keeper of the board: sign the hash of all posts so far (the signed tree head).

    place: the round whose query is the last post; 0: the end of the session. state: the hash.
    """
    return Head(place, state, signer.sign(_head_bytes(roster.opening, place, state)))


def check_head(board: bytes, opening: bytes, head: Head) -> None:
    """Any party: Refused (UNREGISTERED) unless a tree head is signed with the board's identity key.

    board: the board's identity key. opening: 16 bytes that distinguish sessions.
    """
    verify_signature(board, _head_bytes(opening, head.place, head.state), head.signature)


def _head_bytes(opening: bytes, place: int, state: bytes) -> bytes:
    """Return the bytes that the board signs for a tree head.

    opening: 16 bytes that distinguish sessions. place: the round, or 0 for the end of the session.
    state: the hash of all posts so far.
    """
    return HEAD_LABEL + opening + bytes([place]) + state


def witness_of(head: Head) -> bytes:
    """Any party: return a signed tree head as the bytes with which messages cite it, 97 bytes."""
    return bytes([head.place]) + head.state + head.signature


def head_in(witness: bytes) -> Head:
    """Any party: return the signed tree head of the board that a message cites.

    Refused (MALFORMED) if the bytes are malformed. witness: the signed tree head as bytes, with
    which a message shows which posts its author saw.
    """
    if len(witness) != WITNESS:
        raise Refused(Reason.MALFORMED)
    return Head(witness[0], witness[1 : 1 + STATE], witness[1 + STATE :])


@dataclass(frozen=True, slots=True)
class Fork:
    """The proof that a board shows two parties different posts: two conflicting signed tree heads.

    Attributes:
        opening: 16 bytes that identify the session, known beforehand.
        first: a tree head that the board signed.
        second: another tree head, signed by the board for the same round, or for the end.
    """

    opening: bytes
    first: Head
    second: Head

    def check(self, board: bytes) -> None:
        """Any party: VerificationError unless this board has signed both tree heads, in conflict.

        board: the board's identity key, known beforehand.
        """
        if self.first.place != self.second.place or self.first.state == self.second.state:
            raise VerificationError(
                "the two tree heads are of different rounds, or of equal posts: no equivocation"
            )
        try:
            check_head(board, self.opening, self.first)
            check_head(board, self.opening, self.second)
        except (Refused, ParameterError):
            raise VerificationError(
                "the board has not signed both heads: no equivocation"
            ) from None

    def encode(self) -> bytes:
        """Return the proof as bytes: the opening, and both signed tree heads."""
        return self.opening + witness_of(self.first) + witness_of(self.second)

    @classmethod
    def decode(cls, data: bytes) -> "Fork":
        """Return the proof in these bytes; Refused (MALFORMED) for other bytes."""
        if len(data) != OPENING + 2 * WITNESS:
            raise Refused(Reason.MALFORMED)
        first, second = data[OPENING:-WITNESS], data[-WITNESS:]
        return cls(data[:OPENING], head_in(first), head_in(second))


def fork_between(roster: Roster, head: Head, witness: bytes) -> Fork:
    """Any party: return the proof that the board showed two parties different posts.

    Refused if there is no conflict: `witness` is no signed tree head, is of another round, or is
    not signed by the board.

    head: the board's signed tree head that this party was shown.
    witness: the signed tree head that another party was shown, as bytes that its messages cite.
    """
    fork = Fork(roster.opening, head, head_in(witness))
    try:
        fork.check(roster.board)
    except VerificationError:
        raise Refused(Reason.UNREGISTERED) from None
    return fork
