"""An encrypted ballot of a verified mix, with a proof that its sender knows its value.

    ballot    r random,  A = r G,  B = M + r Y,  proof (c, z) of knowing r
    statement context of the proof (with the person's name); Y, A, B
    record    A || B || c || z                                                   128 bytes

G is the generator, M the group element of the value, Y the joint key of the keyholders, and (c, z)
challenge and response of a Schnorr proof. ElGamal with this proof is non-malleable under one
parallel opening (Bernhard, Pereira, Warinschi 2012). So a copy under another name, a re-randomized
copy and a ballot of another session are refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...errors import VerificationError
from ..entropy import Entropy
from .group import PrimeGroup, draw_scalars
from .layout import RecordReader
from .proofs import SecretProof, check_logarithm, prove_logarithm
from .transcript import ProofContext, ProofTranscript

BALLOT_SIZE = 128  # bytes of a ballot's record


@dataclass(frozen=True, slots=True)
class EncryptedBallot:
    """An encrypted ballot as it is published on the bulletin board.

    Attributes:
        first, second: the ElGamal ciphertext A = r G and B = M + r Y, with G the generator, M the
            group element of the value, and Y the joint key.
        proof: the proof of knowing the salt r.
    """

    first: bytes
    second: bytes
    proof: SecretProof

    def encode(self, group: PrimeGroup) -> bytes:
        """Return the ballot's record, 128 bytes."""
        return self.first + self.second + self.proof.encode(group)


@dataclass(frozen=True, slots=True)
class MadeBallot:
    """An encrypted ballot with the secret of its sender.

    Attributes:
        ballot: the part for the bulletin board.
        salt: r, the random scalar of the ciphertext; with it the sender can prove the ballot's
            value.
    """

    ballot: EncryptedBallot
    salt: int = field(repr=False)


def decode_ballot(group: PrimeGroup, data: bytes) -> EncryptedBallot:
    """Return the encrypted ballot in a record of 128 bytes.

    Raises:
        Refused: (MALFORMED) wrong length, no element, the identity, or a scalar out of range.
    """
    reader = RecordReader(group, data, "ballot")
    first, second = reader.elements(2)
    proof = SecretProof.read(reader)
    reader.end()
    return EncryptedBallot(first, second, proof)


def make_ballot(context: ProofContext, key: bytes, element: bytes, entropy: Entropy) -> MadeBallot:
    """Return the encrypted ballot of a person, with a proof that the person knows its value.

    Args:
        context: session, round, question and person of the proof; `place` in it names the person.
        key: the joint key of all keyholders, to which the ballot is encrypted.
        element: the group element of the value.
        entropy: randomness of this ballot; a person may keep it over a restart.
    """
    group = context.group
    salt = ballot_salt(context, (key,), element, entropy)
    (first,) = group.base_multiples([salt])
    (second,) = group.sums(group.multiples([salt], [key]), [element])
    transcript = _statement(context, key, first, second)
    proof = prove_logarithm(group, transcript, salt, entropy)
    return MadeBallot(EncryptedBallot(first, second, proof), salt)


def ballot_salt(
    context: ProofContext, keys: Iterable[bytes], element: bytes, entropy: Entropy
) -> int:
    """Return the salt of a ballot, the random scalar of its ciphertext; it depends on the value.

    Two values under the same salt would show their difference, so each value has a salt of its own.
    The same value has the same salt, so that a person posts the same ballot again after a restart.

    context: names session, round, question and person. keys: the joint keys to which the ballot is
    encrypted. element: the group element of the value.
    """
    transcript = context.transcript(b"salt")
    transcript.absorb(*keys, element)
    (salt,) = draw_scalars(context.group, transcript.fork_entropy(entropy), 1)
    return salt


def check_ballot(context: ProofContext, key: bytes, ballot: EncryptedBallot) -> None:
    """Check that the person named in `context` knows the value of its ballot.

    key: the joint key to which the ballot is encrypted.

    Raises:
        VerificationError: the proof does not hold for this person, question, session and key.
    """
    transcript = _statement(context, key, ballot.first, ballot.second)
    try:
        check_logarithm(context.group, transcript, ballot.first, ballot.proof)
    except VerificationError:
        raise VerificationError(
            f"ballot of {context.party}: the proof of its sender does not hold"
        ) from None


def check_ballots(
    context: ProofContext, key: bytes, ballots: Iterable[tuple[bytes, EncryptedBallot]]
) -> None:
    """Check all ballots of a question: no person twice, and each proof holds for its person.

    ballots: pairs of a person's name and its ballot. key: the joint key.

    Raises:
        VerificationError: a person has two ballots, or a proof does not hold.
    """
    people = set[bytes]()
    for person, ballot in ballots:
        if person in people:
            raise VerificationError(f"ballot of {person!r}: the person has another ballot already")
        people.add(person)
        check_ballot(context.at(person), key, ballot)


def _statement(context: ProofContext, key: bytes, first: bytes, second: bytes) -> ProofTranscript:
    """Return the hash state with which a ballot's proof begins: context, key and ciphertext."""
    transcript = context.transcript(b"ballot")
    transcript.absorb(key, first, second)
    return transcript
