"""The two tables: every attack has a scenario that shows it, every defence a switch."""

import dataclasses
from pathlib import Path
from typing import get_args

import attack_kit as KIT
import pytest
from sample_kit import sampled
from veilmix.protocol.board.alarms import borne_out
from veilmix.protocol.board.board import replay
from veilmix.scenarios.attacks.catalogue import registry
from veilmix.scenarios.attacks.catalogue.attack import BYSTANDER, USER
from veilmix.scenarios.attacks.catalogue.registry import ATTACKS, GUARDS, RecordTable, helping
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.gallery import attacks, shipped, source
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.registry import strategy
from veilmix.scenarios.records.result_file import read
from veilmix.scenarios.records.run_folder import save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Attack, Defence
from veilmix.scenarios.schema.shape import type_at

# What `veilmix verify` finds of them besides: layers twice, sums that are wrong, a decision not the
# rule's, more people with a value in round 2 than in round 1.
WRONG: dict[str, set[str]] = {
    "attack-copy": {"batches"},
    "attack-lie": {"decision"},
    "attack-lie-marginals": {"result"},  # what was published is not what was read
    "attack-overlap": {"decision"},
    "attack-replay": {"batches"},
    "verified-no-boxes": {"board", "signatures"},  # the curator has left, and nobody else closes it
}

FALSE = ("attack-false-alarm", "attack-equivocate")  # in which nothing bears the alarms out


def test_the_table_of_attacks_is_the_grammar() -> None:
    assert set(get_args(Attack)) == set(ATTACKS)


def test_every_attack_has_a_scenario_that_commits_it() -> None:
    for name, attack in ATTACKS.items():
        assert attack.scenario in (*attacks(), *shipped()), name
        committed = {fault.attack for fault in load(attack.scenario).fault}
        assert name in committed or name == "collude"
    shown = {attack.scenario for attack in ATTACKS.values()}
    assert {name for name in attacks() if not load(name).deviation} <= shown


def test_every_attack_names_defences_that_exist() -> None:
    for name, attack in ATTACKS.items():
        assert set(helping(name)) <= set(GUARDS), name
        for key in attack.switches:
            assert type_at(key.split(".")) is not None, key


def test_every_defence_is_a_key_of_the_grammar() -> None:
    for name, guard in GUARDS.items():
        assert type_at(guard.key.split(".")) is not None, name
        assert guard.on != guard.off


def test_a_defence_is_on_by_default_or_says_that_it_is_not() -> None:
    plain = KIT.scenario()
    for name, guard in GUARDS.items():
        table, _, key = guard.key.partition(".")
        if table != "scenario" and key != "shufflers":
            value = getattr(getattr(plain, table), key)
            assert (value != guard.off) is guard.default, name


def test_every_shipped_attack_is_named_like_its_file_and_says_what_it_shows() -> None:
    for name in attacks():
        assert load(name).scenario.name == name
        assert load(name).scenario.title
        assert source(name).startswith("# ")


@pytest.mark.slow
@pytest.mark.parametrize("name", attacks())
def test_what_a_shipped_attack_expects_comes_out(name: str, tmp_path: Path) -> None:
    """And alarms are told as what they are, and the run folder is one that can be read back."""
    outcome = run(name, worst_case_nodes=0)
    assert outcome.failed == ()
    assert len(outcome.attacks) == len(outcome.scenario.fault)
    assert outcome.transcript is not None
    if not outcome.scenario.mix.peers:
        board, rule = replay(outcome.transcript.posts), strategy(outcome.scenario)
        assert all(
            borne_out(board, alarm, rule) == (name not in FALSE) for _, alarm in board.alarms
        )
    checks = {
        check.name: check for check in verify(read(save(outcome, tmp_path)), wants_replay=False)
    }
    wrong = {check.name for check in checks.values() if check.ok is False}
    assert wrong == WRONG.get(name, set()), checks


