"""A small verified mix, honest: keys, ballots, rows, a shuffle, shares."""

from collections.abc import Sequence
from functools import cache

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.joint_key import KeyShare
from veilmix.crypto.verified.ballots import EncryptedBallot, make_ballot
from veilmix.crypto.verified.group import RISTRETTO255, draw_scalars
from veilmix.crypto.verified.keys import make_key
from veilmix.crypto.verified.rows import CiphertextRows, Remix, remix
from veilmix.crypto.verified.shuffle import ShuffleProof
from veilmix.crypto.verified.shuffle_prover import prove_shuffle
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.crypto.verified.values import ValueElements

GROUP = RISTRETTO255
(GENERATOR,) = GROUP.base_multiples([1])
HOP = ProofContext(GROUP, bytes(range(32)), 1, 2, b"hop 0")
# The same question of another session, another round, another question, another hop.
ELSEWHERE = {
    "session": ProofContext(GROUP, bytes(32), 1, 2, b"hop 0"),
    "round": ProofContext(GROUP, bytes(range(32)), 2, 2, b"hop 0"),
    "question": ProofContext(GROUP, bytes(range(32)), 1, 3, b"hop 0"),
    "place": HOP.at(b"hop 1"),
}
VALUES = ValueElements(GROUP)


def entropy(label: str) -> SeededEntropy:
    return SeededEntropy(2026).fork(label)


def add(element: bytes, other: bytes = GENERATOR) -> bytes:
    return GROUP.sums([element], [other])[0]


def times(scalar: int, element: bytes) -> bytes:
    return GROUP.multiples([scalar % GROUP.order], [element])[0]


@cache
def reader() -> KeyShare:
    return make_key(HOP.at(b"reader"), entropy("reader"))


def ballots(values: Sequence[bytes], key: bytes) -> list[tuple[bytes, EncryptedBallot]]:
    people = [b"person %d" % i for i in range(len(values))]
    return [
        (
            person,
            make_ballot(
                HOP.at(person), key, VALUES.encode(value), entropy(f"ballot of {person!r}")
            ).ballot,
        )
        for person, value in zip(people, values, strict=True)
    ]


def rows(count: int, width: int = 1, label: str = "rows") -> CiphertextRows:
    """Ciphertexts of the values 0, 1, .. under the reader's key."""
    own = entropy(label)
    columns = list[tuple[bytes, ...]]()
    for at in range(width):
        salts = draw_scalars(GROUP, own, count)
        masks = GROUP.multiples(salts, [reader().public] * count)
        elements = [VALUES.encode(b"%d" % (i + at)) for i in range(count)]
        columns += [tuple(GROUP.base_multiples(salts)), tuple(GROUP.sums(masks, elements))]
    return CiphertextRows(tuple(columns))


@cache
def shuffled(count: int = 6, width: int = 1) -> tuple[CiphertextRows, Remix, ShuffleProof]:
    """Rows, an honest remix, its proof."""
    old = rows(count, width)
    mixed = remix(HOP, reader().public, old, entropy("remix"))
    return old, mixed, prove_shuffle(HOP, reader().public, old, mixed, entropy("proof"))
