"""Challenges of proofs: strong Fiat-Shamir over the whole statement, every item behind its length.

    state        SHA-512 of the items so far, each as its length in bytes, u64 || item
    items        "veilmix verified 1", label of the proof, then of the context:
                 group, announcement digest, round u32, question u32, place; then the statement
    challenge    the label of the challenge is one more item; then SHA-512 mod the order
    exponents    one more item too; then 128 bits each of SHAKE256(state)

Place is the name of the party (or hop) that makes the proof. Integers are big-endian; but scalars
and exponents are little-endian. The hash covers every part of the statement, the context and the
labels. If a part were left out, a prover could choose this part after it knows the challenge
(Bernhard, Pereira, Warinschi 2012).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha512, shake_256

from ...errors import ParameterError
from ..entropy import Entropy
from .group import PrimeGroup

DOMAIN = b"veilmix verified 1"
DIGEST = 32  # bytes of an announcement's digest
EXPONENT = 16  # bytes of a pseudorandom exponent, which weighs a row in a proof of many rows
_LIMIT = 1 << 32


class ProofTranscript:
    """The hash state of a proof: items are added in order, and challenges follow from all of them.

    Args:
        label: name of the kind of proof, such as b"ballot".
    """

    __slots__ = ("_state",)

    def __init__(self, label: bytes) -> None:
        """Begin with the domain separator and the label of the proof."""
        self._state = sha512()
        self.absorb(DOMAIN, label)

    def absorb(self, *items: bytes) -> None:
        """Add items of the statement, each after its length."""
        for item in items:
            self._state.update(len(item).to_bytes(8, "big") + item)

    def absorb_elements(self, elements: Iterable[bytes]) -> None:
        """Add a list of elements of equal size as a single item."""
        self.absorb(b"".join(elements))

    def challenge(self, label: bytes, group: PrimeGroup) -> int:
        """Return a challenge scalar that depends on every item so far.

        label: name of the challenge.
        """
        return int.from_bytes(self.digest(label), "little") % group.order

    def exponents(self, label: bytes, count: int) -> list[int]:
        """Return `count` pseudorandom numbers of 128 bits that depend on every item so far.

        label: name of the use of these numbers, such as b"weights".
        """
        stream = shake_256(self.digest(label)).digest(EXPONENT * count)
        return [
            int.from_bytes(stream[at : at + EXPONENT], "little")
            for at in range(0, len(stream), EXPONENT)
        ]

    def digest(self, label: bytes) -> bytes:
        """Return 64 bytes that depend on every item so far; the label is added as one more item."""
        self.absorb(label)
        return self._state.digest()

    def fork_entropy(self, entropy: Entropy) -> Entropy:
        """Return randomness for the present statement alone, so that no two proofs share a nonce.

        A party may keep its entropy over a restart and then prove another statement with it. With
        the same nonce both proofs together would reveal the party's secret.
        """
        return entropy.fork(f"veilmix proof {self._state.hexdigest()}")


@dataclass(frozen=True, slots=True)
class ProofContext:
    """The facts to which a proof is bound: it holds for one session, round, question and party.

    Attributes:
        group: the group of all elements.
        announcement: the digest of the signed announcement of the session, 32 bytes.
        round: number of the round in the session, 0 <= round < 2**32.
        question: number of the query in the round, 0 <= question < 2**32.
        place: name of the party that makes the proof, in bytes.
    """

    group: PrimeGroup
    announcement: bytes
    round: int
    question: int
    place: bytes

    def __post_init__(self) -> None:
        """Check the length of the digest and the range of the numbers."""
        if len(self.announcement) != DIGEST:
            raise ParameterError(
                f"announcement: found {len(self.announcement)} bytes; {DIGEST} are accepted"
            )
        for name, number in (("round", self.round), ("question", self.question)):
            if not 0 <= number < _LIMIT:
                raise ParameterError(f"{name}: found {number}; 0 to {_LIMIT - 1} are accepted")

    @property
    def party(self) -> str:
        """The name of the party (or hop) that makes the proof, as text for messages."""
        return self.place.decode("utf-8", "backslashreplace")

    def at(self, place: bytes) -> "ProofContext":
        """Return this context for another party or hop of the same question.

        place: its name.
        """
        return replace(self, place=place)

    def transcript(self, label: bytes) -> ProofTranscript:
        """Return a new transcript of a proof that is bound to this context.

        label: name of the kind of proof, such as b"ballot".
        """
        transcript = ProofTranscript(label)
        transcript.absorb(
            self.group.name.encode(),
            self.announcement,
            self.round.to_bytes(4, "big"),
            self.question.to_bytes(4, "big"),
            self.place,
        )
        return transcript
