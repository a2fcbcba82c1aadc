"""Eight keys at a time: the same bytes and the same refusals as one key after the other."""

import ctypes
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nacl.bindings import (
    crypto_box_beforenm,
    crypto_box_seal_open,
    crypto_scalarmult,
    crypto_scalarmult_base,
    crypto_sign,
    crypto_sign_open,
    crypto_sign_seed_keypair,
)
from nacl.exceptions import CryptoError
from veilmix import run
from veilmix.crypto import batched, multibuffer
from veilmix.crypto.box_key import hsalsa20
from veilmix.crypto.entropy import Entropy, OSEntropy, SeededEntropy
from veilmix.crypto.key_schedule import KeySchedule
from veilmix.crypto.layer import open_layer, open_layers, seal_layer, seal_layers
from veilmix.crypto.multibuffer import MultiBuffer, hsalsa20_all
from veilmix.crypto.suites import suite
from veilmix.errors import ParameterError
from veilmix.scenarios.records.run_folder import versions

SUITE = suite()
PAIR = SUITE.keypair(SeededEntropy(61))
CONTEXT = bytes(range(32))
P = 2**255 - 19


@pytest.fixture
def library(engine: str) -> MultiBuffer:
    """The library, where it can run."""
    buffers = multibuffer.multibuffer()
    if buffers is None:
        pytest.skip(f"with {engine} there is none to be asked")
    return buffers


@given(keys=st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=40))
def test_many_hashes_are_each_hash(keys: list[bytes]) -> None:
    hashes = hsalsa20_all(np.frombuffer(b"".join(keys), dtype=np.uint8))
    assert hashes == b"".join(map(hsalsa20, keys))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(min_size=32, max_size=32), count=st.integers(1, 40))
def test_the_library_computes_what_libsodium_does(
    library: MultiBuffer, data: bytes, count: int
) -> None:
    source = SeededEntropy.from_secret(data)
    secrets = [source.random(32) for _ in range(count)]
    points = [crypto_scalarmult_base(secret) for secret in secrets]
    assert library.public_keys(b"".join(secrets)) == b"".join(points)
    assert library.box_keys(secrets[0], b"".join(points)) == b"".join(
        crypto_box_beforenm(point, secrets[0]) for point in points
    )
    assert library.box_keys(b"".join(secrets), points[-1]) == b"".join(
        crypto_box_beforenm(points[-1], secret) for secret in secrets
    )


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 512, 513, 1030])
@pytest.mark.parametrize("source", [SeededEntropy(5), OSEntropy()], ids=["seeded", "system"])
def test_what_is_sealed_together_opens_together(engine: str, source: Entropy, count: int) -> None:
    plaintexts = [bytes((at % 256,)) * (at % 90) for at in range(count)]
    sources = [source.fork(f"{engine} {at}") for at in range(count)]
    layers = seal_layers(SUITE, PAIR.public, plaintexts, CONTEXT, sources)
    assert open_layers(PAIR.secret, layers, CONTEXT) == plaintexts
    assert len({layer[1:33] for layer in layers}) == count  # no ephemeral key twice
    for layer, plaintext in zip(layers, plaintexts, strict=True):
        opened = crypto_box_seal_open(layer[1:], PAIR.public.raw, PAIR.secret._raw)
        assert opened == CONTEXT + plaintext


