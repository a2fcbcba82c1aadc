"""A ballot for curator and analyst, with a proof that both can read the same value ("submit once").

    ballot     A = r G,  B = M + r Y_C,  B' = M + r Y_A,
               proof of knowing r with A = r G and B - B' = r (Y_C - Y_A)
    statement  context of the proof (with the person's name); Y_C, Y_A, A, B, B'
    record     A || B || B' || c || z                                            160 bytes

G is the generator, r random, and M the group element of the value. Y_C and Y_A are the joint keys
for the curator and the analyst; c and z are challenge and response of the proof. The proof of equal
logarithms shows that B - r Y_C = B' - r Y_A is one value, and that the sender knows r. The curator
reads (A, B) in the first round. In a later round the released columns of the same ballots are mixed
as (A, B').
"""

from dataclasses import dataclass, field

from ...errors import VerificationError
from ..entropy import Entropy
from .ballots import ballot_salt
from .group import PrimeGroup
from .layout import RecordReader
from .proofs import SecretProof, check_equality, prove_equality
from .transcript import ProofContext, ProofTranscript

ONCE_SIZE = 160  # bytes of the record of a ballot for curator and analyst


@dataclass(frozen=True, slots=True)
class ReaderKeys:
    """The joint keys to which a ballot for two readers is encrypted; the two keys differ.

    Attributes:
        curator, analyst: the public keys for the curator and for the analyst.
    """

    curator: bytes
    analyst: bytes


@dataclass(frozen=True, slots=True)
class OnceBallot:
    """A ballot for curator and analyst as it is published on the bulletin board.

    Attributes:
        first: A = r G, with G the generator and r the salt.
        curator_second, analyst_second: the element of the value, plus r times the reader's joint
            key.
        proof: the proof that the sender knows the value, and that both readers get the same value.
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
    """A ballot for curator and analyst with the secret of its sender.

    Attributes:
        ballot: the part for the bulletin board.
        salt: r, the random scalar of the ciphertexts, which opens the ballot.
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
    """Return a person's ballot, encrypted for both readers: the curator and the analyst.

    The ballot serves both rounds, so the person submits only once. context: session, round,
    question and person, to which the proof is bound. keys: the joint keys of the readers. element:
    the group element of the value.
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
    """Check the proof of a ballot for curator and analyst.

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
    """Return the curator's joint key minus the analyst's, the second base of the ballots' proof.

    Raises VerificationError if the two keys are equal.
    """
    (difference,) = group.differences([keys.curator], [keys.analyst])
    if difference == group.identity:
        raise VerificationError("curator and analyst have the same joint key")
    return difference


def _statement(
    context: ProofContext, keys: ReaderKeys, first: bytes, seconds: list[bytes]
) -> ProofTranscript:
    """Return the hash state with which a ballot's proof begins: context, keys and ciphertexts."""
    transcript = context.transcript(b"once")
    transcript.absorb(keys.curator, keys.analyst, first, *seconds)
    return transcript
