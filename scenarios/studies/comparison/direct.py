r"""Direct sending: each user sends a message to a single reader, under its own name, without a mix.

    context = SHA-256("veilmix direct 1\0" || session || user index (u32))
    plain   = [text], a text per column (wire.py), padded (ISO/IEC 7816-4) to the same size for
              all users: 3 bytes more than the widest texts with their lengths

A message travels in a `submission` of round 1. User indices begin with 0.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ....crypto.entropy import Entropy
from ....crypto.keys import KeyPair
from ....crypto.layer import open_layer, seal_layer
from ....crypto.padding import pad, unpad
from ....crypto.suites import Suite, suite
from ....errors import Reason, Refused
from ....protocol.wire.frames import Message
from ....protocol.wire.messages import Submission
from ....protocol.wire.wire import Reader, Writer, decode
from .case import Case, RivalExpenses, delivered, measured, sampled, timed
from .result import ProgramCost

LABEL = b"veilmix direct 1\0"

Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DirectWay:
    """The keys and parameters of direct messages from people to a single reader.

    Attributes:
        scheme: the crypto suite that seals messages.
        reader: the reader's keys.
        session: a random name of the session, so that messages of another session are refused.
        size: bytes of a padded message.
    """

    scheme: Suite
    reader: KeyPair
    session: bytes
    size: int

    @classmethod
    def open(cls, case: Case, widths: Sequence[int], entropy: Entropy) -> "DirectWay":
        """Return a new session with a new key for the reader, and the length of all messages.

        widths: the largest size of the text of each column, in bytes. entropy: the source of the
        keys.
        """
        mix = case.scenario.mix
        scheme = suite(mix.suite, lesson=mix.lesson)
        longest = 2 + sum(2 + width for width in widths) + 1
        return cls(scheme, scheme.keypair(entropy.fork("reader")), entropy.random(32), longest)

    def context(self, user: int) -> bytes:
        """Return the bytes that bind a user's message to the session and to the user."""
        return hashlib.sha256(LABEL + self.session + user.to_bytes(4, "big")).digest()

    def seal(self, user: int, row: Row, entropy: Entropy) -> bytes:
        """Return a user's row as a message sealed for the reader."""
        plain = pad(Writer().structures(row, Writer.text).finish(), self.size)
        return seal_layer(self.scheme, self.reader.public, plain, self.context(user), entropy)

    def read(self, user: int, layer: bytes) -> Row:
        """Return the row of a user's message, opened as the reader; Refused if it is not valid.

        user: the index of the user, from 0. layer: the message, one sealed layer.
        """
        plain = open_layer(self.reader.secret, layer, self.context(user))
        return decode(unpad(plain), lambda reader: reader.structures(Reader.text))


def hand_in(
    case: Case, rows: Sequence[Row], widths: Sequence[int]
) -> tuple[dict[int, Row], RivalExpenses]:
    """Send the row of each user; return the rows that the reader got, and sums over the messages.

    rows: the row of each user. widths: the largest size of the text of each column, in bytes. The
    rows returned are by user.
    """
    entropy, purse = case.entropy("direct"), RivalExpenses()
    line = DirectWay.open(case, widths, entropy)
    rows_read: dict[int, Row] = {}
    for user, row in enumerate(rows):
        layer = line.seal(user, row, entropy.fork(f"user-{user + 1}"))
        purse.bytes += len(Message(line.session, 1, Submission(layer)).encode())
        for data in delivered(case, 1, user, layer, purse):
            try:
                if user in rows_read:
                    purse.refuse({Reason.DUPLICATE: 1})
                else:
                    rows_read[user] = line.read(user, data)
            except Refused as refusal:
                purse.refuse({refusal.reason: 1})
    return rows_read, purse


def paid(
    case: Case,
    make_rows: Callable[[Case], Sequence[Row]],
    widths: Sequence[int],
    decided: float = 0.0,
) -> tuple[RivalExpenses, ProgramCost]:
    """Send the rows of all people, or of samples; return bytes and refusals, and the cost.

    If the case has no messages of all people, samples of them send, only to estimate the cost;
    bytes and refusals are then empty. make_rows: returns the rows that the people of a case send.
    widths: the largest size of the text of each column, in bytes. decided: further seconds of CPU,
    spent on all people together.
    """
    if not case.messages:
        return RivalExpenses(), sampled(
            case, lambda part: hand_in(part, make_rows(part), widths)[1], 1, decided
        )
    rows = make_rows(case)
    seconds, (_, purse) = timed(lambda: hand_in(case, rows, widths))
    return purse, measured(case, seconds + decided, purse, 1)
