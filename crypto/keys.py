"""Keys: a public key is data that prints, hashes and travels; a secret key is never shown.

    encoded public key = suite byte || key

    suite byte   key
    0x01 0x02    X25519 public key, 32 bytes
    0xff         the same
    0x03         ML-KEM-768 encapsulation key, 1184 bytes || X25519 public key, 32 bytes

Python cannot promise to erase a secret from memory. Guaranteed here: no operation that prints,
formats, logs, pickles or copies objects shows a secret.
"""

from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from typing import Never, final

from ..errors import ParameterError, Reason, Refused
from .x25519 import X25519_SIZE, is_public_key

SECRET_SIZE = 32  # bytes of a secret key, in every suite
ML_KEM_PUBLIC_SIZE = 1184  # bytes of an encapsulation key, FIPS 203, table 3

# BLAKE2b personalisation, so that no other hash of a key in veilmix equals a fingerprint
_FINGERPRINT = b"veilmix.print"
_FINGERPRINT_SIZE = 8  # bytes; for people to distinguish keys, not to authenticate them


class SuiteCode(IntEnum):
    """The suite byte: first byte of every layer and of every encoded public key."""

    SEALEDBOX = 0x01
    HPKE_X25519 = 0x02
    HPKE_PQ = 0x03
    TEXTBOOK = 0xFF

    @property
    def label(self) -> str:
        """The suite's name in scenario files and documents, such as "hpke-x25519"."""
        return self.name.lower().replace("_", "-")


@final
@dataclass(frozen=True, slots=True, repr=False)
class PublicKey:
    """A public key of one suite. Hashable; prints as its fingerprint.

    Attributes:
        suite: the suite of the key.
        raw: the key's bytes, without the suite byte: an X25519 public key, in the post-quantum
            suite after an ML-KEM-768 encapsulation key.

    Raises:
        ParameterError: the bytes are not a public key of that suite.
    """

    suite: SuiteCode
    raw: bytes

    def __post_init__(self) -> None:
        """Check that the bytes are a public key of the suite."""
        fault = _fault(self.suite, self.raw)
        if fault:
            raise ParameterError(f"public key: {fault}")

    @property
    def fingerprint(self) -> str:
        """The suite's name and 64 bits of a hash, for people to distinguish keys."""
        digest = blake2b(self.encode(), digest_size=_FINGERPRINT_SIZE, person=_FINGERPRINT)
        return f"{self.suite.label}:{digest.hexdigest()}"

    def encode(self) -> bytes:
        """Return the suite byte and the key's bytes."""
        return bytes((self.suite,)) + self.raw

    @classmethod
    def decode(cls, data: bytes) -> "PublicKey":
        """Return the public key in `data`, which must hold exactly one encoded key.

        Raises:
            Refused: (MALFORMED) not exactly one valid key in its only encoding.
            ParameterError: data is not bytes.
        """
        if not isinstance(data, bytes):
            raise ParameterError(f"data: got {type(data).__name__}, accepted: bytes")
        has_known_suite = data and data[0] in SuiteCode.__members__.values()
        if not has_known_suite or _fault(SuiteCode(data[0]), data[1:]):
            raise Refused(Reason.MALFORMED, "not a public key")
        return cls(SuiteCode(data[0]), data[1:])

    def __repr__(self) -> str:
        return f"PublicKey({self.fingerprint})"

    def __str__(self) -> str:
        return self.fingerprint


@final
class SecretKey:
    """A secret key: it opens layers and is never shown in repr, str, format or a traceback.

    Made by a suite's `keypair`. Two secret keys are equal only if they are one object, so that
    no comparison runs over their bytes; compare the public keys instead.

    Attributes:
        suite: the suite of the key.
        public: the public key of the pair.
    """

    __slots__ = ("_handle", "_raw", "public", "suite")

    def __init__(self, public: PublicKey, raw: bytes, handle: object = None) -> None:
        """Set the parts of the key.

        raw: the 32 secret bytes. handle: the cryptographic library's object for the key, if any.
        """
        self.public = public
        self.suite = public.suite
        self._raw = raw
        self._handle = handle  # the cryptographic library's key object, if the suite has one

    def __repr__(self) -> str:
        return f"SecretKey(of {self.public.fingerprint}, hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied: a secret stays where it was made."""
        raise TypeError("a SecretKey is not pickled or copied")


@final
@dataclass(frozen=True, slots=True)
class KeyPair:
    """A secret key and its public key, made by a suite.

    Attributes:
        public: the key to seal to.
        secret: the key to open with; its repr hides it.
    """

    public: PublicKey
    secret: SecretKey


def _fault(suite: SuiteCode, raw: bytes) -> str:
    """Return the error in the bytes of a public key as text; empty if they are a valid key."""
    if not isinstance(raw, bytes):
        return f"got {type(raw).__name__}, accepted: bytes"
    lattice = ML_KEM_PUBLIC_SIZE if suite is SuiteCode.HPKE_PQ else 0
    if len(raw) != lattice + X25519_SIZE:
        return f"got {len(raw)} bytes, accepted for {suite.label}: {lattice + X25519_SIZE}"
    if not is_public_key(raw[lattice:]):
        return "got an X25519 point of low order or in a second spelling"
    if lattice and not _is_encapsulation_key(raw[:lattice]):
        return "got an ML-KEM-768 key with coefficients that are not reduced"
    return ""


def _is_encapsulation_key(raw: bytes) -> bool:
    """Whether bytes pass the modulus check of FIPS 203, section 7.2, which the library applies."""
    from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PublicKey

    try:
        MLKEM768PublicKey.from_public_bytes(raw)
    except ValueError:
        return False
    return True
