"""One onion layer: a ciphertext to one party, with the byte of its suite in front.

    layer = suite byte || sealed bytes

A suite is a public-key encryption scheme. The opener's key fixes the suite: a layer that begins
with the byte of another suite does not open.
"""

from collections.abc import Sequence

from ..errors import ParameterError, Reason, Refused
from .entropy import Entropy
from .keys import PublicKey, SecretKey
from .suites import SUITES, Suite

_OPENERS = {s.code: s for s in SUITES.values()}


def seal_layer(
    suite: Suite, public: PublicKey, plaintext: bytes, context: bytes, entropy: Entropy
) -> bytes:
    """Return a plaintext encrypted to one party, in one context of 32 bytes.

    Returns:
        `layer_size(suite, len(plaintext))` bytes.

    Raises:
        ParameterError: a key of another suite, a plaintext that is not bytes, a context that is
            not 32 bytes.
    """
    return suite.prefix + suite.seal(public, plaintext, context, entropy)


def open_layer(secret: SecretKey, layer: bytes, context: bytes) -> bytes:
    """Return the plaintext of a layer that was sealed for this secret key in this context.

    Returns:
        The plaintext.

    Raises:
        Refused: (DOES_NOT_OPEN) any fault of the layer, always without detail.
        ParameterError: the layer is not bytes, or the context not 32 bytes.
    """
    if not isinstance(layer, bytes):
        raise ParameterError(f"layer: got {type(layer).__name__}, accepted: bytes")
    suite = _OPENERS[secret.suite]
    if layer[:1] != suite.prefix:
        raise Refused(Reason.DOES_NOT_OPEN)
    return suite.open(secret, layer[1:], context)


def seal_layers(
    suite: Suite,
    public: PublicKey,
    plaintexts: Sequence[bytes],
    context: bytes,
    entropies: Sequence[Entropy],
) -> list[bytes]:
    """Return many plaintexts encrypted to one party in one context, each with its own entropy.

    Each result is that of `seal_layer`. Key and context are checked only once, because a check for
    each plaintext would slow down long lists.
    """
    suite.check(public, context)
    prefix = suite.prefix
    return [prefix + sealed for sealed in suite._seal_all(public, plaintexts, context, entropies)]


def open_layers(secret: SecretKey, layers: Sequence[bytes], context: bytes) -> list[bytes | None]:
    """Return the plaintexts of many layers in one context; None for each that does not open."""
    suite = _OPENERS[secret.suite]
    suite.check(secret, context)
    prefix = suite.prefix
    right = [layer[1:] for layer in layers if layer[:1] == prefix]
    opened = suite._open_all(secret, right, context)
    if len(right) == len(layers):
        return opened
    inside = iter(opened)
    return [next(inside) if layer[:1] == prefix else None for layer in layers]


def layer_size(suite: Suite, plaintext_size: int) -> int:
    """Return the number of bytes of a layer around a plaintext of `plaintext_size` bytes."""
    if plaintext_size < 0:
        raise ParameterError(f"plaintext_size: got {plaintext_size}, accepted: >= 0 bytes")
    return plaintext_size + suite.overhead
