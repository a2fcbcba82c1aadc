"""Proofs of a secret: of a logarithm (Schnorr), of equal logarithms (Chaum and Pedersen).

    logarithm         X = x G                R = k G
    equal logarithms  X = x G,  F = x E      R = k G,  S = k E
    c = challenge of the transcript, which has the whole statement, then R (and S)
    z = k + c x                              proof  c || z, a scalar each
    check             R = z G - c X          S = z E - c F          c is the challenge

G is the generator, x the secret, E a second base and k a random nonce. The caller first adds the
statement to the transcript. The nonce is used for this statement alone, as two uses would reveal x.
"""

from dataclasses import dataclass
from typing import Self

from ...errors import VerificationError
from ..entropy import Entropy
from .group import PrimeGroup, draw_scalars
from .layout import RecordReader, encoded_scalars
from .transcript import ProofTranscript

_CHALLENGE = b"challenge"


@dataclass(frozen=True, slots=True)
class SecretProof:
    """A zero-knowledge proof of knowing a secret scalar x, by Schnorr's protocol.

    Attributes:
        challenge: c, a scalar: a hash of the statement and the prover's commitment.
        response: z = k + c x, a scalar; k is a random nonce.
    """

    challenge: int
    response: int

    def encode(self, group: PrimeGroup) -> bytes:
        """Return the proof as bytes: its challenge and its response."""
        return encoded_scalars(group, (self.challenge, self.response))

    @classmethod
    def read(cls, reader: RecordReader) -> Self:
        """Return the proof that comes next in a record."""
        return cls(*reader.scalars(2))


def prove_logarithm(
    group: PrimeGroup, transcript: ProofTranscript, secret: int, entropy: Entropy
) -> SecretProof:
    """Return a proof of knowing `secret`, the logarithm of an element to the generator.

    transcript: the hash state, which already has this element and the rest of the statement.
    """
    (nonce,) = draw_scalars(group, transcript.fork_entropy(entropy), 1)
    transcript.absorb_elements(group.base_multiples([nonce]))
    challenge = transcript.challenge(_CHALLENGE, group)
    return SecretProof(challenge, (nonce + challenge * secret) % group.order)


def check_logarithm(
    group: PrimeGroup, transcript: ProofTranscript, image: bytes, proof: SecretProof
) -> None:
    """Check a proof of knowing the logarithm of `image` to the generator.

    transcript: the hash state, which already has `image` and the rest of the statement.

    Raises:
        VerificationError: the proof does not hold.
    """
    left_side = group.base_multiples([proof.response])
    right = group.multiples([proof.challenge], [image])
    transcript.absorb_elements(group.differences(left_side, right))
    if proof.challenge != transcript.challenge(_CHALLENGE, group):
        raise VerificationError("the proof of a logarithm does not hold")


def prove_equality(
    group: PrimeGroup, transcript: ProofTranscript, secret: int, base: bytes, entropy: Entropy
) -> SecretProof:
    """Return a proof that two group elements have the same logarithm `secret`.

    The first element is `secret` times the generator, the second is `secret` times `base`.
    transcript: the hash state, which already has both elements and the rest of the statement.
    entropy: the source of the proof's random nonce.
    """
    (nonce,) = draw_scalars(group, transcript.fork_entropy(entropy), 1)
    transcript.absorb_elements([*group.base_multiples([nonce]), *group.multiples([nonce], [base])])
    challenge = transcript.challenge(_CHALLENGE, group)
    return SecretProof(challenge, (nonce + challenge * secret) % group.order)


def check_equality(
    group: PrimeGroup,
    transcript: ProofTranscript,
    image: bytes,
    base: bytes,
    other_image: bytes,
    proof: SecretProof,
) -> None:
    """Check a proof that two group elements have the same logarithm, each to its own base.

    image: the element with the generator as base. other_image: the element with `base` as base.
    transcript: the hash state, which already has both elements and the rest of the statement.

    Raises:
        VerificationError: the proof does not hold.
    """
    left_side = [
        *group.base_multiples([proof.response]),
        *group.multiples([proof.response], [base]),
    ]
    right = group.multiples([proof.challenge] * 2, [image, other_image])
    transcript.absorb_elements(group.differences(left_side, right))
    if proof.challenge != transcript.challenge(_CHALLENGE, group):
        raise VerificationError("the proof of equal logarithms does not hold")
