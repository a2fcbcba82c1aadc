"""Suites and layers: what is sealed opens, and nothing else does."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.keys import KeyPair, SuiteCode
from veilmix.crypto.layer import layer_size, open_layer, seal_layer
from veilmix.crypto.suites import SUITES, Suite, suite, suite_by_code
from veilmix.errors import ParameterError, Reason, Refused

NAMES = list(SUITES)
CONTEXT = b"c" * 32
SYSTEM = OSEntropy()
PAIRS = {n: suite(n, lesson=True).keypair(SeededEntropy(1).fork(n)) for n in NAMES}


def parts(name: str) -> tuple[Suite, KeyPair]:
    return suite(name, lesson=True), PAIRS[name]


@pytest.mark.parametrize("name", NAMES)
@given(plaintext=st.binary(max_size=300), context=st.binary(min_size=32, max_size=32))
def test_what_is_sealed_opens(name: str, plaintext: bytes, context: bytes) -> None:
    s, pair = parts(name)
    for entropy in (SYSTEM, SeededEntropy(3)):
        layer = seal_layer(s, pair.public, plaintext, context, entropy)
        assert open_layer(pair.secret, layer, context) == plaintext
        assert len(layer) == layer_size(s, len(plaintext))
        assert layer[0] == s.code


@pytest.mark.parametrize(
    ("name", "overhead"),
    [("sealedbox", 81), ("hpke-x25519", 49), ("hpke-pq", 1137), ("textbook", 81)],
)
def test_a_layer_adds_the_same_bytes_to_every_plaintext(name: str, overhead: int) -> None:
    s, pair = parts(name)
    assert s.overhead == overhead
    sizes = {len(seal_layer(s, pair.public, bytes((i,)) * 40, CONTEXT, SYSTEM)) for i in range(20)}
    assert sizes == {40 + overhead}


def every_bit(layer: bytes) -> list[bytes]:
    number, size = int.from_bytes(layer, "big"), len(layer)
    return [(number ^ (1 << bit)).to_bytes(size, "big") for bit in range(8 * size)]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n == "hpke-pq" else []) for n in NAMES]
)
def test_no_layer_with_a_flipped_bit_opens(name: str) -> None:
    s, pair = parts(name)
    layer = seal_layer(s, pair.public, b"A", CONTEXT, SYSTEM)
    for changed in every_bit(layer):
        with pytest.raises(Refused) as caught:
            open_layer(pair.secret, changed, CONTEXT)
        assert caught.value.reason is Reason.DOES_NOT_OPEN


@pytest.mark.parametrize("name", NAMES)
def test_every_failure_to_open_is_the_same_exception(name: str) -> None:
    s, pair = parts(name)
    layer = seal_layer(s, pair.public, b"A", CONTEXT, SYSTEM)
    other = s.keypair(SYSTEM)
    cases = [
        (pair, layer, b"d" * 32),
        (other, layer, CONTEXT),
        (pair, layer[:-1], CONTEXT),
        (pair, layer + b"\x00", CONTEXT),
        (pair, layer[: s.overhead - 1], CONTEXT),
        (pair, layer[:20], CONTEXT),
        (pair, layer[:1], CONTEXT),
        (pair, b"", CONTEXT),
        (pair, b"\x04" + layer[1:], CONTEXT),
        (pair, bytes(len(layer)), CONTEXT),
    ]
    for key, data, context in cases:
        with pytest.raises(Refused) as caught:
            open_layer(key.secret, data, context)
        assert caught.value.args == ("does-not-open",)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None  # the library's exception holds the secret


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=200))
def test_arbitrary_bytes_are_refused(name: str, data: bytes) -> None:
    s, pair = parts(name)
    for layer in (data, s.prefix + data, s.prefix + data.ljust(1200, b"\x07")):
        with pytest.raises(Refused):
            open_layer(pair.secret, layer, CONTEXT)


@pytest.mark.parametrize("name", NAMES)
def test_local_misuse_is_a_parameter_error(name: str) -> None:
    s, pair = parts(name)
    other = PAIRS["hpke-x25519" if name != "hpke-x25519" else "sealedbox"]
    layer = seal_layer(s, pair.public, b"A", CONTEXT, SYSTEM)
    mistakes: list[tuple[Callable[[], object], str]] = [
        (lambda: seal_layer(s, other.public, b"A", CONTEXT, SYSTEM), "public: got a key of suite"),
        (lambda: seal_layer(s, pair.public, b"A", CONTEXT[1:], SYSTEM), "context: got 31 bytes"),
        (lambda: seal_layer(s, pair.public, "A", CONTEXT, SYSTEM), "plaintext: got str"),  # type: ignore[arg-type]
        (lambda: open_layer(pair.secret, bytearray(layer), CONTEXT), "layer: got bytearray"),  # type: ignore[arg-type]
        (lambda: open_layer(pair.secret, layer, CONTEXT + b"c"), "context: got 33 bytes"),
        (lambda: open_layer(pair.secret, layer, None), "context: got NoneType"),  # type: ignore[arg-type]
        (lambda: s.open(other.secret, layer[1:], CONTEXT), "secret: got a key of suite"),
        (lambda: s.open(pair.secret, None, CONTEXT), "sealed: got NoneType"),  # type: ignore[arg-type]
        (lambda: s.keypair_from(bytes(31)), "32 bytes"),
        (lambda: layer_size(s, -1), "plaintext_size: got -1"),
    ]
    for mistake, message in mistakes:
        with pytest.raises(ParameterError, match=message):
            mistake()


@pytest.mark.parametrize("name", NAMES)
def test_reproducible_says_whether_a_seed_fixes_the_bytes(name: str) -> None:
    s, pair = parts(name)
    made = {seal_layer(s, pair.public, b"A", CONTEXT, SeededEntropy(5)) for _ in range(2)}
    assert s.reproducible == (len(made) == 1)
    assert s.keypair(SeededEntropy(5)).public == s.keypair(SeededEntropy(5)).public


@pytest.mark.parametrize("name", NAMES)
def test_secret_says_whether_equal_plaintexts_look_different(name: str) -> None:
    s, pair = parts(name)
    made = {seal_layer(s, pair.public, b"A", CONTEXT, SYSTEM) for _ in range(3)}
    assert s.secret == (len(made) == 3)


def test_a_dictionary_reads_textbook_layers_and_no_others() -> None:
    values = [b"A", b"B", b"AB", b"0"]
    readings = {}
    for name in NAMES:
        s, pair = parts(name)
        seen = seal_layer(s, pair.public, b"AB", CONTEXT, SYSTEM)
        guesses = {seal_layer(s, pair.public, v, CONTEXT, SYSTEM): v for v in values}
        readings[name] = guesses.get(seen)
    assert readings == {n: b"AB" if n == "textbook" else None for n in NAMES}


def test_a_salt_inside_the_plaintext_defeats_the_dictionary() -> None:
    s, pair = parts("textbook")
    layers = {
        seal_layer(s, pair.public, b"AB" + SYSTEM.random(16), CONTEXT, SYSTEM) for _ in range(3)
    }
    assert len(layers) == 3


def test_textbook_is_for_lessons_only() -> None:
    pair = PAIRS["textbook"]
    with_lesson = suite("textbook", lesson=True)
    assert with_lesson.keypair(SYSTEM).public.suite is SuiteCode.TEXTBOOK
    assert suite_by_code(0xFF, lesson=True) is with_lesson
    for refused in (
        lambda: suite("textbook"),
        lambda: suite_by_code(0xFF),
        lambda: SUITES["textbook"].keypair(SYSTEM),
        lambda: SUITES["textbook"].seal(pair.public, b"A", CONTEXT, SYSTEM),
    ):
        with pytest.raises(ParameterError, match=r"choose sealedbox, or .* lesson=True"):
            refused()


def test_suites_are_found_by_name_and_by_code() -> None:
    assert suite().name == "sealedbox"
    assert [(s.code, s.name) for s in SUITES.values()] == [
        (1, "sealedbox"),
        (2, "hpke-x25519"),
        (3, "hpke-pq"),
        (255, "textbook"),
    ]
    for name in NAMES[:3]:
        assert suite_by_code(suite(name).code) is suite(name)
    assert repr(suite()) == "<suite sealedbox>"
    with pytest.raises(ParameterError, match=r"got 'rsa', accepted: sealedbox, hpke-x25519"):
        suite("rsa")
    with pytest.raises(ParameterError, match=r"suite code: got 4, accepted: 0x01 \(sealedbox\)"):
        suite_by_code(4)


@given(data=st.data())
def test_any_change_of_a_sealed_box_is_refused(data: st.DataObject) -> None:
    s, pair = parts("sealedbox")
    layer = seal_layer(s, pair.public, b"value", CONTEXT, SeededEntropy(9))
    start = data.draw(st.integers(0, len(layer)))
    end = data.draw(st.integers(start, len(layer)))
    changed = layer[:start] + data.draw(st.binary(max_size=40)) + layer[end:]
    opened = None
    with suppress(Refused):
        opened = open_layer(pair.secret, changed, CONTEXT)
    assert (opened == b"value") == (changed == layer)
    assert opened in (None, b"value")
