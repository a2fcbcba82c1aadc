"""Public keys travel and print; secret keys do neither, whatever one tries."""

import copy
import json
import logging
import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.keys import KeyPair, PublicKey, SecretKey, SuiteCode
from veilmix.crypto.layer import open_layer, seal_layer
from veilmix.crypto.suites import SUITES, suite
from veilmix.errors import ParameterError, Reason, Refused

NAMES = list(SUITES)
RAW = SeededEntropy(11).random(32)
PAIRS = {name: suite(name, lesson=True).keypair_from(RAW) for name in NAMES}
CONTEXT = bytes(32)


@pytest.mark.parametrize("name", NAMES)
def test_public_keys_survive_the_wire(name: str) -> None:
    key = PAIRS[name].public
    again = PublicKey.decode(key.encode())
    assert again == key
    assert len({again, key}) == 1
    assert pickle.loads(pickle.dumps(key)) == key
    assert str(key) == key.fingerprint
    assert str(key).startswith(f"{name}:")
    assert len(str(key)) == len(name) + 17
    assert repr(key) == f"PublicKey({key.fingerprint})"


@given(data=st.binary(max_size=60))
def test_arbitrary_bytes_decode_to_a_key_or_are_refused(data: bytes) -> None:
    for candidate in (data, b"\x01" + data, b"\x01" + data[:32].ljust(32, b"\xff"), b"\x03" + data):
        key = None
        with suppress(Refused):
            key = PublicKey.decode(candidate)
        assert key is None or key.encode() == candidate


@given(tail=st.binary(max_size=40))
def test_arbitrary_bytes_are_no_lattice_key(tail: bytes) -> None:
    with pytest.raises(Refused) as caught:
        PublicKey.decode(b"\x03" + tail.ljust(1216, b"\xff"))
    assert caught.value.reason is Reason.MALFORMED


def test_public_keys_are_valid_once_they_exist() -> None:
    for raw, message in (
        (bytes(31), "got 31 bytes, accepted for sealedbox: 32"),
        (bytes(32), "low order or in a second spelling"),
        (b"\xff" * 32, "low order or in a second spelling"),
        ("key", "got str, accepted: bytes"),
    ):
        with pytest.raises(ParameterError, match=message):
            PublicKey(SuiteCode.SEALEDBOX, raw)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="not reduced"):
        PublicKey(SuiteCode.HPKE_PQ, b"\xff" * 1184 + PAIRS["sealedbox"].public.raw)
    with pytest.raises(ParameterError, match="data: got str, accepted: bytes"):
        PublicKey.decode("01")  # type: ignore[arg-type]


def leaks(text: str, raw: bytes = RAW) -> bool:
    """Look for the secret in hex, as bytes print it, and in base 10."""
    return any(form in text for form in (raw.hex(), repr(raw)[2:-1], str(list(raw))[1:-1]))


def test_the_search_for_leaks_finds_one() -> None:
    assert leaks(f"{RAW!r}")
    assert leaks(RAW.hex())
    assert not leaks("nothing")


SHOWN: dict[str, Callable[[Any], str]] = {
    "repr": repr,
    "str": str,
    "format": lambda o: f"{o}",
    "percent": lambda o: "%s %r" % (o, o),  # noqa: UP031
    "list": lambda o: repr([o]),
    "log": lambda o: logging.LogRecord("n", 10, "p", 1, "%s", (o,), None).getMessage(),
}


@pytest.mark.parametrize("show", SHOWN.values(), ids=SHOWN.keys())
@pytest.mark.parametrize("name", NAMES)
def test_nothing_prints_a_secret_key(name: str, show: Callable[[Any], str]) -> None:
    pair = PAIRS[name]
    for thing in (pair.secret, pair):
        assert not leaks(show(thing))
        assert "hidden" in show(thing)


REFUSED: dict[str, Callable[[Any], Any]] = {
    "pickle": pickle.dumps,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "json": json.dumps,
    "msgspec": msgspec.json.encode,
    "vars": vars,
}


@pytest.mark.parametrize("send", REFUSED.values(), ids=REFUSED.keys())
@pytest.mark.parametrize("name", NAMES)
def test_nothing_carries_a_secret_key_away(name: str, send: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError) as caught:
        send(PAIRS[name].secret)
    assert not leaks(str(caught.value))


def test_a_key_pair_guards_its_secret() -> None:
    pair = PAIRS["sealedbox"]
    for send in (pickle.dumps, asdict, copy.deepcopy):
        with pytest.raises(TypeError):
            send(pair)
    assert replace(pair).secret is pair.secret


@pytest.mark.parametrize("name", NAMES)
def test_tracebacks_with_local_variables_hide_secrets(name: str) -> None:
    s, pair = suite(name, lesson=True), PAIRS[name]
    layer = seal_layer(s, pair.public, b"A", CONTEXT, OSEntropy())
    failures: list[Callable[[], Any]] = [
        lambda: open_layer(pair.secret, layer[:-1], CONTEXT),
        lambda: open_layer(pair.secret, layer, b"\x01" * 32),
        lambda: open_layer(pair.secret, layer, b""),
        lambda: s.seal(pair.public, b"A", b"", SeededEntropy(1)),
    ]
    for failure in failures:
        try:
            failure()
        except (Refused, ParameterError) as error:
            told = "".join(
                traceback.TracebackException.from_exception(error, capture_locals=True).format()
            )
            assert not leaks(told)
            assert "keypair" not in told
        else:
            pytest.fail("did not fail")


def test_secret_keys_compare_by_identity() -> None:
    pair, two = suite().keypair_from(RAW), suite().keypair_from(RAW)
    assert pair.public == two.public
    assert pair.secret != two.secret
    assert pair.secret == pair.secret
    assert isinstance(pair, KeyPair)
    assert isinstance(pair.secret, SecretKey)
    assert pair.secret.public == pair.public