@pytest.mark.usefixtures("engine")
def test_a_seed_gives_the_same_layers_together_and_alone() -> None:
    plaintexts = [bytes((at,)) * 50 for at in range(100)]
    forks = [SeededEntropy(6).fork(str(at)) for at in range(100)]
    alone = [
        seal_layer(SUITE, PAIR.public, plaintext, CONTEXT, SeededEntropy(6).fork(str(at)))
        for at, plaintext in enumerate(plaintexts)
    ]
    assert seal_layers(SUITE, PAIR.public, plaintexts, CONTEXT, forks) == alone
    stream = SeededEntropy(7)  # that all read, one after the other
    again = SeededEntropy(7)
    assert seal_layers(SUITE, PAIR.public, plaintexts, CONTEXT, [stream] * 100) == [
        seal_layer(SUITE, PAIR.public, plaintext, CONTEXT, again) for plaintext in plaintexts
    ]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "as it was": lambda layer: layer,
    "nothing": lambda _: b"",
    "the suite byte alone": lambda layer: layer[:1],
    "another suite": lambda layer: b"\x02" + layer[1:],
    "a byte less than a box": lambda layer: layer[:48],
    "a box of nothing": lambda layer: layer[:49],
    "shortened": lambda layer: layer[:-1],
    "lengthened": lambda layer: layer + b"\0",
    "the point changed": lambda layer: layer[:1] + bytes((layer[1] ^ 1,)) + layer[2:],
    "the tag changed": lambda layer: layer[:33] + bytes((layer[33] ^ 1,)) + layer[34:],
    "the text changed": lambda layer: layer[:-1] + bytes((layer[-1] ^ 1,)),
    "a second spelling": lambda layer: layer[:32] + bytes((layer[32] ^ 128,)) + layer[33:],
    "the point 0": lambda layer: layer[:1] + bytes(32) + layer[33:],
    "the point 1": lambda layer: layer[:1] + b"\1" + bytes(31) + layer[33:],
    "the point p": lambda layer: layer[:1] + P.to_bytes(32, "little") + layer[33:],
    "the point p - 1": lambda layer: layer[:1] + (P - 1).to_bytes(32, "little") + layer[33:],
    "all ones": lambda layer: layer[:1] + b"\xff" * 32 + layer[33:],
}


@pytest.mark.usefixtures("engine")
def test_what_is_wrong_with_one_is_no_other_ones_matter() -> None:
    made = seal_layers(SUITE, PAIR.public, [b"said"] * 100, CONTEXT, [OSEntropy()] * 100)
    kinds = list(DAMAGE) * 5
    layers = [DAMAGE[kind](layer) for kind, layer in zip(kinds, made, strict=False)]
    expected = [b"said" if kind == "as it was" else None for kind in kinds]
    assert open_layers(PAIR.secret, layers, CONTEXT) == expected
    assert open_layers(PAIR.secret, layers, bytes(32)) == [None] * len(layers)
    other = SUITE.keypair(SeededEntropy(62)).secret
    assert open_layers(PAIR.secret, [DAMAGE["the point 0"](made[0])] * 50, CONTEXT) == [None] * 50
    assert open_layers(other, layers, CONTEXT) == [None] * len(layers)


HPKE = suite("hpke-x25519")
OWN = HPKE.keypair(SeededEntropy(63))


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 1030, 2050])
def test_hpke_together_is_hpke_alone(engine: str, count: int, reader: Any) -> None:
    """Both ways with the library, and with what is written by hand from RFC 9180."""
    plaintexts = [bytes((at % 256,)) * (at % 90) for at in range(count)]
    sources = [SeededEntropy(5)] * count
    layers = seal_layers(HPKE, OWN.public, plaintexts, CONTEXT, sources)
    assert len({layer[1:33] for layer in layers}) == count  # no ephemeral key twice
    assert open_layers(OWN.secret, layers, CONTEXT) == plaintexts
    assert [open_layer(OWN.secret, layer, CONTEXT) for layer in layers] == plaintexts
    alone = [
        seal_layer(HPKE, OWN.public, plaintext, CONTEXT, OSEntropy()) for plaintext in plaintexts
    ]
    assert open_layers(OWN.secret, alone, CONTEXT) == plaintexts
    info = b"veilmix layer" + CONTEXT
    for layer, plaintext in list(zip(layers, plaintexts, strict=True))[:40]:
        by_hand = reader.hpke_open("hpke-x25519", OWN.secret._raw, layer[1:], info, b"")
        assert by_hand == plaintext


