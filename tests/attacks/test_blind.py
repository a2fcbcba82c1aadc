"""An attack whose figure is what its attackers can tell reaches 0 when they see nothing."""

from dataclasses import replace
from typing import Any

import pytest
from veilmix.roles.adversary_record import AdversaryRecord
from veilmix.scenarios.play.run import run
from veilmix.scenarios.scoring.outcome import Outcome
from veilmix.scenarios.studies.attack_plan import trials
from veilmix.scenarios.validation.load import load

KEYS = (
    *("bundle", "dictionary", "equivocate", "forward", "one-key", "one-salt", "order"),
    *("subtract", "surround", "swap", "thin-out", "delay", "dropout", "rerun"),
)  # those who commit it open something
LETTERS = (*KEYS, "copy", "flood", "isolate", "predictable", "replay")
PEOPLE = 30

pytestmark = pytest.mark.slow


def played(row: str) -> Outcome:
    """The attack, without any guard that helps."""
    trial = next(iter(trials(load("blood-type"), (row,), (), PEOPLE)))
    assert trial.scenario is not None
    return run(trial.scenario, 7, worst_case_seconds=0)


@pytest.mark.parametrize("row", LETTERS)
def test_who_sees_no_letters_achieves_nothing(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert played(row).attacks[-1].value > 0
    blind(monkeypatch, letters=())
    assert played(row).attacks[-1].value == 0


@pytest.mark.parametrize("row", KEYS)
def test_who_holds_no_keys_achieves_nothing(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blind(monkeypatch, keys={})
    assert played(row).attacks[-1].value == 0


def blind(monkeypatch: pytest.MonkeyPatch, **nothing: Any) -> None:
    """Take the same away from all attackers."""
    whole = AdversaryRecord.loot
    monkeypatch.setattr(AdversaryRecord, "loot", lambda *who: replace(whole(*who), **nothing))
