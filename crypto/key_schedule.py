"""The key schedule of RFC 9180 for `hpke-x25519`, with points of many layers multiplied together.

    eae_prk       = HMAC(no salt,       v1 || kem || "eae_prk" || shared point)
    shared_secret = HMAC(eae_prk,       u16 32 || v1 || kem || "shared_secret" || enc || key || 1)
    secret        = HMAC(shared_secret, v1 || suite || "secret")
    key           = HMAC(secret,        u16 32 || v1 || suite || "key" || hashes || 1)
    nonce         = HMAC(secret,        u16 12 || v1 || suite || "base_nonce" || hashes || 1)[:12]
    hashes        = 0 || HMAC(no salt, v1 || suite || "psk_id_hash")
                      || HMAC(no salt, v1 || suite || "info_hash" || info)

    (key in the second line: the recipient's public key)
    v1 = "HPKE-v1", kem = "KEM" || u16 0x20, suite = "HPKE" || u16 0x20 || u16 1 || u16 3

`enc` is the ephemeral public key of the layer, and `info` has the context. Each `LabeledExtract`
and each `LabeledExpand` of at most 32 bytes is one HMAC-SHA256. Five of the HMACs depend on the
layer; the two in `hashes` are the same for a context.
"""

from collections.abc import Sequence
from hmac import digest
from typing import TYPE_CHECKING

from nacl.bindings import (
    crypto_aead_chacha20poly1305_ietf_decrypt as _unseal,
)
from nacl.bindings import (
    crypto_aead_chacha20poly1305_ietf_encrypt as _seal,
)
from nacl.exceptions import CryptoError

from .keys import SECRET_SIZE
from .x25519 import X25519_SIZE, is_public_key

if TYPE_CHECKING:
    from .multibuffer import MultiBuffer

_HASH = "sha256"
_NONCE_SIZE = 12
_TAG_SIZE = 16
_V1 = b"HPKE-v1"
_KEM = _V1 + b"KEM" + bytes((0, 0x20))  # label of the KEM; 0x20 is DHKEM(X25519, HKDF-SHA256)
_SUITE = _V1 + b"HPKE" + bytes((0, 0x20, 0, 1, 0, 3))  # HKDF-SHA256, ChaCha20-Poly1305
_POINT = _KEM + b"eae_prk"
_SHARED = bytes((0, 32)) + _KEM + b"shared_secret"
_SECRET = _SUITE + b"secret"


class KeySchedule:
    """The derivation of keys in base mode, for one recipient and one `info`.

    Args:
        public: the recipient's public key, 32 bytes.
        info: any number of bytes, bound into the keys.
    """

    def __init__(self, public: bytes, info: bytes) -> None:
        """Compute the parts of the hash inputs that are the same for all layers."""
        hashes = bytes(1) + b"".join(
            digest(b"", _SUITE + label, _HASH) for label in (b"psk_id_hash", b"info_hash" + info)
        )
        self._public = public + b"\1"
        self._key = bytes((0, 32)) + _SUITE + b"key" + hashes + b"\1"
        self._nonce = bytes((0, _NONCE_SIZE)) + _SUITE + b"base_nonce" + hashes + b"\1"

    def keys(self, shared: bytes, point: bytes) -> tuple[bytes, bytes]:
        """Return the symmetric key and the nonce of a layer.

        shared: the Diffie-Hellman point. point: the ephemeral public key `enc`.
        """
        first = digest(b"", _POINT + shared, _HASH)
        second = digest(first, _SHARED + point + self._public, _HASH)
        secret = digest(second, _SECRET, _HASH)
        return digest(secret, self._key, _HASH), digest(secret, self._nonce, _HASH)[:_NONCE_SIZE]


def sealed(
    engine: "MultiBuffer", public: bytes, info: bytes, plaintexts: Sequence[bytes], secrets: bytes
) -> list[bytes]:
    """Return many plaintexts encrypted to one recipient by HPKE.

    engine: the library that multiplies the points of eight keys at once. public: the recipient's
    key. info: bytes that are bound into the keys. secrets: an ephemeral secret key for each
    plaintext, concatenated.
    """
    schedule = KeySchedule(public, info)
    points = engine.public_keys(secrets)
    shared = engine.shared_points(secrets, public)
    results = list[bytes]()
    for at, plaintext in zip(range(0, len(secrets), SECRET_SIZE), plaintexts, strict=True):
        point = points[at : at + X25519_SIZE]
        key, nonce = schedule.keys(shared[at : at + X25519_SIZE].tobytes(), point)
        results.append(point + _seal(plaintext, b"", nonce, key))
    shared.fill(0)
    return results


def opened(
    engine: "MultiBuffer", secret: bytes, public: bytes, info: bytes, layers: Sequence[bytes]
) -> list[bytes | None]:
    """Return the plaintexts of many HPKE layers to one recipient; None for each that does not open.

    engine: the library that multiplies the points of eight keys at once. secret, public: the
    recipient's key pair. info: bytes that are bound into the keys.
    """
    results: list[bytes | None] = [None] * len(layers)
    fit = [
        at
        for at, layer in enumerate(layers)
        if len(layer) >= X25519_SIZE + _TAG_SIZE and is_public_key(layer[:X25519_SIZE])
    ]
    if not fit:
        return results
    schedule = KeySchedule(public, info)
    points = [layers[at][:X25519_SIZE] for at in fit]
    shared = engine.shared_points(secret, b"".join(points))
    for at, point, product in zip(fit, points, shared.reshape(-1, X25519_SIZE), strict=True):
        key, nonce = schedule.keys(product.tobytes(), point)
        try:
            results[at] = _unseal(layers[at][X25519_SIZE:], b"", nonce, key)
        except CryptoError:
            continue
    shared.fill(0)
    return results
