"""Decryption shares of a whole list, with one proof, and the elements that all shares open.

    keyholder   D_i = x A_i for every ciphertext of the lists to be opened
    weights     e_i, 128 bits each, from the transcript: context, X, A, D
    proof       of equal logarithms:  X = x G  and  sum e_i D_i = x sum e_i A_i
    opened      M_i = B_i - (sum of the D_i of all keyholders)
    record      count u32 || D || c || z

x is a keyholder's secret, X its public key, G the generator, and (A_i, B_i) a ciphertext of the
group element M_i. c and z are challenge and response of the proof. A keyholder gives shares of one
list only, once, and then erases x.
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
        elements: x A for each ciphertext (A, B), with x the keyholder's secret.
        proof: the proof that all shares are made with the keyholder's secret.
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
    """Return a keyholder's decryption shares of all ciphertexts, with one proof for all shares.

    Args:
        context: session, round, question and keyholder, to which the proof is bound.
        key: the keyholder's secret and public key.
        firsts: the first element A of each ciphertext (A, B) that is to be decrypted: of the lists
            that the last shuffler has made.
        entropy: randomness of this proof.
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
    """Check that all decryption shares are made with the secret of the keyholder in `context`.

    public: the keyholder's public key. firsts: the first element A of each ciphertext (A, B).

    Raises:
        VerificationError: not a share for each ciphertext, or the proof does not hold.
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
    """Return a keyholder's decryption shares x A, without a proof.

    x is the secret of the key, A the first element of each ciphertext (`firsts`). The reader of a
    private round needs no proof, because it publishes no shares.
    """
    return group.multiples([group.decode_scalar(key.secret)] * len(firsts), firsts)


def opened_elements(
    group: PrimeGroup, seconds: Sequence[bytes], shares: Sequence[Sequence[bytes]]
) -> list[bytes]:
    """Return the group elements of the values: the ciphertexts' second elements minus all shares.

    seconds: the second element B of each ciphertext. shares: of each keyholder its decryption
    shares.
    """
    opened = list(seconds)
    for elements in shares:
        opened = group.differences(opened, elements)
    return opened


def share_weights(
    context: ProofContext, public: bytes, firsts: Sequence[bytes], elements: Sequence[bytes]
) -> tuple[ProofTranscript, list[int]]:
    """Return the transcript of decryption shares, and pseudorandom weights that follow from it.

    One proof about the weighted sum of all shares replaces a proof for each share. public: the
    keyholder's public key. firsts: the first element of each ciphertext. elements: the shares.
    """
    transcript = context.transcript(b"shares")
    transcript.absorb(public)
    transcript.absorb_elements(firsts)
    transcript.absorb_elements(elements)
    return transcript, transcript.exponents(b"weights", len(firsts))
