"""What people ask an oblivious function for, and what is answered: tokens, and seeds of rows.

The reader of a round evaluates it for tokens (tokens.py), `randomness` for rows (threshold.py).
What is longer than a line to write stands here too; the rest is in bodies.py.
"""

from dataclasses import dataclass
from itertools import pairwise

from ..crypto.ristretto import ELEMENT
from ..crypto.signing import SIGNATURE
from ..crypto.tokens import CHECK, MOST_ASKED
from ..crypto.voprf import PROOF
from ..errors import ParameterError, Reason, Refused
from .wire import Reader, Writer

PLACE = 4  # bytes of a user, by index


@dataclass(frozen=True, slots=True)
class Mint:
    """Whoever evaluates the oblivious function shows its key, for this round alone.

    The reader of a round does so for its tokens, `randomness` for rows.
    """

    key: bytes

    def __post_init__(self) -> None:
        if len(self.key) != ELEMENT:
            raise ParameterError(f"key: found {len(self.key)} bytes; {ELEMENT} are accepted")


@dataclass(frozen=True, slots=True)
class Ask:
    """A registered person asks the reader of a round for its tokens: in a letter, or on the board.

    Attributes:
        elements: a blinded one a question, and one for the check (crypto/tokens.py).
        signature: over session, round and elements.
    """

    elements: tuple[bytes, ...]
    signature: bytes

    def __post_init__(self) -> None:
        _check_elements(self.elements, 2, MOST_ASKED + 1)
        if len(self.signature) != SIGNATURE:
            raise ParameterError(f"signature: found {len(self.signature)} bytes")


@dataclass(frozen=True, slots=True)
class Grant:
    """The reader of a round answers: each element times its key, and the check.

    Attributes:
        elements: 32 bytes each, in the order in which they were asked for.
        check: that all were evaluated with the one key, 32 bytes.
    """

    elements: tuple[bytes, ...]
    check: bytes

    def __post_init__(self) -> None:
        _check_elements(self.elements)
        if len(self.check) != CHECK:
            raise ParameterError(f"check: found {len(self.check)} bytes; {CHECK} are accepted")


@dataclass(frozen=True, slots=True)
class PublicGrant:
    """The reader of a round answers a request for tokens that stands on the board.

    Attributes:
        person: the user, by index.
        elements: those of the request that are for tokens, each times the reader's key.
        proof: of RFC 9497, that all are of the key on the board; 64 bytes.
    """

    person: int
    elements: tuple[bytes, ...]
    proof: bytes

    def __post_init__(self) -> None:
        _check_elements(self.elements)
        if len(self.proof) != PROOF:
            raise ParameterError(f"proof: found {len(self.proof)} bytes; {PROOF} are accepted")


@dataclass(frozen=True, slots=True)
class Query:
    """A person asks `randomness` for outputs of its row: a blinded element a level."""

    elements: tuple[bytes, ...]

    def __post_init__(self) -> None:
        _check_elements(self.elements)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What `randomness` answers, for all levels of a row at once.

    Attributes:
        elements: those of the query, each times the key, in their order.
        proof: of RFC 9497, that all are of the key on the board; 64 bytes.
    """

    elements: tuple[bytes, ...]
    proof: bytes

    def __post_init__(self) -> None:
        _check_elements(self.elements)
        if len(self.proof) != PROOF:
            raise ParameterError(f"proof: found {len(self.proof)} bytes; {PROOF} are accepted")


@dataclass(frozen=True, slots=True)
class Roll:
    """The reader of a round tells the other reader to whom it gave tokens: users, by index."""

    people: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(a >= b for a, b in pairwise(self.people)):
            raise ParameterError("people: ascending indices are accepted, none twice")


@dataclass(frozen=True, slots=True)
class Issued:
    """The reader of a round says to how many people it gave tokens."""

    people: int


def _check_elements(elements: tuple[bytes, ...], least: int = 1, most: int = MOST_ASKED) -> None:
    """ParameterError unless there are so many elements, each of the size of one."""
    if not least <= len(elements) <= most:
        raise ParameterError(f"elements: found {len(elements)}; {least} to {most} are accepted")
    if any(len(element) != ELEMENT for element in elements):
        raise ParameterError(f"elements: {ELEMENT} bytes each are accepted")


def read_elements(data: Reader, most: int) -> tuple[bytes, ...]:
    """Read so many group elements at most; whoever multiplies them looks at them as such."""
    many = data.u16()
    if many > most:
        raise Refused(Reason.MALFORMED)
    return tuple(data.raw(ELEMENT) for _ in range(many))


def read_granted(data: Reader) -> PublicGrant:
    """Read an answer that stands on the board."""
    return PublicGrant(data.u32(), read_elements(data, MOST_ASKED), data.raw(PROOF))


def write_granted(out: Writer, granted: PublicGrant) -> None:
    """Write an answer that stands on the board."""
    out.u32(granted.person).many(granted.elements, Writer.raw).raw(granted.proof)


def read_roll(data: Reader) -> Roll:
    """Read a roll."""
    raw = data.raw(PLACE * data.u32())
    places = range(0, len(raw), PLACE)
    return Roll(tuple(int.from_bytes(raw[at : at + PLACE], "big") for at in places))


def write_roll(out: Writer, roll: Roll) -> None:
    """Write a roll."""
    out.u32(len(roll.people)).raw(b"".join(person.to_bytes(PLACE, "big") for person in roll.people))
