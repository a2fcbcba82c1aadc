"""The proof of a shuffle by Terelius and Wikstrom: its statement, and the record of the proof.

It proves that a new list of ciphertext rows is the old list, re-encrypted and permuted, and reveals
nothing of the permutation. Old row j goes to new place p(j); row i of the new list has the salts
r_i. u_j are exponents of 128 bits from the statement and C; v_i is the u of the old row that is now
at place i. H, H_1, .. are the generators of `generators.py`, Y is the joint key.

    C_j = rc_j G + H_p(j)
    K_i = k_i G + v_i K_(i-1),  K_0 = H
    t1 = w1 G   t2 = w2 G   t3 = w3 G + sum wv_i H_i   t4 = sum wv_i (A'_i, B'_i) - w4 (G, Y)
    T_i = wk_i G + wv_i K_(i-1)                        c = challenge of all before, K, t, T
    s1 = w1 + c sum rc_j      s2 = w2 + c a_n          (K_n = a_n G + b_n H)
    s3 = w3 + c sum rc_j u_j  s4 = w4 + c sum r_i v_i  sk_i = wk_i + c k_i    su_i = wv_i + c v_i
    record  count u32 || width u8 || C || K || T || t || s1 || s2 || s3 || s4 || sk || su

Each ciphertext of a row has its own t4 and s4; t is t1, t2, t3, then t4 of A_1, B_1, .., B_w. The
equations are in `shuffle_checker.py`. References: Terelius, Wikstrom 2010; Haenni, Locher, Koenig,
Dubuis 2017; for rows Haines 2019 (arXiv 1901.08371).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from ...errors import ParameterError
from .group import PrimeGroup
from .layout import COUNT, RecordReader, encoded_scalars
from .rows import CiphertextRows
from .transcript import ProofContext, ProofTranscript


@dataclass(frozen=True, slots=True)
class ShuffleProof:
    """A proof that new rows are the old rows, re-encrypted, in another order.

    It is the zero-knowledge proof by Terelius and Wikstrom; the module's docstring defines its
    symbols.

    Attributes:
        commitments: C, commitments to the order.
        chain: K, commitments to the running product of the exponents that weigh the old rows.
        chain_masks: T, the prover's blinded commitments for the chain.
        masks: t1, t2, t3, and t4 of each column of the rows: the prover's first message.
        sums: s1, s2, s3, responses for sums of secrets.
        salt_responses: s4, a response for the re-encryption of each ciphertext of a row.
        chain_responses: sk, a response for the chain's commitment of each row.
        exponent_responses: su, a response for the permuted exponent of each row.
    """

    commitments: tuple[bytes, ...]
    chain: tuple[bytes, ...]
    chain_masks: tuple[bytes, ...]
    masks: tuple[bytes, ...]
    sums: tuple[int, ...]
    salt_responses: tuple[int, ...]
    chain_responses: tuple[int, ...]
    exponent_responses: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, ciphertexts in a row) that all parts of the proof fit.

        Raises:
            ParameterError: the parts do not fit each other.
        """
        count, width = len(self.commitments), len(self.salt_responses)
        by_row = self.chain, self.chain_masks, self.chain_responses, self.exponent_responses
        if any(len(part) != count for part in by_row):
            lengths = ", ".join(str(len(part)) for part in by_row)
            raise ParameterError(
                f"proof of a shuffle: found {lengths} chain elements, chain masks, chain responses "
                f"and exponent responses; {count} of each are accepted, one for each commitment"
            )
        if len(self.masks) != 3 + 2 * width or len(self.sums) != 3:
            raise ParameterError(
                f"proof of a shuffle: the numbers of masks and sums do not fit {width} ciphertexts "
                "a row"
            )
        return count, width

    def encode(self, group: PrimeGroup) -> bytes:
        """Return the proof as a record of bytes."""
        count, width = self.shape
        elements = self.commitments, self.chain, self.chain_masks, self.masks
        scalars = self.sums, self.salt_responses, self.chain_responses, self.exponent_responses
        return (
            count.to_bytes(COUNT, "big")
            + width.to_bytes(1, "big")
            + b"".join(element for part in elements for element in part)
            + encoded_scalars(group, (scalar for part in scalars for scalar in part))
        )

    @classmethod
    def decode(cls, group: PrimeGroup, data: bytes) -> Self:
        """Return the proof in a record of bytes.

        Raises:
            Refused: (MALFORMED) wrong length, no element, the identity, or a scalar out of range.
        """
        reader = RecordReader(group, data, "proof of a shuffle")
        count, width = reader.number(COUNT), reader.number(1)
        commitments, chain, chain_masks = (reader.elements(count) for _ in range(3))
        masks = reader.elements(3 + 2 * width)
        sums, salt_responses = reader.scalars(3), reader.scalars(width)
        chain_responses, exponent_responses = reader.scalars(count), reader.scalars(count)
        reader.end()
        return cls(
            commitments,
            chain,
            chain_masks,
            masks,
            sums,
            salt_responses,
            chain_responses,
            exponent_responses,
        )


@dataclass(frozen=True, slots=True)
class ShuffleStatement:
    """The claim that is proved: `new` has the rows of `old`, re-encrypted, in another order.

    Attributes:
        context: with the shuffler (hop) as its place.
        key: the joint key.
        old, new: the rows before and after, of one shape.
    """

    context: ProofContext
    key: bytes
    old: CiphertextRows
    new: CiphertextRows

    @property
    def group(self) -> PrimeGroup:
        """The group of all elements in the statement."""
        return self.context.group

    def transcript(self) -> ProofTranscript:
        """Return a new transcript that begins with the whole statement."""
        transcript = self.context.transcript(b"shuffle")
        transcript.absorb(self.key, self.old.encode(), self.new.encode())
        return transcript


def row_exponents(transcript: ProofTranscript, commitments: Sequence[bytes]) -> list[int]:
    """Return the exponents u of all old rows, from the statement and the commitments.

    transcript: with the statement; the commitments to the order are added.
    """
    transcript.absorb_elements(commitments)
    return transcript.exponents(b"exponents", len(commitments))


def final_challenge(
    group: PrimeGroup,
    transcript: ProofTranscript,
    chain: Sequence[bytes],
    masks: Sequence[bytes],
    chain_masks: Sequence[bytes],
) -> int:
    """Return the challenge scalar c, which follows from every commitment of the prover."""
    for part in (chain, masks, chain_masks):
        transcript.absorb_elements(part)
    return transcript.challenge(b"challenge", group)
