"""One message as bytes: the frame, and the body of each kind.

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

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ..crypto.keys import PublicKey
from ..crypto.ristretto import ELEMENT
from ..crypto.signing import SIGNATURE, SIGNING_KEY
from ..crypto.tokens import CHECK, MOST_ASKED
from ..errors import ParameterError, Reason, Refused
from .announcement import Announcement, decode_announcement
from .audit_messages import (
    TOSS,
    Coin,
    Opened,
    Toss,
    Traced,
    read_opened,
    read_traced,
    write_opened,
    write_traced,
)
from .hiding import Hiding, Mask, Redact
from .messages import (
    OPENING,
    STATE,
    Accepted,
    Alarm,
    Ask,
    Batch,
    Body,
    Burned,
    Call,
    Cause,
    Certificate,
    Closed,
    Consent,
    Counts,
    Decision,
    Envelope,
    Grant,
    Head,
    Heard,
    Issued,
    Key,
    Kind,
    Mint,
    Mixed,
    Receipts,
    Registry,
    Roll,
    Roster,
    Submission,
    Tally,
)
from .parties import Role
from .peer_frames import (
    read_accusation,
    read_agreed,
    read_found,
    read_relay,
    read_share,
    read_shown,
    write_accusation,
    write_agreed,
    write_found,
    write_relay,
    write_share,
    write_shown,
)
from .peer_messages import Accusation, Agreed, Found, Relay, Share, Shown
from .refusals import read_refused, write_refused
from .schema import MAX_FEATURES
from .wire import Reader, Writer, decode

MAGIC, SEALED_MAGIC = b"vm\x01", b"vm\x02"
DIGEST = 32  # bytes of SHA-256
NO_SESSION = bytes(DIGEST)
HEADER = len(MAGIC) + 1 + DIGEST + 1
ENVELOPE = HEADER + 4  # where the envelope of a submission begins
PLACE = 4  # bytes of a user in a roll
ENVELOPED = PLACE + DIGEST + SIGNATURE  # bytes of an accepted envelope
UNSIGNED = bytes(4)  # what follows it if it is not signed: a blob of nothing
WITNESS = 1 + STATE + SIGNATURE  # bytes of a head of the board


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
        return _KINDS[type(self.body)]

    def encode(self) -> bytes:
        """Frame the body's canonical encoding."""
        kind = self.kind
        magic = MAGIC if self.seal is None else SEALED_MAGIC
        out = Writer().raw(_header(kind, self.session, self.round, magic))
        _FORMS[kind][1](out, self.body)
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
    return Kind(kind) if kind in _FORMS else None


def decode_message(data: bytes) -> Message:
    """Any party: read one message; Refused(MALFORMED) if any byte of it is wrong."""
    return decode(data, _read_message)


def frame_envelopes(
    session: bytes, number: int, envelopes: Iterable[bytes], witness: bytes = b""
) -> list[bytes]:
    """Users: the messages that carry these envelopes, each as `Message.encode` gives it."""
    head, tail = _header(Kind.SUBMISSION, session, number), _unsigned_tail(witness)
    return [
        b"".join((head, len(envelope).to_bytes(4, "big"), envelope, tail)) for envelope in envelopes
    ]


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
    if magic not in (MAGIC, SEALED_MAGIC) or kind not in _FORMS:
        raise Refused(Reason.MALFORMED)
    body = _FORMS[kind][0](data)
    seal = Seal(data.blob(), data.raw(SIGNATURE)) if magic == SEALED_MAGIC else None
    return Message(header[len(MAGIC) + 1 : -1], header[-1], body, seal)


def write_counts(out: Writer, counts: Counts) -> None:
    """Write value-to-people counts, cells in order of their values, none of them empty."""
    out.u32(len(counts))
    for values in sorted(counts):
        if counts[values] < 1:
            raise ParameterError(f"counts: {values} is held by {counts[values]} people")
        out.many(values, Writer.text).u32(counts[values])


