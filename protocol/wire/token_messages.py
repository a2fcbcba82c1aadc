"""Messages of users to an oblivious function, and its answers: tokens, and seeds of rows.

The reader of a round evaluates it for tokens, which are blind credentials for a ballot (tokens.py);
`randomness` for seeds, with which k people with equal rows can be opened (threshold.py).
"""

from dataclasses import dataclass
from typing import Annotated

from ...crypto.ristretto import ELEMENT, SCALAR
from ...crypto.tokens import MOST_ASKED
from ...crypto.voprf import PROOF
from ...errors import ParameterError
from .fields import U32, Array, FixedBytes, Matching, Number, Signature
from .records import Body

Elements = Annotated[tuple[bytes, ...], Array(FixedBytes(ELEMENT), minimum=1, maximum=MOST_ASKED)]


@dataclass(frozen=True, slots=True)
class Mint(Body):
    """The post of the public key of an oblivious function, for this round alone.

    The reader of a round posts it for its tokens, the party `randomness` for seeds of rows.
    """

    key: Annotated[bytes, FixedBytes(ELEMENT)]


@dataclass(frozen=True, slots=True)
class Ask(Body):
    """A registered person's request for tokens to a round's reader, in a letter or on the board.

    Attributes:
        elements: a blinded element for each query (crypto/tokens.py).
        signature: the person's signature over session, round and elements.
    """

    elements: Elements
    signature: Signature


@dataclass(frozen=True, slots=True)
class Grant(Body):
    """A reader's answer to a request for tokens: each element times its key, with a proof.

    Attributes:
        elements: 32 bytes each, in the order of the request.
        commitments: part of the proof: one more than elements, 32 bytes each.
        response: the last part of the proof that all elements were evaluated with the posted key,
            32 bytes.
    """

    elements: Elements
    commitments: Annotated[tuple[bytes, ...], Matching(FixedBytes(ELEMENT), "elements", more=1)]
    response: Annotated[bytes, FixedBytes(SCALAR)]

    def check(self) -> None:
        """Raise ParameterError unless there is one commitment more than elements."""
        if len(self.commitments) != len(self.elements) + 1:
            raise ParameterError(
                f"commitments: found {len(self.commitments)}; one more than elements is accepted"
            )


@dataclass(frozen=True, slots=True)
class PublicGrant(Body):
    """A reader's post that answers a request for tokens on the board.

    Attributes:
        person: the user, by index.
        grant: the answer, as in a letter.
    """

    person: U32
    grant: Grant


@dataclass(frozen=True, slots=True)
class Query(Body):
    """A person's request to `randomness` for outputs of its row: a blinded element for each level.

    A level is a prefix of the row.
    """

    elements: Elements


@dataclass(frozen=True, slots=True)
class Evaluated(Body):
    """The answer of `randomness`, for all levels of a row at once.

    Attributes:
        elements: the elements of the query, each times the key, in order.
        proof: the proof by RFC 9497 that all were evaluated with the key on the board, 64 bytes.
    """

    elements: Elements
    proof: Annotated[bytes, FixedBytes(PROOF)]


@dataclass(frozen=True, slots=True)
class Roll(Body):
    """A reader's message to the other reader: the users that have tokens, by index.

    The readers are the curator and the analyst.
    """

    people: Annotated[tuple[int, ...], Array(Number(4), count=4, order="ascending")]


@dataclass(frozen=True, slots=True)
class Issued(Body):
    """A reader's post of the number of people with tokens in its round."""

    people: U32
