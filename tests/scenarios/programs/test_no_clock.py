"""What is decided and what is checked depends on counts alone: no clock ends a search.

Every way to decide is played twice and verified, once on a machine whose clock leaps by a million
seconds at every look. Whatever HiGHS is asked meanwhile has no limit of time.
"""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from census_kit import CENSUS
from checks_kit import require
from msgspec.structs import replace
from veilmix.analysis.optimization import solver_process
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs.curated import rules
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Expect, Scenario

LEAP = 1e6  # seconds
CLOCKS = "perf_counter", "monotonic", "process_time", "time", "thread_time"
ROOMS = "veilmix.analysis.", "veilmix.scenarios.programs."
RULES = "theorem2", "theorem3", "printed", "refined", "coverage", "margins", "worst-case"
FORBIDDEN = {"who-to-trust": ("age",)}  # a column less: less to prove
PUBLIC = {"policy.publish_marginals": True, "defence.recompute": True}


def ways() -> Iterator[Any]:
    """Every rule by single columns, and every program that decides from counts."""
    for rule in RULES:
        keys = {"policy.rule": rule, "policy.max_exposure": 0.1}
        yield pytest.param("who-to-trust", keys | PUBLIC, id=rule)
    for kind in ("pairs", "informative"):
        keys = {"policy.kind": kind}
        yield pytest.param("who-to-trust", keys | PUBLIC, id=kind)
    for ask in ("levels", "best"):
        keys = {"policy.kind": "hierarchical", "policy.ask": ask}
        yield pytest.param("who-to-trust", keys, id=ask)
    yield pytest.param("local-suppression-class", {}, id="local-suppression")


def decided(scenario: Scenario) -> Any:
    outcome = run(scenario, 7, "ideal", worst_case_nodes=0)
    assert outcome.decision is not None
    return outcome.decision, outcome.dropped, outcome.considered


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Make the machine slow; what it gives lists the options that solvers are asked with."""

    def make() -> list[str]:
        asked: list[str] = []
        leaps = count(1)
        ask = solver_process.SolverProcess.ask

        def watched(process: Any, operation: str, *arguments: Any) -> Any:
            asked.append(str([part for part in arguments if isinstance(part, dict)]))
            return ask(process, operation, *arguments)

        monkeypatch.setattr(solver_process.SolverProcess, "ask", watched)
        modules = [m for name, m in sys.modules.items() if m and name.startswith(ROOMS)]
        for module in modules:
            for clock in CLOCKS:
                if getattr(module, clock, None) is getattr(time, clock):
                    monkeypatch.setattr(module, clock, lambda: LEAP * next(leaps))
        return asked

    return make


@pytest.mark.slow
@pytest.mark.parametrize(("name", "keys"), list(ways()))
def test_a_slow_machine_decides_the_same_and_verifies_it(
    name: str,
    keys: dict[str, Any],
    slow: Callable[[], list[str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for limit in ("NODES", "ROUNDS"):
        monkeypatch.setattr(rules, limit, 20)
    plain = replace(load(name), expect=Expect())
    plain = replace(
        plain, policy=replace(plain.policy, prefer=(), forbidden=FORBIDDEN.get(name, ()))
    )
    scenario = change(plain, keys | {"population.users": 60})
    quick = decided(scenario)
    record = save(run(scenario, 7, "ideal", worst_case_nodes=0), tmp_path)
    asked = slow()
    assert decided(scenario) == quick
    require(verify(read(record), wants_replay=False))
    assert not [options for options in asked if "time_limit" in options]


def test_a_leaping_clock_is_noticed_where_seconds_are_the_callers(
    slow: Callable[[], list[str]],
) -> None:
    """Of `worst_case`: so the clocks leap, and the watch above sees what solvers are asked with."""
    from veilmix.analysis.composition import worst_case

    asked = slow()
    assert worst_case(CENSUS, 10, 60).timed
    assert not asked
    worst_case([[90, 40, 12, 3], [70, 50, 25], [80, 44, 21]], 9, nodes=1)
    assert [options for options in asked if "node_limit" in options]
