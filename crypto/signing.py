"""Signatures: who sent a message can be checked by whoever knows the sender's public key.

Ed25519 (RFC 8032) through libsodium. A signer's key pair is its own for years, or for one session;
what a signature is about must say so itself: the caller signs a label with everything that the
signature is meant to cover.
"""

from typing import Never, final

from nacl.bindings import (
    crypto_sign,
    crypto_sign_BYTES,
    crypto_sign_open,
    crypto_sign_PUBLICKEYBYTES,
    crypto_sign_seed_keypair,
    crypto_sign_SEEDBYTES,
)
from nacl.exceptions import CryptoError

from ..errors import ParameterError, Reason, Refused
from .entropy import Entropy

SIGNING_KEY = crypto_sign_PUBLICKEYBYTES  # bytes of a public key: 32
SIGNATURE = crypto_sign_BYTES  # bytes: 64


@final
class Signer:
    """A signing key pair. The secret half never shows, and is not pickled or copied."""

    __slots__ = ("_secret", "public")
    public: bytes

    def __init__(self, entropy: Entropy) -> None:
        self.public, self._secret = crypto_sign_seed_keypair(entropy.random(crypto_sign_SEEDBYTES))

    def sign(self, message: bytes) -> bytes:
        """Give the signature of a message, 64 bytes."""
        signed: bytes = crypto_sign(message, self._secret)
        return signed[:SIGNATURE]

    def __repr__(self) -> str:
        return "Signer(secret hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied."""
        raise TypeError("a Signer is not pickled or copied; make it where it signs")


def verify_signature(public: bytes, message: bytes, signature: bytes) -> None:
    """Check a signature.

    Raises:
        Refused: (UNREGISTERED) it is not the holder's signature of these bytes.
        ParameterError: the key has not 32 bytes.
    """
    if len(public) != SIGNING_KEY:
        raise ParameterError(f"public: got {len(public)} bytes, accepted: {SIGNING_KEY}")
    if len(signature) != SIGNATURE:
        raise Refused(Reason.UNREGISTERED)
    try:
        crypto_sign_open(signature + message, public)
    except CryptoError:
        raise Refused(Reason.UNREGISTERED) from None
