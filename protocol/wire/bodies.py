"""Bodies of messages as bytes: one reader and one writer for each kind.

Bodies are canonical (wire.py): a body that is read is written by the same bytes again. Bodies of
peers are in peer_frames.py, of audits in audit_messages.py; the frame around them is frames.py's.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ...crypto.keys import PublicKey
from ...crypto.ristretto import ELEMENT
from ...crypto.signing import SIGNATURE, SIGNING_KEY
from ...crypto.tokens import MOST_ASKED
from ...crypto.voprf import PROOF
from ...errors import ParameterError, Reason, Refused
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
from .decision_frames import (
    read_columns,
    read_committed,
    read_decision,
    read_hiding,
    read_opened_certificate,
    write_columns,
    write_committed,
    write_decision,
    write_hiding,
    write_opened_certificate,
)
from .messages import (
    OPENING,
    STATE,
    Accepted,
    Alarm,
    BallotMarks,
    Batch,
    Body,
    Burned,
    Call,
    Cause,
    Closed,
    CommittedDecision,
    Consent,
    Counts,
    Decision,
    Envelope,
    Head,
    Key,
    Kind,
    Mixed,
    OpenedCertificate,
    Registry,
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
from .peer_messages import Accusation, Agreed, FoundBallots, Relay, Share, ShareSecret
from .refusals import read_refused, write_refused
from .token_messages import (
    PLACE,
    Ask,
    Evaluated,
    Grant,
    Issued,
    Mint,
    PublicGrant,
    Query,
    Roll,
    read_elements,
    read_grant,
    read_granted,
    read_roll,
    write_grant,
    write_granted,
    write_roll,
)
from .verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
    read_handed,
    read_keys,
    read_shuffled,
    write_handed,
    write_keys,
    write_shuffled,
)
from .wire import Reader, Writer

DIGEST = 32  # bytes of SHA-256
ENVELOPED = PLACE + DIGEST + SIGNATURE  # bytes of an accepted envelope
ONE_MORE = 0x8000  # in a roster's number of shufflers: the key of `randomness` follows theirs
WITNESS = 1 + STATE + SIGNATURE  # bytes of a head of the board


def write_counts(out: Writer, counts: Counts) -> None:
    """Write the number of people of each cell, in order of values; no cell may be empty."""
    out.u32(len(counts))
    for values in sorted(counts):
        if counts[values] < 1:
            raise ParameterError(f"counts: {values} is held by {counts[values]} people")
        out.structures(values, Writer.text).u32(counts[values])


def read_counts(data: Reader) -> Counts:
    """Read counts; Refused unless cells are unique, in order, and not empty."""
    counts: dict[tuple[str, ...], int] = {}
    last: tuple[str, ...] | None = None
    for _ in range(data.u32()):
        values, people = data.structures(Reader.text), data.u32()
        if people < 1 or (last is not None and values <= last):
            raise Refused(Reason.MALFORMED)
        counts[values] = people
        last = values
    return counts


def _write_call(out: Writer, call: Call) -> None:
    out.u8(call.round).flag(call.reader is Role.ANALYST).structures(call.asks, write_columns)
    out.structures(call.hidden, write_hiding)


def _read_call(data: Reader) -> Call:
    number, analyst, asks = data.u8(), data.flag(), data.structures(read_columns)
    reader = Role.ANALYST if analyst else Role.CURATOR
    return Call(number, reader, asks, data.structures(read_hiding))


def _write_mixed(out: Writer, mixed: Mixed) -> None:
    out.u8(mixed.hop).u32(mixed.people).u32(mixed.received).u32(mixed.forwarded)
    write_refused(out, mixed.refused)
    out.raw(mixed.digest)


def _read_mixed(data: Reader) -> Mixed:
    hop, people, received, forwarded = data.u8(), data.u32(), data.u32(), data.u32()
    return Mixed(hop, people, received, forwarded, read_refused(data), data.raw(DIGEST))


def _write_tally(out: Writer, tally: Tally) -> None:
    out.structures(tally.totals, Writer.u32)
    write_refused(out, tally.refused)
    out.flag(tally.counts is not None)
    if tally.counts is not None:
        out.structures(tally.counts, write_counts)


def _read_tally(data: Reader) -> Tally:
    totals, refused = data.structures(Reader.u32), read_refused(data)
    counts = data.structures(read_counts) if data.flag() else None
    if counts is not None and tuple(sum(c.values()) for c in counts) != totals:
        raise Refused(Reason.MALFORMED)
    return Tally(totals, refused, counts)


def _read_submission(data: Reader) -> Submission:
    envelope, signature, witness = data.blob(), data.blob(), data.blob()
    if len(witness) not in (0, WITNESS):
        raise Refused(Reason.MALFORMED)
    return Submission(envelope, signature, witness)


def _read_roster(data: Reader) -> Roster:
    opening, board = data.raw(OPENING), data.raw(SIGNING_KEY)
    readers = (data.raw(SIGNING_KEY), data.raw(SIGNING_KEY))
    hop_count = data.u16()
    hops = tuple(data.raw(SIGNING_KEY) for _ in range(hop_count & ~ONE_MORE))
    return Roster(
        opening, board, *readers, hops, data.raw(SIGNING_KEY) if hop_count & ONE_MORE else b""
    )


def _write_roster(out: Writer, roster: Roster) -> None:
    out.raw(roster.opening).raw(roster.board).raw(roster.curator).raw(roster.analyst)
    out.u16(len(roster.shufflers) | (ONE_MORE if roster.randomness else 0))
    out.raw(b"".join(roster.shufflers)).raw(roster.randomness)


def _read_accepted(data: Reader) -> Accepted:
    positions = range(data.u32())
    raw = iter([data.raw(ENVELOPED) for _ in positions])
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


class Form(NamedTuple):
    """The reader and writer of a kind of message.

    Attributes:
        body: the class of its body.
        read: Refused(MALFORMED) if any byte is wrong.
        write: the inverse of `read`.
    """

    body: type
    read: Callable[[Reader], Body]
    write: Callable[[Writer, Any], object]


FORMS: Mapping[int, Form] = {
    Kind.KEY: Form(
        Key, lambda r: Key(PublicKey.decode(r.blob())), lambda w, body: w.blob(body.key.encode())
    ),
    Kind.ANNOUNCEMENT: Form(
        Announcement, lambda r: decode_announcement(r.blob()), lambda w, body: w.blob(body.encode())
    ),
    Kind.CONSENT: Form(
        Consent, lambda r: Consent(r.raw(DIGEST)), lambda w, body: w.raw(body.session)
    ),
    Kind.CALL: Form(Call, _read_call, _write_call),
    Kind.SUBMISSION: Form(
        Submission,
        _read_submission,
        lambda w, body: w.blob(body.envelope).blob(body.signature).blob(body.witness),
    ),
    Kind.BATCH: Form(
        Batch, lambda r: Batch(tuple(r.items())), lambda w, body: w.items(body.layers)
    ),
    Kind.MIXED: Form(Mixed, _read_mixed, _write_mixed),
    Kind.TALLY: Form(Tally, _read_tally, _write_tally),
    Kind.DECISION: Form(Decision, read_decision, write_decision),
    Kind.COMMITTED: Form(CommittedDecision, read_committed, write_committed),
    Kind.CERTIFICATE: Form(OpenedCertificate, read_opened_certificate, write_opened_certificate),
    Kind.BURNED: Form(Burned, lambda r: Burned(r.text()), lambda w, body: w.text(body.why)),
    Kind.CLOSED: Form(Closed, lambda _: Closed(), lambda _w, _body: None),
    Kind.REGISTRY: Form(
        Registry, lambda r: Registry(tuple(r.items())), lambda w, body: w.items(body.keys)
    ),
    Kind.ALARM: Form(
        Alarm, _read_alarm, lambda w, body: w.u8(body.round).text(body.cause).blob(body.evidence)
    ),
    Kind.RELAY: Form(Relay, read_relay, write_relay),
    Kind.FOUND: Form(FoundBallots, read_found, write_found),
    Kind.AGREED: Form(Agreed, read_agreed, write_agreed),
    Kind.ACCUSATION: Form(Accusation, read_accusation, write_accusation),
    Kind.ROSTER: Form(Roster, _read_roster, _write_roster),
    Kind.HEAD: Form(
        Head,
        lambda r: Head(r.u8(), r.raw(STATE), r.raw(SIGNATURE)),
        lambda w, body: w.u8(body.place).raw(body.state).raw(body.signature),
    ),
    Kind.SHARE: Form(Share, read_share, write_share),
    Kind.SHOWN: Form(ShareSecret, read_shown, write_shown),
    Kind.MINT: Form(Mint, lambda r: Mint(r.raw(ELEMENT)), lambda w, body: w.raw(body.key)),
    Kind.ASK: Form(
        Ask,
        lambda r: Ask(read_elements(r, MOST_ASKED), r.raw(SIGNATURE)),
        lambda w, body: w.structures(body.elements, Writer.raw).raw(body.signature),
    ),
    Kind.GRANT: Form(Grant, read_grant, write_grant),
    Kind.GRANTED: Form(PublicGrant, read_granted, write_granted),
    Kind.QUERY: Form(
        Query,
        lambda r: Query(read_elements(r, MOST_ASKED)),
        lambda w, body: w.structures(body.elements, Writer.raw),
    ),
    Kind.EVALUATED: Form(
        Evaluated,
        lambda r: Evaluated(read_elements(r, MOST_ASKED), r.raw(PROOF)),
        lambda w, body: w.structures(body.elements, Writer.raw).raw(body.proof),
    ),
    Kind.ROLL: Form(Roll, read_roll, write_roll),
    Kind.ISSUED: Form(Issued, lambda r: Issued(r.u32()), lambda w, body: w.u32(body.people)),
    Kind.ACCEPTED: Form(Accepted, _read_accepted, _write_accepted),
    Kind.HEARD: Form(
        BallotMarks, lambda r: BallotMarks(tuple(r.items())), lambda w, body: w.items(body.hashes)
    ),
    Kind.COIN: Form(Coin, lambda r: Coin(r.raw(DIGEST)), lambda w, body: w.raw(body.digest)),
    Kind.TOSS: Form(Toss, lambda r: Toss(r.raw(TOSS)), lambda w, body: w.raw(body.value)),
    Kind.TRACED: Form(Traced, read_traced, write_traced),
    Kind.OPENED: Form(Opened, read_opened, write_opened),
    Kind.KEYS: Form(BallotKeys, read_keys, write_keys),
    Kind.HANDED: Form(HandedBallots, read_handed, write_handed),
    Kind.CHECKED: Form(
        CheckedBallots, lambda r: CheckedBallots(r.raw(DIGEST)), lambda w, body: w.raw(body.digest)
    ),
    Kind.SHUFFLED: Form(ShuffledLists, read_shuffled, write_shuffled),
    Kind.SHARED: Form(
        OpeningShares,
        lambda r: OpeningShares(r.structures(Reader.blob)),
        lambda w, body: w.structures(body.shares, Writer.blob),
    ),
}

KINDS: Mapping[type, Kind] = {form.body: Kind(kind) for kind, form in FORMS.items()}
