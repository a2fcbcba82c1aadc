"""An onion: nested layers (ciphertexts); the first party to decrypt opens the outermost layer.

    onion for hops h1, h2, .. hm = layer_h1( layer_h2( .. layer_hm( payload ) .. ) )

A hop is a party that opens one layer. Hops are given in the order in which they open. In a release
these are shuffler 1, .., shuffler m, then the reader; the reader's layer is innermost. (The caption
of Figure 1 in paper 000 lists the layers in the reverse order; the paper's text and the protocol
have this order.)
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ParameterError
from .entropy import Entropy
from .keys import PublicKey, SecretKey
from .layer import layer_size, open_layer, seal_layers
from .suites import Suite


@dataclass(frozen=True, slots=True)
class Hop:
    """A party that opens a layer of an onion: its public key, and the context of the layer.

    Attributes:
        public: the opener's key.
        context: 32 bytes, bound into the layer: session, round and opener.
    """

    public: PublicKey
    context: bytes


def wrap(suite: Suite, hops: Sequence[Hop], payload: bytes, entropy: Entropy) -> tuple[bytes, ...]:
    """Return a payload encrypted in one layer for each hop: the onion, and all its inner layers.

    A hop is a party that opens one layer.

    Args:
        suite: the suite of every layer.
        hops: at least one, the first opener first.
        payload: the content for the last hop.
        entropy: read once for each layer, the innermost first. Two onions must not use two forks
            with one label, because both would have the same randomness.

    Returns:
        Every layer, the outermost first: hop i receives item i. Send item 0; keep the rest to
            recognise the layers later.

    Raises:
        ParameterError: no hop, or a key, context or payload that `seal_layer` does not take.
    """
    if not isinstance(payload, bytes):
        raise ParameterError(f"payload: got {type(payload).__name__}, accepted: bytes")
    return wrap_all(suite, hops, [payload], [entropy])[0]


def wrap_all(
    suite: Suite, hops: Sequence[Hop], payloads: Sequence[bytes], entropies: Sequence[Entropy]
) -> list[tuple[bytes, ...]]:
    """Return many payloads in layers for the same hops, each as `wrap` returns it.

    The innermost layers of all payloads are made first, then the next layers. So payloads that
    share an entropy read it in that order.
    """
    if not hops:
        raise ParameterError("hops: got none, accepted: at least one")
    inner = payloads
    layers: list[list[bytes]] = []
    for hop in reversed(hops):
        inner = seal_layers(suite, hop.public, inner, hop.context, entropies)
        layers.append(inner)
    return list(zip(*reversed(layers), strict=True))


def peel(secret: SecretKey, onion: bytes, context: bytes) -> bytes:
    """Return the content of the outermost layer: an onion for the next hop, or the payload.

    Raises:
        Refused: (DOES_NOT_OPEN) the layer does not open with this key in this context.
    """
    return open_layer(secret, onion, context)


def onion_size(suite: Suite, payload_size: int, hops: int) -> int:
    """Return the number of bytes of an onion of `hops` layers around a payload of that size."""
    if hops < 0:
        raise ParameterError(f"hops: got {hops}, accepted: >= 0")
    return layer_size(suite, payload_size) + (hops - 1) * suite.overhead
