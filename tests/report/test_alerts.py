"""Every alert: a run that trips it, and one that does not."""

from pathlib import Path
from typing import Any

import pytest
from claims_kit import claiming
from msgspec.structs import replace as changed_scenario
from veilmix.presentation.blocks import LEVELS
from veilmix.presentation.sections.alerts import CHECKS, alerts
from veilmix.presentation.sections.run_facts import gather
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.records.result_file import Run
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.schema.model import Expect, Fault
from veilmix.scenarios.serialization.record import plain

EVEN = [("yes", "red"), ("yes", "red"), ("no", "blue"), ("no", "blue")] * 6
ALL = '[policy]\nkind = "all"\nk = 3\nmax_exposure = 1.0'
OPENS = '[policy]\nkind = "threshold"\nk = 3\n'
LESSON = "[mix]\nlesson = true\n"
LONG = [("yes", "red"), ("never", "blue")] * 12
CROSSED = [("yes", "red"), ("yes", "blue"), ("no", "red"), ("no", "blue")] * 6
RARE = [*EVEN, ("often", "red")]
ALIKE = [("yes", team) for _, team in EVEN]
NOISE = '[policy]\nkind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = '
FAULT = "[[fault]]\nusers = {}\nattack = "

Case = tuple[tuple[Any, ...], dict[str, Any]]


def case(*lines: str, **given: Any) -> Case:
    return lines, given


# rule -> what trips it, what does not
CASES: dict[str, tuple[Case, Case]] = {
    "unanimous": (case(ALL, rows=ALIKE), case(ALL)),
    "follows": (case(ALL), case(ALL, rows=CROSSED)),
    "rare": (case(ALL, rows=RARE), case(ALL)),
    "excluded": (
        case(OPENS + 'close = "none"', rows=RARE),
        case(OPENS, rows=RARE),
    ),
    "exposed": (case(ALL, rows=RARE), case(ALL)),
    "named": (case(ALL, rows=[*EVEN, ("often", "green")]), case(ALL)),
    "size": (case(LESSON + "pad = false", ALL, rows=LONG, mode="real"), case(ALL, mode="real")),
    "padding": (case(LESSON + "pad = false", ALL), case(ALL)),
    "textbook": (case(LESSON + 'suite = "textbook"', ALL), case(ALL)),
    "order": (case(LESSON + 'order = "kept"', ALL), case(ALL)),
    "guards": (case(LESSON + "salt = false", ALL), case(ALL)),
    "seeded": (case(ALL, head="seed = 3", mode="real"), case(ALL, mode="real")),
    "above-target": (
        case(ALL.replace("1.0", "0.0"), rows=RARE),
        case(ALL.replace("1.0", "0.9"), rows=RARE),
    ),
    "vacuous": (case(ALL.replace("k = 3", "k = 20")), case(ALL)),
    "nothing": (
        case("[policy]\nk = 20\nmax_exposure = 0.0"),
        case("[policy]\nk = 3\nmax_exposure = 0.0"),
    ),
    "burned": (
        case(ALL, "[mix]\nmin_batch = 20", FAULT.format(8) + '"absent"'),
        case(ALL, "[mix]\nmin_batch = 20"),
    ),
    "dropout": (
        case(ALL, FAULT.format(2) + '"absent"\nround = 2', "[defence]\nmin_dropout = 1"),
        case(ALL, FAULT.format(2) + '"absent"', "[defence]\nmin_dropout = 1"),
    ),
    "refused": (case(ALL, FAULT.format(2) + '"malformed"', mode="real"), case(ALL, mode="real")),
    "one-shuffler": (case(ALL, "[mix]\nshufflers = 1"), case(ALL)),
    "ideal": (case(ALL), case(ALL, mode="real")),
}


def rules(run: Run) -> set[str]:
    return {alert.rule for alert in alerts(gather(run, 0))}


@pytest.mark.parametrize("rule", CASES)
def test_an_alert_is_tripped(rule: str, played) -> None:
    lines, given = CASES[rule][0]
    assert rule in rules(played(*lines, **given))


