"""Everybody but one is held up: a batch of one."""

import attack_kit as KIT

DELAY = {"attack": "delay", "target": "user-5"}


def test_a_batch_of_one_is_linked() -> None:
    outcome = KIT.attack(DELAY, mix__min_batch=1)
    assert KIT.effect(outcome).value == 1
    assert outcome.refused == {"late": 58}  # 29 people in two rounds; none is sent on by itself


def test_the_smallest_batch_burns_it() -> None:
    outcome = KIT.attack(DELAY)
    assert KIT.effect(outcome).value == 0
    assert outcome.burned == "1 people took part; the smallest batch that hides is 2"
