"""Every vector is read alike by veilmix and by a reader that shares no code with it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import independent_reader
import make_vectors
import pytest
from imports_kit import imported_by
from veilmix.crypto.entropy import Drawn, Entropy, SeededEntropy
from veilmix.crypto.keys import SECRET_SIZE, PublicKey, SecretKey
from veilmix.crypto.layer import open_layer, open_layers, seal_layer, seal_layers
from veilmix.crypto.merkle import merkle_root
from veilmix.crypto.onion import Hop, peel, wrap, wrap_all
from veilmix.crypto.padding import pad, unpad
from veilmix.crypto.suites import Suite, suite
from veilmix.errors import Reason, Refused, VerificationError

HERE = Path(__file__).parent
FILES = sorted((HERE / "vectors").glob("*.json"))
KINDS = {"layer", "onion", "padding", "key", "entropy", "root"}
TOGETHER = 41  # enough for an engine that works on many at once, and no multiple of eight

Inputs = dict[str, Any]


def unhex(value: str) -> bytes:
    return bytes.fromhex(value)


def entropy(inputs: Inputs) -> Entropy:
    source: Entropy = SeededEntropy(inputs["seed"])
    for label in inputs["path"]:
        source = source.fork(label)
    return source


def read_layer(inputs: Inputs) -> Inputs:
    s = suite(inputs["suite"], lesson=True)
    pair, context = s.keypair_from(unhex(inputs["secret"])), unhex(inputs["context"])
    plaintext = open_layer(pair.secret, unhex(inputs["layer"]), context)
    if "seed" in inputs:
        made = seal_layer(s, pair.public, plaintext, context, entropy(inputs))
        assert made.hex() == inputs["layer"]
    return {"plaintext": plaintext.hex()}


def read_onion(inputs: Inputs) -> Inputs:
    s = suite(inputs["suite"])
    pairs = [s.keypair_from(unhex(hop["secret"])) for hop in inputs["hops"]]
    contexts = [unhex(hop["context"]) for hop in inputs["hops"]]
    layers = [unhex(inputs["onion"])]
    for pair, context in zip(pairs, contexts, strict=True):
        layers.append(peel(pair.secret, layers[-1], context))
    if "seed" in inputs:
        hops = [Hop(p.public, c) for p, c in zip(pairs, contexts, strict=True)]
        assert list(wrap(s, hops, layers[-1], entropy(inputs))) == layers[:-1]
    return {"peeled": [inner.hex() for inner in layers[1:]]}


def read_padding(inputs: Inputs) -> Inputs:
    data = unpad(unhex(inputs["padded"]))
    assert pad(data, inputs["size"]).hex() == inputs["padded"]
    return {"data": data.hex()}


def read_key(inputs: Inputs) -> Inputs:
    key = PublicKey.decode(unhex(inputs["encoded"]))
    if "secret" in inputs:
        made = suite(key.suite.label, lesson=True).keypair_from(unhex(inputs["secret"]))
        assert made.public == key
    assert key.encode().hex() == inputs["encoded"]
    return {"suite": key.suite.label, "raw": key.raw.hex(), "fingerprint": key.fingerprint}


def read_entropy(inputs: Inputs) -> Inputs:
    return {"stream": entropy(inputs).random(inputs["size"]).hex()}


def read_root(inputs: Inputs) -> Inputs:
    return {"root": merkle_root(map(unhex, inputs["entries"])).hex()}


READERS: dict[str, Callable[[Inputs], Inputs]] = {
    name.removeprefix("read_"): f for name, f in globals().items() if name.startswith("read_")
}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_veilmix_reads_it(path: Path) -> None:
    vector = json.loads(path.read_text(encoding="utf-8"))
    outcome: Inputs
    try:
        outcome = {"result": READERS[vector["kind"]](vector["input"])}
    except Refused as refusal:
        outcome = {"refused": refusal.reason.value}
    except VerificationError:
        outcome = {"refused": "verification"}
    assert outcome == vector["expect"]


def opened_among_many(secret: SecretKey, layer: bytes, context: bytes) -> bytes:
    """Open a layer as one of many: those that are worked on at once are all alike."""
    first, *others = open_layers(secret, [layer] * TOGETHER, context)
    assert others == [first] * (TOGETHER - 1)
    if first is None:
        raise Refused(Reason.DOES_NOT_OPEN)
    return first


def sealed_among_many(
    s: Suite, public: PublicKey, plaintext: bytes, context: bytes, source: Entropy
) -> bytes:
    """Seal a plaintext as one of many, each from what the source gives next."""
    drawn = source.random(SECRET_SIZE)
    sources = [Drawn(drawn) for _ in range(TOGETHER)]
    first, *others = seal_layers(s, public, [plaintext] * TOGETHER, context, sources)
    assert others == [first] * (TOGETHER - 1)
    return first


def wrapped_among_many(
    s: Suite, hops: Sequence[Hop], payload: bytes, source: Entropy
) -> tuple[bytes, ...]:
    """Wrap a payload as one of many."""
    drawn = source.random(SECRET_SIZE * len(hops))
    sources = [Drawn(drawn) for _ in range(TOGETHER)]
    first, *others = wrap_all(s, hops, [payload] * TOGETHER, sources)
    assert others == [first] * (TOGETHER - 1)
    return first


AMONG_MANY = {
    "open_layer": opened_among_many,
    "peel": opened_among_many,
    "seal_layer": sealed_among_many,
    "wrap": wrapped_among_many,
}


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_veilmix_reads_it_among_many(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, work in AMONG_MANY.items():
        monkeypatch.setitem(globals(), name, work)
    test_veilmix_reads_it(path)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_independent_reader_agrees(path: Path) -> None:
    vector = json.loads(path.read_text(encoding="utf-8"))
    try:
        outcome = {"result": independent_reader.read(vector["kind"], vector["input"])}
    except independent_reader.Rejected as rejection:
        outcome = {"refused": str(rejection)}
    assert outcome == vector["expect"]


def test_every_kind_has_accepted_and_refused_vectors() -> None:
    seen = set()
    for path in FILES:
        vector = json.loads(path.read_text(encoding="utf-8"))
        seen.add((vector["kind"], *vector["expect"]))
    never_refused = {"entropy", "root"}
    assert seen == {(k, "result") for k in KINDS} | {(k, "refused") for k in KINDS - never_refused}


def test_the_files_are_what_the_script_makes() -> None:
    assert make_vectors.main(["--check"]) == 0


def test_the_example_has_every_byte_of_its_vector() -> None:
    parts = make_vectors.example().splitlines()[5:]
    vector = json.loads((HERE / "vectors" / "layer-sealedbox.json").read_text(encoding="utf-8"))
    assert "".join(part.split()[-1] for part in parts) == vector["input"]["layer"]


def test_the_independent_reader_imports_nothing_from_veilmix() -> None:
    imported = imported_by(independent_reader)
    assert "hashlib" in imported
    assert not any("veilmix" in name for name in imported)
