"""The symmetric key of one sealed box, and a proof that it is the right key.

A holder of the secret key can reveal the key of a single box without revealing the secret key. So
it can prove, for example, that the box does not open. The key opens this box and no other box.

    key       k = HSalsa20(X25519(a, E), 0), as returned by crypto_box_beforenm, with a the secret
              key of the opener and E the ephemeral public key of the box
    proof     that k is the box's key, for a box that does not open: X25519 is multiplication of u
              coordinates, so E and the opener's key A = a G are lifted to edwards25519 (x even):
              S = a E,  R1 = r G,  R2 = r E,  c = H(A, E, S, R1, R2),  z = r + c a
              proof = S || c || z;  k follows from u(S)

G is the base point, r a random scalar, H a hash to a scalar (the challenge), and u(S) the u
coordinate of S.

A box that opens needs no proof: another key than k opens no box of an honest sender. If E is no
point of the group of prime order, its sender has made a proof impossible, and the box may be
refused.
"""

from hashlib import sha512

from nacl.bindings import (
    crypto_box_beforenm,
    crypto_box_open_afternm,
    crypto_core_ed25519_is_valid_point,
    crypto_core_ed25519_scalar_add,
    crypto_core_ed25519_scalar_mul,
    crypto_core_ed25519_scalar_negate,
    crypto_core_ed25519_scalar_reduce,
    crypto_core_ed25519_sub,
    crypto_scalarmult_ed25519_base_noclamp,
    crypto_scalarmult_ed25519_noclamp,
)
from nacl.exceptions import CryptoError

from ..errors import Reason, Refused
from .entropy import Entropy
from .keys import PublicKey, SecretKey, SuiteCode
from .sealedbox import box_nonce
from .sealing import CONTEXT_SIZE
from .x25519 import X25519_SIZE, is_public_key

LABEL = b"veilmix box key 1\0"
BOX_KEY = 32  # bytes of the symmetric key of a sealed box
BOX_PROOF = 96  # bytes of a proof: a point and two scalars
PREFIX = bytes((SuiteCode.SEALEDBOX,))
P = 2**255 - 19


def box_key(secret: SecretKey, layer: bytes) -> bytes:
    """Return the symmetric key of a sealed box, computed by the holder of the secret key.

    layer: the suite byte and the sealed box. Raises Refused (DOES_NOT_OPEN) if the layer is of
    another suite or holds no valid ephemeral public key.
    """
    point = layer[1 : 1 + X25519_SIZE]
    if layer[:1] != PREFIX or not is_public_key(point):
        raise Refused(Reason.DOES_NOT_OPEN)
    key: bytes = crypto_box_beforenm(point, secret._raw)
    return key


def open_with(key: bytes, public: PublicKey, layer: bytes, context: bytes) -> bytes | None:
    """Return the plaintext of a sealed box by its symmetric key; None if it does not open.

    public: the recipient's public key. layer: the suite byte and the sealed box. context: the 32
    bytes to which the box was bound.
    """
    point = layer[1 : 1 + X25519_SIZE]
    if layer[:1] != PREFIX or not is_public_key(point):
        return None
    nonce = box_nonce(point, public.raw)
    try:
        message: bytes = crypto_box_open_afternm(layer[1 + X25519_SIZE :], nonce, key)
    except (CryptoError, ValueError):
        return None
    return message[CONTEXT_SIZE:] if message[:CONTEXT_SIZE] == context else None


def provable(layer: bytes) -> bool:
    """Whether `prove_key` can prove the symmetric key of this sealed box.

    The proof needs an ephemeral public key in the group of prime order. layer: the suite byte and
    the sealed box.
    """
    point = layer[1 : 1 + X25519_SIZE]
    return layer[:1] == PREFIX and is_public_key(point) and _lifted(point) is not None


def prove_key(secret: SecretKey, layer: bytes, entropy: Entropy) -> bytes:
    """Return a proof that the key of a sealed box, as `box_key` returns it, is right.

    The holder of the secret key makes the proof. It is a proof of equal discrete logarithms (Chaum
    and Pedersen). layer: the suite byte and a sealed box for which `provable` is true.
    """
    point, public_point = _lifted(layer[1 : 1 + X25519_SIZE]), _lifted(secret.public.raw)
    assert point is not None and public_point is not None  # noqa: S101, PT018 - a public key is a x G
    scalar = crypto_core_ed25519_scalar_reduce(_clamped(secret._raw) + bytes(32))
    if crypto_scalarmult_ed25519_base_noclamp(scalar) != public_point:
        scalar = crypto_core_ed25519_scalar_negate(scalar)
    shared = crypto_scalarmult_ed25519_noclamp(scalar, point)
    blind = crypto_core_ed25519_scalar_reduce(entropy.random(64))
    commitments = (
        crypto_scalarmult_ed25519_base_noclamp(blind),
        crypto_scalarmult_ed25519_noclamp(blind, point),
    )
    challenge = _challenge(public_point, point, shared, *commitments)
    product = crypto_core_ed25519_scalar_mul(challenge, scalar)
    response: bytes = crypto_core_ed25519_scalar_add(blind, product)
    return bytes(shared) + challenge + response


