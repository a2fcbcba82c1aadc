"""What veilmix adds to the bare library calls: ratios, both sides timed in the same run.

    python benchmarks/crypto.py [layers]

Each line runs ours and a bare loop in turn, several times, and divides the best of one by the best
of the other. A layer of the default suite must cost at most 1.10 times the bare libsodium call;
the exit code is 1 if it costs more.
"""

import gc
from collections.abc import Callable
from functools import partial

from harness import Turns, best, run
from nacl.bindings import crypto_box_seal, crypto_box_seal_open
from veilmix.crypto.entropy import Entropy, OSEntropy, SeededEntropy
from veilmix.crypto.layer import open_layer, seal_layer
from veilmix.crypto.merkle import merkle_root
from veilmix.crypto.onion import Hop, wrap
from veilmix.crypto.suites import SUITES, Suite, suite

LAYERS = 2000
ROUNDS = 9
LIMIT = 1.10
CONTEXT = bytes(32)
PLAINTEXT = bytes(200)
SYSTEM, SEEDED = OSEntropy(), SeededEntropy(1)

Loop = Callable[[int], object]  # does its work that many times


def main(layers: int = LAYERS) -> int:
    """Print every ratio; give 1 if one that has a limit is above it."""
    s, bare_seal, bare_open = suite(), sealing_bare(), opening_bare(layers)
    worst = max(
        show("seal_layer, system", sealing(s, SYSTEM), bare_seal, layers),
        show("seal_layer, seeded", sealing(s, SEEDED), bare_seal, layers),
        show("open_layer", opening(s, layers), bare_open, layers),
        show("wrap, 3 hops, per layer", wrapping(s), bare_seal, layers),
    )
    for name in [n for n in SUITES if n != s.name]:
        other = suite(name, lesson=True)
        show(f"{name}: seal", sealing(other, SYSTEM), bare_seal, layers // 4)
        show(f"{name}: open", opening(other, layers // 4), bare_open, layers // 4)
    draws(layers)
    trees()
    print(f"limit {LIMIT:.2f}: {'kept' if worst <= LIMIT else 'EXCEEDED'}")
    return 0 if worst <= LIMIT else 1


def sealing_bare() -> Loop:
    """Seal with libsodium alone, the bytes that a layer of the default suite seals."""
    public, message = suite().keypair(SYSTEM).public.raw, CONTEXT + PLAINTEXT
    return lambda count: [crypto_box_seal(message, public) for _ in range(count)]


def opening_bare(layers: int) -> Loop:
    """Open with libsodium alone."""
    raw = SYSTEM.random(32)
    public, message = suite().keypair_from(raw).public.raw, CONTEXT + PLAINTEXT
    sealed = [crypto_box_seal(message, public) for _ in range(layers)]
    return lambda count: [crypto_box_seal_open(box, public, raw) for box in sealed[:count]]


def sealing(s: Suite, entropy: Entropy) -> Loop:
    """Seal as a run does."""
    public = s.keypair(SYSTEM).public
    return lambda count: [seal_layer(s, public, PLAINTEXT, CONTEXT, entropy) for _ in range(count)]


def opening(s: Suite, layers: int) -> Loop:
    """Open as a run does."""
    pair = s.keypair(SYSTEM)
    made = [seal_layer(s, pair.public, PLAINTEXT, CONTEXT, SYSTEM) for _ in range(layers)]
    return lambda count: [open_layer(pair.secret, layer, CONTEXT) for layer in made[:count]]


def wrapping(s: Suite) -> Loop:
    """Wrap onions of three hops, `count` layers in all."""
    hops = [Hop(s.keypair(SYSTEM).public, CONTEXT) for _ in range(3)]
    return lambda count: [wrap(s, hops, PLAINTEXT, SYSTEM) for _ in range(round(count / 3))]


def show(label: str, ours: Loop, bare: Loop, count: int) -> float:
    """Time both in turn, print the best times of one layer and their ratio, and give it."""
    gc.disable()
    turns = Turns(ROUNDS, {"ours": partial(ours, count), "bare": partial(bare, count)})
    gc.enable()
    mine, theirs = (turns.least(name).wall / count * 1e6 for name in ("ours", "bare"))
    print(
        f"{label:24}{mine:8.2f} us  sealed box alone{theirs:8.2f} us  ratio {mine / theirs:.3f}, "
        f"of the turns {turns.ratio('ours', 'bare')}"
    )
    return mine / theirs


def draws(count: int) -> None:
    """Print what drawing and forking cost."""
    loops: dict[str, Loop] = {
        "seeded random(32)": lambda n: [SEEDED.random(32) for _ in range(n)],
        "seeded fork": lambda n: [SEEDED.fork("user 17") for _ in range(n)],
        "system random(32)": lambda n: [SYSTEM.random(32) for _ in range(n)],
    }
    for label, loop in loops.items():
        print(f"{label:24}{best(ROUNDS, partial(loop, count)) / count * 1e6:8.2f} us")


def trees() -> None:
    """Print what a tree costs, and how that grows with its entries."""
    entries = [i.to_bytes(32, "big") for i in range(130_244)]
    small, large = (
        best(ROUNDS, lambda size=size: merkle_root(entries[:size]))  # type: ignore[misc]
        for size in (13_024, 130_244)
    )
    print(f"{'130,244 Merkle entries':24}{large:8.3f} s   10 n / n {large / small:.1f}")


if __name__ == "__main__":
    run(main)
