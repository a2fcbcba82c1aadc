"""A ballot for two readers, with a proof that both can read the same value ("submit once").

    ballot     A = r G,  B = M + r Y_C,  B' = M + r Y_A,
               proof of knowing r with A = r G and B - B' = r (Y_C - Y_A)
    statement  context, with the person as its place; Y_C, Y_A, A, B, B'
    record     A || B || B' || c || z                                            160 bytes

M is the group element of the value; Y_C and Y_A are the joint keys for the curator and the analyst.
B - r Y_C = B' - r Y_A is one value, and its sender knows it: the proof of equal logarithms proves
knowledge of r too. The curator reads (A, B) in the first round; in a later round the released
columns of the same ballots are mixed as (A, B').
"""

from dataclasses import dataclass, field

from ...errors import VerificationError
from ..entropy import Entropy
from .ballots import ballot_salt
from .group import PrimeGroup
from .layout import RecordReader
from .proofs import SecretProof, check_equality, prove_equality
from .transcript import ProofContext, ProofTranscript

ONCE_SIZE = 160  # bytes of the record of a ballot for two readers


@dataclass(frozen=True, slots=True)
class ReaderKeys:
    """The joint keys to which a ballot for two readers is encrypted; their owners differ.

    Attributes:
        curator, analyst: Y_C and Y_A, the public keys of curator and analyst.
    """

    curator: bytes
    analyst: bytes


@dataclass(frozen=True, slots=True)
class OnceBallot:
    """A ballot for two readers as it is published on the bulletin board.

    Attributes:
        first: A = r G.
        curator_second, analyst_second: B and B', the value under either key.
        proof: that the sender knows the value, and that both readers get the same value.
    """

    first: bytes
    curator_second: bytes
    analyst_second: bytes
    proof: SecretProof

    def encode(self, group: PrimeGroup) -> bytes:
        """Return the ballot's record, 160 bytes."""
        elements = self.first + self.curator_second + self.analyst_second
        return elements + self.proof.encode(group)


@dataclass(frozen=True, slots=True)
class MadeOnceBallot:
    """A ballot for two readers with the secret of its sender.

    Attributes:
        ballot: the part for the bulletin board.
        salt: r, which opens the ballot.
    """

    ballot: OnceBallot
    salt: int = field(repr=False)


def decode_once(group: PrimeGroup, data: bytes) -> OnceBallot:
    """Return the ballot in a record of 160 bytes.

    Raises:
        Refused: (MALFORMED) wrong length, no element, the identity, or a scalar out of range.
    """
    reader = RecordReader(group, data, "ballot for two readers")
    first, curator_second, analyst_second = reader.elements(3)
    proof = SecretProof.read(reader)
    reader.end()
    return OnceBallot(first, curator_second, analyst_second, proof)


def make_once(
    context: ProofContext, keys: ReaderKeys, element: bytes, entropy: Entropy
) -> MadeOnceBallot:
    """Return the ballot for both readers of the person that a context names.

    element: the group element of the value.
    """
    group = context.group
    salt = ballot_salt(context, (keys.curator, keys.analyst), element, entropy)
    (first,) = group.base_multiples([salt])
    masks = group.multiples([salt] * 2, [keys.curator, keys.analyst])
    seconds = group.sums(masks, [element] * 2)
    transcript = _statement(context, keys, first, seconds)
    base = _key_difference(group, keys)
    proof = prove_equality(group, transcript, salt, base, entropy)
    return MadeOnceBallot(OnceBallot(first, seconds[0], seconds[1], proof), salt)


def check_once(context: ProofContext, keys: ReaderKeys, ballot: OnceBallot) -> None:
    """Check the proof of a ballot for two readers.

    Raises:
        VerificationError: the sender does not know the value of the ballot, or the ballot holds
            different values for curator and analyst.
    """
    group, base = context.group, _key_difference(context.group, keys)
    seconds = [ballot.curator_second, ballot.analyst_second]
    transcript = _statement(context, keys, ballot.first, seconds)
    (image,) = group.differences(seconds[:1], seconds[1:])
    try:
        check_equality(group, transcript, ballot.first, base, image, ballot.proof)
    except VerificationError:
        raise VerificationError(
            f"ballot of {context.party}: the proof of one value for both readers does not hold"
        ) from None


def _key_difference(group: PrimeGroup, keys: ReaderKeys) -> bytes:
    """Return Y_C - Y_A, the curator's key minus the analyst's: the base of the proof.

    Raises VerificationError if the two keys are equal.
    """
    (difference,) = group.differences([keys.curator], [keys.analyst])
    if difference == group.identity:
        raise VerificationError("curator and analyst have the same joint key")
    return difference


def _statement(
    context: ProofContext, keys: ReaderKeys, first: bytes, seconds: list[bytes]
) -> ProofTranscript:
    """Return the transcript that the proof begins with: context, keys and ciphertexts."""
    transcript = context.transcript(b"once")
    transcript.absorb(keys.curator, keys.analyst, first, *seconds)
    return transcript