def check_key(key: bytes, public: PublicKey, layer: bytes, proof: bytes) -> None:
    """Check the proof that `key` is the symmetric key of a sealed box to the recipient `public`.

    layer: the suite byte and the sealed box. Raises Refused (MALFORMED) if the proof does not hold.
    """
    point, public_point = _lifted(layer[1 : 1 + X25519_SIZE]), _lifted(public.raw)
    shared, challenge, response = proof[:32], proof[32:64], proof[64:]
    if point is None or public_point is None or len(proof) != BOX_PROOF:
        raise Refused(Reason.MALFORMED)
    if not crypto_core_ed25519_is_valid_point(shared):
        raise Refused(Reason.MALFORMED)
    try:
        first = crypto_core_ed25519_sub(
            crypto_scalarmult_ed25519_base_noclamp(response),
            crypto_scalarmult_ed25519_noclamp(challenge, public_point),
        )
        second = crypto_core_ed25519_sub(
            crypto_scalarmult_ed25519_noclamp(response, point),
            crypto_scalarmult_ed25519_noclamp(challenge, shared),
        )
    except (CryptoError, RuntimeError, ValueError):
        raise Refused(Reason.MALFORMED) from None
    if _challenge(public_point, point, shared, first, second) != challenge:
        raise Refused(Reason.MALFORMED)
    if hsalsa20(_u(shared)) != key:
        raise Refused(Reason.MALFORMED)


def _clamped(raw: bytes) -> bytes:
    """Return an X25519 secret key as the scalar that X25519 multiplies by: five bits are fixed."""
    return bytes((raw[0] & 248,)) + raw[1:31] + bytes((raw[31] & 127 | 64,))


def _lifted(point: bytes) -> bytes | None:
    """Return the edwards25519 point that has an X25519 public key as its u coordinate, and even x.

    point: the public key. None if the result is not in the group of prime order.
    """
    u = int.from_bytes(point, "little")
    y = (u - 1) * pow(u + 1, -1, P) % P if (u + 1) % P else 0
    encoded = y.to_bytes(32, "little")
    return encoded if crypto_core_ed25519_is_valid_point(encoded) else None


def _u(point: bytes) -> bytes:
    """Return the u coordinate of an edwards25519 point."""
    y = int.from_bytes(point, "little") & (1 << 255) - 1
    return ((1 + y) * pow(1 - y, -1, P) % P).to_bytes(32, "little")


def _challenge(*points: bytes) -> bytes:
    """Return the challenge scalar of a proof: a hash of its points."""
    scalar: bytes = crypto_core_ed25519_scalar_reduce(sha512(LABEL + b"".join(points)).digest())
    return scalar


def hsalsa20(key: bytes) -> bytes:
    """Return HSalsa20 of 16 zero bytes under a key (Bernstein, Extending the Salsa20 nonce).

    It is 20 rounds of Salsa20 without the final addition; 32 bytes.
    """
    k = [int.from_bytes(key[at : at + 4], "little") for at in range(0, 32, 4)]
    c = [int.from_bytes(b"expand 32-byte k"[at : at + 4], "little") for at in range(0, 16, 4)]
    x = [c[0], *k[:4], c[1], 0, 0, 0, 0, c[2], *k[4:], c[3]]
    for _ in range(10):
        for a, b, d, e in COLUMNS + ROWS:
            x[b] ^= _turned(x[a] + x[e], 7)
            x[d] ^= _turned(x[b] + x[a], 9)
            x[e] ^= _turned(x[d] + x[b], 13)
            x[a] ^= _turned(x[e] + x[d], 18)
    return b"".join(x[at].to_bytes(4, "little") for at in (0, 5, 10, 15, 6, 7, 8, 9))


COLUMNS = ((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11))
ROWS = ((0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14))


def _turned(word: int, by: int) -> int:
    """Return a 32-bit word rotated left by this number of bits."""
    word &= 0xFFFFFFFF
    return (word << by | word >> 32 - by) & 0xFFFFFFFF
