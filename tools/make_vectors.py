"""Write the vectors in tests/crypto/vectors: one JSON file each, one fault in each negative one.

    python tools/make_vectors.py            write them
    python tools/make_vectors.py --check    exit 1 if a file is missing, different or left over
    python tools/make_vectors.py --example  print a layer field by field

Everything is made from a fixed seed except what HPKE seals: its library draws from the system, so
those bytes are taken from the files that are there, and made anew only where there is none.

A file holds `title`, `kind`, `input` and `expect`: either `result` or `refused` with a reason
("verification" where a proof does not prove). Bytes are in hexadecimal.
"""

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from generated import ROOT, vector_files, write_or_check
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.keys import KeyPair
from veilmix.crypto.layer import seal_layer
from veilmix.crypto.merkle import merkle_root
from veilmix.crypto.onion import Hop, wrap
from veilmix.crypto.padding import pad
from veilmix.crypto.suites import SUITES, Suite, suite

SEED = 2024
FOLDER = ROOT / "tests" / "crypto" / "vectors"
PLAINTEXT = b"blood type A, Rh +"
CONTEXT = bytes(range(32))
OTHER_CONTEXT = bytes(range(1, 33))

# Where a layer's parts begin. Flipping a bit in each is one vector.
REGIONS = {
    "sealedbox": {"suite-byte": 0, "point": 1, "tag": 33, "context": 49, "plaintext": 81},
    "textbook": {"suite-byte": 0, "point": 1, "tag": 33, "context": 49, "plaintext": 81},
    "hpke-x25519": {"suite-byte": 0, "point": 1, "plaintext": 33, "tag": -16},
    "hpke-pq": {"suite-byte": 0, "lattice": 1, "point": 1089, "plaintext": 1121, "tag": -16},
}

CT_ENTRIES = [  # the leaves of the reference tests of RFC 6962's code base
    bytes.fromhex(entry)
    for entry in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]

Vector = dict[str, Any]
Named = Iterator[tuple[str, Vector]]


def main(arguments: list[str]) -> int:
    """Write, check or show, as the docstring of this file says."""
    if arguments == ["--example"]:
        print(example())
        return 0
    return write_or_check(arguments, vector_files(FOLDER, build()), FOLDER)


def build() -> dict[str, Vector]:
    """Make every vector: file name -> content."""
    parts = (keys(), layers(), onions(), paddings(), streams(), trees())
    return {f"{name}.json": vector for part in parts for name, vector in part}


def positive(title: str, kind: str, inputs: Vector, result: Vector) -> Vector:
    """Make the content of a file that is accepted."""
    return {"title": title, "kind": kind, "input": inputs, "expect": {"result": result}}


def negative(title: str, kind: str, inputs: Vector, reason: str) -> Vector:
    """Make the content of a file that is refused."""
    return {"title": title, "kind": kind, "input": inputs, "expect": {"refused": reason}}


def keys() -> Named:
    """Public keys: one of each suite, and every way to be none."""
    for s in suites():
        raw, pair = recipient(s)
        encoded = pair.public.encode()
        inputs = {"encoded": encoded.hex(), "secret": raw.hex()}
        result = {
            "suite": s.name,
            "raw": pair.public.raw.hex(),
            "fingerprint": pair.public.fingerprint,
        }
        yield f"key-{s.name}", positive(f"a public key of {s.name}", "key", inputs, result)
        faults = {
            "truncated": encoded[:-1],
            "extended": encoded + b"\x00",
            "top-bit": flip(encoded, -1, 7),
            "second-spelling": encoded[:-32] + point(2**255 - 19 + 9),
            "low-order": encoded[:-32] + point(1),
        }
        if s.name == "hpke-pq":
            faults["not-reduced"] = encoded[:1] + b"\xff\x0f" + encoded[3:]
        for fault, data in faults.items():
            title = f"a public key of {s.name}: {fault}"
            yield (
                f"key-{s.name}-{fault}",
                negative(title, "key", {"encoded": data.hex()}, "malformed"),
            )
    for fault, data in {"empty": b"", "unknown-suite": b"\x04" + point(9)}.items():
        title = f"a public key: {fault}"
        yield f"key-{fault}", negative(title, "key", {"encoded": data.hex()}, "malformed")


