"""A first shuffler that handles the people of a release reads one row, from what it has alone."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import attack_kit as KIT
import msgspec
import pytest
from sample_kit import sampled
from veilmix.protocol.knowledge.adversary_view import AdversaryView
from veilmix.roles.adversary_record import AdversaryRecord
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.matrix.attack_plan import changed, plan_rows

NAMES = ("subtract", "surround", "swap", "thin-out")
EASY: dict[str, Any] = {
    "source": "titanic",
    "users": 60,
    "defence__registered": True,
    "defence__balance": True,
    "defence__sums": False,  # the guard that burns such a round
}


def fault(name: str, target: str = "user-3") -> dict[str, Any]:
    """The attack on a person, with friends where it needs them."""
    friends = {"users": 9} if name == "thin-out" else {}
    return {"attack": name, "by": "shuffler-1", "target": target, **friends}


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_that_is_released_of_the_target_is_read_and_nobody_sees_it(name: str) -> None:
    """Whoever it is; and what is added up on the board fits."""
    for seed, target in ((1, "user-1"), (2, "user-42")):
        outcome = KIT.attack(fault(name, target), seed=seed, **EASY)
        effect = KIT.effect(outcome)
        assert outcome.release is not None
        assert (effect.value, effect.of) == (4, 4)
        assert KIT.alarms(outcome) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["subtract", "swap", "thin-out"])
def test_where_marginals_are_secret_the_curator_has_to_tell(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    effect = KIT.effect(KIT.attack(fault(name), **EASY))
    assert (effect.value, effect.of) == (4, 4)
    assert effect.parties[0] == "shuffler-1"
    assert effect.parties[-1] == "curator"
    blind(monkeypatch, lambda loot: replace(loot, keys=_but(loot.keys, "curator")))
    assert KIT.effect(KIT.attack(fault(name), **EASY)).value == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["thin-out"])
def test_where_marginals_are_public_nobody_has_to_tell(name: str) -> None:
    effect = KIT.effect(KIT.attack(fault(name), policy__publish_marginals=True, **EASY))
    assert (effect.value, effect.of) == (4, 4)
    assert "curator" not in effect.parties


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lost", ["letters", "keys"])
def test_the_blind_read_nothing(name: str, lost: str, monkeypatch: pytest.MonkeyPatch) -> None:
    none: dict[str, Any] = {"letters": ()} if lost == "letters" else {"keys": {}}
    blind(monkeypatch, lambda loot: replace(loot, **none))
    assert KIT.effect(KIT.attack(fault(name), **EASY)).value == 0


def blind(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[AdversaryView], AdversaryView]
) -> None:
    """Take something away from all attackers."""
    whole = AdversaryRecord.loot
    monkeypatch.setattr(AdversaryRecord, "loot", lambda *who: change(whole(*who)))


def _but(keys: Any, party: str) -> dict[str, Any]:
    return {name: key for name, key in keys.items() if name != party}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NAMES if name != "thin-out"])
def test_those_who_were_replaced_and_look_prove_it_before_anything_is_opened(name: str) -> None:
    """Of `thin-out` nobody can: its target was never accepted."""
    outcome = KIT.attack(fault(name), defence__receipts=1.0, **EASY)
    due = 59 if name == "surround" else 1
    assert KIT.alarms(outcome) == ["changed"] * due
    assert ("user-3" in {alarm.party for alarm in outcome.alarms}) is (name != "surround")
    assert KIT.effect(outcome).value == 0


def test_one_friend_too_few_and_the_round_is_burned() -> None:
    few = {**fault("thin-out"), "users": 8}
    outcome = KIT.attack(few, **EASY)
    assert outcome.burned is not None
    assert outcome.burned.startswith("9 of 60 people are missing")
    assert KIT.effect(outcome).value == 0


@pytest.mark.slow
def test_more_must_leave_where_more_are_let_go_together() -> None:
    """The price is that as many, who stay away, stop any release."""
    for friends, value in ((9, 0), (19, 4)):
        some = {**fault("thin-out"), "users": friends}
        outcome = KIT.attack(some, defence__min_dropout=20, **EASY)
        assert KIT.effect(outcome).value == value


@pytest.mark.slow
def test_a_promise_with_nothing_to_spare_is_not_proved_of_ten_people_fewer() -> None:
    terms = {**EASY, "policy__kind": "exposure", "policy__max_exposure": 0.1}
    terms["policy__rule"] = "coverage"  # prices have something to spare here
    outcome = KIT.attack(fault("thin-out"), **terms)
    assert outcome.burned is not None
    assert outcome.burned.startswith("50 people came where the promise was made for 60")
    assert KIT.effect(outcome).value == 0


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_scenario_has_every_guard_that_does_not_help(name: str) -> None:
    there = load(ATTACKS[name].scenario).defence
    assert there.registered
    assert there.balance
    assert there.union


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_whole_rows_are_read_again_and_again(name: str) -> None:
    """Of 200 people, as the shipped scenarios have it; `--repeat 40` plays forty."""
    for seed in (11, 12):
        outcome = run(ATTACKS[name].scenario, seed, worst_case_nodes=0)
        (achieved,) = outcome.attacks
        assert achieved.value == achieved.of >= 2


TOKENS: dict[str, Any] = {**EASY, "users": 14, "defence__tokens": True}
UNTOLD = {**TOKENS, "policy__publish_marginals": True}


@pytest.mark.slow
@pytest.mark.parametrize("seeds", sampled([range(10), range(10, 40)], 0), ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_with_tokens_nothing_is_read_in_forty_runs(name: str, seeds: range) -> None:
    """Whoever it is, whether the curator tells or the marginals are public."""
    for seed in seeds:
        terms = TOKENS if seed % 2 else UNTOLD
        outcome = KIT.attack(fault(name, f"user-{1 + seed % 5}"), seed=seed, **terms)
        assert KIT.effect(outcome).value == 0, seed
        assert outcome.release is None
        assert outcome.burned is not None


CHANGES = (
    *("subtract", "swap", "surround", "substitute", "drop", "drop-people", "tag", "copy"),
    *("single-out", "single-out-release"),
)  # rows in which a shuffler changes what people were told is accepted


@pytest.mark.slow
@pytest.mark.parametrize("row", CHANGES)
def test_with_a_challenge_nothing_changed_is_released(row: str) -> None:
    keys = {
        "population.source": "builtin:titanic",
        "population.users": 40,
        "mix.shufflers": 2,
        "defence.union": False,
        "defence.registered": True,
        "defence.balance": True,
        "defence.challenge": True,
    }
    made = changed(load("attack-overlap"), keys, plan_rows()[row].faults(40, 2))
    for seed in range(4):
        outcome = run(made, seed, worst_case_nodes=0)
        assert outcome.release is None
        assert outcome.burned is not None
        assert all(alarm.borne_out for alarm in outcome.alarms)


@pytest.mark.parametrize("fault", ["late", "malformed", "absent"])
@pytest.mark.parametrize("number", [1, 2])
def test_with_tokens_real_is_ideal(fault: str, number: int) -> None:
    """Who asks and says nothing burns the round; who does not ask is not there."""
    entry = {"attack": fault, "users": 1, "round": number}
    scenario = KIT.scenario(entry, defence__registered=True, defence__tokens=True)
    played, told = (run(scenario, 3, mode, worst_case_nodes=0) for mode in ("real", "ideal"))
    assert played.burned == told.burned
    assert (played.burned is None) is (fault == "absent" and number == 1)
    assert played.marginals == told.marginals
    assert played.release == told.release


@pytest.mark.parametrize(
    "name", ["blood-type", "hierarchical-class", "local-suppression-class", "randomized-class"]
)
def test_every_program_has_tokens(name: str) -> None:
    scenario = load(name)
    guarded = msgspec.structs.replace(scenario.defence, registered=True, tokens=True)
    scenario = msgspec.structs.replace(scenario, defence=guarded)
    played, told = (run(scenario, 3, mode, worst_case_nodes=0) for mode in ("real", "ideal"))
    assert played.burned is told.burned is None
    assert played.release == told.release
