"""The cryptography of a verified mix beside its floor: `python benchmarks/verified.py [count]`.

Prints for each step of one question, per ciphertext: processor time, that of a bare loop over
libsodium's bindings which makes as many calls of each kind, and the ratio. Both sides run in turn,
ROUNDS times, and the least time of each counts. A call is

    base    a multiple of the generator       times   a multiple of another element
    add     a sum or difference               valid   whether bytes are an element
    hash    an element of a hash

The last lines are the sums for a maker, with one shuffle and one share, and for a checker.
Generators of proofs are made before: they are the same for all sessions of a process.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from harness import Turns, run
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.ristretto import library
from veilmix.crypto.verified.ballots import check_ballots, decode_ballot, make_ballot
from veilmix.crypto.verified.generators import generators
from veilmix.crypto.verified.group import RISTRETTO255, PrimeGroup
from veilmix.crypto.verified.keys import make_key
from veilmix.crypto.verified.rows import CiphertextRows, ballot_rows, remix
from veilmix.crypto.verified.shares import (
    DecryptionShares,
    check_shares,
    make_shares,
    opened_elements,
)
from veilmix.crypto.verified.shuffle import ShuffleProof
from veilmix.crypto.verified.shuffle_checker import check_shuffle
from veilmix.crypto.verified.shuffle_prover import prove_shuffle
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.crypto.verified.values import ValueElements

ROUNDS = 3
COUNT = 1000  # ciphertexts
ENTROPY = SeededEntropy(1)
T = TypeVar("T")
CHECKER = ("read", "check", "open")  # steps of a checker begin so; the others are a maker's
KINDS = ("base", "times", "add", "valid", "hash")


class CountedGroup(PrimeGroup):
    """The group ristretto255, which counts the calls of libsodium."""

    def __init__(self) -> None:
        self.calls = Counter[str]()
        self.name, self.order = RISTRETTO255.name, RISTRETTO255.order
        self.element_size, self.scalar_size = RISTRETTO255.element_size, RISTRETTO255.scalar_size
        self.identity = RISTRETTO255.identity

    def decode(self, data: bytes) -> bytes:
        """Count a test of bytes."""
        self.calls["valid"] += 1
        return RISTRETTO255.decode(data)

    def decode_scalar(self, data: bytes) -> int:
        """Count nothing."""
        return RISTRETTO255.decode_scalar(data)

    def encode_scalar(self, scalar: int) -> bytes:
        """Count nothing."""
        return RISTRETTO255.encode_scalar(scalar)

    def hash_to_element(self, uniform: bytes) -> bytes:
        """Count a hash."""
        self.calls["hash"] += 1
        return RISTRETTO255.hash_to_element(uniform)

    def embed(self, payload: bytes) -> bytes:
        """Count the prefixes that were tried: 2, 4, .. up to that of the element."""
        element = RISTRETTO255.embed(payload)
        self.calls["valid"] += element[0] // 2
        return element

    def payload(self, carrier: bytes) -> bytes:
        """Count nothing."""
        return RISTRETTO255.payload(carrier)

    def base_multiples(self, scalars: Iterable[int]) -> list[bytes]:
        """Count multiples of the generator."""
        return self._counted(("base",), RISTRETTO255.base_multiples(scalars))

    def multiples(self, scalars: Iterable[int], elements: Iterable[bytes]) -> list[bytes]:
        """Count multiples."""
        return self._counted(("times",), RISTRETTO255.multiples(scalars, elements))

    def sums(self, elements: Iterable[bytes], second: Iterable[bytes]) -> list[bytes]:
        """Count sums."""
        return self._counted(("add",), RISTRETTO255.sums(elements, second))

    def differences(self, elements: Iterable[bytes], second: Iterable[bytes]) -> list[bytes]:
        """Count differences."""
        return self._counted(("add",), RISTRETTO255.differences(elements, second))

    def total(self, elements: Iterable[bytes]) -> bytes:
        """Count a sum for each element."""
        return RISTRETTO255.total(self._counted(("add",), list(elements)))

    def weighted_sum(self, scalars: Iterable[int], elements: Iterable[bytes]) -> bytes:
        """Count a multiple and a sum for each element."""
        listed = self._counted(("times", "add"), list(elements))
        return RISTRETTO255.weighted_sum(scalars, listed)

    def _counted(self, kinds: tuple[str, ...], made: list[bytes]) -> list[bytes]:
        self.calls.update(dict.fromkeys(kinds, len(made)))
        return made


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a question.

    Attributes:
        name: of the step, as it is printed.
        call: does it, and keeps what the next step takes.
    """

    name: str
    call: Callable[[], object]