def layers() -> Named:
    """Layers: one of each suite, one with nothing in it, and one fault at a time."""
    for s in suites():
        raw, _ = recipient(s)
        name = f"layer-{s.name}"
        layer, origin = sealed(s, name, PLAINTEXT)
        inputs = {
            "suite": s.name,
            "secret": raw.hex(),
            "context": CONTEXT.hex(),
            "layer": layer.hex(),
        }
        opened = {"plaintext": PLAINTEXT.hex()}
        yield name, positive(f"a layer of {s.name}", "layer", inputs | origin, opened)
        empty, origin = sealed(s, f"{name}-of-nothing", b"")
        nothing = inputs | origin | {"layer": empty.hex()}
        title = f"a layer of {s.name} around no bytes"
        yield f"{name}-of-nothing", positive(title, "layer", nothing, {"plaintext": ""})
        for fault, change in layer_faults(s, name, layer).items():
            title = f"a layer of {s.name}: {fault}"
            yield (
                f"{name}-{fault}",
                negative(title, "layer", inputs | change, "does-not-open"),
            )


def layer_faults(s: Suite, name: str, layer: bytes) -> dict[str, Vector]:
    """Give every fault of a layer as the change of the inputs that makes it."""
    another, _ = recipient(s, "another recipient")
    last = 1121 if s.name == "hpke-pq" else 33  # where the point's last byte ends
    changed = {
        f"bit-in-{region}": flip(layer, offset, 0) for region, offset in REGIONS[s.name].items()
    }
    changed |= {
        "top-bit": flip(layer, last - 1, 7),
        "low-order": layer[: last - 32] + point(1) + layer[last:],
        "second-spelling": second_spelling(s, f"{name}-second-spelling"),
        "other-suite-byte": bytes((0x02 if s.name == "sealedbox" else 0x01,)) + layer[1:],
        "truncated": layer[:-1],
        "extended": layer + b"\x00",
        "suite-byte-only": layer[:1],
        "empty": b"",
    }
    faults: dict[str, Vector] = {fault: {"layer": data.hex()} for fault, data in changed.items()}
    faults["other-context"] = {"context": OTHER_CONTEXT.hex()}
    faults["other-recipient"] = {"secret": another.hex()}
    return faults


def second_spelling(s: Suite, name: str) -> bytes:
    """Make a layer whose only fault is that its point, u = 9, is written as p + 9.

    The ephemeral key is 5 L - 1, L the order of the base point: a valid X25519 secret key whose
    public key is the base point again. The libraries open this layer; a reader must not.
    """
    forger = independent()
    _, pair = recipient(s)
    ephemeral = (5 * forger.L - 1).to_bytes(32, "little")
    written, public = point(2**255 - 19 + 9), pair.public.raw
    if s.name in {"sealedbox", "textbook"}:
        box: bytes = forger.seal_box(public, CONTEXT + PLAINTEXT, ephemeral, written)
        return s.prefix + box
    info = b"veilmix layer" + CONTEXT
    seal = forger.hpke_x25519_seal if s.name == "hpke-x25519" else forger.hpke_pq_seal
    return recorded(
        name, lambda: s.prefix + seal(public, ephemeral, info, PLAINTEXT, spelling=written)
    )


def onions() -> Named:
    """Onions of 1, 2 and 4 hops, and one whose inner layer is wrong."""
    s = suite()
    for count in (1, 2, 4):
        pairs = [recipient(s, f"hop {i}") for i in range(count)]
        contexts = [bytes((i,)) * 32 for i in range(count)]
        hops = [Hop(p.public, c) for (_, p), c in zip(pairs, contexts, strict=True)]
        made = wrap(s, hops, PLAINTEXT, SeededEntropy(SEED).fork(f"onion {count}"))
        inputs: Vector = {
            "suite": s.name,
            "hops": [
                {"secret": raw.hex(), "context": c.hex()}
                for (raw, _), c in zip(pairs, contexts, strict=True)
            ],
            "onion": made[0].hex(),
            "seed": SEED,
            "path": [f"onion {count}"],
        }
        result = {"peeled": [inner.hex() for inner in (*made[1:], PLAINTEXT)]}
        yield f"onion-{count}", positive(f"an onion, hops: {count}", "onion", inputs, result)
        if count == 2:
            swapped = inputs | {"hops": inputs["hops"][::-1]}
            del swapped["seed"], swapped["path"]
            title = "an onion opened in the wrong order"
            yield "onion-wrong-order", negative(title, "onion", swapped, "does-not-open")
            inner = seal_layer(
                s,
                hops[0].public,
                flip(made[1], 40, 0),
                hops[0].context,
                SeededEntropy(SEED).fork("onion, bad inside"),
            )
            bad = {"suite": s.name, "hops": inputs["hops"], "onion": inner.hex()}
            title = "an onion whose outer layer opens and whose inner layer has a flipped bit"
            yield "onion-bit-in-inner-layer", negative(title, "onion", bad, "does-not-open")


