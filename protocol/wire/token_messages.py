"""Messages of users to an oblivious function, and its answers: tokens, and seeds of rows.

The reader of a round evaluates it for tokens (tokens.py), `randomness` for rows (threshold.py).
Encodings longer than a line are here too; the others are in bodies.py.
"""

from dataclasses import dataclass
from itertools import pairwise

from ...crypto.ristretto import ELEMENT, SCALAR
from ...crypto.signing import SIGNATURE
from ...crypto.tokens import MOST_ASKED
from ...crypto.voprf import PROOF
from ...errors import ParameterError, Reason, Refused
from .wire import Reader, Writer

PLACE = 4  # bytes of a user, by index


@dataclass(frozen=True, slots=True)
class Mint:
    """The evaluator of the oblivious function posts its key, for this round alone.

    The reader of a round does so for its tokens, `randomness` for rows.
    """

    key: bytes

    def __post_init__(self) -> None:
        if len(self.key) != ELEMENT:
            raise ParameterError(f"key: found {len(self.key)} bytes; {ELEMENT} are accepted")


@dataclass(frozen=True, slots=True)
class Ask:
    """A registered person requests its tokens of a round's reader: in a letter, or on the board.

    Attributes:
        elements: a blinded element for each query (crypto/tokens.py).
        signature: over session, round and elements.
    """

    elements: tuple[bytes, ...]
    signature: bytes

    def __post_init__(self) -> None:
        _check_elements(self.elements)
        if len(self.signature) != SIGNATURE:
            raise ParameterError(f"signature: found {len(self.signature)} bytes")


@dataclass(frozen=True, slots=True)
class Grant:
    """The reader of a round answers: each element times its key, with a proof.

    Attributes:
        elements: 32 bytes each, in the order of the request.
        commitments: of the proof, one more than elements, 32 bytes each.
        response: of the proof that all were evaluated with the posted key, 32 bytes.
    """

    elements: tuple[bytes, ...]
    commitments: tuple[bytes, ...]
    response: bytes

    def __post_init__(self) -> None:
        _check_elements(self.elements)
        if len(self.commitments) != len(self.elements) + 1:
            raise ParameterError(
                f"commitments: found {len(self.commitments)}; one more than elements is accepted"
            )
        _check_elements(self.commitments, max_elements=MOST_ASKED + 1)
        if len(self.response) != SCALAR:
            raise ParameterError(
                f"response: found {len(self.response)} bytes; {SCALAR} are accepted"
            )


@dataclass(frozen=True, slots=True)
class PublicGrant:
    """The reader of a round answers a request for tokens that stands on the board.

    Attributes:
        person: the user, by index.
        grant: the answer, as in a letter.
    """

    person: int
    grant: Grant


@dataclass(frozen=True, slots=True)
class Query:
    """A person requests outputs of its row from `randomness`: a blinded element for each level."""

    elements: tuple[bytes, ...]

    def __post_init__(self) -> None:
        _check_elements(self.elements)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The answer of `randomness`, for all levels of a row at once.

    Attributes:
        elements: the elements of the query, each times the key, in order.
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
    """The reader of a round tells the other reader which users have tokens, by index."""

    people: tuple[int, ...]

    def __post_init__(self) -> None:
        if any(a >= b for a, b in pairwise(self.people)):
            raise ParameterError("people: ascending indices are accepted, none twice")


@dataclass(frozen=True, slots=True)
class Issued:
    """The reader of a round posts the number of people with tokens."""

    people: int


def _check_elements(elements: tuple[bytes, ...], max_elements: int = MOST_ASKED) -> None:
    """Raise ParameterError unless there are 1 to `max_elements` elements, each of 32 bytes."""
    if not 1 <= len(elements) <= max_elements:
        raise ParameterError(f"elements: found {len(elements)}; 1 to {max_elements} are accepted")
    if any(len(element) != ELEMENT for element in elements):
        raise ParameterError(f"elements: {ELEMENT} bytes each are accepted")


def read_elements(data: Reader, max_elements: int) -> tuple[bytes, ...]:
    """Read at most `max_elements` group elements; their use checks that they are group elements."""
    count = data.u16()
    if count > max_elements:
        raise Refused(Reason.MALFORMED)
    return tuple(data.raw(ELEMENT) for _ in range(count))


def read_grant(data: Reader) -> Grant:
    """Read an answer: after the elements there is one commitment more, and a scalar."""
    elements = read_elements(data, MOST_ASKED)
    commitments = tuple(data.raw(ELEMENT) for _ in range(len(elements) + 1))
    return Grant(elements, commitments, data.raw(SCALAR))


def write_grant(out: Writer, grant: Grant) -> None:
    """Write an answer."""
    out.structures(grant.elements, Writer.raw).raw(b"".join(grant.commitments)).raw(grant.response)


def read_granted(data: Reader) -> PublicGrant:
    """Read an answer that stands on the board."""
    return PublicGrant(data.u32(), read_grant(data))


def write_granted(out: Writer, granted: PublicGrant) -> None:
    """Write an answer that stands on the board."""
    write_grant(out.u32(granted.person), granted.grant)


def read_roll(data: Reader) -> Roll:
    """Read a roll."""
    raw = data.raw(PLACE * data.u32())
    places = range(0, len(raw), PLACE)
    return Roll(tuple(int.from_bytes(raw[at : at + PLACE], "big") for at in places))


def write_roll(out: Writer, roll: Roll) -> None:
    """Write a roll."""
    out.u32(len(roll.people)).raw(b"".join(person.to_bytes(PLACE, "big") for person in roll.people))
