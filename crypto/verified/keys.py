"""The joint key of a question: the sum of the keys of all keyholders, each with its owner's proof.

    keyholder    x random, X = x G, and a proof that it knows x (`joint_key.py`); the proof is bound
                 to session, round, question and keyholder by the digest of a transcript
    joint key    Y = sum of all X
    record       X || c || z                                                      96 bytes

G is the generator; c and z are challenge and response of the proof. Without proofs the last
keyholder could choose X = Z - (sum of all other X). Then Y = Z, and it alone would know the
logarithm of Y. A key serves one question of one round, and all ballots are decrypted at once:
ballots are proved non-malleable only for a single joint decryption under a key.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import Refused, VerificationError
from ..entropy import Entropy
from ..joint_key import KeyShare, check_share, joint, make_share
from .layout import RecordReader
from .transcript import ProofContext

# bytes of a keyholder's public key with its proof: an element and two scalars of 32 bytes
KEY_SIZE = 96


@dataclass(frozen=True, slots=True)
class OwnedKey:
    """The public key of a keyholder, with the proof that it knows the secret.

    Attributes:
        public: X = x G, with x the keyholder's secret and G the generator.
        proof: challenge and response of the proof, as in `joint_key.py`.
    """

    public: bytes
    proof: bytes

    def encode(self) -> bytes:
        """Return the record of the key, 96 bytes."""
        return self.public + self.proof


def decode_key(context: ProofContext, data: bytes) -> OwnedKey:
    """Return the keyholder's key in a record of 96 bytes.

    Raises:
        Refused: (MALFORMED) wrong length, no element, the identity, or a scalar out of range.
    """
    group = context.group
    reader = RecordReader(group, data, "keyholder's key")
    (public,), _ = reader.elements(1), reader.scalars(2)
    reader.end()
    return OwnedKey(public, data[group.element_size :])


def make_key(context: ProofContext, entropy: Entropy) -> KeyShare:
    """Return a new key of a keyholder: secret, public key and proof of knowing the secret.

    context: session, round, question and keyholder, to which the proof is bound.
    """
    transcript = context.transcript(b"key")
    return make_share(transcript.fork_entropy(entropy), transcript.digest(b"owner"))


def check_key(context: ProofContext, key: OwnedKey) -> None:
    """Check that the keyholder named in `context` knows the secret of its key.

    Raises:
        VerificationError: the proof of ownership does not hold.
    """
    try:
        check_share(key.public, key.proof, context.transcript(b"key").digest(b"owner"))
    except Refused:
        raise VerificationError(
            f"key of {context.party}: the proof of its owner does not hold"
        ) from None


def joint_key(contexts: Sequence[ProofContext], keys: Sequence[OwnedKey]) -> bytes:
    """Return the joint key of all keyholders, after a check of each key's proof of ownership.

    contexts: for each key the session, round, question and keyholder to which its proof is bound.

    Raises:
        VerificationError: a proof of ownership does not hold, or the keys cancel out.
    """
    for context, key in zip(contexts, keys, strict=True):
        check_key(context, key)
    total = joint([key.public for key in keys])
    if total == contexts[0].group.identity:
        raise VerificationError(
            "the keys of all keyholders add up to the identity, so the joint key hides nothing"
        )
    return total
