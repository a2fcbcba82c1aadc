"""The suite `sealedbox`: libsodium's sealed box around the context and the plaintext.

    sealed bytes = E || crypto_box(context || plaintext; nonce, recipient's key, e)
    nonce        = BLAKE2b-192(E || recipient's key)

    offset  size  content
         0    32  E, the public half of an ephemeral X25519 key e
        32    16  Poly1305 tag
        48    32  the context     } encrypted
        80     n  the plaintext   } with XSalsa20

The nonce is a hash of the encoding of E. So the box does not open if E is replaced by another
encoding of the same point.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, final

from nacl.bindings import (
    crypto_box,
    crypto_box_afternm,
    crypto_box_BEFORENMBYTES,
    crypto_box_NONCEBYTES,
    crypto_box_open_afternm,
    crypto_box_seal,
    crypto_box_seal_open,
    crypto_box_SEALBYTES,
    crypto_scalarmult_base,
)
from nacl.exceptions import CryptoError

from .batched import OpenedTogether, SealedTogether
from .entropy import Entropy
from .keys import SECRET_SIZE, KeyPair, PublicKey, SecretKey, SuiteCode
from .sealing import CONTEXT_SIZE
from .x25519 import X25519_SIZE, is_public_key

if TYPE_CHECKING:
    from .multibuffer import MultiBuffer


class BoxSuite(OpenedTogether):
    """The common part of `sealedbox` and `textbook`; a subclass chooses the ephemeral key."""

    overhead = 1 + crypto_box_SEALBYTES + CONTEXT_SIZE

    def _keypair(self, raw: bytes) -> KeyPair:
        """Return the key pair with this X25519 secret key of 32 bytes."""
        public = PublicKey(self.code, crypto_scalarmult_base(raw))
        return KeyPair(public, SecretKey(public, raw))

    def _open(self, secret: SecretKey, sealed: bytes, context: bytes) -> bytes | None:
        """Return the plaintext of a sealed box; None if it does not open in this context."""
        if len(sealed) < crypto_box_SEALBYTES or not is_public_key(sealed[:X25519_SIZE]):
            return None
        try:
            message = crypto_box_seal_open(sealed, secret.public.raw, secret._raw)
        except CryptoError:
            return None
        return message[CONTEXT_SIZE:] if message[:CONTEXT_SIZE] == context else None

    def _open_group(
        self, engine: "MultiBuffer", secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
        """Return the plaintexts of a group of sealed boxes; None for each that does not open.

        engine: the library that multiplies the points of eight keys at once. context: the 32 bytes
        that each box must hold before its plaintext.
        """
        return _opened(engine, secret, sealed, context)


@final
class SealedBox(BoxSuite, SealedTogether):
    """The default suite, libsodium's sealed box: fast, releases the GIL, reproducible.

    It draws only the ephemeral key, so seeded entropy determines every byte.
    """

    code = SuiteCode.SEALEDBOX

    def _seal(self, public: PublicKey, plaintext: bytes, context: bytes, entropy: Entropy) -> bytes:
        """Return a sealed box of context and plaintext; seeded entropy gives the ephemeral key."""
        if entropy.seeded:
            return sealed_box(public.raw, context + plaintext, entropy.random(SECRET_SIZE))
        return crypto_box_seal(context + plaintext, public.raw)

    def _seal_group(
        self,
        engine: "MultiBuffer",
        public: PublicKey,
        plaintexts: Sequence[bytes],
        context: bytes,
        entropies: Sequence[Entropy],
    ) -> list[bytes]:
        """Return the sealed boxes of a group of plaintexts.

        engine: the library that multiplies the points of eight keys at once. context: the 32 bytes
        in each box before its plaintext. entropies: the source of each ephemeral key.
        """
        return _sealed(engine, public.raw, context, plaintexts, _ephemeral(entropies))


def box_nonce(point: bytes, public: bytes) -> bytes:
    """Return the nonce of a sealed box: a hash of two public keys.

    point: the ephemeral public key of the box. public: the recipient's public key.
    """
    return blake2b(point + public, digest_size=crypto_box_NONCEBYTES).digest()


def sealed_box(public: bytes, message: bytes, ephemeral: bytes) -> bytes:
    """Return the sealed box that libsodium would make with this ephemeral secret key.

    Args:
        public: the recipient's X25519 public key, 32 bytes.
        message: any number of bytes.
        ephemeral: the ephemeral secret key, 32 bytes, never used twice.
    """
    point = crypto_scalarmult_base(ephemeral)
    nonce = box_nonce(point, public)
    return point + crypto_box(message, nonce, public, ephemeral)


def _ephemeral(entropies: Sequence[Entropy]) -> bytes:
    """Return an ephemeral secret key drawn from each entropy, concatenated.

    Keys of the system's randomness are drawn all at once.
    """
    if any(entropy.seeded for entropy in entropies):
        return b"".join([entropy.random(SECRET_SIZE) for entropy in entropies])
    return entropies[0].random(SECRET_SIZE * len(entropies))


def _sealed(
    engine: "MultiBuffer",
    public: bytes,
    context: bytes,
    plaintexts: Sequence[bytes],
    secrets: bytes,
) -> list[bytes]:
    """Return many sealed boxes to one recipient, each as `sealed_box` makes it.

    engine: the library that multiplies the points of eight keys at once. public: the recipient's
    public key. context: the 32 bytes in each box before its plaintext. secrets: the ephemeral
    secret keys, concatenated.
    """
    points, keys = engine.public_keys(secrets), engine.box_keys(secrets, public)
    results = list[bytes]()
    for at, plaintext in zip(range(0, len(secrets), SECRET_SIZE), plaintexts, strict=True):
        point = points[at : at + X25519_SIZE]
        nonce = box_nonce(point, public)
        key = keys[at : at + crypto_box_BEFORENMBYTES]
        results.append(point + crypto_box_afternm(context + plaintext, nonce, key))
    return results


def _opened(
    engine: "MultiBuffer", secret: SecretKey, sealed: Sequence[bytes], context: bytes
) -> list[bytes | None]:
    """Return the plaintexts of many sealed boxes to one recipient; None for each failure.

    engine: the library that multiplies the points of eight keys at once. sealed: the sealed boxes.
    context: the 32 bytes that each box must hold before its plaintext.
    """
    results: list[bytes | None] = [None] * len(sealed)
    points = [each[:X25519_SIZE] for each in sealed]
    fit = [
        at
        for at, point in enumerate(points)
        if is_public_key(point) and len(sealed[at]) >= crypto_box_SEALBYTES
    ]
    if not fit:
        return results
    keys = engine.box_keys(secret._raw, b"".join([points[at] for at in fit]))
    public, start = secret.public.raw, 0
    for at in fit:
        nonce = box_nonce(points[at], public)
        key = keys[start : start + crypto_box_BEFORENMBYTES]
        start += crypto_box_BEFORENMBYTES
        try:
            message = crypto_box_open_afternm(sealed[at][X25519_SIZE:], nonce, key)
        except CryptoError:
            continue
        if message[:CONTEXT_SIZE] == context:
            results[at] = message[CONTEXT_SIZE:]
    return results