def paddings() -> Named:
    """Padding: nothing, one byte short of full, data that looks like padding; and none."""
    accepted = {"nothing": b"", "full": bytes(range(1, 16)), "like-padding": b"a\x80\x00"}
    for name, data in accepted.items():
        inputs = {"padded": pad(data, 16).hex(), "size": 16}
        title = f"padding of {len(data)} bytes to 16"
        yield f"padding-{name}", positive(title, "padding", inputs, {"data": data.hex()})
    refused = {
        "empty": b"",
        "zeros": bytes(16),
        "no-mark": b"a" * 16,
        "bad-mark": b"a\x81" + bytes(14),
        "tail-not-zero": b"a\x80" + bytes(13) + b"\x01",
    }
    for name, padded in refused.items():
        inputs = {"padded": padded.hex(), "size": 16}
        yield f"padding-{name}", negative(f"padding: {name}", "padding", inputs, "malformed")


def streams() -> Named:
    """Seeded entropy: the root, a child, a grandchild, the largest seed, a label not in ASCII."""
    cases: dict[str, tuple[int, list[str]]] = {
        "root": (SEED, []),
        "child": (SEED, ["users"]),
        "grandchild": (SEED, ["users", "17"]),
        "largest-seed": (2**64 - 1, ["users"]),
        "unicode": (0, ["größe"]),
    }
    for name, (seed, path) in cases.items():
        source = SeededEntropy(seed)
        for label in path:
            source = source.fork(label)
        inputs = {"seed": seed, "path": path, "size": 150}
        result = {"stream": source.random(150).hex()}
        yield f"entropy-{name}", positive(f"seeded entropy: {name}", "entropy", inputs, result)


def trees() -> Named:
    """Merkle trees: the roots of RFC 6962's reference entries."""
    for size in range(len(CT_ENTRIES) + 1):
        entries = {"entries": [e.hex() for e in CT_ENTRIES[:size]]}
        result = {"root": merkle_root(CT_ENTRIES[:size]).hex()}
        yield f"merkle-root-{size}", positive(f"{size} entries", "root", entries, result)


def suites() -> list[Suite]:
    """Every suite, the textbook among them."""
    return [suite(name, lesson=True) for name in SUITES]


def recipient(s: Suite, label: str = "recipient") -> tuple[bytes, KeyPair]:
    """Give the fixed key pair of that label, and its 32 secret bytes."""
    raw = SeededEntropy(SEED).fork(f"{s.name}, {label}").random(32)
    return raw, s.keypair_from(raw)


def sealed(s: Suite, name: str, plaintext: bytes) -> tuple[bytes, Vector]:
    """Give a layer, and where its randomness came from if that is a seed."""
    _, pair = recipient(s)
    entropy = SeededEntropy(SEED).fork(name)
    if s.reproducible:
        layer = seal_layer(s, pair.public, plaintext, CONTEXT, entropy)
        return layer, {"seed": SEED, "path": [name]}
    return recorded(name, lambda: seal_layer(s, pair.public, plaintext, CONTEXT, entropy)), {}


def recorded(name: str, make: Callable[[], bytes]) -> bytes:
    """Give the layer that the file of that name holds, or make one."""
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return make()
    return bytes.fromhex(json.loads(path.read_text(encoding="utf-8"))["input"]["layer"])


def flip(data: bytes, offset: int, bit: int) -> bytes:
    """Flip one bit."""
    changed = bytearray(data)
    changed[offset] ^= 1 << bit
    return bytes(changed)


def point(u: int) -> bytes:
    """Write a coordinate as X25519 does."""
    return u.to_bytes(32, "little")


def independent() -> Any:
    """Load the second implementation, which also makes what the first refuses to make."""
    sys.path.append(str(FOLDER.parent.parent / "kits"))
    return import_module("independent_reader")


def example() -> str:
    """Give the layer of layer-sealedbox.json in its parts, one line each."""
    s = suite()
    raw, pair = recipient(s)
    layer, origin = sealed(s, "layer-sealedbox", PLAINTEXT)
    parts = {
        "secret key": raw,
        "public key": pair.public.encode(),
        "context": CONTEXT,
        "plaintext": PLAINTEXT,
        "00 suite byte": layer[:1],
        "01 point E": layer[1:33],
        "33 tag": layer[33:49],
        "49 context, sealed": layer[49:81],
        "81 plaintext, sealed": layer[81:],
    }
    lines = [f"seed {origin['seed']}, fork {origin['path'][0]!r}; {len(layer)} bytes"]
    return "\n".join(lines + [f"{name:22}{data.hex()}" for name, data in parts.items()])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
