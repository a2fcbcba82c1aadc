"""What a session of a scenario starts from: what is announced, and who is silent in which round."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from ...protocol.announcement import Policy, Rules
from ...roles.faults.users import SILENCING
from ..catalogue.commit import flaws
from ..populations.samples import Samples
from ..programs.registry import program_of
from ..programs.topology import topology_of
from ..schema.model import Scenario
from ..validation.parties import by_users, struck

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Faults = Mapping[int, Mapping[int, str]]  # user -> round -> attack

FAULT_STREAM = 0x6661756C  # keeps the draw of faulty users apart from other uses of the seed


def announced_policy(scenario: Scenario) -> Policy:
    """What the curator announces of a scenario's policy, as its program has it."""
    return program_of(scenario).policy(scenario)


def announced_rules(scenario: Scenario) -> Rules:
    """What the curator announces of how messages travel."""
    mix = scenario.mix
    return Rules(
        deadline=mix.deadline,
        min_batch=mix.min_batch,
        min_dropout=scenario.defence.min_dropout,
        padded=mix.pad,
        salted=mix.salt,
        ordered=mix.order == "sorted",
        lesson=mix.lesson,
        receipts=scenario.defence.receipts > 0,
        tokens=scenario.defence.tokens,
        challenge=scenario.defence.challenge,
        audit=scenario.defence.audit,
        flaws=flaws(scenario),
    )


def present(
    crowd: Samples, faults: Faults, number: int, silencing: Collection[str] = SILENCING
) -> "npt.NDArray[np.intp]":
    """The indices of who answers in a round; in the fixed setting, only who did in all before.

    silencing: attacks after which somebody is not counted.
    """
    import numpy as np

    n, first = crowd.people.n, crowd.first
    asked = slice(0, first) if number == 1 else slice(0 if crowd.fixed else first, n)
    counting = range(1, number + 1) if crowd.fixed else (number,)
    silent = {
        i for i, attacks in faults.items() if any(attacks.get(r) in silencing for r in counting)
    }
    here = np.zeros(n, dtype=bool)
    here[asked] = True
    here[sorted(silent)] = False
    return np.flatnonzero(here)


def draw_faults(scenario: Scenario, people: int, seed: int | None) -> Faults:
    """Draw who does what wrong in which round; of two faults of one user in a round, the last."""
    import numpy as np

    rng = np.random.default_rng(None if seed is None else [seed, FAULT_STREAM])
    faults: dict[int, dict[int, str]] = {}
    every = range(1, program_of(scenario).rounds(len(scenario.feature), scenario.policy) + 1)
    everybody = topology_of(scenario).alike
    for fault in (other for other in scenario.fault if everybody or by_users(other)):
        for index in struck(fault, people, rng):
            rounds = every if fault.round is None else (fault.round,)
            faults.setdefault(index, {}).update(dict.fromkeys(rounds, fault.attack))
    return faults
