"""The interface of a suite, which encrypts bytes to a recipient in a context and decrypts them.

A suite is a library's encryption scheme plus two rules. The context (32 bytes that name session,
round, question and hop) is bound into the ciphertext. And every ciphertext that does not open fails
with the same error, which does not tell the cause.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from ..errors import ParameterError, Reason, Refused
from .entropy import Entropy
from .keys import SECRET_SIZE, KeyPair, PublicKey, SecretKey, SuiteCode

CONTEXT_SIZE = 32  # bytes: derived by the caller from session digest, round, query and opener


class Suite(ABC):
    """The base class of suites: public-key encryption schemes with a fixed format.

    Attributes:
        code: the suite byte.
        overhead: bytes that one layer adds to its plaintext in all: suite byte, encryption,
            context.
        secret: True if equal plaintexts give different ciphertexts, so that a plaintext cannot be
            found by encrypting guesses.
        reproducible: True if seeded entropy determines every encrypted byte. If it is False, the
            entropy determines only the key pairs, and the library draws the rest from the system.
    """

    code: ClassVar[SuiteCode]
    overhead: ClassVar[int]
    secret: ClassVar[bool] = True
    reproducible: ClassVar[bool] = True

    def __init__(self) -> None:
        """Set `prefix`, the suite byte that begins every layer."""
        self.prefix = bytes((self.code,))

    @property
    def batch_size(self) -> int:
        """The best number of layers for one call: 1 if each layer is handled alone."""
        return 1

    @property
    def name(self) -> str:
        """The suite's name in scenario files and documents."""
        return self.code.label

    def keypair(self, entropy: Entropy) -> KeyPair:
        """Return a new key pair, made from the next 32 bytes of the entropy."""
        return self.keypair_from(entropy.random(SECRET_SIZE))

    def keypair_from(self, raw: bytes) -> KeyPair:
        """Return the key pair with these 32 bytes as its secret key.

        Raises:
            ParameterError: not 32 bytes.
        """
        if not isinstance(raw, bytes) or len(raw) != SECRET_SIZE:
            raise ParameterError(f"raw: not a secret key; accepted: {SECRET_SIZE} bytes")
        return self._keypair(raw)

    def seal(self, public: PublicKey, plaintext: bytes, context: bytes, entropy: Entropy) -> bytes:
        """Return a plaintext encrypted to a public key, bound to a context.

        Args:
            public: the recipient's key, of this suite.
            plaintext: any number of bytes.
            context: exactly 32 bytes; the result opens only in the same context.
            entropy: source of the ephemeral key, if it is seeded and the suite is reproducible;
                else the system's randomness is used.

        Returns:
            The sealed bytes, without the suite byte.

        Raises:
            ParameterError: a key of another suite, a plaintext that is not bytes, a context that is
                not 32 bytes.
        """
        if not isinstance(plaintext, bytes):
            raise ParameterError(f"plaintext: got {type(plaintext).__name__}, accepted: bytes")
        self.check(public, context)
        return self._seal(public, plaintext, context, entropy)

    def open(self, secret: SecretKey, sealed: bytes, context: bytes) -> bytes:
        """Return the plaintext of bytes that `seal` made for this secret key in this context.

        Raises:
            Refused: (DOES_NOT_OPEN) another key or context, changed, shortened or lengthened bytes,
                or a second encoding of a point inside. The error does not tell which.
            ParameterError: a key of another suite, sealed bytes that are not bytes, a context that
                is not 32 bytes.
        """
        if not isinstance(sealed, bytes):
            raise ParameterError(f"sealed: got {type(sealed).__name__}, accepted: bytes")
        self.check(secret, context)
        plaintext = self._open(secret, sealed, context)
        if plaintext is None:
            # Raised here and not where the library fails: the library's exception holds frames with
            # the secret in them, and would stay attached to this exception as its __context__.
            raise Refused(Reason.DOES_NOT_OPEN) from None
        return plaintext

    def check(self, key: PublicKey | SecretKey, context: bytes) -> None:
        """Check that the key is of this suite and the context has 32 bytes, else ParameterError."""
        if key.suite is not self.code:
            name = "public" if isinstance(key, PublicKey) else "secret"
            raise _other_suite(name, key.suite, self.code)
        if not isinstance(context, bytes) or len(context) != CONTEXT_SIZE:
            raise _wrong_context(context)

    @abstractmethod
    def _keypair(self, raw: bytes) -> KeyPair:
        """Return the key pair with this secret key of 32 bytes."""

    @abstractmethod
    def _seal(self, public: PublicKey, plaintext: bytes, context: bytes, entropy: Entropy) -> bytes:
        """Return the plaintext sealed to a key of this suite, bound to a context of 32 bytes.

        The caller has checked the arguments.
        """

    @abstractmethod
    def _open(self, secret: SecretKey, sealed: bytes, context: bytes) -> bytes | None:
        """Return the plaintext of sealed bytes; None if they do not open in this context."""

    def _seal_all(
        self,
        public: PublicKey,
        plaintexts: Sequence[bytes],
        context: bytes,
        entropies: Sequence[Entropy],
    ) -> list[bytes]:
        """Return many plaintexts sealed to one key, bound to one context, each with its entropy.

        A suite that can encrypt many plaintexts faster together overrides this method.
        """
        pairs = zip(plaintexts, entropies, strict=True)
        return [self._seal(public, plaintext, context, entropy) for plaintext, entropy in pairs]

    def _open_all(
        self, secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
        """Return many plaintexts from their sealed bytes; None for each that does not open.

        context: the 32 bytes to which all of them were bound.
        """
        return [self._open(secret, each, context) for each in sealed]

    def __repr__(self) -> str:
        return f"<suite {self.name}>"


def _other_suite(name: str, suite: SuiteCode, expected: SuiteCode) -> ParameterError:
    """Return the error for a key of another suite. name: "public" or "secret"."""
    return ParameterError(f"{name}: got a key of suite {suite.label}, accepted: {expected.label}")


def _wrong_context(context: object) -> ParameterError:
    """Return the error for a context that is not 32 bytes."""
    description = f"{len(context)} bytes" if isinstance(context, bytes) else type(context).__name__
    return ParameterError(f"context: got {description}, accepted: {CONTEXT_SIZE} bytes")
