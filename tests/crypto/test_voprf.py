"""The verifiable oblivious PRF: the vectors of RFC 9497, its algebra, and everything it refuses."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oprf_kit import A_ASKED, PUBLIC, SECOND, SECRET, VECTORS, A
from veilmix.crypto import ristretto
from veilmix.crypto.entropy import Drawn, OSEntropy, SeededEntropy
from veilmix.crypto.voprf import (
    MOST_INPUTS,
    Blinded,
    OprfKey,
    blind,
    blinded_by,
    finalize,
    verify,
)
from veilmix.errors import ParameterError, Reason, Refused

SYSTEM = OSEntropy()


def rfc_key() -> OprfKey:
    return OprfKey(Drawn(32 * b"\xa3"), b"test key")


def test_the_key_is_that_of_the_rfc() -> None:
    key = rfc_key()
    assert key.public == PUBLIC == ristretto.base_times(SECRET)


@pytest.mark.parametrize("vector", VECTORS, ids=["A", "B", "A and B"])
def test_the_vectors_of_rfc_9497(vector: Any) -> None:
    inputs, factors, asked, given_, nonce, proof, outputs = vector
    key = rfc_key()
    blinded = blinded_by(factors, inputs)
    assert list(blinded.elements) == asked
    assert key.evaluate(asked, SYSTEM)[0] == given_
    assert key._prove(asked, given_, nonce) == proof
    assert finalize(blinded, given_, proof, PUBLIC) == outputs
    assert [key.output(data) for data in inputs] == outputs


@settings(max_examples=25, deadline=None)
@given(inputs=st.lists(st.binary(max_size=40), min_size=1, max_size=4), seed=st.integers(0, 9))
def test_what_was_blinded_comes_out_as_if_it_had_been_shown(inputs: list[bytes], seed: int) -> None:
    entropy = SeededEntropy(seed)
    key = OprfKey(entropy.fork("key"), b"tokens")
    asked = blind(inputs, entropy.fork("blind"))
    answer = key.evaluate(asked.elements, entropy.fork("proof"))
    outputs = finalize(asked, *answer, key.public)
    assert outputs == [key.output(data) for data in inputs]
    assert all(map(key.accepts, inputs, outputs))
    assert not key.accepts(inputs[0] + b"x", outputs[0])
    assert not OprfKey(entropy.fork("key"), b"else").accepts(inputs[0], outputs[0])


def answered() -> tuple[OprfKey, Blinded, list[bytes], bytes]:
    key = OprfKey(SeededEntropy(1), b"")
    asked = blind([b"one", b"two", b"three"], SeededEntropy(2))
    return key, asked, *key.evaluate(asked.elements, SYSTEM)


def test_nobody_is_given_a_key_of_its_own() -> None:
    """One element of a batch evaluated with another key: its token could be told from others'."""
    key, asked, given_, proof = answered()
    other = OprfKey(SeededEntropy(9), b"")
    marked = [given_[0], other.evaluate([asked.elements[1]], SYSTEM)[0][0], given_[2]]
    for wrong in (proof, key._prove(asked.elements, marked, SECOND)):
        with pytest.raises(Refused) as refused:
            finalize(asked, marked, wrong, key.public)
        assert refused.value.reason is Reason.DOES_NOT_OPEN


def test_answers_cannot_change_places() -> None:
    key, asked, given_, proof = answered()
    with pytest.raises(Refused):
        finalize(asked, [given_[1], given_[0], given_[2]], proof, key.public)
    with pytest.raises(Refused):
        verify(asked.elements, given_, proof, OprfKey(SeededEntropy(3)).public)


@settings(max_examples=60, deadline=None)
@given(at=st.integers(0, 63), bit=st.integers(0, 7), which=st.sampled_from(["proof", "given"]))
def test_every_flipped_bit_is_refused(at: int, bit: int, which: str) -> None:
    key, asked, given_, proof = answered()
    flip = lambda data: data[:at] + bytes((data[at] ^ 1 << bit,)) + data[at + 1 :]  # noqa: E731
    if which == "proof":
        proof = flip(proof)
    else:
        at %= 32
        given_ = [flip(given_[0]), *given_[1:]]
    with pytest.raises(Refused):
        finalize(asked, given_, proof, key.public)


WRONG = [b"", b"\0" * 31, b"\0" * 32, b"\xff" * 32, b"\1" + b"\0" * 31, b"\0" * 33, PUBLIC + b"\0"]


@pytest.mark.parametrize("wrong", WRONG, ids=bytes.hex)
def test_what_is_no_element_is_refused(wrong: bytes) -> None:
    key, asked, given_, proof = answered()
    for act in (
        lambda: key.evaluate([asked.elements[0], wrong], SYSTEM),
        lambda: finalize(asked, [wrong, *given_[1:]], proof, key.public),
        lambda: finalize(asked, given_, proof, wrong),
        lambda: finalize(asked, given_, wrong, key.public),
        lambda: finalize(asked, given_[1:], proof, key.public),
        lambda: verify(asked.elements, given_[1:], proof, key.public),
    ):
        with pytest.raises(Refused):
            act()


def test_scalars_have_one_spelling() -> None:
    key, asked, given_, proof = answered()
    again = (int.from_bytes(proof[32:], "little") + ristretto.ORDER).to_bytes(32, "little")
    with pytest.raises(Refused) as refused:
        finalize(asked, given_, proof[:32] + again, key.public)
    assert refused.value.reason is Reason.MALFORMED


def test_batches_have_a_size() -> None:
    key = rfc_key()
    for size in (0, MOST_INPUTS + 1):
        with pytest.raises(Refused):
            key.evaluate([A_ASKED] * size, SYSTEM)
    with pytest.raises(ParameterError, match="1 to 65,535"):
        blind([], SYSTEM)
    with pytest.raises(ParameterError, match="fewer than 65,536"):
        blind([bytes(2**16)], SYSTEM)


def test_blinding_hides_the_input() -> None:
    """The same input twice is two elements."""
    once, again = blind([A], SYSTEM), blind([A], SYSTEM)
    assert once.elements != again.elements


def test_secrets_do_not_show() -> None:
    key, asked = rfc_key(), blind([b"my token"], SYSTEM)
    for shown in (repr(key), str(key), f"{key}", repr(asked)):
        assert SECRET.hex() not in shown
        assert "my token" not in shown
        assert repr(asked.factors[0]) not in shown
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(key)


@pytest.mark.place
def test_the_library_leaves_no_file_behind(tmp_path: Path) -> None:
    """What rbcl writes at its import, and nobody needs afterwards, is taken away."""
    code = (
        "from veilmix.crypto import ristretto\n"
        "print(len(ristretto.base_times(b'\\1' * 31 + b'\\0')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "32\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_where_the_library_finds_no_room_is_said(tmp_path: Path) -> None:
    code = (
        "import resource\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "from veilmix.crypto import ristretto\n"
        "from veilmix.errors import StorageError\n"
        "try:\n    ristretto.library()\nexcept StorageError as full:\n    print(full)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"TMPDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(
        f"libsodium (2.8 MB), to be loaded, cannot be put into {tmp_path}: "
    )
    assert "TMPDIR=FOLDER" in done.stdout
    assert list(tmp_path.iterdir()) == []
