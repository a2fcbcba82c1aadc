"""The key of one box: it opens that box alone, and what it does not open is proved."""

import pytest
from nacl.bindings import crypto_box_beforenm, crypto_scalarmult, crypto_scalarmult_base
from veilmix.crypto.box_key import (
    BOX_PROOF,
    box_key,
    check_key,
    hsalsa20,
    open_with,
    provable,
    prove_key,
)
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.layer import seal_layer
from veilmix.crypto.suites import suite
from veilmix.errors import Refused

SUITE = suite()
PAIRS = [SUITE.keypair(SeededEntropy(i)) for i in range(8)]
CONTEXT = bytes(range(32))


def layer(number: int, plain: bytes = b"a plain text") -> bytes:
    return seal_layer(SUITE, PAIRS[number].public, plain, CONTEXT, SeededEntropy(50 + number))


@pytest.mark.parametrize("number", range(8))
def test_a_key_opens_its_own_layer_and_is_proved(number: int) -> None:
    mine, pair = layer(number), PAIRS[number]
    key = box_key(pair.secret, mine)
    assert open_with(key, pair.public, mine, CONTEXT) == b"a plain text"
    assert open_with(key, pair.public, mine, bytes(32)) is None
    assert open_with(key, pair.public, mine[:-1] + bytes([mine[-1] ^ 1]), CONTEXT) is None
    assert open_with(bytes(32), pair.public, mine, CONTEXT) is None
    assert provable(mine)
    proof = prove_key(pair.secret, mine, OSEntropy())
    assert len(proof) == BOX_PROOF
    check_key(key, pair.public, mine, proof)


def test_another_key_is_not_proved() -> None:
    mine, pair = layer(0), PAIRS[0]
    key, proof = box_key(pair.secret, mine), prove_key(pair.secret, mine, OSEntropy())
    wrong = [
        (bytes(32), pair.public, mine, proof),
        (key, PAIRS[1].public, mine, proof),
        (key, pair.public, layer(1), proof),
        (key, pair.public, mine, proof[:-1]),
        (key, pair.public, mine, b""),
        (key, pair.public, mine, bytes(96)),
        (key, pair.public, mine, b"\xff" * 96),
        *(
            (key, pair.public, mine, proof[:at] + bytes([proof[at] ^ 1]) + proof[at + 1 :])
            for at in (0, 31, 32, 63, 64, 95)
        ),
    ]
    for claim in wrong:
        with pytest.raises(Refused):
            check_key(*claim)
    other = box_key(PAIRS[1].secret, mine)
    with pytest.raises(Refused):
        check_key(other, pair.public, mine, prove_key(PAIRS[1].secret, mine, OSEntropy()))


def test_hsalsa20_is_that_of_the_library() -> None:
    for number in range(5):
        secret = SeededEntropy(number).random(32)
        point = crypto_scalarmult_base(SeededEntropy(number + 9).random(32))
        assert hsalsa20(crypto_scalarmult(secret, point)) == crypto_box_beforenm(point, secret)


@pytest.mark.parametrize("point", [b"\2" + bytes(31), bytes(32), b"\xff" * 32])
def test_points_outside_the_group_are_in_no_proof(point: bytes) -> None:
    """u = 2 is on the twist; 0 is of low order; the last is no spelling of a point."""
    assert not provable(layer(0)[:1] + point + layer(0)[33:])
    assert not provable(b"\2" + layer(0)[1:])
    with pytest.raises(Refused):
        box_key(PAIRS[0].secret, b"\2" + layer(0)[1:])
