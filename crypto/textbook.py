"""The suite `textbook`: deterministic encryption, for the lesson on salt. It does not hide values.

    e            = BLAKE2b-256(context || plaintext;
                               key = recipient's key, person "veilmix.textbook")
    sealed bytes = the sealed box of suite `sealedbox`, with e as its ephemeral key

Equal plaintexts in one context give equal ciphertexts. So an attacker with the recipient's public
key encrypts each of the few values of a column, and compares: the dictionary attack. A salt inside
the plaintext, or randomised encryption, prevents this attack.
"""

from hashlib import blake2b
from typing import final

from ..errors import ParameterError
from .entropy import Entropy
from .keys import SECRET_SIZE, KeyPair, PublicKey, SuiteCode
from .sealedbox import BoxSuite, sealed_box

_PERSON = b"veilmix.textbook"


@final
class Textbook(BoxSuite):
    """The insecure deterministic suite; it makes keys and seals only with `lesson=True`."""

    code = SuiteCode.TEXTBOOK
    secret = False

    def __init__(self, *, lesson: bool = False) -> None:
        """Make the suite. lesson: whether it may make keys and seal."""
        super().__init__()
        self.lesson = lesson

    def _keypair(self, raw: bytes) -> KeyPair:
        """Return the key pair of these 32 bytes; ParameterError unless `lesson=True`."""
        self.require_lesson()
        return super()._keypair(raw)

    def _seal(
        self,
        public: PublicKey,
        plaintext: bytes,
        context: bytes,
        entropy: Entropy,  # noqa: ARG002  (deterministic: that is its fault)
    ) -> bytes:
        """Return a sealed box with an ephemeral key that is a hash of the plaintext."""
        self.require_lesson()
        message = context + plaintext
        digest = blake2b(message, digest_size=SECRET_SIZE, key=public.raw, person=_PERSON)
        return sealed_box(public.raw, message, digest.digest())

    def require_lesson(self) -> None:
        """Raise ParameterError unless the suite was made with `lesson=True`."""
        if not self.lesson:
            raise ParameterError(
                "suite: textbook is deterministic and hides nothing; choose sealedbox, or say "
                'that this is a lesson: suite("textbook", lesson=True)'
            )
