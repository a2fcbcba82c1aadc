"""The suite `sealedbox`: libsodium's sealed box around the context and the plaintext.

    sealed bytes = E || crypto_box(context || plaintext; nonce, recipient's key, e)
    nonce        = BLAKE2b-192(E || recipient's key)

    offset  size  what
         0    32  E, the public half of an ephemeral X25519 key e
        32    16  Poly1305 tag
        48    32  the context     } encrypted
        80     n  the plaintext   } with XSalsa20

The nonce is a hash over E as it stands, so no other spelling of E opens the same bytes.
"""

from hashlib import blake2b
from typing import final

from nacl.bindings import (
    crypto_box,
    crypto_box_NONCEBYTES,
    crypto_box_seal,
    crypto_box_seal_open,
    crypto_box_SEALBYTES,
    crypto_scalarmult_base,
)
from nacl.exceptions import CryptoError

from .entropy import Entropy
from .keys import SECRET_SIZE, KeyPair, PublicKey, SecretKey, SuiteCode
from .sealing import CONTEXT_SIZE, Suite
from .x25519 import X25519_SIZE, is_public_key


class BoxSuite(Suite):
    """What `sealedbox` and `textbook` share: all but the choice of the ephemeral key."""

    overhead = 1 + crypto_box_SEALBYTES + CONTEXT_SIZE

    def _keypair(self, raw: bytes) -> KeyPair:
        public = PublicKey(self.code, crypto_scalarmult_base(raw))
        return KeyPair(public, SecretKey(public, raw))

    def _open(self, secret: SecretKey, sealed: bytes, context: bytes) -> bytes | None:
        if len(sealed) < crypto_box_SEALBYTES or not is_public_key(sealed[:X25519_SIZE]):
            return None
        try:
            message = crypto_box_seal_open(sealed, secret.public.raw, secret._raw)
        except CryptoError:
            return None
        return message[CONTEXT_SIZE:] if message[:CONTEXT_SIZE] == context else None


@final
class SealedBox(BoxSuite):
    """The default: fast, releases the GIL. Reproducible: the ephemeral key is all it draws."""

    code = SuiteCode.SEALEDBOX

    def _seal(self, public: PublicKey, plaintext: bytes, context: bytes, entropy: Entropy) -> bytes:
        if entropy.seeded:
            return sealed_box(public.raw, context + plaintext, entropy.random(SECRET_SIZE))
        return crypto_box_seal(context + plaintext, public.raw)


def sealed_box(public: bytes, message: bytes, ephemeral: bytes) -> bytes:
    """Make the sealed box that libsodium would make had it drawn this ephemeral secret key.

    Args:
        public: the recipient's X25519 public key, 32 bytes.
        message: any number of bytes.
        ephemeral: the ephemeral secret key, 32 bytes, never used twice.
    """
    point = crypto_scalarmult_base(ephemeral)
    nonce = blake2b(point + public, digest_size=crypto_box_NONCEBYTES).digest()
    return point + crypto_box(message, nonce, public, ephemeral)