def read_counts(data: Reader) -> Counts:
    """Read counts; Refused unless the cells come once each, in order, and none is empty."""
    counts: dict[tuple[str, ...], int] = {}
    last: tuple[str, ...] | None = None
    for _ in range(data.u32()):
        values, people = data.many(Reader.text), data.u32()
        if people < 1 or (last is not None and values <= last):
            raise Refused(Reason.MALFORMED)
        counts[values] = people
        last = values
    return counts


def _write_columns(out: Writer, columns: tuple[int, ...]) -> None:
    out.many(columns, Writer.u8)


def _read_columns(data: Reader) -> tuple[int, ...]:
    columns = data.many(Reader.u8)
    if list(columns) != sorted(set(columns)) or len(columns) > MAX_FEATURES:
        raise Refused(Reason.MALFORMED)
    return columns


def _write_hiding(out: Writer, rule: Hiding) -> None:
    match rule:
        case Mask(column, values):
            out.u8(column).flag(False).many(values, Writer.text)
        case Redact(column, values, cover):
            out.u8(column).flag(True).many(values, Writer.text).u32(cover)


def _read_hiding(data: Reader) -> Hiding:
    column, redacts, values = data.u8(), data.flag(), data.many(Reader.text)
    return Redact(column, values, data.u32()) if redacts else Mask(column, values)


def _write_call(out: Writer, call: Call) -> None:
    out.u8(call.round).flag(call.reader is Role.ANALYST).many(call.asks, _write_columns)
    out.many(call.hidden, _write_hiding)


def _read_call(data: Reader) -> Call:
    number, analyst, asks = data.u8(), data.flag(), data.many(_read_columns)
    reader = Role.ANALYST if analyst else Role.CURATOR
    return Call(number, reader, asks, data.many(_read_hiding))


def _write_mixed(out: Writer, mixed: Mixed) -> None:
    out.u8(mixed.hop).u32(mixed.people).u32(mixed.received).u32(mixed.forwarded)
    write_refused(out, mixed.refused)
    out.raw(mixed.digest)


def _read_mixed(data: Reader) -> Mixed:
    hop, people, received, forwarded = data.u8(), data.u32(), data.u32(), data.u32()
    return Mixed(hop, people, received, forwarded, read_refused(data), data.raw(DIGEST))


def _write_tally(out: Writer, tally: Tally) -> None:
    out.many(tally.totals, Writer.u32)
    write_refused(out, tally.refused)
    out.flag(tally.counts is not None)
    if tally.counts is not None:
        out.many(tally.counts, write_counts)


def _read_tally(data: Reader) -> Tally:
    totals, refused = data.many(Reader.u32), read_refused(data)
    counts = data.many(read_counts) if data.flag() else None
    if counts is not None and tuple(sum(c.values()) for c in counts) != totals:
        raise Refused(Reason.MALFORMED)
    return Tally(totals, refused, counts)


def _write_decision(out: Writer, decision: Decision) -> None:
    proof = decision.certificate
    _write_columns(out, decision.kept)
    out.text(proof.rule).u32(proof.k).u32(proof.n).u32(proof.people)
    out.many(proof.thresholds, Writer.f64)
    out.many([] if proof.pivot is None else [proof.pivot], Writer.u8)
    out.many([] if proof.slack is None else [proof.slack], Writer.f64)
    out.blob(proof.proof).many(decision.hidden, _write_hiding)


def _read_decision(data: Reader) -> Decision:
    kept = _read_columns(data)
    rule, k, n, people = data.text(), data.u32(), data.u32(), data.u32()
    thresholds, pivot, slack = data.many(Reader.f64), data.many(Reader.u8), data.many(Reader.f64)
    if people > n or len(pivot) > 1 or len(slack) > 1:
        raise Refused(Reason.MALFORMED)
    first_pivot, other = next(iter(pivot), None), next(iter(slack), None)
    proof = Certificate(rule, k, n, people, thresholds, first_pivot, other, data.blob())
    return Decision(kept, proof, data.many(_read_hiding))


