"""The proof of a shuffle by Terelius and Wikstrom: its statement, and the record of the proof.

It proves that a new list of ciphertext rows is the old list, re-encrypted and permuted, and reveals
nothing of the permutation. There are n rows. Old row j goes to new place p(j); new row i has the
ciphertexts (A'_i, B'_i) and the re-encryption salts r_i. The exponents u_j of the old rows are
pseudorandom, 128 bits each, from the statement and C; v_i is the u of the old row that becomes new
row i. G is the generator, H, H_1, .. come from `generators.py`, and Y is the joint key. rc_j,
k_i, w1, .., w4, wk_i and wv_i are random scalars of the prover.

    C_j = rc_j G + H_p(j)
    K_i = k_i G + v_i K_(i-1),  K_0 = H
    t1 = w1 G   t2 = w2 G   t3 = w3 G + sum wv_i H_i   t4 = sum wv_i (A'_i, B'_i) - w4 (G, Y)
    T_i = wk_i G + wv_i K_(i-1)                        c = challenge of all before, K, t, T
    s1 = w1 + c sum rc_j      s2 = w2 + c a_n          (K_n = a_n G + b_n H)
    s3 = w3 + c sum rc_j u_j  s4 = w4 + c sum r_i v_i  sk_i = wk_i + c k_i    su_i = wv_i + c v_i
    record  count u32 || width u8 || C || K || T || t || s1 || s2 || s3 || s4 || sk || su

C commits to the permutation, and the chain K to the product of all v. t and T are commitments to
the random scalars, and s1, .., su are responses to the challenge c. Each ciphertext of a row has
its own t4 and s4; t is t1, t2, t3, then t4 of A_1, B_1, .., B_w, with w ciphertexts in a row. The
checked equations are in `shuffle_checker.py`. References: Terelius, Wikstrom 2010; Haenni, Locher,
Koenig, Dubuis 2017; for rows Haines 2019 (arXiv 1901.08371).
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
    """A proof that new rows of ciphertexts are the old rows, re-encrypted, in another order.

    It is the zero-knowledge proof by Terelius and Wikstrom; the module's docstring has its
    equations.

    Attributes:
        commitments: C, commitments to the order.
        chain: K, commitments to the running product of the exponents that weigh the old rows.
        chain_masks: T, commitments to the prover's random scalars for the chain K.
        masks: t1, t2, t3, and t4 of each column of the rows: commitments to the prover's other
            random scalars.
        sums: s1, s2, s3, responses about sums of secrets.
        salt_responses: s4, a response about the re-encryption of each ciphertext of a row.
        chain_responses: sk, a response about the chain's commitment of each row.
        exponent_responses: su, a response about the permuted exponent of each row.
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
        """The number of rows, and of ciphertexts in a row, for which the proof is made.

        Raises:
            ParameterError: the parts of the proof have different numbers of rows or ciphertexts.
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
        context: session, round, question and shuffler (hop), to which the proof is bound.
        key: the joint key.
        old, new: the rows before and after, as many, with as many ciphertexts each.
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
    """Return a pseudorandom exponent for each old row, from the statement and the commitments.

    The exponents weigh the rows in the proof. transcript: has the statement; the commitments to the
    order are added to it.
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
    """Return the challenge scalar of a shuffle proof, which depends on all its commitments.

    chain: commitments to the running product of the exponents. masks, chain_masks: commitments to
    the prover's random scalars.
    """
    for part in (chain, masks, chain_masks):
        transcript.absorb_elements(part)
    return transcript.challenge(b"challenge", group)
