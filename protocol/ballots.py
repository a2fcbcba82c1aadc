"""A user's answers: plain ballots, and the envelope that carries them to the first shuffler.

    offset  size  field of a ballot
    0       1     which column set of the call it answers (from 0)
    1       16    salt, fresh per ballot (zeros where a lesson switches it off)
    17      -     per column: u16 length, UTF-8 value
    -       -     padding to the round's one size (ISO/IEC 7816-4)

Every user fills all slots, and the slots of an envelope are in the order of their ciphertexts, so
that the place of an onion says nothing about its question.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..crypto.entropy import Entropy
from ..crypto.onion import wrap
from ..crypto.padding import pad, unpad
from ..errors import ParameterError, Reason, Refused
from .session import SALT, Round
from .wire import Reader, Writer, decode

NO_SALT = bytes(SALT)


@dataclass(frozen=True, slots=True)
class Ballot:
    """One answer: the question it belongs to, and a value per column asked."""

    ask: int
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sealed:
    """A user's envelope, and what went into it, which only the user itself knows.

    onions[i] are the layers of the i-th answer, outermost first; layers[0] lies in the envelope.
    """

    envelope: bytes
    onions: tuple[tuple[bytes, ...], ...]


def write_ballot(ballot: Ballot, salt: bytes, size: int) -> bytes:
    """User: encode one answer, padded to `size` bytes (0: not padded)."""
    out = Writer().u8(ballot.ask).raw(salt)
    for value in ballot.values:
        out.text(value)
    return pad(out.done(), size) if size else out.done()


def read_ballot(plan: Round, plaintext: bytes) -> Ballot:
    """Reader: decode one answer; Refused if malformed, or if a value is outside its domain."""
    data = unpad(plaintext) if plan.ballot else plaintext
    return decode(data, lambda reader: _read(plan, reader))


def _read(plan: Round, data: Reader) -> Ballot:
    ask = data.u8()
    data.raw(SALT)
    if ask >= plan.slots:
        raise Refused(Reason.MALFORMED)
    columns = plan.call.asks[ask]
    values = tuple(data.text() for _ in columns)
    features = plan.announcement.schema.features
    for column, value in zip(columns, values, strict=True):
        if not features[column].admits(value):
            raise Refused(Reason.OUTSIDE_DOMAIN)
    return Ballot(ask, values)


def answers(plan: Round, row: Sequence[str]) -> tuple[Ballot, ...]:
    """User: answer every column set of the call. ParameterError if a value cannot be said."""
    features = plan.announcement.schema.features
    for column, value in enumerate(row):
        if not features[column].admits(value):
            raise ParameterError(
                f"feature {features[column].name!r}: the value {value!r} is not in its domain"
            )
    return tuple(
        Ballot(ask, tuple(row[column] for column in columns))
        for ask, columns in enumerate(plan.call.asks)
    )


def seal_ballot(plan: Round, ballot: Ballot, entropy: Entropy) -> tuple[bytes, ...]:
    """User: wrap one answer for the reader and the shufflers after the first, outermost first."""
    salt = entropy.random(SALT) if plan.announcement.rules.salted else NO_SALT
    plaintext = write_ballot(ballot, salt, plan.ballot)
    return wrap(plan.suite, plan.hops[1:], plaintext, entropy)


def seal_envelope(plan: Round, onions: Sequence[bytes], entropy: Entropy) -> bytes:
    """User: seal inner onions for the first shuffler, in the order of their bytes."""
    bundle = Writer().items(sorted(onions)).done()
    return wrap(plan.suite, plan.hops[:1], bundle, entropy)[0]


def submit(plan: Round, row: Sequence[str], entropy: Entropy) -> Sealed:
    """User: turn a row into the one envelope of this round."""
    onions = tuple(seal_ballot(plan, ballot, entropy) for ballot in answers(plan, row))
    return Sealed(seal_envelope(plan, [layers[0] for layers in onions], entropy), onions)
