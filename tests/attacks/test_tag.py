"""Tagging: whatever bit of a layer is turned over, the layer does not open. It is a drop."""

from typing import Any

import attack_kit as KIT
import pytest
from nacl.bindings import crypto_box_open, crypto_scalarmult
from veilmix.crypto import batched, sealedbox
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.layer import open_layer, seal_layer
from veilmix.crypto.suites import SUITES, suite
from veilmix.errors import Reason, Refused
from veilmix.scenarios.attacks.faults.shuffler import TOP_BIT, flip

TAG = {"attack": "tag", "by": "shuffler-1", "users": 4, "round": 1}


@pytest.mark.parametrize("name", SUITES)
def test_no_bit_can_be_turned_over(name: str) -> None:
    scheme = suite(name, lesson=True)
    pair = scheme.keypair(SeededEntropy(1))
    layer = seal_layer(scheme, pair.public, b"yes", bytes(32), SeededEntropy(2))
    whole = range(8 * len(layer)) if len(layer) < 200 else range(0, 8 * len(layer), 37)
    for bit in {*whole, TOP_BIT}:
        with pytest.raises(Refused) as caught:
            open_layer(pair.secret, flip(layer, bit), bytes(32))
        assert caught.value.reason is Reason.DOES_NOT_OPEN


@pytest.mark.parametrize("bit", [0, 8, TOP_BIT, 300, 1000])
def test_a_tagged_answer_is_lost_and_the_balance_shows_it(bit: int) -> None:
    outcome = KIT.attack({**TAG, "bit": bit}, defence__balance=True)
    assert KIT.effect(outcome).value == 4
    assert outcome.refused["does-not-open"] == 4
    assert KIT.alarms(outcome) == ["balance"]


def test_a_suite_that_ignores_the_bit_lets_the_tag_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """X25519 ignores the top bit of a point; were the nonce not made of the point as spelt, ..."""

    def ignoring(sealed: bytes, public: bytes, secret: bytes) -> bytes:
        point = sealed[:31] + bytes([sealed[31] & 127])
        assert crypto_scalarmult(secret, sealed[:32]) == crypto_scalarmult(secret, point)
        nonce = sealedbox.blake2b(point + public, digest_size=24).digest()
        return bytes(crypto_box_open(sealed[32:], nonce, point, secret))

    # Layers that are opened eight at a time are opened by a library that has nothing to patch.
    monkeypatch.setattr(batched, "engine_for", lambda _count: None)
    everything: Any = lambda _point: True  # noqa: E731
    monkeypatch.setattr(sealedbox, "crypto_box_seal_open", ignoring)
    monkeypatch.setattr(sealedbox, "is_public_key", everything)
    outcome = KIT.attack(TAG, defence__balance=True)
    assert KIT.effect(outcome).value == 0
    assert outcome.refused == {}  # nobody notices that four layers were marked