def test_its_key_schedule_is_rfc_9180(library: MultiBuffer) -> None:
    """RFC 9180, appendix A.2.1: the key, the nonce, and `enc`, whatever is beside it."""
    h = bytes.fromhex
    public = h("4310ee97d88cc1f088a5576c77ab0cf5c3ac797f3d95139c6c84b5429c59662a")
    ephemeral = h("f4ec9b33b792c372c1d2c2063507b684ef925b8c75a42dbcbf57d63ccd381600")
    enc = library.public_keys(ephemeral)
    assert enc == h("1afa08d3dec047a643885163f1180476fa7ddb54c6a8029ea33f95796bf2ac4a")
    shared = library.shared_points(ephemeral, public).tobytes()
    key, nonce = KeySchedule(public, b"Ode on a Grecian Urn").keys(shared, enc)
    assert key == h("ad2744de8e17f4ebba575b3f5f5a8fa1f69c2a07f6e7500bc60ca6e3e3ec1c91")
    assert nonce == h("5c4d98150661b848853b547f")


@pytest.mark.usefixtures("engine")
def test_what_is_wrong_with_one_layer_of_hpke_is_no_other_ones_matter() -> None:
    made = seal_layers(HPKE, OWN.public, [b"said"] * 100, CONTEXT, [OSEntropy()] * 100)
    kinds = list(DAMAGE) * 5
    other = {"another suite": lambda layer: b"\x01" + layer[1:]}
    damage = DAMAGE | other
    layers = [damage[kind](layer) for kind, layer in zip(kinds, made, strict=False)]
    expected = [b"said" if kind == "as it was" else None for kind in kinds]
    assert open_layers(OWN.secret, layers, CONTEXT) == expected
    assert open_layers(OWN.secret, layers, bytes(32)) == [None] * len(layers)
    assert open_layers(OWN.secret, [DAMAGE["the point 0"](made[0])] * 50, CONTEXT) == [None] * 50
    stranger = HPKE.keypair(SeededEntropy(64)).secret
    assert open_layers(stranger, layers, CONTEXT) == [None] * len(layers)


@pytest.mark.usefixtures("engine")
def test_a_second_spelling_of_a_point_opens_no_layer_of_hpke(reader: Any) -> None:
    """The schedule binds the spelling, so who seals with it would otherwise be opened."""
    ephemeral = (5 * reader.L - 1).to_bytes(32, "little")  # its public key is 9
    info, layers = b"veilmix layer" + CONTEXT, list[bytes]()
    for spelling in (None, (P + 9).to_bytes(32, "little"), (2**255 + 9).to_bytes(32, "little")):
        seal = reader.hpke_x25519_seal(OWN.public.raw, ephemeral, info, b"A", spelling=spelling)
        layers.append(HPKE.prefix + seal)
    assert open_layers(OWN.secret, layers * 20, CONTEXT) == [b"A", None, None] * 20


