"""One message as bytes: the frame around a body (bodies.py).

    offset  size  field
    0       2     "vm"
    2       1     version: 1, or 2 with a seal
    3       1     kind
    4       32    session digest (zeros before there is a session)
    36      1     round (0 outside rounds)
    37      -     body, by kind
    -       -     seal, in version 2: the board's head as its author saw it (a blob, of nothing
                  before there is one), and the author's signature (64; signed_posts.py)

Bodies are canonical (wire.py). A frame that is wrong in any way is `Refused(MALFORMED)`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..crypto.signing import SIGNATURE
from ..errors import ParameterError, Reason, Refused
from .bodies import DIGEST, FORMS, KINDS, WITNESS
from .messages import (
    Body,
    Kind,
)
from .wire import Reader, Writer, decode

MAGIC, SEALED_MAGIC = b"vm\x01", b"vm\x02"
NO_SESSION = bytes(DIGEST)
HEADER = len(MAGIC) + 1 + DIGEST + 1
ENVELOPE = HEADER + 4  # where the envelope of a submission begins
UNSIGNED = bytes(4)  # what follows it if it is not signed: a blob of nothing


@dataclass(frozen=True, slots=True)
class Seal:
    """What a signed post ends with: the board's head that its author saw, and its signature.

    Attributes:
        witness: the head that the author saw, as bytes; empty where there is none yet.
        signature: over the message and the witness, 64 bytes.
    """

    witness: bytes
    signature: bytes

    def __post_init__(self) -> None:
        if len(self.witness) not in (0, WITNESS) or len(self.signature) != SIGNATURE:
            raise ParameterError(f"seal: 0 or {WITNESS} bytes, and {SIGNATURE}, are accepted")


@dataclass(frozen=True, slots=True)
class Message:
    """One message: the session and round it belongs to, what it says, and the seal of a post.

    Attributes:
        session: the digest of the announcement, 32 bytes.
        round: from 1; 0 outside rounds.
        body: what it says.
        seal: None where posts are not signed, and for what is no post.
    """

    session: bytes
    round: int
    body: Body
    seal: Seal | None = None

    @property
    def kind(self) -> Kind:
        """What kind of message it is."""
        return KINDS[type(self.body)]

    def encode(self) -> bytes:
        """Frame the body's canonical encoding."""
        kind = self.kind
        magic = MAGIC if self.seal is None else SEALED_MAGIC
        out = Writer().raw(_header(kind, self.session, self.round, magic))
        FORMS[kind].write(out, self.body)
        if self.seal is not None:
            out.blob(self.seal.witness).raw(self.seal.signature)
        return out.done()


@lru_cache(maxsize=64)
def _header(kind: Kind, session: bytes, number: int, magic: bytes = MAGIC) -> bytes:
    """The bytes before a body: the same for all messages of a kind in a round."""
    return Writer().raw(magic).u8(kind).raw(session).u8(number).done()


def kind_of(data: bytes) -> Kind | None:
    """Any party: what kind of message this is, if it is one; None if it cannot be."""
    kind = data[len(MAGIC)] if len(data) >= HEADER and data.startswith(MAGIC) else 0
    return Kind(kind) if kind in FORMS else None


def decode_message(data: bytes) -> Message:
    """Any party: read one message; Refused(MALFORMED) if any byte of it is wrong."""
    return decode(data, _read_message)


def frame_envelopes(
    session: bytes,
    number: int,
    envelopes: Sequence[bytes],
    witness: bytes = b"",
    signatures: Sequence[bytes] = (),
) -> list[bytes]:
    """Users: the messages that carry these envelopes, each as `Message.encode` gives it.

    signatures: one an envelope; an empty one where it is not signed.
    """
    head, last = _header(Kind.SUBMISSION, session, number), Writer().blob(witness).done()
    return [
        b"".join((head, _size(envelope), envelope, _size(signed), signed, last))
        for envelope, signed in zip(envelopes, signatures or [b""] * len(envelopes), strict=True)
    ]


def _size(data: bytes) -> bytes:
    """What stands before a blob."""
    return len(data).to_bytes(4, "big")


@lru_cache(maxsize=8)
def _unsigned_tail(witness: bytes) -> bytes:
    """What follows the envelope of an unsigned submission."""
    return Writer().raw(UNSIGNED).blob(witness).done()


def envelope_in(data: bytes, session: bytes, number: int, witness: bytes = b"") -> bytes | None:
    """First shuffler: the envelope, if this is an unsigned submission of that session and round.

    witness: the head that it has to cite.

    None for anything else, right or wrong. A short cut: a batch has a message a person, and all of
    them begin with the same bytes.
    """
    if not data.startswith(_header(Kind.SUBMISSION, session, number)):
        return None
    size = int.from_bytes(data[HEADER:ENVELOPE], "big")
    end = ENVELOPE + size
    return data[ENVELOPE:end] if data[end:] == _unsigned_tail(witness) else None


def _read_message(data: Reader) -> Message:
    header = data.raw(HEADER)
    magic, kind = header[: len(MAGIC)], header[len(MAGIC)]
    if magic not in (MAGIC, SEALED_MAGIC) or kind not in FORMS:
        raise Refused(Reason.MALFORMED)
    body = FORMS[kind].read(data)
    seal = Seal(data.blob(), data.raw(SIGNATURE)) if magic == SEALED_MAGIC else None
    return Message(header[len(MAGIC) + 1 : -1], header[-1], body, seal)
