"""Rules that let batches leave as they came: the network and the curator link everybody.

trio starts tasks in an order that hypothesis, once imported, makes another one: the attack does not
rely on it, for whoever listens sees in which order the messages arrive."""

import attack_kit as KIT
import pytest

ORDER = {"attack": "order"}


@pytest.mark.parametrize("shufflers", [1, 3])
def test_the_order_of_arrival_links_everybody(shufflers: int) -> None:
    kept = KIT.lesson(mix__order="kept", mix__shufflers=shufflers)
    assert KIT.effect(KIT.attack(ORDER, **kept)).value == 30


@pytest.mark.parametrize("shufflers", [1, 3])
def test_sorted_batches_link_nobody(shufflers: int) -> None:
    assert KIT.effect(KIT.attack(ORDER, mix__shufflers=shufflers)).value <= 2  # by chance
