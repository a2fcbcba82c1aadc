r"""Everybody sends one message to one reader, under its own name: what is left without a mix.

context = SHA-256("veilmix direct 1\0" || session || user index (u32))
plain   = a text per column (wire.py), padded to one size for everybody (ISO/IEC 7816-4)
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...crypto.entropy import Entropy
from ...crypto.keys import KeyPair
from ...crypto.layer import open_layer, seal_layer
from ...crypto.padding import pad, unpad
from ...crypto.suites import Suite, suite
from ...errors import Reason, Refused
from ...protocol.frames import Message
from ...protocol.messages import Submission
from ...protocol.wire import Reader, Writer, decode
from .case import Case, Purse, delivered, measured, sampled, timed
from .result import Cost

LABEL = b"veilmix direct 1\0"

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """The way from people to one reader.

    Attributes:
        scheme: by which messages are sealed.
        reader: whose key it is.
        session: drawn for it, so that messages of another are refused.
        size: bytes of a padded message.
    """

    scheme: Suite
    reader: KeyPair
    session: bytes
    size: int

    @classmethod
    def open(cls, case: Case, widths: Sequence[int], entropy: Entropy) -> "Line":
        """The reader: make a key, and say how long a message is. widths: bytes of each text."""
        mix = case.scenario.mix
        scheme = suite(mix.suite, lesson=mix.lesson)
        longest = 2 + sum(2 + width for width in widths) + 1
        return cls(scheme, scheme.keypair(entropy.fork("reader")), entropy.random(32), longest)

    def context(self, user: int) -> bytes:
        """Bind a message to its session and its person."""
        return hashlib.sha256(LABEL + self.session + user.to_bytes(4, "big")).digest()

    def seal(self, user: int, row: Row, entropy: Entropy) -> bytes:
        """User: one message."""
        plain = pad(Writer().many(row, Writer.text).done(), self.size)
        return seal_layer(self.scheme, self.reader.public, plain, self.context(user), entropy)

    def read(self, user: int, layer: bytes) -> Row:
        """Reader: take one message apart; Refused if anything is wrong with it."""
        plain = open_layer(self.reader.secret, layer, self.context(user))
        return decode(unpad(plain), lambda reader: reader.many(Reader.text))


def hand_in(case: Case, rows: Sequence[Row], widths: Sequence[int]) -> tuple[dict[int, Row], Purse]:
    """Everybody sends its row; what the reader has in the end, by person, and what was spent."""
    entropy, purse = case.entropy("direct"), Purse()
    line = Line.open(case, widths, entropy)
    read: dict[int, Row] = {}
    for user, row in enumerate(rows):
        layer = line.seal(user, row, entropy.fork(f"user-{user + 1}"))
        purse.bytes += len(Message(line.session, 1, Submission(layer)).encode())
        for data in delivered(case, 1, user, layer, purse):
            try:
                if user in read:
                    purse.refuse({Reason.DUPLICATE: 1})
                else:
                    read[user] = line.read(user, data)
            except Refused as refusal:
                purse.refuse({refusal.reason: 1})
    return read, purse


def paid(
    case: Case,
    said: Callable[[Case], Sequence[Row]],
    widths: Sequence[int],
    decided: float = 0.0,
) -> tuple[Purse, Cost]:
    """Have everybody send its row, or samples of the people; what was refused, and the cost.

    said: the rows of some people. decided: seconds of CPU spent on everybody besides.
    """
    if not case.messages:
        return Purse(), sampled(case, lambda part: hand_in(part, said(part), widths)[1], 1, decided)
    rows = said(case)
    seconds, (_, purse) = timed(lambda: hand_in(case, rows, widths))
    return purse, measured(case, seconds + decided, purse, 1)
