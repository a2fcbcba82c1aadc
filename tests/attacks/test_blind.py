"""An attack's figure is what its attackers can tell: who sees nothing has achieved nothing.

Three ways to blind all attackers of a run: no letters (messages that passed), no keys, or nothing
at all: neither, nor the board, which everybody else reads.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from sample_kit import sampled
from veilmix.protocol.board.board import Board
from veilmix.roles.adversary_record import AdversaryRecord
from veilmix.scenarios.attacks.catalogue.attack import OPENED, PEER, REPORTS
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.interface import Effect
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.matrix.attack_plan import changed, plan_rows, trials

PEOPLE = 30
ON_REPORTS = tuple(name for name, attack in ATTACKS.items() if attack.about == REPORTS)
OPENED_ROWS = [
    row for row, plan_row in plan_rows().items() if ATTACKS[plan_row.attack].about == OPENED
]
ROWS = (*plan_rows(), *ON_REPORTS)
# Nobody's letters say that somebody has said nothing: who is missing is on the board alone.
ON_THE_BOARD = ("absent",)
# Guards that have no switch leave them nothing to achieve; each has its own file of tests.
NOTHING = ("false-alarm", "junk-share", "pre-empt", "replay-next", "replay-session", "wrong-digest")
CENSUS = ("lie", "lie-marginals", "overlap")  # rows in which a rule has something to forbid
# Who commits it opens something.
KEYS = (
    *("bundle", "collude", "dictionary", "equivocate", "forward", "inside-reports"),
    *(
        "single-out",
        "single-out-release",
        "lie",
        "lie-counts",
        "lie-marginals",
        "one-key",
        "one-salt",
        "order",
        "overlap",
    ),
    *("substitute", "subtract", "surround", "swap", "thin-out", "delay", "dropout", "rerun"),
    *("split-view", "count-closed", "try-rows"),
)

pytestmark = pytest.mark.slow


@cache
def scenario(row: str) -> Scenario:
    """The attack, without any guard that helps."""
    if row in ON_REPORTS:
        base = load("attack-inside-reports")
        return changed(base, {"population.users": 60}, [{"attack": row, "users": 40}])
    if row in OPENED_ROWS:
        keys = {"population.users": PEOPLE, "policy.kind": "threshold", "policy.k": 3}
        base = changed(load("blood-type"), keys, ())
        return changed(base, {}, plan_rows()[row].faults(PEOPLE, base.mix.shufflers))
    source, people = ("census", 120) if row in CENSUS else ("titanic", PEOPLE)
    base = load("attack-overlap")
    keys = {"population.source": f"builtin:{source}", "population.users": people}
    if row in CENSUS:
        keys["policy.rule"] = "coverage"  # prices would allow all columns
    trial = next(iter(trials(changed(base, keys, ()), (row,), (), people)))
    assert trial.scenario is not None, trial.why
    return trial.scenario


@cache
def achieved(row: str) -> float:
    return effect(row).value


def effect(row: str) -> Effect:
    return run(scenario(row), 7, worst_case_nodes=0).attacks[-1]


def blind(monkeypatch: pytest.MonkeyPatch, **nothing: Any) -> None:
    """Take the same away from all attackers."""
    whole = AdversaryRecord.loot
    monkeypatch.setattr(AdversaryRecord, "loot", lambda *who: replace(whole(*who), **nothing))


def test_every_attack_of_the_catalogue_is_blinded() -> None:
    """Here, or (`provoke`, which is committed among peers) in test_provoke.py."""
    rows = plan_rows()
    here = {rows[row].attack if row in rows else row for row in ROWS}
    assert here == ATTACKS.keys() - {"provoke"}
    assert {name for name, attack in ATTACKS.items() if attack.about == PEER} == {"provoke"}


BLIND_ALL = (*ON_THE_BOARD, *NOTHING)  # of the others the letters alone are taken away
SEEING = [row for row in ROWS if row not in BLIND_ALL]


@pytest.mark.parametrize(
    "row", [pytest.param(row, marks=[pytest.mark.long] * (row not in BLIND_ALL)) for row in ROWS]
)
def test_who_sees_nothing_achieves_nothing(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (achieved(row) > 0) == (row not in NOTHING)
    blind(monkeypatch, letters=(), keys={}, board=Board())
    assert effect(row).value == 0


@pytest.mark.parametrize("row", sampled(SEEING, *range(0, len(SEEING), 4)))
def test_who_sees_no_letters_achieves_nothing(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert achieved(row) > 0
    blind(monkeypatch, letters=())
    assert effect(row).value == 0


@pytest.mark.parametrize("row", KEYS)
def test_who_holds_no_keys_achieves_nothing(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blind(monkeypatch, keys={})
    assert effect(row).value == 0
