"""Inputs and outputs of a party: all actions of a machine are a function of its inputs.

    input    = f64 time || u8 kind || body
    letters  = u32 count || (sender || blob data || id) for each
    posted   = author || blob data              the next entry of the board
    declined = id || reason                     the party's post of that id, not accepted
    tick     = (empty)                          time has passed

A party's role has no other inputs, and is idle before each; so a reader of its key and its
inputs, in order, knows all its actions.
"""

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import Reason, Refused
from ..protocol.wire.wire import Reader, Writer, decode
from ..roles.compute.spool import Spool

ID = 16  # bytes that identify a letter or a post of its sender
LABEL = b"veilmix letter 1\0"


@dataclass(frozen=True, slots=True)
class LetterInput:
    """A message to one party, on its way.

    Attributes:
        sender: the party that wrote it.
        data: the bytes of the message.
        id: the same whenever it is sent again.
    """

    sender: str
    data: bytes
    id: bytes

    @property
    def size(self) -> int:
        """Bytes of the message."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class Shelved:
    """A letter that waits to be sent, and lies in a spool meanwhile: a piece of a batch.

    Attributes:
        sender: the party that wrote it.
        size: bytes of the message.
        id: the same whenever it is sent again.
        spool: the spool of the message.
        place: the index of the message in the spool.
    """

    sender: str
    size: int
    id: bytes
    spool: Spool = field(repr=False)
    place: int

    @property
    def data(self) -> bytes:
        """The bytes of the message, read now."""
        return self.spool[self.place]


Written = LetterInput | Shelved


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters that come together, to a party of this place.

    Attributes:
        receiver: the party.
        letters: in the order in which they came.
    """

    receiver: str
    letters: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Posted:
    """The next entry of the board.

    Attributes:
        author: the party that has posted it.
        data: the bytes of the message.
    """

    author: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Declined:
    """The board has not taken a post of this place.

    Attributes:
        id: the id of the post.
        reason: the board's reason.
    """

    id: bytes
    reason: Reason


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed, without another input."""


Body = Letters | Posted | Declined | Tick


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a party, and its time (seconds since its session began).

    Attributes:
        time: seconds since the session of the party began.
        body: letters, a post, a post that was declined, or a tick.
    """

    time: float
    body: Body

    def encode(self) -> bytes:
        """Write it as above."""
        out = Writer().f64(self.time).u8(_KINDS.index(type(self.body)))
        _FORMS[type(self.body)][1](out, self.body)
        return out.finish()

    @classmethod
    def decode(cls, data: bytes) -> "Input":
        """Read the bytes of `encode`; Refused(MALFORMED) for other bytes."""
        return decode(data, _read_input)


@dataclass(frozen=True, slots=True)
class Parcel:
    """Letters from one place to one party, and their senders' view of the board at that time.

    Attributes:
        receiver: the party that they are for.
        entry_count: entries of the board.
        time: of the senders, where time is simulated; else 0.
        letters: in the order in which they were written.
    """

    receiver: str
    entry_count: int
    time: float
    letters: tuple[Written, ...]

    def encode(self) -> bytes:
        """Write it: u32 seen, f64 time, then as letters above."""
        out = Writer().u32(self.entry_count).f64(self.time)
        _write_letters(out, self.receiver, self.letters)
        return out.finish()

    @classmethod
    def decode(cls, data: bytes) -> "Parcel":
        """Read the bytes of `encode`; Refused(MALFORMED) for other bytes."""

        def read(reader: Reader) -> Parcel:
            entry_count, time = reader.u32(), reader.f64()
            letters = _read_letters(reader)
            return Parcel(letters.receiver, entry_count, time, letters.letters)

        return decode(data, read)


@dataclass(frozen=True, slots=True)
class PostInput:
    """A message to the board.

    Attributes:
        author: the party that posts.
        data: the bytes of the message.
        id: the same whenever it is said again.
        time: of the author, in seconds, where time is simulated.
        until: the latest time to send it, seconds of its author; it does not travel.
    """

    author: str
    data: bytes
    id: bytes
    time: float = 0.0  # of its author, where time is simulated
    until: float = math.inf

    def encode(self) -> bytes:
        """Write it: id, author, data and time."""
        out = Writer().raw(self.id).text(self.author).blob(self.data).f64(self.time)
        return out.finish()

    @classmethod
    def decode(cls, data: bytes) -> "PostInput":
        """Read the bytes of `encode`; Refused(MALFORMED) for other bytes."""
        return decode(data, lambda read: _post(read.raw(ID), read.text(), read.blob(), read.f64()))


def _post(id_: bytes, author: str, data: bytes, time: float) -> PostInput:
    return PostInput(author, data, id_, time)


@dataclass(slots=True)
class Naming:
    """A giver of ids: each output of a place gets an id of its own, in any order of outputs.

    Equal outputs are numbered; so an output that is sent again after a restart has the id that it
    had.
    """

    occurrences: Counter[bytes] = field(default_factory=Counter)

    def name(self, sender: str, receiver: str, data: bytes) -> bytes:
        """Return the next id of an output."""
        hasher = hashlib.blake2b(data, digest_size=ID, key=f"{sender} {receiver}".encode()[:64])
        plain = hasher.digest()
        earlier_count = self.occurrences[plain]
        self.occurrences[plain] += 1
        if not earlier_count:
            return plain
        return hashlib.blake2b(
            LABEL + plain + earlier_count.to_bytes(4, "big"), digest_size=ID
        ).digest()


def _write_letters(out: Writer, receiver: str, letters: Sequence[Written]) -> None:
    out.text(receiver).u32(len(letters))
    for letter in letters:
        out.text(letter.sender).blob(letter.data).raw(letter.id)


def _read_letters(data: Reader) -> Letters:
    receiver = data.text()
    return Letters(
        receiver,
        tuple(LetterInput(data.text(), data.blob(), data.raw(ID)) for _ in range(data.u32())),
    )


def _read_declined(data: Reader) -> Declined:
    id_, reason = data.raw(ID), data.text()
    if reason not in set(Reason):
        raise Refused(Reason.MALFORMED)
    return Declined(id_, Reason(reason))


def _read_input(data: Reader) -> Input:
    time, kind = data.f64(), data.u8()
    if kind >= len(_KINDS):
        raise Refused(Reason.MALFORMED)
    return Input(time, _FORMS[_KINDS[kind]][0](data))


_KINDS: Sequence[type] = (Letters, Posted, Declined, Tick)
_FORMS: Mapping[type, tuple[Callable[[Reader], Body], Callable[[Writer, Any], object]]] = {
    Letters: (_read_letters, lambda w, body: _write_letters(w, body.receiver, body.letters)),
    Posted: (
        lambda r: Posted(r.text(), r.blob()),
        lambda w, body: w.text(body.author).blob(body.data),
    ),
    Declined: (_read_declined, lambda w, body: w.raw(body.id).text(body.reason)),
    Tick: (lambda _: Tick(), lambda _w, _body: None),
}
