"""The joint key of a question: the sum of the keys of all keyholders, each with its owner's proof.

    keyholder    x random, X = x G, and the proof of `joint_key.py` that it knows x, whose context
                 is the digest of the transcript "key" of its place
    joint key    Y = sum of all X
    record       X || c || z                                                      96 bytes

Without its proof the last keyholder could choose X = Z - (all others), and would alone hold the
logarithm of Y = Z. A key is for one question of one round: the proofs of ballots are non-malleable
for one opening a key.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import Refused, VerificationError
from ..entropy import Entropy
from ..joint_key import KeyShare, check_share, joint, make_share
from .layout import RecordReader
from .transcript import ProofContext

KEY_SIZE = 96  # bytes of the record of a keyholder's key


@dataclass(frozen=True, slots=True)
class OwnedKey:
    """The public key of a keyholder, with the proof that it knows the secret.

    Attributes:
        public: X = x G, with x the keyholder's secret.
        proof: c || z, as in `joint_key.py`.
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
    """Return a new key of the keyholder that a context names: secret, public key and proof."""
    transcript = context.transcript(b"key")
    return make_share(transcript.fork_entropy(entropy), transcript.digest(b"owner"))


def check_key(context: ProofContext, key: OwnedKey) -> None:
    """Check that the keyholder that a context names knows the secret of its key.

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
    """Return the joint key of all keyholders, after a check of each key in its own context.

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
