"""A shuffler that keeps the order of arrival: whoever gets its batch sees it."""

import attack_kit as KIT
import pytest

ONE, BOTH = (
    {"attack": "forward", "by": "shuffler-1"},
    {"attack": "forward", "by": "shuffler-2"},
)


@pytest.mark.parametrize("fault", [ONE, BOTH], ids=lambda fault: fault["by"])
def test_a_batch_in_an_order_of_its_own_is_refused_and_shown(fault: dict[str, str]) -> None:
    outcome = KIT.attack(fault)
    assert KIT.alarms(outcome) == ["order"]
    assert outcome.burned is not None
    assert KIT.effect(outcome).value == 0


def test_without_the_check_who_listens_and_who_reads_link_everybody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("veilmix.roles.keyholder.check_batch", lambda _plan, _layers: None)
    outcome = KIT.attack(ONE, BOTH)
    assert [attack.value for attack in outcome.attacks] == [30, 30]
    assert outcome.burned is None


def test_one_honest_shuffler_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """It sorts: what the other one kept is lost."""
    monkeypatch.setattr("veilmix.roles.keyholder.check_batch", lambda _plan, _layers: None)
    assert KIT.effect(KIT.attack(ONE)).value == 0