def test_what_a_defence_costs_nothing_when_it_is_off() -> None:
    """No registry, no receipts, no alarm on the board of a run without them."""
    bare = KIT.attack(defence__registered=False)
    kinds = {entry.message.kind.name for entry in KIT.board_of(bare).entries}
    assert not kinds & {"REGISTRY", "RECEIPTS", "ALARM"}


@pytest.mark.slow
@pytest.mark.parametrize("name", attacks())
def test_without_messages_nobody_attacks(name: str) -> None:
    """The ideal functionality answers the same questions; the silent are missing there."""
    outcome = run(name, mode="ideal", worst_case_nodes=0)
    assert (outcome.attacks, outcome.alarms, outcome.failed) == ((), (), ())


REPEATED = (
    "attack-drop",
    "attack-drop-people",
    "attack-substitute",
    "attack-tag",
    "attack-n-1",
    "attack-rerun",
)


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(REPEATED, 0, 3, 5))
def test_a_seeded_attack_is_the_same_each_time(name: str) -> None:
    first, two = (run(name, worst_case_nodes=0) for _ in range(2))
    assert first.digest == two.digest
    assert (first.attacks, first.alarms) == (two.attacks, two.alarms)


@pytest.mark.slow
def test_attacks_on_a_program_of_many_rounds() -> None:
    hierarchical = {"policy__kind": "hierarchical", "policy__max_exposure": 0.3}
    drop = {"attack": "drop", "by": "shuffler-1", "users": 3, "round": 2}
    outcome = KIT.attack(drop, users=30, source="titanic", defence__balance=True, **hierarchical)
    assert set(KIT.alarms(outcome)) == {"balance"}
    honest = KIT.attack(users=30, source="titanic", **hierarchical, **GUARDED)
    assert KIT.alarms(honest) == []


GUARDED = {
    "defence__balance": True,
    "defence__receipts": 1.0,
    "defence__registered": True,
    "defence__recompute": True,
    "defence__union": True,
    "policy__publish_marginals": True,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["all", "exposure", "local-suppression"])
def test_with_every_defence_on_an_honest_run_is_what_it_was(kind: str) -> None:
    terms = {"policy__kind": kind, "policy__max_exposure": 0.5, "source": "titanic"}
    plain = KIT.attack(**terms, policy__publish_marginals=True)
    guarded = KIT.attack(**terms, **GUARDED)
    assert KIT.alarms(guarded) == []
    assert guarded.refused == {}
    assert (guarded.marginals, guarded.release) == (plain.marginals, plain.release)
    assert guarded.decision == plain.decision


def test_every_guard_of_the_grammar_has_its_record() -> None:
    keys = {guard.key for guard in GUARDS.values()}
    assert {f"defence.{key}" for key in Defence.__struct_fields__} <= keys


def test_an_attack_is_committed_by_one_role_in_one_way() -> None:
    """By users, with `strike` or a row that is not theirs; by another party, with `commit`."""
    for name, attack in ATTACKS.items():
        by_user = attack.strike is not None or attack.forges
        assert by_user == (attack.by == USER), name
        if attack.by == BYSTANDER:
            assert attack.commit is None, name


def test_a_record_is_loaded_when_it_is_asked_for() -> None:
    loaded: list[str] = []

    def load(name: str) -> int:
        loaded.append(name)
        return len(name)

    table = RecordTable(lambda: ("three", "a", "of"), load, order=lambda record: record)
    assert (len(table), table["of"], loaded) == (3, 2, ["of"])
    assert "none" not in table
    assert dict(table) == {"a": 1, "of": 2, "three": 5}
    assert sorted(loaded) == ["a", "of", "three"]  # each once


def test_a_guard_that_came_later_says_what_it_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    later = dataclasses.replace(GUARDS["balance"], stops=("lie",))
    guards = {**GUARDS, "later": later}
    monkeypatch.setattr(registry, "GUARDS", guards)
    assert helping("lie") == ("recompute", "promise", "later")


def test_no_guard_repeats_what_an_attack_says() -> None:
    for name, guard in GUARDS.items():
        assert not [stop for stop in guard.stops if name in ATTACKS[stop].stopped_by]
        assert set(guard.stops) <= set(ATTACKS)
