"""Inputs and outputs of a party: all actions of a machine are a function of its inputs.

    input    = f64 time || u8 kind || body
    letters  = u32 count || (sender || blob data || id) for each
    posted   = author || blob data              the next entry of the board
    declined = id || reason                     the party's post of that id, not accepted
    tick     = (empty)                          time has passed

The code of a party (its role) has no other inputs, and waits before each. So the
party's key and its inputs, in order, determine all its actions.
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

ID = 16  # bytes of the id of a message to a party or to the board
LABEL = b"veilmix letter 1\0"


@dataclass(frozen=True, slots=True)
class LetterInput:
    """A message to a party, on its way to the process that runs the party.

    Attributes:
        sender: the party that wrote the message.
        data: the bytes of the message.
        id: identifies the message; the same whenever it is sent again.
    """

    sender: str
    data: bytes
    id: bytes

    @property
    def size(self) -> int:
        """The number of bytes of the message."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class Shelved:
    """A large message (a part of a batch) that waits on disk, in a spool, until it is sent.

    Attributes:
        sender: the party that wrote the message.
        size: bytes of the message.
        id: identifies the message; the same whenever it is sent again.
        spool: the file store that holds the message.
        place: the index of the message in the spool.
    """

    sender: str
    size: int
    id: bytes
    spool: Spool = field(repr=False)
    place: int

    @property
    def data(self) -> bytes:
        """The bytes of the message, read from disk now."""
        return self.spool[self.place]


Written = LetterInput | Shelved


@dataclass(frozen=True, slots=True)
class Letters:
    """An input of a party: messages to it that arrive together.

    Attributes:
        receiver: the party.
        letters: in the order in which they came.
    """

    receiver: str
    letters: tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Posted:
    """An input of a party: the next entry of the board.

    Attributes:
        author: the party that has posted it.
        data: the bytes of the message.
    """

    author: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Declined:
    """An input of a party's code: the board has refused a post by a party of this process.

    Attributes:
        id: the id of the post.
        reason: the board's reason.
    """

    id: bytes
    reason: Reason


@dataclass(frozen=True, slots=True)
class Tick:
    """An input of a party: time has passed, without a message or an entry of the board."""


Body = Letters | Posted | Declined | Tick


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a party, and its time.

    Attributes:
        time: session time in seconds.
        body: messages to the party, an entry of the board, a refusal of the party's post,
            or the passing of time.
    """

    time: float
    body: Body

    def encode(self) -> bytes:
        """Return the bytes: time (f64), kind (u8), then the messages, post or reason."""
        out = Writer().f64(self.time).u8(_KINDS.index(type(self.body)))
        _FORMS[type(self.body)][1](out, self.body)
        return out.finish()

    @classmethod
    def decode(cls, data: bytes) -> "Input":
        """Return the input in these bytes; Refused(MALFORMED) if they are no input."""
        return decode(data, _read_input)


@dataclass(frozen=True, slots=True)
class Parcel:
    """Messages from a process to a party, with the part of the board that their senders saw.

    Attributes:
        receiver: the party that gets the messages.
        entry_count: entries of the board that the senders had seen.
        time: session time of sending, in seconds; used only if time is simulated.
        letters: in the order in which they were written.
    """

    receiver: str
    entry_count: int
    time: float
    letters: tuple[Written, ...]

    def encode(self) -> bytes:
        """Return the bytes of these messages, as they go to another process.

        The order: board entries that the senders had seen (u32), session time of sending in
        seconds (f64), the receiver, then the messages.
        """
        out = Writer().u32(self.entry_count).f64(self.time)
        _write_letters(out, self.receiver, self.letters)
        return out.finish()

    @classmethod
    def decode(cls, data: bytes) -> "Parcel":
        """Return the messages that `encode` of the sending process wrote into these bytes.

        Refused(MALFORMED) for other bytes.
        """

        def read(reader: Reader) -> Parcel:
            """Read the fields of a parcel in order."""
            entry_count, time = reader.u32(), reader.f64()
            letters = _read_letters(reader)
            return Parcel(letters.receiver, entry_count, time, letters.letters)

        return decode(data, read)


@dataclass(frozen=True, slots=True)
class PostInput:
    """A message to the board, on its way.

    Attributes:
        author: the party that posts.
        data: the bytes of the message.
        id: identifies the post; the same whenever it is sent again.
        time: the author's session time of sending, in seconds.
        until: the latest session time to send the post, in seconds; it is not sent along.
    """

    author: str
    data: bytes
    id: bytes
    time: float = 0.0  # the author's session time of sending, in seconds
    until: float = math.inf

    def encode(self) -> bytes:
        """Return the bytes: id, author, data and time."""
        out = Writer().raw(self.id).text(self.author).blob(self.data).f64(self.time)
        return out.finish()

    @classmethod
    def decode(cls, data: bytes) -> "PostInput":
        """Return the post in these bytes; Refused(MALFORMED) if they are no post."""
        return decode(data, lambda read: _post(read.raw(ID), read.text(), read.blob(), read.f64()))


def _post(id_: bytes, author: str, data: bytes, time: float) -> PostInput:
    """Return a post from its fields, in the order in which they are encoded."""
    return PostInput(author, data, id_, time)


@dataclass(slots=True)
class Naming:
    """The source of ids for the outputs of a process; equal outputs are numbered.

    So an output that is sent again after a restart has the id that it had, in any order of
    outputs.

    Attributes:
        occurrences: by hash of an output, the number of equal outputs so far.
    """

    occurrences: Counter[bytes] = field(default_factory=Counter)

    def name(self, sender: str, receiver: str, data: bytes) -> bytes:
        """Return the id of the next output: a hash of sender, receiver and bytes.

        If an equal output came before, the hash also covers the number of earlier equal outputs.
        """
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
    """Write the name of a receiver and the messages to it."""
    out.text(receiver).u32(len(letters))
    for letter in letters:
        out.text(letter.sender).blob(letter.data).raw(letter.id)


def _read_letters(data: Reader) -> Letters:
    """Read the name of a receiver and the messages to it."""
    receiver = data.text()
    return Letters(
        receiver,
        tuple(LetterInput(data.text(), data.blob(), data.raw(ID)) for _ in range(data.u32())),
    )


def _read_declined(data: Reader) -> Declined:
    """Read the id of a refused post, and the reason; Refused if there is no such reason."""
    id_, reason = data.raw(ID), data.text()
    if reason not in set(Reason):
        raise Refused(Reason.MALFORMED)
    return Declined(id_, Reason(reason))


def _read_input(data: Reader) -> Input:
    """Read an input; Refused if its kind is unknown."""
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
