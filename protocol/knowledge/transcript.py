"""Events of a run, and their observers: one event for each message, seen by some parties.

The sender, the receiver and a listener (`network`) see a message on a wire; all parties see a post
on the board. Only the party itself sees its local work: a user knows its sealed answers, a reader
its counts. The name of a ciphertext is the first 8 bytes of its BLAKE2b hash, so that the same
bytes have the same name wherever they are seen.

Keys and salts are never recorded. view.py derives the layers that a coalition can open from the
names that it saw and the keys of its members.

Above `SUMMARY_ABOVE` people a transcript keeps the summary form: no names and no single
submissions, but one event for each round with the number of messages and of bytes. The board is
always kept whole.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from ...errors import Reason, Refused
from ..board.phases import BOARD
from ..wire import parties
from ..wire.frames import ENVELOPE, HEADER, MAGIC, SEALED_MAGIC
from ..wire.messages import Counts, Kind, OpenedCertificate
from ..wire.peer_messages import Relay
from ..wire.wire import Reader, decode

NAME = 8  # bytes of a ciphertext's name; a million messages collide with probability below 2**-24
SUMMARY_ABOVE = 100_000  # people; larger runs keep only sums of messages
LONG = 1 << 20  # bytes; layers of longer batches are named later, since hashing takes milliseconds

Row = Mapping[int, str]  # column -> value

_KINDS = {int(kind): kind for kind in Kind}


def name_of(layer: bytes) -> bytes:
    """Return the name of a ciphertext: the first 8 bytes of its BLAKE2b hash."""
    return blake2b(layer, digest_size=NAME).digest()


def names_of(layers: Iterable[bytes]) -> bytes:
    """Return the concatenated names of many ciphertexts."""
    return b"".join([blake2b(layer, digest_size=NAME).digest() for layer in layers])


def split_names(names: bytes) -> list[bytes]:
    """Split concatenated names of ciphertexts, 8 bytes each."""
    if len(names) == NAME:
        return [names]
    return [names[at : at + NAME] for at in range(0, len(names), NAME)]


class Event(NamedTuple):
    """A message on its way, as observers record it; in the summary form, all messages of a kind.

    Attributes:
        number: the number of the event, from 0.
        time: seconds since the session began.
        sender: the party that sent it.
        receiver: the party that received it; `board` for a post.
        kind: the kind of the message; None for bytes that are no message.
        round: the number of the round, from 1; 0 outside rounds.
        size: the number of bytes of all messages of the event.
        names: the names of the ciphertexts in it, eight bytes each, concatenated.
        messages: the number of messages (above 1 only in the summary form).
    """

    number: int
    time: float
    sender: str
    receiver: str
    kind: Kind | None
    round: int
    size: int
    names: bytes = b""
    messages: int = 1

    def seen_by(self, party: str) -> bool:
        """Whether a party saw the message.

        Sender, receiver and `network` see a message; all parties see a post on the board.
        """
        return self.receiver == BOARD or party in (self.sender, self.receiver, parties.NETWORK)


class SealedAnswers(NamedTuple):
    """The answers that a user sealed in a round, which only the user knows.

    Attributes:
        user: by index, from 0.
        round: from 1.
        names: the name of the envelope, then per answer the names of its layers, outermost first.
        answers: for each answer, the query (its number in the call) and the values.
    """

    user: int
    round: int
    names: bytes
    answers: tuple[tuple[int, tuple[str, ...]], ...]

    @property
    def envelope(self) -> bytes:
        """The name of the envelope."""
        return self.names[:NAME]


@dataclass(frozen=True, slots=True)
class Read:
    """The counts of a reader in a round, which only the reader knows until it publishes them.

    Attributes:
        reader: the party.
        round: from 1.
        counts: people by combination, for each column set.
        closed: if k people open values together, the number of groups that stayed closed, by size;
            neither this nor `astray` is written to files: None if read from a file.
        astray: the number of people in no closed group and without an open row: they sent junk.
    """

    reader: str
    round: int
    counts: tuple[Counts, ...]
    closed: Mapping[int, int] | None = field(default=None, compare=False)
    astray: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class CertificateSeen:
    """The opening of a commitment, as the curator or the analyst holds it.

    Attributes:
        party: the holder.
        opened: the opening.
    """

    party: str
    opened: OpenedCertificate


@dataclass(frozen=True, slots=True)
class Refusal:
    """Messages that a party refused, which only the party knows, with the reason.

    Attributes:
        party: the party that refused.
        round: from 1.
        reason: the reason.
        count: the number of messages.
    """

    party: str
    round: int
    reason: Reason
    count: int = 1


@dataclass(slots=True)
class Transcript:
    """The record of a run: all messages, and the local data of each party.

    Attributes:
        users: number of people in the session.
        summary: whether all messages of a kind in a round are recorded as one event.
        events: messages, in the order in which they were sent.
        sealed_answers: the sealed answers of users.
        reads: the counts of readers.
        refusals: the refusals of parties.
        posts: author and bytes of all posts on the board.
        certificates: openings of the decision, by holder.
    """

    users: int
    summary: bool = False
    _events: list[Event] = field(default_factory=list)
    sealed_answers: list[SealedAnswers] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    posts: list[tuple[str, bytes]] = field(default_factory=list)
    certificates: list[CertificateSeen] = field(default_factory=list)
    _unnamed: list[tuple[int, bytes]] = field(default_factory=list, repr=False)

    @property
    def events(self) -> list[Event]:
        """Messages, in the order in which they were sent."""
        self.name_waiting()
        return self._events

    def name_waiting(self) -> None:
        """Compute the names of the layers in long batches that were recorded without names.

        Called while a task waits anyway, so that recording a batch delays no party.
        """
        for at, data in self._unnamed:
            self._events[at] = self._events[at]._replace(names=_names_in(Kind.BATCH, data))
        self._unnamed.clear()

    @classmethod
    def sized(cls, users: int) -> "Transcript":
        """Return an empty transcript for a run with this many people.

        Large runs get the summary form.
        """
        return cls(users, summary=users > SUMMARY_ABOVE)

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record a message on its way; kind, round and names are read from its bytes.

        time: seconds since the session began.
        """
        kind, number = _label(data)
        if self.summary and kind is Kind.SUBMISSION:
            self._gather(time, receiver, number, len(data))
            return
        at = len(self._events)
        names = b"" if self.summary else self._names_or_later(at, kind, data)
        self._events.append(Event(at, time, sender, receiver, kind, number, len(data), names))
        if receiver == BOARD:
            self.posts.append((sender, data))

    def _names_or_later(self, at: int, kind: Kind | None, data: bytes) -> bytes:
        """Return the names of a message's ciphertexts.

        Empty for a long batch, which is named later.

        at: the place of the message's event.
        """
        if kind is Kind.BATCH and len(data) > LONG:
            self._unnamed.append((at, data))
            return b""
        return _names_in(kind, data)

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Record many messages to one party, each as `carried` would.

        letters: sender and bytes of each.
        """
        if self.summary:
            for sender, data in letters:
                self.carried(time, sender, receiver, data)
            return
        events = self._events
        for sender, data in letters:
            kind, number = _label(data)
            names = _names_in(kind, data)
            size = len(data)
            events.append(Event(len(events), time, sender, receiver, kind, number, size, names))

    def _gather(self, time: float, receiver: str, number: int, size: int) -> None:
        """Add a submission to the single event for all submissions of its round (summary form)."""
        for at in range(len(self._events) - 1, -1, -1):
            event = self._events[at]
            if event.kind is Kind.SUBMISSION and event.round == number:
                self._events[at] = Event(
                    number=at,
                    time=time,
                    sender="user-*",
                    receiver=receiver,
                    kind=Kind.SUBMISSION,
                    round=number,
                    size=event.size + size,
                    messages=event.messages + 1,
                )
                return
            if event.round < number:
                break
        self._events.append(
            Event(len(self._events), time, "user-*", receiver, Kind.SUBMISSION, number, size)
        )

    def sealed(self, sealed_answers: Iterable[SealedAnswers]) -> None:
        """Record sealed answers of users."""
        if not self.summary:
            self.sealed_answers.extend(sealed_answers)

    def traffic(self) -> Mapping[tuple[Kind | None, int], tuple[int, int]]:
        """Return the numbers of messages and of bytes, by kind of message and round."""
        messages: Counter[tuple[Kind | None, int]] = Counter()
        size: Counter[tuple[Kind | None, int]] = Counter()
        for event in self.events:
            messages[event.kind, event.round] += event.messages
            size[event.kind, event.round] += event.size
        return {key: (messages[key], size[key]) for key in messages}


def _label(data: bytes) -> tuple[Kind | None, int]:
    """Return kind and round of a message, which its unencrypted header shows to every observer."""
    return _read_label(data[:HEADER])


@lru_cache(maxsize=256)
def _read_label(head: bytes) -> tuple[Kind | None, int]:
    """Read kind and round from a header; cached, because messages of a kind in a round share it."""
    has_magic = len(head) == HEADER and head.startswith((MAGIC, SEALED_MAGIC))
    kind = _KINDS.get(head[len(MAGIC)]) if has_magic else None
    return kind, head[-1] if kind else 0


def _names_in(kind: Kind | None, data: bytes) -> bytes:
    """Return the concatenated names of the ciphertexts in a message.

    Data that do not parse get a single name.
    """
    if kind is Kind.SUBMISSION:
        size = int.from_bytes(data[HEADER:ENVELOPE], "big")
        return name_of(data[ENVELOPE : ENVELOPE + size])
    if kind is Kind.BATCH:
        try:
            return names_of(decode(data, Reader.items, HEADER))
        except Refused:
            return name_of(data)
    if kind is Kind.RELAY:
        try:
            bags = decode(data, Relay.read, HEADER).bags
        except Refused:
            return name_of(data)
        return names_of(layer for _, layers in bags for layer in layers)
    return name_of(data) if kind is None else b""
