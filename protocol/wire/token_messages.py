"""Messages of users to an oblivious function, and its answers: tokens, and seeds of rows.

The function computes outputs of blinded inputs, without seeing the inputs. The reader of a round
evaluates it for tokens, which are blind credentials for a ballot (tokens.py). The party
`randomness` evaluates it for seeds: if k people have the same seed, because their rows are equal,
the analyst can open their rows (threshold.py).
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

    The curator or analyst that counts a round posts the key for its tokens. The party `randomness`
    posts the key for the seeds from which people encrypt their rows.
    """

    key: Annotated[bytes, FixedBytes(ELEMENT)]


@dataclass(frozen=True, slots=True)
class Ask(Body):
    """A registered person's request for tokens, sent to curator or analyst, or posted on the board.

    A token is a blind credential for one ballot.

    Attributes:
        elements: a blinded element for each ballot (crypto/tokens.py).
        signature: the person's signature over session, round and elements.
    """

    elements: Elements
    signature: Signature


@dataclass(frozen=True, slots=True)
class Grant(Body):
    """The answer to a request for tokens: each element times the issuer's key, with a proof.

    The proof shows that all elements were multiplied with the key that the curator or analyst
    posted.

    Attributes:
        elements: 32 bytes each, in the order of the request.
        commitments: the first part of the proof: one more than elements, 32 bytes each.
        response: the last part of the proof, 32 bytes.
    """

    elements: Elements
    commitments: Annotated[tuple[bytes, ...], Matching(FixedBytes(ELEMENT), "elements", more=1)]
    response: Annotated[bytes, FixedBytes(SCALAR)]

    def check(self) -> None:
        """Raise ParameterError unless there are as many commitments as elements, plus 1."""
        if len(self.commitments) != len(self.elements) + 1:
            raise ParameterError(
                f"commitments: found {len(self.commitments)}; one more than elements is accepted"
            )


@dataclass(frozen=True, slots=True)
class PublicGrant(Body):
    """The post of the curator or analyst that answers a request for tokens on the board.

    Attributes:
        person: the user, by index.
        grant: the answer, with the same content as an answer that is sent to the user alone.
    """

    person: U32
    grant: Grant


@dataclass(frozen=True, slots=True)
class Query(Body):
    """A person's request to `randomness` for outputs of an oblivious pseudorandom function.

    The inputs are the person's row, or its prefixes (first values). The request holds a blinded
    element for each input, so that `randomness` does not see it.
    """

    elements: Elements


@dataclass(frozen=True, slots=True)
class Evaluated(Body):
    """The answer of the party `randomness`: outputs of its oblivious pseudorandom function.

    Attributes:
        elements: the blinded elements of the request, each multiplied with the key, in order.
        proof: the proof of RFC 9497 that all were multiplied with the key on the board, 64 bytes.
    """

    elements: Elements
    proof: Annotated[bytes, FixedBytes(PROOF)]


@dataclass(frozen=True, slots=True)
class Roll(Body):
    """The message of curator to analyst, or back: the users that have tokens in a round, by index.

    The sender gave the tokens. A token is a blind credential for one ballot.
    """

    people: Annotated[tuple[int, ...], Array(Number(4), count=4, order="ascending")]


@dataclass(frozen=True, slots=True)
class Issued(Body):
    """The post of the number of people with tokens, by the curator or analyst that gave them."""

    people: U32
