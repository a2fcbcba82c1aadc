"""A transcript as lines of JSON, gzipped: a run's messages, readable without veilmix.

    line 1       {"what": "transcript", "schema": 1, "form": "full" | "summary" | "ideal", "users",
                 "values": number of values of each column}
    "message"    a message that was sent: time, from, to, kind, round, bytes; names: of its
                 ciphertexts (base64, 8 bytes each); data: its bytes, if posted on the board
    "sealed"     a user's own knowledge: names (of the envelope, then of the layers), answers
    "read"       a reader's counts: per question, [values, people]
    "refused"    a party's refusals, with their reasons
    "certificate" the opening of the committed decision that a party has (base64, as posted)
    last line    {"what": "end", "lines"}: so that a cut file is noticed

Messages of the same kind at the same moment are written in the order of their senders. Exceptions
are envelopes and batches, if the mix keeps the order of arrival. So every other run with a seed
gives the same bytes each time (gzip's own time stamp is 0).
"""

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from ...errors import Reason, Refused, StorageError
from ...protocol.board.phases import BOARD
from ...protocol.knowledge.transcript import (
    CertificateSeen,
    Event,
    Read,
    Refusal,
    SealedAnswers,
    Transcript,
)
from ...protocol.wire.announcement import Announcement
from ...protocol.wire.frames import HEADER, decode_message
from ...protocol.wire.messages import Counts, Kind, OpenedCertificate
from ...protocol.wire.wire import Writer
from ...protocol.wire.wire import decode as decode_bytes
from ...roles.compute.garbage_collection import uncollected
from ...strict_text import Unreadable, lines_of

SCHEMA = 1
# gzip level; level 6 takes 1.5 times as long and saves only 2 %, because names are random
LEVEL = 1
BLOCK = 1 << 20  # bytes of text that are compressed at a time, as a gzip member
FORMS = ("full", "summary", "ideal")
# Kinds of peers' posts that begin with a step of the round. Posts of one moment and kind are sorted
# within a step only, because a later step follows an earlier one.
STEPPED = (Kind.RELAY, Kind.FOUND, Kind.AGREED, Kind.ACCUSATION, Kind.SHOWN)
_NUMBER = re.compile(r"\d+")


class HeadLine(msgspec.Struct, tag="transcript", tag_field="what", forbid_unknown_fields=True):
    """The first line of a transcript file.

    Attributes:
        schema: the number of this format.
        form: `full` (each message), `summary` (only numbers of messages), or `ideal` (a run without
            messages).
        users: the number of people of the session.
        values: the number of values of each column.
    """

    schema: int
    form: str
    users: int
    values: list[int]


