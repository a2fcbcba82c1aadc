"""Messages of peers, all of them posts on the board: there is no other channel.

A peer is known by its number, from 1. A round has steps, with a post of each peer in each step
(peers/agreement.py).
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from ...crypto.joint_key import PROOF
from ...crypto.ristretto import ELEMENT, SCALAR
from .fields import Array, Bytes, Digest, FixedBytes, Items, Nested, Peer, Step
from .records import Body
from .refusals import Refusals

DRAW = 32  # bytes of a layer's ephemeral secret key

Bags = tuple[tuple[int, tuple[bytes, ...]], ...]  # receiver -> layers, both ascending


class Bag(NamedTuple):
    """The layers that a peer forwards to one other peer.

    Attributes:
        receiver: the number of that peer.
        layers: ascending.
    """

    receiver: Peer
    layers: Annotated[tuple[bytes, ...], Items(minimum=1, order="ascending")]


@dataclass(frozen=True, slots=True)
class Share(Body):
    """The post of a public share of the joint key to which a round's ballots are sealed.

    Attributes:
        public: the part of the joint key, 32 bytes.
        proof: the proof that its poster has the secret, so that no share is made from other shares.
    """

    public: Annotated[bytes, FixedBytes(ELEMENT)]
    proof: Annotated[bytes, FixedBytes(PROOF)]


@dataclass(frozen=True, slots=True)
class ShareSecret(Body):
    """The post that reveals the secret of a key share; all secrets together open the ballots.

    Attributes:
        step: the step of the round, from 1.
        secret: the secret of the share, 32 bytes.
    """

    step: Step
    secret: Annotated[bytes, FixedBytes(SCALAR)]


@dataclass(frozen=True, slots=True)
class Relay(Body):
    """A peer's post of the layers that it forwards, sorted by receiver; in step 1 its own onions.

    Attributes:
        step: the step of the round, from 1.
        bags: by the number of the receiver, the layers for it, sorted.
        refused: number of layers of the step before that it did not forward, by reason.
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
    """A peer's post of the sealed ballots at the end of their paths, in ascending order.

    So the maker of a ballot sees that it has arrived. No ballot is opened before all peers have
    confirmed theirs.

    Attributes:
        step: the step in which it is posted: L + 2, where L is the length of a path.
        sealed: ascending, without repetition.
        refused: number of layers of the last step that held no sealed ballot, by reason.
    """

    step: Step
    sealed: Annotated[tuple[bytes, ...], Items(order="ascending")]
    refused: Refusals


@dataclass(frozen=True, slots=True)
class Agreed(Body):
    """A peer's post that agrees, by a digest, to all posts so far or to their result.

    It also confirms that none of its own onions, or sealed ballots, is missing.

    Attributes:
        step: the step of the round, from 1.
        digest: 32 bytes.
    """

    step: Step
    digest: Digest


@dataclass(frozen=True, slots=True)
class Accusation(Body):
    """A peer's post which proves that another peer did not forward one of its onions.

    Attributes:
        step: the step in which the accusation is posted: the step after that in which the onion was
            not forwarded.
        against: the number of the accused peer.
        inside, draw: the content of the layer that the accused opened, and the randomness of its
            seal: so every peer can seal it again, find it among the inputs of the accused, and miss
            its content in the outputs.
    """

    step: Step
    against: Peer
    inside: Bytes
    draw: Annotated[bytes, FixedBytes(DRAW)]
