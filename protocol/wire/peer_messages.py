"""Messages of peers, all of them posts on the board: there is no other channel.

A peer is known by its number, from 1. A round has steps, with a post of each peer in each step
(peers/agreement.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...crypto.joint_key import PROOF
from ...crypto.ristretto import ELEMENT, SCALAR
from ...errors import ParameterError, Reason

MAX_PEERS = 65_535  # a peer's number is two bytes on the wire
DRAW = 32  # bytes: an ephemeral secret key
HASH = 32  # bytes of SHA-256

Bags = tuple[tuple[int, tuple[bytes, ...]], ...]  # receiver -> layers, both ascending


@dataclass(frozen=True, slots=True)
class Share:
    """A peer's share of the key to which the ballots of a round are sealed, with a proof.

    Attributes:
        public: the part of the joint key, 32 bytes.
        proof: that its poster has the secret, so that no share is made from other shares.
    """

    public: bytes
    proof: bytes

    def __post_init__(self) -> None:
        if (len(self.public), len(self.proof)) != (ELEMENT, PROOF):
            raise ParameterError(f"share: {ELEMENT} bytes and a proof of {PROOF} are accepted")


@dataclass(frozen=True, slots=True)
class ShareSecret:
    """A peer shows the secret of its share: with all of them the ballots of a round open.

    Attributes:
        step: from 1.
        secret: of the share, 32 bytes.
    """

    step: int
    secret: bytes

    def __post_init__(self) -> None:
        _check_step(self.step)
        if len(self.secret) != SCALAR:
            raise ParameterError(f"secret: found {len(self.secret)} bytes; {SCALAR} are accepted")


@dataclass(frozen=True, slots=True)
class Relay:
    """A peer forwards all opened layers (in step 1: its own onions), sorted for each receiver.

    Attributes:
        step: from 1.
        bags: by the number of the receiver, the layers for it, sorted.
        refused: number of layers of the step before that it did not forward, by reason.
    """

    step: int
    bags: Bags
    refused: Mapping[Reason, int]

    def __post_init__(self) -> None:
        _check_step(self.step)
        receivers = [receiver for receiver, _ in self.bags]
        if receivers != sorted(set(receivers)) or not all(1 <= r <= MAX_PEERS for r in receivers):
            raise ParameterError(f"bags: for {receivers}; ascending numbers of peers are accepted")
        for _, layers in self.bags:
            if not layers:
                raise ParameterError("bags: one of them is empty; leave it out")
            _check_ascending("bags", layers)

    @property
    def layers_forwarded(self) -> int:
        """The number of forwarded layers."""
        return sum(len(layers) for _, layers in self.bags)

    def bag(self, receiver: int) -> tuple[bytes, ...]:
        """Return the layers for a peer."""
        return next((layers for peer, layers in self.bags if peer == receiver), ())


@dataclass(frozen=True, slots=True)
class FoundBallots:
    """A peer shows the sealed ballots at the end of their paths, in ascending order.

    So the maker of a ballot sees that it has arrived. No ballot is opened before all peers have
    confirmed theirs.

    Attributes:
        step: the last of the paths.
        sealed: ascending, without repetition.
        refused: number of layers of the last step that held no sealed ballot, by reason.
    """

    step: int
    sealed: tuple[bytes, ...]
    refused: Mapping[Reason, int]

    def __post_init__(self) -> None:
        _check_step(self.step)
        _check_ascending("sealed", self.sealed)


@dataclass(frozen=True, slots=True)
class Agreed:
    """A peer states, by its digest, its view: of the posts so far, or of their result.

    It also confirms that none of its own onions, or sealed ballots, is missing.

    Attributes:
        step: from 1.
        digest: 32 bytes.
    """

    step: int
    digest: bytes

    def __post_init__(self) -> None:
        _check_step(self.step)
        if len(self.digest) != HASH:
            raise ParameterError(f"digest: found {len(self.digest)} bytes; {HASH} are accepted")


@dataclass(frozen=True, slots=True)
class Accusation:
    """A peer proves that another peer did not forward one of its onions in this step.

    Attributes:
        step: the step in which it was not forwarded.
        against: the number of the accused.
        inside, draw: the content of the layer that the accused opened, and the randomness of its
            seal: so every peer can seal it again, find it among the inputs of the accused, and miss
            its content in the outputs.
    """

    step: int
    against: int
    inside: bytes
    draw: bytes

    def __post_init__(self) -> None:
        _check_step(self.step)
        if not 1 <= self.against <= MAX_PEERS:
            raise ParameterError(f"against: found {self.against}; 1 to {MAX_PEERS} are accepted")
        if len(self.draw) != DRAW:
            raise ParameterError(f"draw: found {len(self.draw)} bytes; {DRAW} are accepted")


def _check_step(step: int) -> None:
    if not 1 <= step <= 255:
        raise ParameterError(f"step: found {step}; 1 to 255 are accepted")


def _check_ascending(name: str, items: Sequence[bytes]) -> None:
    if not all(a < b for a, b in pairwise(items)):
        raise ParameterError(f"{name}: not in strictly ascending order")
