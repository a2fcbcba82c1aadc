"""Events of a run, and their observers: one event for each message, seen by some parties.

The sender, the receiver and a listener (`network`) see a message on a wire; all parties see a post
on the board. Only the party itself sees its local work: a user knows its sealed answers, a reader
its counts. The name of a ciphertext is the first 8 bytes of its BLAKE2b hash, so that equal bytes
have equal names wherever they are seen.

Keys and salts are never recorded. view.py derives the layers that a coalition can open. It uses the
names that the coalition saw, and the keys of its members.

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

# bytes of the hash that names a ciphertext; two of a million messages collide with probability
# below 2**-24
NAME = 8
# people; in larger runs an event stands for all messages of a kind in a round
SUMMARY_ABOVE = 100_000
# bytes; the layers of a longer batch are hashed later, because hashing takes milliseconds and would
# delay the parties
LONG = 1 << 20

Row = Mapping[int, str]  # column -> value

_KINDS = {int(kind): kind for kind in Kind}


def name_of(layer: bytes) -> bytes:
    """Return the name of a ciphertext: the first 8 bytes of its BLAKE2b hash."""
    return blake2b(layer, digest_size=NAME).digest()


def names_of(layers: Iterable[bytes]) -> bytes:
    """Return the names (hashes of 8 bytes) of many ciphertexts, concatenated."""
    return b"".join([blake2b(layer, digest_size=NAME).digest() for layer in layers])


def split_names(names: bytes) -> list[bytes]:
    """Split concatenated names of ciphertexts (hashes of 8 bytes) into a list."""
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
        names: the hashes (eight bytes each) that name the ciphertexts in it, concatenated.
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
        user: the user, by index, from 0.
        round: the number of the round, from 1.
        names: the hash of the envelope, then per answer the hashes of its layers, outermost first;
            8 bytes each, concatenated.
        answers: for each answer, the query (its number in the call) and the values.
    """

    user: int
    round: int
    names: bytes
    answers: tuple[tuple[int, tuple[str, ...]], ...]

    @property
    def envelope(self) -> bytes:
        """The name of the envelope: the first 8 bytes of the envelope's hash."""
        return self.names[:NAME]


@dataclass(frozen=True, slots=True)
class Read:
    """The counts of a round that curator or analyst knows, before they may be published.

    `closed` and `astray` are not written to files. They are used only in the program `threshold`,
    in which a value opens if k people share it.

    Attributes:
        reader: the party: curator or analyst.
        round: the number of the round, from 1.
        counts: people by combination of values, for each set of columns.
        closed: size of a group -> number of groups of this size that fewer than k people share, so
            that they did not open; None in other programs, and if read from a file.
        astray: the number of people with messages that opened in part, because the next part is
            invalid; these people are in no such group.
    """

    reader: str
    round: int
    counts: tuple[Counts, ...]
    closed: Mapping[int, int] | None = field(default=None, compare=False)
    astray: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class CertificateSeen:
    """The opening of the commitment to a decision, as the curator or the analyst holds it.

    Attributes:
        party: the holder.
        opened: the opening, with the certificate (the proof of the bound on exposed people).
    """

    party: str
    opened: OpenedCertificate


@dataclass(frozen=True, slots=True)
class Refusal:
    """Messages that a party refused, with the reason; only this party knows of them.

    Attributes:
        party: the party that refused.
        round: the number of the round, from 1.
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
        certificates: openings of the commitment to the decision, by holder.
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
        """Compute the names (hashes) of the layers in long batches that have none yet.

        Called while a task waits anyway, so that recording a batch delays no party.
        """
        for at, data in self._unnamed:
            self._events[at] = self._events[at]._replace(names=_names_in(Kind.BATCH, data))
        self._unnamed.clear()

    @classmethod
    def sized(cls, users: int) -> "Transcript":
        """Return an empty transcript for a run with this many people.

        Above 100,000 people it is a summary: an event stands for all messages of a kind in a round.
        """
        return cls(users, summary=users > SUMMARY_ABOVE)

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record a message on its way; kind, round and ciphertext names are read from its bytes.

        time: seconds since the session began. data: the bytes of the message.
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
        """Return the names (hashes) of the ciphertexts in a message, concatenated.

        Empty for a long batch: hashing it now would delay the parties, so `name_waiting` does it
        later. at: the index of the message's event.
        """
        if kind is Kind.BATCH and len(data) > LONG:
            self._unnamed.append((at, data))
            return b""
        return _names_in(kind, data)

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Record many messages to one party, each as `carried` would.

        time: seconds since the session began. letters: sender and bytes of each message.
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
    """Read kind and round from a header.

    The result is cached, because all messages of a kind in a round have the same header.
    """
    has_magic = len(head) == HEADER and head.startswith((MAGIC, SEALED_MAGIC))
    kind = _KINDS.get(head[len(MAGIC)]) if has_magic else None
    return kind, head[-1] if kind else 0


def _names_in(kind: Kind | None, data: bytes) -> bytes:
    """Return the names (hashes of 8 bytes) of the ciphertexts in a message, concatenated.

    The whole message has a single name if it cannot be decoded.
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
