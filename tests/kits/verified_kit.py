"""A verified mix: its group, its values, contexts that differ in one part."""

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.verified.group import RISTRETTO255
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
