"""Changed frames of tokens: `python benchmarks/mutants_of_tokens.py [frames] [seed]`.

Takes messages `mint`, `ask`, `grant`, `issued` and `roll` that are in order, changes bits, cuts,
lengthens and splices them, and hands each to whoever would get it: the board, a reader at its
desk, a person that waits. Whatever comes must be taken or be `Refused`, with a reason and nothing
else; anything else surfaces here and ends the run. Prints how many were refused, by what, how many
were taken, and the most memory that was allocated at once.
"""

import random
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.signing import Signer
from veilmix.crypto.suites import suite
from veilmix.crypto.voprf import OprfKey
from veilmix.errors import Refused
from veilmix.protocol.announcement import Announcement, Policy, Rules
from veilmix.protocol.frames import HEADER, Message, decode_message
from veilmix.protocol.messages import Ask, Body, Call, Grant, Issued, Mint, Registry, Roll
from veilmix.protocol.parties import Role
from veilmix.protocol.registry import registry_root
from veilmix.protocol.schema import Feature, Schema
from veilmix.protocol.session import open_round
from veilmix.protocol.tokens import check_ask, give, make_ask, take_grant

SIGNER = Signer(SeededEntropy(1))
REGISTRY = Registry((SIGNER.public,))
KEY = OprfKey(SeededEntropy(2))
SCHEMA = Schema((Feature("colour", ("red", "green")), Feature("grown", ("yes", "no"))))
TOLD = Announcement(
    *("frames", bytes(16), SCHEMA, Policy(2, 0.5), Rules(tokens=True)),
    *((suite().keypair(SeededEntropy(3)).public,), suite().keypair(SeededEntropy(4)).public),
    suite().keypair(SeededEntropy(5)).public,
    registry=registry_root(REGISTRY),
)
PLAN = open_round(TOLD, TOLD.digest(), Call(1, Role.CURATOR, ((0,), (1,))))
ASKING = make_ask(PLAN, SIGNER, SeededEntropy(6))
BODIES: tuple[Body, ...] = (
    Mint(KEY.public),
    ASKING.body,
    give(KEY, ASKING.body),
    Issued(3),
    Roll((0, 1, 5)),
)
FRAMES = [Message(PLAN.session, 1, body).encode() for body in BODIES]


def heard(data: bytes) -> str:
    """What comes of a frame: what it was, if it was taken; Refused if not."""
    body = decode_message(data).body
    if isinstance(body, Ask):
        check_ask(PLAN, REGISTRY, "user-1", body)
        give(KEY, body)
    if isinstance(body, Grant):
        take_grant(ASKING, body, KEY.public)
    return type(body).__name__


def changed(rng: random.Random, data: bytes) -> bytes:
    """The frame, changed in one of five ways."""
    at = rng.randrange(len(data) + 1)
    ways: tuple[Callable[[], bytes], ...] = (
        lambda: data[:at],
        lambda: data + rng.randbytes(rng.randrange(1, 40)),
        lambda: data[:at] + rng.choice(FRAMES)[rng.randrange(HEADER) :],
        lambda: data[:at] + rng.randbytes(rng.randrange(1, 5)) + data[at:],
    )
    return flipped(rng, data) if rng.random() < 0.6 else rng.choice(ways)()


def flipped(rng: random.Random, data: bytes) -> bytes:
    """The frame with a few bits turned over, mostly behind the header."""
    found = bytearray(data)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(HEADER, len(data)) if rng.random() < 0.8 else rng.randrange(len(data))
        found[at] ^= 1 << rng.randrange(8)
    return bytes(found)


def main(many: int, seed: int) -> None:
    """Change, hand over, count and print."""
    rng, refused, taken = random.Random(seed), Counter[str](), Counter[str]()
    start = time.process_time()
    tracemalloc.start()
    for _ in range(many):
        frame = changed(rng, rng.choice(FRAMES))
        try:
            taken[heard(frame)] += 1
        except Refused as refusal:
            refused[refusal.reason.value] += 1
    peak = tracemalloc.get_traced_memory()[1]
    print(f"{many:,} frames, seed {seed}, {time.process_time() - start:.0f} s of CPU")
    print(f"  refused: {dict(refused)}")
    print(f"  taken: {dict(taken)}")
    print(f"  most memory at once: {peak / 1e6:.1f} MB")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 100_000,
        int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )
