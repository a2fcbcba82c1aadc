"""A joint public key of several owners: a ciphertext opens after all owners reveal their secrets.

    share        x random, X = x G, with a proof that its owner knows x (Schnorr):
                 R = k G,  c = H(label proof || context || X || R),  z = k - c x;  proof c || z
    joint key    J = sum of all X
    sealed       E = e G || secretbox(H(label key || context || E || J || e J), plaintext)
    opened       with x = sum of all shares:  x E = e J

G is the generator of the group, H a hash, and k and e are random scalars. Without proofs the last
owner could choose X = Y minus the sum of all other X, for a Y = y G of its own. Then J = Y, and
this owner alone could open ciphertexts. The proof is bound to a context with session, round and
owner. Each E is fresh, so a symmetric key encrypts one text, and the nonce is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha512
from typing import Never, final

from nacl.bindings import crypto_secretbox, crypto_secretbox_open
from nacl.exceptions import CryptoError

from ..errors import Reason, Refused
from .entropy import Entropy
from .ristretto import (
    ELEMENT,
    IDENTITY,
    ORDER,
    SCALAR,
    UNIFORM,
    base_times,
    decoded,
    decoded_scalar,
    difference,
    plus,
    product,
    scalar,
    times,
)

KEY_LABEL = b"veilmix joint key 1\0"
PROOF_LABEL = b"veilmix key share 1\0"
PROOF = 2 * SCALAR  # bytes of a proof of knowing a key's secret: challenge and response
OVERHEAD = ELEMENT + 16  # bytes that sealing adds: an element and a Poly1305 tag
NONCE = bytes(24)


@final
@dataclass(frozen=True, slots=True, repr=False)
class KeyShare:
    """The key pair of one owner of a joint key.

    Attributes:
        secret: x, a scalar; revealed when the ciphertexts are to be opened.
        public, proof: X = x G, with G the generator, and the proof of knowing x; both are published
            at the beginning.
    """

    secret: bytes
    public: bytes
    proof: bytes

    def __repr__(self) -> str:
        return f"KeyShare({self.public.hex()[:16]})"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied: the secret stays where it was made."""
        raise TypeError("a KeyShare is not pickled or copied; make it where it is used")


def make_share(entropy: Entropy, context: bytes) -> KeyShare:
    """Return a new random key pair of an owner of a joint key, with a proof of knowing the secret.

    context: session, round and owner, to which the proof is bound.
    """
    secret, blind = (scalar(entropy.random(UNIFORM)) for _ in range(2))
    public = base_times(secret)
    challenge = _challenge(context, public, base_times(blind))
    response = difference(blind, product(challenge, secret))
    return KeyShare(secret, public, challenge + response)


def check_share(public: bytes, proof: bytes, context: bytes) -> None:
    """Check the proof that an owner of a joint key knows the secret of its public key.

    context: session, round and owner, to which the proof is bound. Raises Refused (MALFORMED) if
    the proof does not hold.
    """
    decoded(public)
    if len(proof) != PROOF:
        raise Refused(Reason.MALFORMED, f"the proof of a key share is not {PROOF} bytes long")
    challenge, response = decoded_scalar(proof[:SCALAR]), decoded_scalar(proof[SCALAR:])
    blind = plus(base_times(response), times(challenge, public))
    if _challenge(context, public, blind) != challenge:
        raise Refused(Reason.MALFORMED, "the proof of a key share does not hold")


def check_shown(secret: bytes, public: bytes) -> None:
    """Check that a secret revealed by an owner belongs to the owner's public key `public`.

    Raises Refused (MALFORMED) if it does not.
    """
    if base_times(decoded_scalar(secret)) != public:
        raise Refused(Reason.MALFORMED, "the revealed number is not the secret of this key share")


def joint(publics: Sequence[bytes]) -> bytes:
    """Return the joint public key: the sum of the owners' public keys."""
    total = IDENTITY
    for public in publics:
        total = plus(total, public)
    return total


def total(secrets: Sequence[bytes]) -> bytes:
    """Return the secret of the joint key: the sum of the secrets that all owners have revealed."""
    scalar = sum(int.from_bytes(secret, "little") for secret in secrets) % ORDER
    return scalar.to_bytes(SCALAR, "little")


def seal_jointly(key: bytes, plain: bytes, context: bytes, entropy: Entropy) -> bytes:
    """Return `plain` encrypted to a joint key, bound to a context.

    key: the joint public key. context: bytes that the opener must know. entropy: randomness of this
    ciphertext, never used twice.
    """
    secret = scalar(entropy.random(UNIFORM))
    point = base_times(secret)
    inner: bytes = crypto_secretbox(plain, NONCE, _key(context, point, key, times(secret, key)))
    return point + inner


def open_jointly(secret: bytes, key: bytes, sealed: bytes, context: bytes) -> bytes:
    """Return the plaintext of `sealed` with the secret of the joint key.

    Raises Refused (DOES_NOT_OPEN) for another key, context or ciphertext.
    """
    try:
        point = decoded(sealed[:ELEMENT])
        shared = _key(context, point, key, times(secret, point))
        opened: bytes = crypto_secretbox_open(sealed[ELEMENT:], NONCE, shared)
    except (Refused, CryptoError, ValueError):
        raise Refused(Reason.DOES_NOT_OPEN) from None
    return opened


def _challenge(context: bytes, public: bytes, blind: bytes) -> bytes:
    """Return the challenge scalar of an owner's proof: a hash of context and group elements.

    public: the owner's public key. blind: the commitment R = k G, with G the generator and k the
    random nonce of the proof.
    """
    return scalar(sha512(PROOF_LABEL + context + public + blind).digest())


def _key(context: bytes, point: bytes, key: bytes, shared: bytes) -> bytes:
    """Return the symmetric key of one ciphertext, 32 bytes: a hash of all arguments.

    point: the ciphertext's random element E = e G. key: the joint key J. shared: the Diffie-Hellman
    element e J.
    """
    return sha512(KEY_LABEL + context + point + key + shared).digest()[:32]
