"""The suites `hpke-x25519` and `hpke-pq`: RFC 9180 in base mode, with the context in `info`.

    sealed bytes = enc || ChaCha20-Poly1305(plaintext; key and nonce from HKDF-SHA256, aad empty)
    info         = "veilmix layer" || context

    suite        KEM (identifier)                  enc                                        tag
    hpke-x25519  DHKEM(X25519, HKDF-SHA256) 0x0020  X25519 point, 32 bytes                    16
    hpke-pq      X-Wing 0x647a                      ML-KEM-768 ciphertext, 1088 || point, 32  16

ChaCha20-Poly1305 is used rather than AES-128-GCM for two reasons. Its key has 256 bits, as a
post-quantum suite should have. And it runs in constant time even on a processor without AES.

A secret key is 32 bytes: the X25519 scalar, or X-Wing's seed, which SHAKE-256 expands to the seed
of ML-KEM-768 (64 bytes) and an X25519 scalar (32 bytes).

The library takes no randomness from its caller, so key pairs can be seeded, but encryption cannot:
`reproducible` is False. Many layers of hpke-x25519 are encrypted and decrypted together, without
the library, if an engine for eight keys at a time is there (multibuffer.py, key_schedule.py). The
format and the refusals are the same.
"""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from hashlib import shake_256
from typing import TYPE_CHECKING, Any, final

from .batched import SealedTogether
from .entropy import Entropy, OSEntropy
from .key_schedule import opened, sealed
from .keys import ML_KEM_PUBLIC_SIZE, SECRET_SIZE, KeyPair, PublicKey, SecretKey, SuiteCode
from .sealing import Suite
from .x25519 import X25519_SIZE, is_public_key

if TYPE_CHECKING:
    from cryptography.hazmat.primitives import hpke

    from .multibuffer import MultiBuffer

INFO = b"veilmix layer"

_TAG_SIZE = 16
_ML_KEM_SEED_SIZE = 64
_ML_KEM_CIPHERTEXT_SIZE = 1088
_RECIPIENTS = 1024  # parsed public keys in the cache; the least recently used is dropped


class HpkeSuite(Suite):
    """The common part of both HPKE suites; a subclass adds its KEM and its keys.

    Attributes:
        kem: name of the key encapsulation mechanism in the library.
        point_at: index of the X25519 point in `enc`, the encapsulated key that begins a layer.
    """

    reproducible = False
    kem: str
    point_at: int

    @cached_property
    def _library(self) -> "hpke.Suite":
        """The library's suite object for this KEM, with HKDF-SHA256 and ChaCha20-Poly1305."""
        from cryptography.hazmat.primitives import hpke

        kem = getattr(hpke.KEM, self.kem)
        return hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.CHACHA20_POLY1305)

    def _seal(
        self,
        public: PublicKey,
        plaintext: bytes,
        context: bytes,
        entropy: Entropy,  # noqa: ARG002  (the library draws from the system)
    ) -> bytes:
        """Return the plaintext sealed by the library, with fresh randomness of the system."""
        return self._library.encrypt(plaintext, _recipient(public), info=INFO + context)

    def _open(self, secret: SecretKey, sealed: bytes, context: bytes) -> bytes | None:
        """Return the plaintext of sealed bytes; None if they do not open in this context."""
        from cryptography.exceptions import InvalidTag

        point = sealed[self.point_at : self.point_at + X25519_SIZE]
        if not is_public_key(point):
            return None
        handle: Any = secret._handle
        try:
            return self._library.decrypt(sealed, handle, info=INFO + context)
        except (InvalidTag, ValueError):
            return None


@final
class HpkeX25519(HpkeSuite, SealedTogether):
    """The suite `hpke-x25519`: RFC 9180 with X25519, a standard that other programs support."""

    code = SuiteCode.HPKE_X25519
    overhead = 1 + X25519_SIZE + _TAG_SIZE
    kem = "X25519"
    point_at = 0

    def _seal_group(
        self,
        engine: "MultiBuffer",
        public: PublicKey,
        plaintexts: Sequence[bytes],
        context: bytes,
        entropies: Sequence[Entropy],  # noqa: ARG002  (the library takes none: see above)
    ) -> list[bytes]:
        """Return a group of encrypted plaintexts, with fresh ephemeral keys of the system.

        engine: the library that multiplies the points of eight keys at once. context: the 32 bytes
        to which the results are bound. entropies: unused, because the system gives the randomness.
        """
        ephemeral = OSEntropy().random(SECRET_SIZE * len(plaintexts))
        return sealed(engine, public.raw, INFO + context, plaintexts, ephemeral)

    def _open_group(
        self, engine: "MultiBuffer", secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
        """Return the plaintexts of a group of layers; None for each layer that does not open.

        engine: the library that multiplies the points of eight keys at once. sealed: the layers,
        without the suite byte. context: the 32 bytes to which the layers were bound.
        """
        return opened(engine, secret._raw, secret.public.raw, INFO + context, sealed)

    def _keypair(self, raw: bytes) -> KeyPair:
        """Return the key pair with this X25519 secret key of 32 bytes."""
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

        handle = X25519PrivateKey.from_private_bytes(raw)
        public = PublicKey(self.code, handle.public_key().public_bytes_raw())
        return KeyPair(public, SecretKey(public, raw, handle))


@final
class HpkePq(HpkeSuite):
    """The suite `hpke-pq`: RFC 9180 with X-Wing, secure while ML-KEM-768 or X25519 is unbroken."""

    code = SuiteCode.HPKE_PQ
    overhead = 1 + _ML_KEM_CIPHERTEXT_SIZE + X25519_SIZE + _TAG_SIZE
    kem = "MLKEM768_X25519"
    point_at = _ML_KEM_CIPHERTEXT_SIZE

    def _keypair(self, raw: bytes) -> KeyPair:
        """Return the X-Wing key pair of this seed of 32 bytes."""
        from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
        from cryptography.hazmat.primitives.hpke import MLKEM768X25519PrivateKey

        expanded = shake_256(raw).digest(_ML_KEM_SEED_SIZE + X25519_SIZE)
        lattice = MLKEM768PrivateKey.from_seed_bytes(expanded[:_ML_KEM_SEED_SIZE])
        curve = X25519PrivateKey.from_private_bytes(expanded[_ML_KEM_SEED_SIZE:])
        public = PublicKey(
            self.code,
            lattice.public_key().public_bytes_raw() + curve.public_key().public_bytes_raw(),
        )
        return KeyPair(public, SecretKey(public, raw, MLKEM768X25519PrivateKey(lattice, curve)))


@lru_cache(maxsize=_RECIPIENTS)
def _recipient(public: PublicKey) -> Any:
    """Return a public key as the library's object; cached, because a session has few keys."""
    from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
    from cryptography.hazmat.primitives.hpke import MLKEM768X25519PublicKey

    if public.suite is SuiteCode.HPKE_X25519:
        return X25519PublicKey.from_public_bytes(public.raw)
    return MLKEM768X25519PublicKey(
        MLKEM768PublicKey.from_public_bytes(public.raw[:ML_KEM_PUBLIC_SIZE]),
        X25519PublicKey.from_public_bytes(public.raw[ML_KEM_PUBLIC_SIZE:]),
    )
