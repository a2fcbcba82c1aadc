"""Messages of peers, all of them posts on the board: there is no other channel.

A peer is user, shuffler, curator and analyst at once, and is known by its number, from 1. A round
has steps, with a post of each peer in each step (peers/agreement.py).
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from ...crypto.joint_key import PROOF
from ...crypto.ristretto import ELEMENT, SCALAR
from .fields import Array, Bytes, Digest, FixedBytes, Items, Nested, Peer, Step
from .records import Body
from .refusals import Refusals

DRAW = 32  # bytes of a layer's ephemeral secret key

# (number of the receiver, layers for it), both ascending
Bags = tuple[tuple[int, tuple[bytes, ...]], ...]


class Bag(NamedTuple):
    """The layers that a peer forwards to one other peer.

    Attributes:
        receiver: the number of the other peer, from 1.
        layers: the layers, ascending by their bytes.
    """

    receiver: Peer
    layers: Annotated[tuple[bytes, ...], Items(minimum=1, order="ascending")]


@dataclass(frozen=True, slots=True)
class Share(Body):
    """The post of a public share of the joint key to which a round's ballots are sealed.

    Attributes:
        public: the public key share, 32 bytes.
        proof: the proof that its author has the secret share, so that no share is computed from
            other shares.
    """

    public: Annotated[bytes, FixedBytes(ELEMENT)]
    proof: Annotated[bytes, FixedBytes(PROOF)]


@dataclass(frozen=True, slots=True)
class ShareSecret(Body):
    """The post that reveals the secret of a key share; all secrets together open the ballots.

    Attributes:
        step: the step of the round, from 1.
        secret: the secret key share, 32 bytes.
    """

    step: Step
    secret: Annotated[bytes, FixedBytes(SCALAR)]


@dataclass(frozen=True, slots=True)
class Relay(Body):
    """A peer's post of the layers that it forwards, sorted by receiver; in step 1 its own onions.

    Attributes:
        step: the step of the round, from 1.
        bags: (number of the receiver, layers for it), both ascending.
        refused: the number of layers of the previous step that it did not forward, by reason.
    """

    step: Step
    bags: Annotated[Bags, Array(Nested(Bag), order="ascending")]
    refused: Refusals

    @property
    def layers_forwarded(self) -> int:
        """The number of layers that the post forwards."""
        return sum(len(layers) for _, layers in self.bags)

    def bag(self, receiver: int) -> tuple[bytes, ...]:
        """Return the layers for a peer, by its number."""
        return next((layers for peer, layers in self.bags if peer == receiver), ())


@dataclass(frozen=True, slots=True)
class FoundBallots(Body):
    """A peer's post of the sealed ballots that reached it as the last peer of their paths.

    So the author of a ballot sees that the ballot has arrived. No ballot is opened before all peers
    have confirmed that their ballots arrived.

    Attributes:
        step: the step of the post: L + 2, where L is the number of peers on a path.
        sealed: the sealed ballots, ascending, without repetition.
        refused: the number of layers of the last step that held no sealed ballot, by reason.
    """

    step: Step
    sealed: Annotated[tuple[bytes, ...], Items(order="ascending")]
    refused: Refusals


@dataclass(frozen=True, slots=True)
class Agreed(Body):
    """A peer's post that agrees to all posts so far or to their result, by a digest.

    It also confirms that none of the peer's own onions, or sealed ballots, is missing.

    Attributes:
        step: the step of the round, from 1.
        digest: the digest of the posts or the result, 32 bytes.
    """

    step: Step
    digest: Digest


@dataclass(frozen=True, slots=True)
class Accusation(Body):
    """A peer's post which proves that another peer did not forward one of its onions.

    Every peer can seal the content again with the given randomness. It then finds the layer among
    the inputs of the accused peer, and misses the content in its outputs.

    Attributes:
        step: the step of the accusation: the step after the onion was not forwarded.
        against: the number of the accused peer.
        inside: the content of the layer that the accused peer opened.
        draw: the randomness with which this layer was sealed, 32 bytes.
    """

    step: Step
    against: Peer
    inside: Bytes
    draw: Annotated[bytes, FixedBytes(DRAW)]
