"""A digest that is not that of the batch: who gets the batch compares both."""

import attack_kit as KIT
import pytest


@pytest.mark.parametrize("by", ["shuffler-1", "shuffler-2"])
def test_who_gets_the_batch_burns_the_round(by: str) -> None:
    outcome = KIT.attack({"attack": "wrong-digest", "by": by, "round": 2})
    assert outcome.burned.startswith(f"{by} delivered another batch to")
    assert KIT.effect(outcome).value == 0
    assert outcome.release is None


def test_without_the_check_nobody_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veilmix.roles.keyholder.check_accounted", lambda *_: None)
    outcome = KIT.attack({"attack": "wrong-digest", "by": "shuffler-2"})
    assert (KIT.effect(outcome).value, outcome.burned, outcome.alarms) == (2, None, ())