class EventLine(
    msgspec.Struct,
    tag="message",
    tag_field="what",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """The line of a message that was sent or posted.

    Attributes:
        time: seconds since the session began.
        sender: the party that sent it.
        receiver: the party that received it; `board` for a post.
        kind: the kind of the message; None for bytes that are no message.
        round: the number of the round, from 1; 0 outside rounds.
        size: the number of bytes.
        messages: the number of messages that the line stands for, above 1 only in the summary form.
        names: the names (beginnings of hashes) of the ciphertexts in it, eight bytes each.
        data: the bytes of a post; None for a message between two parties.
    """

    time: float
    sender: str = msgspec.field(name="from")
    receiver: str = msgspec.field(name="to")
    kind: str | None
    round: int
    size: int = msgspec.field(name="bytes")
    messages: int = 1
    names: bytes = b""
    data: bytes | None = None


class SealedLine(msgspec.Struct, tag="sealed", tag_field="what", forbid_unknown_fields=True):
    """The line of a user's sealed answers, which only the user knows.

    Attributes:
        user: the index of the user, from 0.
        round: the number of the round, from 1.
        names: the names (beginnings of hashes) of its ciphertexts, eight bytes each.
        answers: for each answer, the number of the question, and the answered values.
    """

    user: int
    round: int
    names: bytes
    answers: list[tuple[int, tuple[str, ...]]]


class CountLine(msgspec.Struct, tag="read", tag_field="what", forbid_unknown_fields=True):
    """The line of the counts that a reader made in a round.

    Attributes:
        reader: the reader's name.
        round: the number of the round, from 1.
        counts: for each question, combinations of values and their numbers of people.
    """

    reader: str
    round: int
    counts: list[list[tuple[tuple[str, ...], int]]]


class RefusalLine(msgspec.Struct, tag="refused", tag_field="what", forbid_unknown_fields=True):
    """The line of a party's refusals of messages for the same reason.

    Attributes:
        party: the party that refused.
        round: the number of the round, from 1.
        reason: the reason for the refusals.
        count: the number of refused messages.
    """

    party: str
    round: int
    reason: Reason
    count: int


class CommitmentLine(
    msgspec.Struct, tag="certificate", tag_field="what", forbid_unknown_fields=True
):
    """The line of a party that has the opening of the committed decision.

    Attributes:
        party: the party.
        opening: the opening, encoded as on the wire.
    """

    party: str
    opening: bytes


class EndLine(msgspec.Struct, tag="end", tag_field="what", forbid_unknown_fields=True):
    """The last line of a transcript file, by which a truncated file is noticed.

    Attributes:
        lines: the number of lines, this line included.
    """

    lines: int


Line = HeadLine | EventLine | SealedLine | CountLine | RefusalLine | CommitmentLine | EndLine


def encode(transcript: Transcript | None, users: int, sizes: Sequence[int]) -> bytes:
    """Return the bytes of a transcript file.

    transcript: the messages; None for an ideal run. users: the number of people of
    an ideal run. sizes: the number of values of each column.
    """
    packed = partial(gzip.compress, compresslevel=LEVEL, mtime=0)
    # two threads, because compression takes longer than encoding
    with ThreadPoolExecutor(2) as pool:
        return b"".join(pool.map(packed, _blocks(transcript, users, sizes)))


def _blocks(transcript: Transcript | None, users: int, sizes: Sequence[int]) -> Iterator[bytes]:
    """Yield the text of all lines in pieces of about `BLOCK` bytes, compressed in parallel.

    users: the number of people of an ideal run. sizes: the number of values of each column.
    """
    write, block, lines = msgspec.json.Encoder().encode_into, bytearray(), 1
    for line in _lines(transcript, users, sizes):
        write(line, block, -1)
        block += b"\n"
        lines += 1
        if len(block) >= BLOCK:
            yield bytes(block)
            block.clear()
    write(EndLine(lines), block, -1)
    yield bytes(block + b"\n")


def decode(path: Path) -> tuple[Transcript | None, tuple[int, ...]]:
    """Return the transcript of a file (None for an ideal run), and each column's number of values.

    StorageError if the file is damaged.
    """
    with uncollected():
        return _decoded(path, list(_parsed(path)))


def _decoded(path: Path, lines: list[Line]) -> tuple[Transcript | None, tuple[int, ...]]:
    """Return the transcript of the lines of a file, and the number of values of each column."""
    head, tail = lines[0], lines[-1]
    if not isinstance(head, HeadLine) or head.schema != SCHEMA or head.form not in FORMS:
        raise damaged(path, 1, f"no transcript of schema {SCHEMA} has this first line")
    if not isinstance(tail, EndLine) or tail.lines != len(lines):
        raise damaged(path, len(lines), "the end of the file is missing")
    transcript = Transcript(head.users, summary=head.form == "summary")
    for number, line in enumerate(lines[1:-1], start=2):
        try:
            _read_line(transcript, line)
        except (KeyError, ValueError, TypeError, Refused) as bad:
            raise damaged(path, number, str(bad)) from None
    return (None if head.form == "ideal" else transcript), tuple(head.values)


def damaged(path: Path, line: int, why: str) -> StorageError:
    """Return the error for a damaged file of a run folder.

    line: the line of the damage. why: the damage.
    """
    return StorageError(
        f"{path}:{line}: damaged: {why}; copy the run folder anew, or run the scenario again"
    )


def ordered(transcript: Transcript) -> Transcript:
    """Return the transcript with the events of each moment in the order of their senders.

    Messages that keep their order of arrival in the mix are not sorted.
    """
    arrived, steps, place = _arrived(transcript), _steps(transcript), cache(_place)
    events = [
        event
        for (_, kind, *_), group in groupby(
            transcript.events, lambda e: (e.time, e.kind, e.round, steps.get(e.number, 0))
        )
        for event in (
            group
            if kind in arrived
            else sorted(group, key=lambda e: (place(e.sender), place(e.receiver)))
        )
    ]
    posts = {
        author: [data for poster, data in transcript.posts if poster == author]
        for author, _ in transcript.posts
    }
    post_iterators = {author: iter(data) for author, data in posts.items()}
    return Transcript(
        transcript.users,
        transcript.summary,
        [e if e.number == number else Event(number, *e[1:]) for number, e in enumerate(events)],
        sorted(transcript.sealed_answers, key=lambda answers: (answers.round, answers.user)),
        sorted(transcript.reads, key=lambda read: read.round),
        sorted(transcript.refusals, key=lambda r: (r.round, _place(r.party), r.reason, r.count)),
        [(e.sender, next(post_iterators[e.sender])) for e in events if e.receiver == BOARD],
        sorted(transcript.certificates, key=lambda certificate: certificate.party),
    )


def _steps(transcript: Transcript) -> dict[int, int]:
    """Return the step of the round of each post among peers: number of the event -> step."""
    posts = iter(transcript.posts)
    steps = {}
    for event in transcript.events:
        data = next(posts)[1] if event.receiver == BOARD else b""
        if event.kind in STEPPED:
            steps[event.number] = data[HEADER]
    return steps


def _arrived(transcript: Transcript) -> tuple[Kind, ...]:
    """Return the kinds of messages that keep their order of arrival; () if batches are sorted."""
    for _, data in transcript.posts:
        body = decode_message(data).body
        if isinstance(body, Announcement):
            return () if body.rules.ordered else (Kind.SUBMISSION, Kind.BATCH)
    return ()


def _place(party: str) -> tuple[str, int]:
    """Return a sort key for a party's name, which puts user-2 before user-10."""
    name, _, number = party.partition("-")
    return name, int(number) if _NUMBER.fullmatch(number) else 0


def _lines(transcript: Transcript | None, users: int, sizes: Sequence[int]) -> Iterator[Line]:
    """Yield the lines of a transcript file, except the last.

    users: the number of people of an ideal run. sizes: the number of values of each column.
    """
    form = "ideal" if transcript is None else "summary" if transcript.summary else "full"
    yield HeadLine(SCHEMA, form, users if transcript is None else transcript.users, list(sizes))
    if transcript is None:
        return
    whole = ordered(transcript)
    posts = iter(whole.posts)
    for e in whole.events:
        kind = e.kind.name.lower() if e.kind else None
        data = next(posts)[1] if e.receiver == BOARD else None
        yield EventLine(*e[1:4], kind, e.round, e.size, e.messages, e.names, data)
    for sealed_answers in whole.sealed_answers:
        yield SealedLine(
            sealed_answers.user,
            sealed_answers.round,
            sealed_answers.names,
            list(sealed_answers.answers),
        )
    for read in whole.reads:
        counts = [sorted(count.items()) for count in read.counts]
        yield CountLine(read.reader, read.round, counts)
    for refusal in whole.refusals:
        yield RefusalLine(refusal.party, refusal.round, refusal.reason, refusal.count)
    for certificate in whole.certificates:
        out = Writer()
        certificate.opened.write(out)
        yield CommitmentLine(certificate.party, out.finish())


def _parsed(path: Path) -> Iterator[Line]:
    """Yield the lines of a transcript file as records; StorageError if it is damaged or empty."""
    read = lines_of(Line)
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for line in file:
                number += 1
                yield read(line, number)
    except (OSError, EOFError, zlib.error) as bad:
        raise damaged(path, number + 1, f"not a whole gzip file ({bad})") from None
    except Unreadable as bad:
        raise damaged(path, bad.line, bad.why) from None
    if not number:
        raise damaged(path, 1, "the file is empty")


def _read_line(transcript: Transcript, line: Any) -> None:
    """Add a line's event to a transcript; KeyError, ValueError or TypeError if it is invalid."""
    match line:
        case EventLine():
            number = len(transcript.events)
            kind = Kind[line.kind.upper()] if line.kind else None
            header = (number, line.time, line.sender, line.receiver, kind, line.round, line.size)
            transcript.events.append(Event(*header, line.names, line.messages))
            if (line.data is not None) != (line.receiver == BOARD):
                raise ValueError("a line must have data if and only if it is a post on the board")
            if line.data is not None:
                transcript.posts.append((line.sender, line.data))
        case SealedLine():
            answers = tuple(line.answers)
            transcript.sealed_answers.append(
                SealedAnswers(line.user, line.round, line.names, answers)
            )
        case CountLine():
            counts = tuple(_counts(count) for count in line.counts)
            transcript.reads.append(Read(line.reader, line.round, counts))
        case RefusalLine():
            transcript.refusals.append(Refusal(line.party, line.round, line.reason, line.count))
        case CommitmentLine():
            opened = decode_bytes(line.opening, OpenedCertificate.read)
            transcript.certificates.append(CertificateSeen(line.party, opened))
        case _:
            raise ValueError("a first or last line in the middle of the file")


def _counts(pairs: Iterable[tuple[tuple[str, ...], int]]) -> Counts:
    """Return pairs of a combination of values and its number of people as a mapping."""
    return dict(pairs)
