"""A message as bytes: the frame around a body (bodies.py).

    offset  size  field
    0       2     "vm"
    2       1     version: 1, or 2 with a seal
    3       1     kind
    4       32    session digest (zeros before there is a session)
    36      1     round (0 outside rounds)
    37      -     body, by kind
    -       -     seal, in version 2: the witness (a blob) and the author's signature (64 bytes;
                  signed_posts.py)

The witness is the board's signed tree head that the author saw; it is empty before the first head.
Bodies are canonical (wire.py). A frame that is wrong in any way is `Refused(MALFORMED)`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ...crypto.signing import SIGNATURE
from ...errors import ParameterError, Reason, Refused
from .bodies import KINDS, TABLE
from .messages import STATE, WITNESS, Kind
from .records import Body
from .wire import Reader, Writer, decode

MAGIC, SEALED_MAGIC = b"vm\x01", b"vm\x02"
NO_SESSION = bytes(STATE)
HEADER = len(MAGIC) + 1 + STATE + 1
ENVELOPE = HEADER + 4  # offset of the envelope in a submission
UNSIGNED = bytes(4)  # an empty blob in place of a signature


@dataclass(frozen=True, slots=True)
class Seal:
    """The end of a signed post: the board's signed tree head that its author saw, and a signature.

    Attributes:
        witness: the board's signed tree head that the author saw, as bytes; empty before the first.
        signature: over the message and the witness, 64 bytes.
    """

    witness: bytes
    signature: bytes

    def __post_init__(self) -> None:
        """Raise ParameterError unless witness and signature have an accepted length."""
        if len(self.witness) not in (0, WITNESS) or len(self.signature) != SIGNATURE:
            raise ParameterError(
                f"seal: a witness of 0 or {WITNESS} bytes and a signature of {SIGNATURE} bytes are "
                "accepted"
            )


@dataclass(frozen=True, slots=True)
class Message:
    """A message: its session and round, its body, and the seal of a post.

    Attributes:
        session: the digest of the announcement, 32 bytes.
        round: the number of the round, from 1; 0 outside rounds.
        body: the content.
        seal: the signature of a post, with the board's tree head that its author saw; None for
            unsigned posts, and for direct messages.
    """

    session: bytes
    round: int
    body: Body
    seal: Seal | None = None

    @property
    def kind(self) -> Kind:
        """The kind of the message."""
        return KINDS[type(self.body)]

    def encode(self) -> bytes:
        """Return the bytes of the message: header, content and seal."""
        kind = self.kind
        magic = MAGIC if self.seal is None else SEALED_MAGIC
        out = Writer().raw(_header(kind, self.session, self.round, magic))
        self.body.write(out)
        if self.seal is not None:
            out.blob(self.seal.witness).raw(self.seal.signature)
        return out.finish()


@lru_cache(maxsize=64)
def _header(kind: Kind, session: bytes, number: int, magic: bytes = MAGIC) -> bytes:
    """Return the header before a body: the same bytes for all messages of a kind in a round."""
    return Writer().raw(magic).u8(kind).raw(session).u8(number).finish()


def kind_of(data: bytes) -> Kind | None:
    """Any party: return the kind of a message; None if it cannot be a message."""
    kind = data[len(MAGIC)] if len(data) >= HEADER and data.startswith(MAGIC) else 0
    return Kind(kind) if kind in TABLE else None


def decode_message(data: bytes) -> Message:
    """Any party: return the message in these bytes; Refused(MALFORMED) if any byte is wrong."""
    return decode(data, _read_message)


def frame_envelopes(
    session: bytes,
    number: int,
    envelopes: Sequence[bytes],
    witness: bytes = b"",
    signatures: Sequence[bytes] = (),
) -> list[bytes]:
    """Users: return, for each envelope, the bytes of the submission that holds it.

    They equal `Message.encode` of the submission, and are computed faster for many envelopes.

    number: the round.
    witness: the board's signed tree head that the users saw, as bytes.
    signatures: the signature of each envelope; empty if users do not sign.
    """
    head, last = _header(Kind.SUBMISSION, session, number), Writer().blob(witness).finish()
    return [
        b"".join((head, _size(envelope), envelope, _size(signed), signed, last))
        for envelope, signed in zip(envelopes, signatures or [b""] * len(envelopes), strict=True)
    ]


def _size(data: bytes) -> bytes:
    """Return the length of a byte string, encoded in 4 bytes."""
    return len(data).to_bytes(4, "big")


@lru_cache(maxsize=8)
def _unsigned_tail(witness: bytes) -> bytes:
    """Return the bytes after the envelope in an unsigned submission.

    They are an empty signature, and the board's signed tree head as the witness.
    """
    return Writer().raw(UNSIGNED).blob(witness).finish()


def envelope_in(data: bytes, session: bytes, number: int, witness: bytes = b"") -> bytes | None:
    """First shuffler: return the envelope of an unsigned submission; None for all other messages.

    It avoids the decoding of each message: all unsigned submissions of a round begin and end with
    the same bytes.

    data: the bytes of the message. session: the digest of the announcement.
    number: the round.
    witness: the signed tree head of the board that the submission must cite, as bytes.
    """
    if not data.startswith(_header(Kind.SUBMISSION, session, number)):
        return None
    size = int.from_bytes(data[HEADER:ENVELOPE], "big")
    end = ENVELOPE + size
    return data[ENVELOPE:end] if data[end:] == _unsigned_tail(witness) else None


def _read_message(data: Reader) -> Message:
    """Read a message: header, content by its kind, and seal in version 2."""
    header = data.raw(HEADER)
    magic, kind = header[: len(MAGIC)], header[len(MAGIC)]
    if magic not in (MAGIC, SEALED_MAGIC) or kind not in TABLE:
        raise Refused(Reason.MALFORMED)
    body = TABLE[kind].body.read(data)
    seal = Seal(data.blob(), data.raw(SIGNATURE)) if magic == SEALED_MAGIC else None
    return Message(header[len(MAGIC) + 1 : -1], header[-1], body, seal)