def _read_receipts(data: Reader) -> Receipts:
    root, hashes = data.raw(DIGEST), tuple(data.items())
    if any(len(digest) != DIGEST for digest in hashes) or any(a >= b for a, b in pairwise(hashes)):
        raise Refused(Reason.MALFORMED)
    return Receipts(root, hashes)


def _read_submission(data: Reader) -> Submission:
    envelope, signature, witness = data.blob(), data.blob(), data.blob()
    if len(witness) not in (0, WITNESS):
        raise Refused(Reason.MALFORMED)
    return Submission(envelope, signature, witness)


def _read_roster(data: Reader) -> Roster:
    opening, board = data.raw(OPENING), data.raw(SIGNING_KEY)
    readers = (data.raw(SIGNING_KEY), data.raw(SIGNING_KEY))
    return Roster(opening, board, *readers, data.many(lambda r: r.raw(SIGNING_KEY)))


def _write_roster(out: Writer, roster: Roster) -> None:
    out.raw(roster.opening).raw(roster.board).raw(roster.curator).raw(roster.analyst)
    out.many(roster.shufflers, Writer.raw)


def _read_elements(data: Reader, most: int) -> tuple[bytes, ...]:
    """Read group elements, which are looked at as such by whoever multiplies them."""
    many = data.u16()
    if many > most:
        raise Refused(Reason.MALFORMED)
    return tuple(data.raw(ELEMENT) for _ in range(many))


def _read_roll(data: Reader) -> Roll:
    raw = data.raw(PLACE * data.u32())
    places = range(0, len(raw), PLACE)
    return Roll(tuple(int.from_bytes(raw[at : at + PLACE], "big") for at in places))


def _write_roll(out: Writer, roll: Roll) -> None:
    out.u32(len(roll.people)).raw(b"".join(person.to_bytes(PLACE, "big") for person in roll.people))


def _read_accepted(data: Reader) -> Accepted:
    many = range(data.u32())
    raw = iter([data.raw(ENVELOPED) for _ in many])
    return Accepted(tuple([_envelope(envelope) for envelope in raw]))


def _envelope(raw: bytes) -> Envelope:
    return Envelope(
        int.from_bytes(raw[:PLACE], "big"), raw[PLACE : PLACE + DIGEST], raw[PLACE + DIGEST :]
    )


def _write_accepted(out: Writer, accepted: Accepted) -> None:
    out.u32(len(accepted.people))
    for envelope in accepted.people:
        out.u32(envelope.person).raw(envelope.digest).raw(envelope.signature)


def _read_alarm(data: Reader) -> Alarm:
    number, cause, evidence = data.u8(), data.text(), data.blob()
    if cause not in set(Cause):
        raise Refused(Reason.MALFORMED)
    return Alarm(number, Cause(cause), evidence)


