"""A batch in another's place: it comes from the hop before, and is the one accounted for."""

import attack_kit as KIT
import pytest

PRE_EMPT = {"attack": "pre-empt", "by": "shuffler-1"}


def test_it_is_refused_and_stops_nothing() -> None:
    outcome = KIT.attack(PRE_EMPT)
    assert KIT.effect(outcome).value == 0
    assert outcome.burned is None
    assert outcome.refused == {"unexpected": 2}  # one in each round


def test_without_both_checks_the_forged_ballots_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("veilmix.roles.keyholder.check_accounted", lambda *_: None)
    monkeypatch.setattr("veilmix.roles.keyholder.comes_from", lambda *_: True)
    outcome = KIT.attack({**PRE_EMPT, "round": 1})
    assert KIT.effect(outcome).value > 10  # of 30: all others are the forged row


def test_without_the_sender_the_digest_burns_the_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veilmix.roles.keyholder.comes_from", lambda *_: True)
    outcome = KIT.attack(PRE_EMPT)
    assert KIT.effect(outcome).value == 0
    assert outcome.burned is not None