@pytest.mark.parametrize("rule", CASES)
def test_and_is_not_tripped_by_the_harmless_run(rule: str, played) -> None:
    lines, given = CASES[rule][1]
    assert rule not in rules(played(*lines, **given))


def test_k_of_one_is_vacuous(played) -> None:
    assert "vacuous" in rules(played(ALL.replace("k = 3", "k = 1")))


@pytest.mark.slow
def test_an_estimate_that_says_nothing_is_vacuous(played) -> None:
    assert "vacuous" in rules(played(NOISE + "0.05"))
    assert "vacuous" not in rules(played(NOISE + "8"))


def changed(run: Run, **parts: Any) -> Run:
    return claiming(run, lambda data: data.update(parts))


def test_more_exposed_than_promised(played) -> None:
    run = played(ALL, rows=RARE)
    assert "broken" not in rules(run)
    lied = changed(run, exposure={"true": 0.2, "promised": 0.1, "worst_case": None})
    assert "broken" in rules(lied)


def test_a_coalition_below_the_trust_line(played) -> None:
    """What it may not link: anybody but its members, unless it has all shufflers and a reader."""
    run = played(ALL)
    assert "coalition" not in rules(run)
    few = [
        *plain(run.result.coalitions),
        {
            "parties": ["curator", "shuffler-1"],
            "linked": 4,
            "cells_certain": 8,
            "bits_per_person": 1.0,
        },
    ]
    warnings = alerts(gather(changed(run, coalitions=few), 0))
    assert warnings[0].rule == "coalition"
    assert "curator + shuffler-1" in warnings[0].text
    assert "4 people" in warnings[0].text


def test_a_user_knows_itself_and_is_no_alert(played) -> None:
    run = played(
        ALL, '[[coalition]]\nname = "one of us"\nparties = ["curator", "user-1"]', mode="real"
    )
    told = [coalition for coalition in run.result.coalitions if "user-1" in coalition.parties]
    assert told[0].linked == 1
    assert "coalition" not in rules(run)


def test_an_alarm_that_was_raised(played) -> None:
    run = played(ALL)
    assert "alarm" not in rules(run)
    assert "alarm" in rules(
        changed(run, alarms=[{"party": "user-1", "round": 1, "cause": "changed"}])
    )


def test_an_attack_that_got_something(played) -> None:
    run = played(ALL)
    attack = {"attack": "drop", "parties": ["shuffler-1"], "unit": "people", "value": 3, "of": 24}
    assert "attack" in rules(changed(run, attacks=[attack]))
    assert "attack" not in rules(changed(run, attacks=[attack | {"value": 0}]))


def test_a_party_that_did_not_follow_the_protocol_comes_before_all_others(played) -> None:
    run = played(ALL, mode="real")
    assert "deviated" not in rules(run)
    attack = {"attack": "drop", "parties": ["shuffler-1"], "unit": "people", "value": 0, "of": 24}
    raised = alerts(gather(changed(run, attacks=[attack]), 0))
    assert raised[0].rule == "deviated"
    assert raised[0].text.startswith("shuffler-1 did not follow the protocol (drop): 0 of 24 ")


def test_a_peer_that_was_named(tmp_path: Path) -> None:
    village = load("village")
    for faults, told in (((), False), ((Fault(attack="lie", by="peer-3"),), True)):
        chosen = changed_scenario(village, fault=faults, expect=Expect())
        outcome = run(chosen, worst_case_nodes=0)
        record = read(save(outcome, tmp_path))
        assert ("named-peer" in rules(record)) is told
        assert "coalition" not in rules(record)  # two peers, of whom each knows itself


def test_the_worst_comes_first(played) -> None:
    warnings = alerts(gather(played(ALL, rows=RARE, mode="real", head="seed = 1"), 0))
    levels = [LEVELS.index(warning.level) for warning in warnings]
    assert levels == sorted(levels)
    assert warnings[0].level == "serious"


def test_every_check_has_a_case() -> None:
    """The checks that this file does not run in pairs are named in a test of their own."""
    assert len(CHECKS) == len(CASES) - 1 + 6  # size and padding are one check
