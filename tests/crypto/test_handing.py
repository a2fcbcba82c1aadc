"""A job goes to another process of the same party; its secrets are in its box and nowhere else."""

import pickle
import subprocess
import sys

import pytest
from nacl.exceptions import CryptoError
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.handing import Packed, own_public, pack, unpack
from veilmix.crypto.keys import SecretKey
from veilmix.crypto.layer import open_layers, seal_layer
from veilmix.crypto.suites import SUITES, suite

CONTEXT = bytes(32)
OTHER = "from veilmix.crypto.handing import own_public as o; print(o().hex())"


@pytest.mark.parametrize("name", sorted(SUITES))
def test_a_key_opens_there_what_it_opens_here(name: str) -> None:
    pair = suite(name, lesson=True).keypair(SeededEntropy(1))
    layer = seal_layer(suite(name, lesson=True), pair.public, b"a row", CONTEXT, OSEntropy())
    packed = pack((pair.secret, [layer, layer], pair.secret))
    secret, layers, same = unpack(packed.job, packed.sealed_to(own_public()))
    assert secret is same
    assert secret.public == pair.public
    assert open_layers(secret, layers, CONTEXT) == [b"a row"] * 2


def test_a_stream_goes_on_where_it_begins() -> None:
    entropy = SeededEntropy(3)
    packed = pack([entropy.fork("one"), entropy.fork("other"), OSEntropy()])
    stream, other, system = unpack(packed.job, packed.sealed_to(own_public()))
    assert stream.random(40) == entropy.fork("one").random(40)
    assert other.fork("x").random(8) == entropy.fork("other").fork("x").random(8)
    assert isinstance(system, OSEntropy)


def test_no_secret_is_in_the_job_nor_shown() -> None:
    pair, entropy = suite("sealedbox").keypair(SeededEntropy(1)), SeededEntropy(2)
    packed = pack((pair.secret, entropy))
    box = packed.sealed_to(own_public())
    for raw in (pair.secret._raw, entropy._key):
        for shown in (packed.job, box, repr(packed).encode()):
            assert raw not in shown
            assert raw.hex().encode() not in shown
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(packed)


def test_a_job_without_secrets_has_no_box() -> None:
    packed = pack(("open", [b"x"]))
    assert not packed.secret
    assert unpack(packed.job, None) == ("open", [b"x"])


def test_what_was_read_from_is_not_handed_on() -> None:
    """Both would give the same bytes."""
    entropy = SeededEntropy(1)
    entropy.random(1)
    with pytest.raises(TypeError, match="fork it"):
        pack(entropy)


@pytest.mark.slow
def test_a_box_of_another_process_does_not_open_here() -> None:
    other = subprocess.run([sys.executable, "-c", OTHER], capture_output=True, check=True)
    packed: Packed = pack(SecretKey(suite("sealedbox").keypair(SeededEntropy(1)).public, bytes(32)))
    box = packed.sealed_to(bytes.fromhex(other.stdout.decode().strip()))
    with pytest.raises(CryptoError):
        unpack(packed.job, box)