@pytest.fixture
def afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As in a process that has not looked for the library yet."""
    monkeypatch.delenv(multibuffer.SWITCH, raising=False)
    multibuffer.multibuffer.cache_clear()
    yield
    multibuffer.multibuffer.cache_clear()


def lanes(row: int, size: int = 32) -> list[bytes]:
    """What the eight pointers of a row point to."""
    return [ctypes.string_at(address, size) for address in addresses(row)]


def addresses(row: int) -> list[int]:
    return [ctypes.c_uint64.from_address(row + 8 * lane).value for lane in range(8)]


def put(row: int, values: list[bytes]) -> int:
    for address, value in zip(addresses(row), values, strict=True):
        ctypes.memmove(address, value, len(value))
    return 0


def texts(row: int, sizes: int) -> list[bytes]:
    many = [ctypes.c_uint32.from_address(sizes + 4 * lane).value for lane in range(8)]
    return [ctypes.string_at(*pair) for pair in zip(addresses(row), many, strict=True)]


def signed(points: int, scalars: int, rows: int, sizes: int, seeds: int, publics: int) -> int:
    keys = [seed + public for seed, public in zip(lanes(seeds), lanes(publics), strict=True)]
    made = [crypto_sign(*pair) for pair in zip(texts(rows, sizes), keys, strict=True)]
    return put(points, [each[:32] for each in made]) + put(scalars, [each[32:64] for each in made])


def checked(points: int, scalars: int, rows: int, sizes: int, publics: int) -> int:
    told = 0
    each = zip(lanes(points), lanes(scalars), texts(rows, sizes), lanes(publics), strict=True)
    for lane, (point, scalar, text, public) in enumerate(each):
        try:
            crypto_sign_open(point + scalar + text, public)
        except CryptoError:
            told |= 8 << 4 * lane
    return told


HONEST: dict[str, Callable[..., int]] = {
    "mbx_x25519_public_key_mb8": lambda public, secret: put(
        public, list(map(crypto_scalarmult_base, lanes(secret)))
    ),
    "mbx_x25519_mb8": lambda shared, secret, public: put(
        shared, list(map(crypto_scalarmult, lanes(secret), lanes(public)))
    ),
    "mbx_ed25519_public_key_mb8": lambda public, seed: put(
        public, [crypto_sign_seed_keypair(each)[0] for each in lanes(seed)]
    ),
    "mbx_ed25519_sign_mb8": signed,
    "mbx_ed25519_verify_mb8": checked,
}


def liar(wrong: str) -> ctypes.CDLL:
    """A library that can run, and does nothing where it should compute one of the things."""

    def function(name: str) -> Callable[..., int]:
        return lambda *rows: 0 if name == wrong else HONEST[name](*rows)

    return SimpleNamespace(**{name: function(name) for name in HONEST})  # type: ignore[return-value]


@pytest.mark.usefixtures("afresh")
def test_a_library_that_computes_the_same_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multibuffer, "_load", lambda: liar("nothing"))
    assert multibuffer.multibuffer() is not None


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize("wrong", HONEST)
def test_a_library_that_computes_something_else_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, wrong: str
) -> None:
    monkeypatch.setattr(multibuffer, "_load", lambda: liar(wrong))
    assert multibuffer.multibuffer() is None


@pytest.mark.usefixtures("afresh")
def test_without_the_packages_there_is_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    assert multibuffer.multibuffer() is None
    assert SUITE.batch_size == 1


@pytest.mark.usefixtures("afresh")
def test_a_damaged_file_is_no_library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = [*multibuffer.NEEDS, multibuffer.LIBRARY]
    for name in names:
        (tmp_path / name).write_bytes(b"\x7fELF, and no more")
    files = [SimpleNamespace(name=name, locate=lambda name=name: tmp_path / name) for name in names]
    monkeypatch.setattr(metadata, "files", lambda _: files)
    assert multibuffer.multibuffer() is None


@pytest.mark.usefixtures("afresh")
def test_another_engine_is_not_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(multibuffer.SWITCH, "gpu")
    with pytest.raises(
        ParameterError, match="VEILMIX_ENGINE: got 'gpu', accepted: auto, libsodium"
    ):
        multibuffer.multibuffer()


def test_few_layers_do_not_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multibuffer, "multibuffer", lambda: pytest.fail("it was looked for"))
    count = batched.MIN_LAYERS - 1
    layers = seal_layers(SUITE, PAIR.public, [b""] * count, CONTEXT, [OSEntropy()] * count)
    assert open_layers(PAIR.secret, layers, CONTEXT) == [b""] * count


@pytest.mark.usefixtures("afresh")
def test_records_say_with_what_was_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(multibuffer, "_load", lambda: None)
    assert versions()["cipher"] == multibuffer.engine_name() == "libsodium"


def test_records_name_the_library(library: MultiBuffer) -> None:
    assert library is multibuffer.multibuffer()
    assert "eight keys at a time, ipp-crypto 20" in versions()["cipher"]


def test_a_seeded_run_is_the_same_with_it_and_without(
    library: MultiBuffer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert library is multibuffer.multibuffer()
    together = run("titanic", seed=7)
    monkeypatch.setenv(multibuffer.SWITCH, "libsodium")
    multibuffer.multibuffer.cache_clear()
    alone = run("titanic", seed=7)
    assert (together.digest, together.release) == (alone.digest, alone.release)
