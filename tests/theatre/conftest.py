"""Runs to look at, each with its page."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.schema.model import Expect, Fault, Scenario
from veilmix.theatre.page import render
from veilmix.theatre.show import outcome_data

FAULTY = """
[scenario]
name = "faulty"
seed = 5
[population]
source = "builtin:titanic"
users = 24
[policy]
k = 2
max_exposure = 0.5
[defence]
min_dropout = 1
[[fault]]
attack = "absent"
by = "user-2"
[[fault]]
attack = "malformed"
by = "user-5"
round = 1
[[fault]]
attack = "duplicate"
by = "user-7"
[[fault]]
attack = "late"
by = "user-9"
round = 1
"""
STATISTICAL = """
[scenario]
name = "statistical"
seed = 4
[population]
source = "builtin:blood-type"
users = 9
round2_users = 7
setting = "statistical"
[policy]
kind = "all"
k = 2
"""
RANDOMIZED = """
[scenario]
name = "randomized"
seed = 2
[population]
source = "builtin:blood-type"
users = 8
[policy]
kind = "histogram"
[local]
mechanism = "grr"
epsilon = 2
"""

THRESHOLD = """
[scenario]
name = "opening"
seed = 3
[population]
source = "builtin:hair-eye"
users = 16
[policy]
kind = "threshold"
k = 3
prefixes = true
[mix]
min_batch = 2
"""

PUBLIC_ONCE = {"policy.publish_marginals": True, "policy.max_exposure": 0.9}
AUDITED = {"defence.registered": True, "defence.audit": True}


def accused(attack: str, **keys: Any) -> Scenario:
    """The village with a peer that breaks a rule."""
    fault = Fault(attack=attack, by="peer-3", **keys)
    return replace(load("village"), fault=(fault,), expect=Expect())


@dataclass(frozen=True)
class Shown:
    """A run, what its page was given, and the page."""

    outcome: Outcome
    data: dict[str, Any]
    page: str


@cache
def played(name: str) -> Shown:
    """Play a run and make its page."""
    scenario = {
        "classroom": lambda: load("classroom"),
        "one-shuffler": lambda: change(load("classroom"), {"mix.shufflers": 1}),
        "crowd": lambda: change(load("blood-type"), {"population.users": 300}),
        "faulty": lambda: loads(FAULTY),
        "statistical": lambda: loads(STATISTICAL),
        "threshold": lambda: loads(THRESHOLD),
        "threshold-whole": lambda: change(
            loads(THRESHOLD), {"policy.prefixes": False, "policy.close": "none", "policy.k": 2}
        ),
        "randomized": lambda: loads(RANDOMIZED),
        "village": lambda: load("village"),
        "tagged": lambda: accused("tag"),
        "provoked": lambda: accused("provoke"),
        "left": lambda: accused("absent", round=2),
        "peers": lambda: change(load("peers-titanic"), {"population.users": 100}),
        "audited": lambda: change(load("classroom"), AUDITED),
        "audited-pairs": lambda: change(
            load("classroom"), {**AUDITED, "mix.shufflers": 4, "defence.challenge": True}
        ),
        "verified": lambda: load("verified-class"),
        "verified-once": lambda: load("submit-once"),
        "verified-once-public": lambda: change(
            loads(FAULTY), {"mix.kind": "verified", "mix.submit": "once", **PUBLIC_ONCE}
        ),
        "verified-exchange": lambda: load("verified-exchange"),
        "verified-wrong-share": lambda: load("verified-wrong-share"),
        "verified-faulty": lambda: change(loads(FAULTY), {"mix.kind": "verified"}),
        "verified-crowd": lambda: change(
            load("verified-class"), {"population.users": 72, "policy.kind": "all"}
        ),
        "sets": lambda: change(load("incidence-class"), {"population.users": 6}),
    }[name]()
    outcome = run(scenario, worst_case_nodes=0)
    data = outcome_data(outcome)
    return Shown(outcome, data, render(data))


@pytest.fixture
def shown() -> Callable[[str], Shown]:
    """Give runs by name."""
    return played


@pytest.fixture
def page_of(tmp_path: Path) -> Callable[[str], Path]:
    """Write the page of a run."""

    def write(name: str) -> Path:
        path = tmp_path / f"{name}.html"
        path.write_text(played(name).page, "utf-8")
        return path

    return write