_FORMS: dict[int, tuple[Callable[[Reader], Body], Callable[[Writer, Any], object]]] = {
    Kind.KEY: (
        lambda r: Key(PublicKey.decode(r.blob())),
        lambda w, body: w.blob(body.key.encode()),
    ),
    Kind.ANNOUNCEMENT: (
        lambda r: decode_announcement(r.blob()),
        lambda w, body: w.blob(body.encode()),
    ),
    Kind.CONSENT: (lambda r: Consent(r.raw(DIGEST)), lambda w, body: w.raw(body.session)),
    Kind.CALL: (_read_call, _write_call),
    Kind.SUBMISSION: (
        _read_submission,
        lambda w, body: w.blob(body.envelope).blob(body.signature).blob(body.witness),
    ),
    Kind.BATCH: (lambda r: Batch(tuple(r.items())), lambda w, body: w.items(body.layers)),
    Kind.MIXED: (_read_mixed, _write_mixed),
    Kind.TALLY: (_read_tally, _write_tally),
    Kind.DECISION: (_read_decision, _write_decision),
    Kind.BURNED: (lambda r: Burned(r.text()), lambda w, body: w.text(body.why)),
    Kind.CLOSED: (lambda _: Closed(), lambda _w, _body: None),
    Kind.REGISTRY: (lambda r: Registry(tuple(r.items())), lambda w, body: w.items(body.keys)),
    Kind.RECEIPTS: (_read_receipts, lambda w, body: w.raw(body.root).items(body.hashes)),
    Kind.ALARM: (
        _read_alarm,
        lambda w, body: w.u8(body.round).text(body.cause).blob(body.evidence),
    ),
    Kind.RELAY: (read_relay, write_relay),
    Kind.FOUND: (read_found, write_found),
    Kind.AGREED: (read_agreed, write_agreed),
    Kind.ACCUSATION: (read_accusation, write_accusation),
    Kind.ROSTER: (_read_roster, _write_roster),
    Kind.HEAD: (
        lambda r: Head(r.u8(), r.raw(STATE), r.raw(SIGNATURE)),
        lambda w, body: w.u8(body.place).raw(body.state).raw(body.signature),
    ),
    Kind.SHARE: (read_share, write_share),
    Kind.SHOWN: (read_shown, write_shown),
    Kind.MINT: (lambda r: Mint(r.raw(ELEMENT)), lambda w, body: w.raw(body.key)),
    Kind.ASK: (
        lambda r: Ask(_read_elements(r, MOST_ASKED + 1), r.raw(SIGNATURE)),
        lambda w, body: w.many(body.elements, Writer.raw).raw(body.signature),
    ),
    Kind.GRANT: (
        lambda r: Grant(_read_elements(r, MOST_ASKED), r.raw(CHECK)),
        lambda w, body: w.many(body.elements, Writer.raw).raw(body.check),
    ),
    Kind.ROLL: (_read_roll, _write_roll),
    Kind.ISSUED: (lambda r: Issued(r.u32()), lambda w, body: w.u32(body.people)),
    Kind.ACCEPTED: (_read_accepted, _write_accepted),
    Kind.HEARD: (
        lambda r: Heard(tuple(r.items())),
        lambda w, body: w.items(body.hashes),
    ),
    Kind.COIN: (lambda r: Coin(r.raw(DIGEST)), lambda w, body: w.raw(body.digest)),
    Kind.TOSS: (lambda r: Toss(r.raw(TOSS)), lambda w, body: w.raw(body.value)),
    Kind.TRACED: (read_traced, write_traced),
    Kind.OPENED: (read_opened, write_opened),
}

_KINDS: dict[type, Kind] = {
    Key: Kind.KEY,
    Announcement: Kind.ANNOUNCEMENT,
    Consent: Kind.CONSENT,
    Call: Kind.CALL,
    Submission: Kind.SUBMISSION,
    Batch: Kind.BATCH,
    Mixed: Kind.MIXED,
    Tally: Kind.TALLY,
    Decision: Kind.DECISION,
    Burned: Kind.BURNED,
    Closed: Kind.CLOSED,
    Registry: Kind.REGISTRY,
    Receipts: Kind.RECEIPTS,
    Alarm: Kind.ALARM,
    Relay: Kind.RELAY,
    Found: Kind.FOUND,
    Agreed: Kind.AGREED,
    Accusation: Kind.ACCUSATION,
    Roster: Kind.ROSTER,
    Head: Kind.HEAD,
    Share: Kind.SHARE,
    Shown: Kind.SHOWN,
    Mint: Kind.MINT,
    Ask: Kind.ASK,
    Grant: Kind.GRANT,
    Issued: Kind.ISSUED,
    Roll: Kind.ROLL,
    Accepted: Kind.ACCEPTED,
    Heard: Kind.HEARD,
    Coin: Kind.COIN,
    Traced: Kind.TRACED,
    Toss: Kind.TOSS,
    Opened: Kind.OPENED,
}
