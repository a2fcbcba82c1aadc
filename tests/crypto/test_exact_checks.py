"""Checks of crypto/ are exact: one number more, one byte else, anywhere, is refused."""

import pytest
from veilmix.crypto.box_key import box_key, check_key, prove_key
from veilmix.crypto.entropy import OSEntropy, SeededEntropy
from veilmix.crypto.joint_key import check_shown, make_share
from veilmix.crypto.layer import seal_layer
from veilmix.crypto.ristretto import ORDER, base_times, decoded, decoded_scalar, times_decoded
from veilmix.crypto.suites import suite
from veilmix.crypto.verifiable_sharing import SHARE, SharePoint, decode_share
from veilmix.crypto.voprf import OprfKey, blind, verify
from veilmix.errors import Reason, Refused

ENTROPY = SeededEntropy(4)
PAIR = suite().keypair(ENTROPY.fork("pair"))
LAYER = seal_layer(suite(), PAIR.public, b"a plain text", bytes(32), ENTROPY.fork("layer"))
ONE = (1).to_bytes(32, "little")
POINT = base_times(ONE)
PLACES = (0, 15, 16, 31)


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def test_a_scalar_has_32_bytes_below_the_order() -> None:
    assert decoded_scalar(ONE) == ONE
    last = (ORDER - 1).to_bytes(32, "little")
    assert decoded_scalar(last) == last
    wrong = [b"", ONE[:-1], ONE + b"\0", bytes(64), bytes(31)]
    wrong += [(ORDER + more).to_bytes(32, "little") for more in (0, 1, 2)]
    for data in wrong:
        with pytest.raises(Refused, match="malformed"):
            decoded_scalar(data)


def test_an_element_has_32_bytes() -> None:
    assert decoded(POINT) == POINT
    for data in (b"", POINT[:-1], POINT + b"\0", POINT + POINT, bytes(32), b"\xff" * 32):
        with pytest.raises(Refused, match="malformed"):
            decoded(data)
        with pytest.raises(Refused, match="malformed"):
            times_decoded(ONE, data)


@pytest.mark.parametrize("at", PLACES)
def test_a_secret_is_of_a_share_of_which_no_byte_differs(at: int) -> None:
    share = make_share(ENTROPY, b"here")
    check_shown(share.secret, share.public)
    with pytest.raises(Refused):
        check_shown(share.secret, flipped(share.public, at))


def test_as_many_are_proved_as_were_blinded() -> None:
    key, asked = OprfKey(ENTROPY), blind([b"one", b"two"], ENTROPY)
    evaluated, proof = key.evaluate(asked.elements, OSEntropy())
    verify(asked.elements, evaluated, proof, key.public)
    for given in (evaluated[:1], [*evaluated, evaluated[0]], []):
        with pytest.raises(Refused) as caught:
            verify(asked.elements, given, proof, key.public)
        assert caught.value.reason is Reason.MALFORMED
    for wrong in (proof[:-1], proof + b"\0", b""):
        with pytest.raises(Refused) as caught:
            verify(asked.elements, evaluated, wrong, key.public)
        assert caught.value.reason is Reason.MALFORMED


@pytest.mark.parametrize("at", PLACES)
def test_a_key_is_proved_of_which_no_byte_differs(at: int) -> None:
    key, proof = box_key(PAIR.secret, LAYER), prove_key(PAIR.secret, LAYER, OSEntropy())
    check_key(key, PAIR.public, LAYER, proof)
    with pytest.raises(Refused):
        check_key(flipped(key, at), PAIR.public, LAYER, proof)
    for wrong in (proof + b"\0", proof[:-1], proof[:64], proof[:32], proof + proof):
        with pytest.raises(Refused):
            check_key(key, PAIR.public, LAYER, wrong)


@pytest.mark.parametrize("prefix", [b"\0", b"\2", b"\xff"])
def test_a_layer_of_another_suite_has_no_key(prefix: bytes) -> None:
    assert LAYER[:1] == b"\1"
    with pytest.raises(Refused):
        box_key(PAIR.secret, prefix + LAYER[1:])


@pytest.mark.parametrize("point", [bytes(32), ONE, b"\xff" * 32])
def test_a_layer_whose_point_is_none_has_no_key(point: bytes) -> None:
    with pytest.raises(Refused) as caught:
        box_key(PAIR.secret, LAYER[:1] + point + LAYER[33:])
    assert caught.value.reason is Reason.DOES_NOT_OPEN


def test_a_share_has_its_size_and_a_place_that_is_not_that_of_the_secret() -> None:
    good = SharePoint(1, 0).encode()
    assert decode_share(good) == SharePoint(1, 0)
    for data in (b"", good[:-1], good + b"\0", good[: SHARE // 2], SharePoint(0, 1).encode()):
        with pytest.raises(Refused):
            decode_share(data)
    assert decode_share(SharePoint(1 << 248, 5).encode()) == SharePoint(1 << 248, 5)
