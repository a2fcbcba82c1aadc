"""Signatures: the sender of a message can be checked with the sender's public key.

Ed25519 (RFC 8032) through libsodium. A signer uses its key pair for years, or for one session. A
signature must contain its own meaning: the caller signs a label with everything that the signature
is meant to cover.

If Intel's library for eight keys at a time is there (`multibuffer.py`), many signatures are made
and checked with it. Libsodium refuses more signatures than Intel's library does: signatures with
points of low order, and second encodings of points and scalars. So a positive result of Intel's
library counts only if key, point and scalar have no such form. Libsodium decides about all other
signatures.
"""

from collections.abc import Sequence
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
from .batched import engine_for
from .entropy import Entropy

SIGNING_KEY = crypto_sign_PUBLICKEYBYTES  # bytes of a public key: 32
SIGNATURE = crypto_sign_BYTES  # bytes of a signature: 64

_P = 2**255 - 19
_SIGN_BIT = 1 << 255  # this bit chooses between the two points with one y; the other bits encode y
_ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_LOW_ORDER = frozenset(
    (0, 1, _P - 1, _ORDER_8, _P - _ORDER_8)
)  # y coordinates of the points of low order, the points P with 8 P = 0
_TOPS = {y >> 248 for y in (*_LOW_ORDER, _P)}
_ORDINARY = tuple(
    top & 0x7F not in _TOPS
    for top in range(256)
    # For each last byte: whether every encoding of a point that ends so is ordinary, with y below p
    # and not of low order.
)
_REDUCED = 0x10  # a scalar with a last byte below this is below 2**252, and so below the order


@final
class Signer:
    """An Ed25519 key pair that signs. The secret half is never shown, pickled or copied."""

    __slots__ = ("_secret", "public")
    public: bytes

    def __init__(self, entropy: Entropy) -> None:
        """Make a key pair from the next 32 bytes of the entropy."""
        self.public, self._secret = crypto_sign_seed_keypair(entropy.random(crypto_sign_SEEDBYTES))

    @classmethod
    def from_pair(cls, seed: bytes, public: bytes) -> "Signer":
        """Return the signer of a seed with a known public key, without computing the key again."""
        signer = object.__new__(cls)
        signer.public, signer._secret = public, seed + public
        return signer

    def sign(self, message: bytes) -> bytes:
        """Return the signature of a message, 64 bytes."""
        signed: bytes = crypto_sign(message, self._secret)
        return signed[:SIGNATURE]

    def __repr__(self) -> str:
        return "Signer(secret hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied."""
        raise TypeError("a Signer is not pickled or copied; make it where it signs")


def make_signers(entropies: Sequence[Entropy]) -> list[Signer]:
    """Return a new signer for each source of randomness; many keys are computed at a time."""
    engine = engine_for(len(entropies))
    if engine is None:
        return [Signer(entropy) for entropy in entropies]
    seeds = [entropy.random(crypto_sign_SEEDBYTES) for entropy in entropies]
    publics = engine.verifying_keys(b"".join(seeds))
    return [
        Signer.from_pair(seed, publics[at * SIGNING_KEY : (at + 1) * SIGNING_KEY])
        for at, seed in enumerate(seeds)
    ]


def sign_all(signers: Sequence[Signer], messages: Sequence[bytes]) -> list[bytes]:
    """Return the signature of each message, made by the signer of the same index."""
    engine = engine_for(len(messages))
    if engine is None:
        return [signer.sign(message) for signer, message in zip(signers, messages, strict=True)]
    seeds = b"".join([signer._secret[:crypto_sign_SEEDBYTES] for signer in signers])
    return engine.signatures(seeds, b"".join([signer.public for signer in signers]), messages)


def verify_signature(public: bytes, message: bytes, signature: bytes) -> None:
    """Check that a signature of a message is by the holder of the public key.

    Raises:
        Refused: (UNREGISTERED) it is not the holder's signature of these bytes.
        ParameterError: the key has not 32 bytes.
    """
    if len(public) != SIGNING_KEY:
        raise ParameterError(f"public: got {len(public)} bytes, accepted: {SIGNING_KEY}")
    if not _is_valid(public, message, signature):
        raise Refused(Reason.UNREGISTERED)


def valid_signatures(
    publics: Sequence[bytes], messages: Sequence[bytes], signatures: Sequence[bytes]
) -> list[bool]:
    """Return, for each message, whether its signature is by the holder of its public key.

    publics, messages, signatures: lists of equal length.

    Raises:
        ParameterError: a key has not 32 bytes.
    """
    for public in publics:
        if len(public) != SIGNING_KEY:
            raise ParameterError(f"public: got {len(public)} bytes, accepted: {SIGNING_KEY}")
    triples = list(zip(publics, messages, signatures, strict=True))
    engine, valid = engine_for(len(triples)), set[int]()
    if engine is not None:
        fit = [
            at for at, (public, _, signature) in enumerate(triples) if _is_plain(public, signature)
        ]
        if fit:
            seem = engine.seem_valid(
                b"".join([publics[at] for at in fit]),
                [messages[at] for at in fit],
                b"".join([signatures[at] for at in fit]),
            )
            valid = {at for at, good in zip(fit, seem.tolist(), strict=True) if good}
    return [at in valid or _is_valid(*triple) for at, triple in enumerate(triples)]


def _is_valid(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether libsodium accepts a signature."""
    if len(signature) != SIGNATURE:
        return False
    try:
        crypto_sign_open(signature + message, public)
    except CryptoError:
        return False
    return True


def _is_plain(public: bytes, signature: bytes) -> bool:
    """Whether Intel's library decides about this key and signature as libsodium does.

    Libsodium also refuses points of low order and second encodings; a plain signature has no such
    form.
    """
    return (
        len(signature) == SIGNATURE
        and signature[-1] < _REDUCED
        and _is_point(public)
        and _is_point(signature[:SIGNING_KEY])
    )


def _is_point(encoded: bytes) -> bool:
    """Whether 32 bytes are an ordinary encoding: y below p, and not of a point of low order.

    Whether the bytes encode a point of the curve at all is not checked.
    """
    if _ORDINARY[encoded[-1]]:
        return True  # most points are decided by their last byte alone
    y = int.from_bytes(encoded, "little") % _SIGN_BIT
    return y < _P and y not in _LOW_ORDER