def steps(group: PrimeGroup, count: int) -> Iterable[Step]:
    """Yield the steps of one question in order; each is yielded after the one before was run."""
    context = ProofContext(group, bytes(32), 0, 0, b"place")
    values, key = ValueElements(group), make_key(context, ENTROPY)
    people = [b"%d" % number for number in range(count)]
    contexts = [replace(context, place=person) for person in people]
    made = Kept(
        lambda: [
            make_ballot(own, key.public, values.encode(b"class %d" % (at % 7)), ENTROPY).ballot
            for at, own in enumerate(contexts)
        ]
    )
    yield Step("make ballots", made)
    written = [ballot.encode(group) for ballot in made.value]
    yield Step("read ballots", lambda: [decode_ballot(group, data) for data in written])
    pairs = list(zip(people, made.value, strict=True))
    yield Step("check ballots", lambda: check_ballots(context, key.public, pairs))
    old = ballot_rows([[(ballot.first, ballot.second)] for ballot in made.value])
    mixed = Kept(lambda: remix(context, key.public, old, ENTROPY))
    yield Step("re-encrypt", mixed)
    proof = Kept(lambda: prove_shuffle(context, key.public, old, mixed.value, ENTROPY))
    yield Step("prove shuffle", proof)
    new, data = mixed.value.rows, proof.value.encode(group)
    rows = new.encode()
    yield Step(
        "read shuffle",
        lambda: (CiphertextRows.decode(group, rows), ShuffleProof.decode(group, data)),
    )
    yield Step(
        "check shuffle",
        lambda: check_shuffle(context, key.public, old, new, proof.value, ENTROPY),
    )
    shares = Kept(lambda: make_shares(context, key, new.firsts, ENTROPY))
    yield Step("make shares", shares)
    data = shares.value.encode(group)
    yield Step("read shares", lambda: DecryptionShares.decode(group, data))
    yield Step("check shares", lambda: check_shares(context, key.public, new.firsts, shares.value))
    yield Step(
        "open",
        lambda: list(
            values.decode_all(opened_elements(group, new.seconds, [shares.value.elements]))
        ),
    )


class Kept(Generic[T]):
    """A call whose last result is kept."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self.value: T

    def __call__(self) -> T:
        """Call, and keep the result."""
        self.value = self._call()
        return self.value


def bare(calls: Counter[str]) -> Callable[[], None]:
    """Return a loop over libsodium's bindings with as many calls of each kind."""
    sodium = library()
    scalar, point, uniform = bytes(range(1, 32)) + b"\0", RISTRETTO255.embed(bytes(30)), bytes(64)

    def loop() -> None:
        for _ in range(calls["base"]):
            sodium.crypto_scalarmult_ristretto255_base(scalar)
        for _ in range(calls["times"]):
            sodium.crypto_scalarmult_ristretto255(scalar, point)
        for _ in range(calls["add"]):
            sodium.crypto_core_ristretto255_add(point, point)
        for _ in range(calls["valid"]):
            sodium.crypto_core_ristretto255_is_valid_point(point)
        for _ in range(calls["hash"]):
            sodium.crypto_core_ristretto255_from_hash(uniform)

    return loop


def main(count: int = COUNT) -> None:
    """Measure and print."""
    for group in (RISTRETTO255, counted := CountedGroup()):
        generators(group).rows(count)
    calls = list[Counter[str]]()
    for step in steps(counted, count):
        counted.calls = Counter()
        step.call()
        calls.append(counted.calls)
    print(f"{count:,} ciphertexts, us of processor time each; least of {ROUNDS} rounds")
    print(f"{'step':15}{'ours':>8}{'bare':>8}{'ratio':>7}   calls each: {', '.join(KINDS)}")
    sides = {"maker": [0.0, 0.0], "checker": [0.0, 0.0]}
    for step, own in zip(steps(RISTRETTO255, count), calls, strict=True):
        loop = bare(own)
        turns = Turns[object](ROUNDS, {"ours": step.call, "bare": loop})
        ours, floor = (turns.least(each).cpu / count * 1e6 for each in ("ours", "bare"))
        each = "  ".join(f"{own[kind] / count:.2f}" for kind in KINDS)
        print(f"{step.name:15}{ours:8.1f}{floor:8.1f}{ours / floor:7.3f}   {each}")
        side = sides["checker" if step.name.split()[0] in CHECKER else "maker"]
        side[:] = side[0] + ours, side[1] + floor
    for name, (ours, floor) in sides.items():
        print(f"{name:15}{ours:8.1f}{floor:8.1f}{ours / floor:7.3f}")


if __name__ == "__main__":
    run(main)
