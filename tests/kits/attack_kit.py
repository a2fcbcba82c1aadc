"""What the tests of the attacks share: a small scenario with one attack, and switches to turn.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from veilmix.protocol.board.alarms import check_alarm
from veilmix.protocol.board.board import Board, replay
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.programs.interface import Effect
from veilmix.scenarios.programs.registry import strategy
from veilmix.scenarios.schema.model import Scenario

Keys = Mapping[str, Any]


def scenario(
    *faults: Keys, source: str = "blood-type", users: int = 30, **switches: Any
) -> Scenario:
    """Give a scenario with these faults; `mix__pad=False` is the key mix.pad."""
    data: dict[str, Any] = {
        "scenario": {"name": "attacked", "seed": 7},
        "population": {"source": f"builtin:{source}", "users": users},
        "policy": {"kind": "all", "k": 2},
        "fault": list(faults),
    }
    for key, value in switches.items():
        table, _, inner = key.partition("__")
        if inner:
            data.setdefault(table, {})[inner] = value
        else:
            data[table] = value
    if data["policy"]["kind"] == "all":
        data["policy"].setdefault("max_exposure", 1.0)
    definition = msgspec.convert(data, Scenario)
    check(definition)
    return definition


def attack(*faults: Keys, seed: int = 7, **switches: Any) -> Outcome:
    """Play it for real."""
    return run(scenario(*faults, **switches), seed, worst_case_nodes=0)


def effect(outcome: Outcome, name: str | None = None) -> Effect:
    """What the attack, or the only one, has achieved."""
    (result,) = [result for result in outcome.attacks if name in (None, result.attack)]
    return result


def alarms(outcome: Outcome) -> list[str]:
    """What alarms are about; each of them is first found to be justified."""
    board = board_of(outcome)
    for _, alarm in board.alarms:
        check_alarm(board, alarm, strategy(outcome.scenario))
    return [alarm.cause for alarm in outcome.alarms]


def board_of(outcome: Outcome) -> Board:
    """The board, played again from its posts."""
    assert outcome.transcript is not None
    return replay(outcome.transcript.posts)


def lesson(**switches: Any) -> dict[str, Any]:
    """Switches that only a lesson may turn."""
    return {"mix__lesson": True, **switches}


def totals(outcome: Outcome) -> Sequence[int]:
    """How many people answered each question of round 1."""
    return [sum(count.values()) for count in outcome.marginals or ()]
