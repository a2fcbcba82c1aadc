"""Decryption shares of a whole list, with one proof, and the elements that all shares open.

    keyholder   D_i = x A_i for every ciphertext of the last lists
    weights     e_i, 128 bits each, from the transcript: context, X, A, D
    proof       of equal logarithms:  X = x G  and  sum e_i D_i = x sum e_i A_i
    opened      M_i = B_i - (sum of all D_i)
    record      count u32 || D || c || z

One keyholder gives shares of one list only, once, and then erases x.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ...errors import VerificationError
from ..entropy import Entropy
from ..joint_key import KeyShare
from .group import PrimeGroup
from .layout import COUNT, RecordReader
from .proofs import SecretProof, check_equality, prove_equality
from .transcript import ProofContext, ProofTranscript


@dataclass(frozen=True, slots=True)
class DecryptionShares:
    """The decryption shares of one keyholder for all ciphertexts, with one proof.

    Attributes:
        elements: D = x A for each ciphertext (A, B), with x the keyholder's secret.
        proof: that all shares are made with the keyholder's secret.
    """

    elements: tuple[bytes, ...]
    proof: SecretProof

    def encode(self, group: PrimeGroup) -> bytes:
        """Return the shares and the proof as a record of bytes."""
        head = len(self.elements).to_bytes(COUNT, "big")
        return head + b"".join(self.elements) + self.proof.encode(group)

    @classmethod
    def decode(cls, group: PrimeGroup, data: bytes) -> Self:
        """Return the shares in a record of bytes.

        Raises:
            Refused: (MALFORMED) wrong length, no element, the identity, or a scalar out of range.
        """
        reader = RecordReader(group, data, "decryption shares")
        elements = reader.elements(reader.number(COUNT))
        proof = SecretProof.read(reader)
        reader.end()
        return cls(elements, proof)


def make_shares(
    context: ProofContext, key: KeyShare, firsts: Sequence[bytes], entropy: Entropy
) -> DecryptionShares:
    """Return the decryption shares of the keyholder that a context names, with their proof.

    Args:
        context: with the keyholder as its place.
        key: with x and X.
        firsts: A of all ciphertexts of the last lists.
        entropy: of this proof.
    """
    group, secret = context.group, context.group.decode_scalar(key.secret)
    elements = partial_decryptions(group, key, firsts)
    transcript, weights = share_weights(context, key.public, firsts, elements)
    base = group.weighted_sum(weights, firsts)
    transcript.absorb_elements([base, *group.multiples([secret], [base])])
    proof = prove_equality(group, transcript, secret, base, entropy)
    return DecryptionShares(tuple(elements), proof)


def check_shares(
    context: ProofContext, public: bytes, firsts: Sequence[bytes], shares: DecryptionShares
) -> None:
    """Check that all shares are made with the secret of the keyholder that a context names.

    Raises:
        VerificationError: another number of shares, or the proof does not hold.
    """
    group = context.group
    if len(shares.elements) != len(firsts):
        raise VerificationError(
            f"shares of {context.party}: found {len(shares.elements)}; {len(firsts)} are due, one "
            "for each ciphertext"
        )
    transcript, weights = share_weights(context, public, firsts, shares.elements)
    base = group.weighted_sum(weights, firsts)
    image = group.weighted_sum(weights, shares.elements)
    transcript.absorb_elements([base, image])
    try:
        check_equality(group, transcript, public, base, image, shares.proof)
    except VerificationError:
        raise VerificationError(f"shares of {context.party}: the proof does not hold") from None


def partial_decryptions(group: PrimeGroup, key: KeyShare, firsts: Sequence[bytes]) -> list[bytes]:
    """Return a keyholder's decryption shares D = x A without a proof.

    x is the secret of the key, A the first element of each ciphertext. The reader of a private
    round
    needs no proof, because it publishes no shares.
    """
    return group.multiples([group.decode_scalar(key.secret)] * len(firsts), firsts)


def opened_elements(
    group: PrimeGroup, seconds: Sequence[bytes], shares: Sequence[Sequence[bytes]]
) -> list[bytes]:
    """Return the group elements of the values: B minus the shares of all keyholders.

    B are the second elements of the ciphertexts, `shares` the decryption shares.
    """
    opened = list(seconds)
    for elements in shares:
        opened = group.differences(opened, elements)
    return opened


def share_weights(
    context: ProofContext, public: bytes, firsts: Sequence[bytes], elements: Sequence[bytes]
) -> tuple[ProofTranscript, list[int]]:
    """Return the transcript of shares, and the weights that follow from it for the joint proof."""
    transcript = context.transcript(b"shares")
    transcript.absorb(public)
    transcript.absorb_elements(firsts)
    transcript.absorb_elements(elements)
    return transcript, transcript.exponents(b"weights", len(firsts))
