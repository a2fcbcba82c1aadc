"""The faults of users by round, and the users counted in each round."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from ...attacks.catalogue.strikes import Faults, Strike
from ...programs.registry import max_rounds
from ...programs.topology import topology_of
from ...schema.model import Scenario
from ..validation.parties import by_users, struck

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...populations.samples import Samples

__all__ = ["SILENCING", "Faults", "draw_faults", "present", "struck_in"]

# extends the seed, so that this draw differs from other draws with the same seed
FAULT_STREAM = 0x6661756C
SILENCING = ("absent", "late", "malformed")  # attacks whose user is not counted in the round


def present(
    crowd: "Samples", faults: Faults, number: int, silencing: Collection[str] = SILENCING
) -> "npt.NDArray[np.intp]":
    """Return the indices of the respondents of a round.

    If all rounds ask the same people (the fixed setting), only respondents of all earlier rounds
    count.

    Args:
        crowd: the people of the scenario.
        faults: the faults of users, by user and round.
        number: the number of the round, from 1.
        silencing: the attacks that exclude a user from the count.
    """
    import numpy as np

    n, first = crowd.people.n, crowd.first
    queried_users = slice(0, first) if number == 1 else slice(0 if crowd.fixed else first, n)
    counting = range(1, number + 1) if crowd.fixed else (number,)
    silent = {person for r in counting for person in struck_in(faults, r, silencing)}
    is_present = np.zeros(n, dtype=bool)
    is_present[queried_users] = True
    is_present[sorted(silent)] = False
    return np.flatnonzero(is_present)


def struck_in(faults: Faults, number: int, attacks: Collection[str]) -> frozenset[int]:
    """Return the indices of the users that commit any of these attacks in a round.

    faults: the faults by user and round. number: the number of the round. attacks: their names.
    """
    return frozenset(
        i
        for i, by_round in faults.items()
        if number in by_round and by_round[number].attack in attacks
    )


def draw_faults(scenario: Scenario, people: int, seed: int | None) -> Faults:
    """Return the faults by user and round: users are drawn for each entry [[fault]] of a scenario.

    If two faults fall on one user in a round, the later entry counts. people: the number of users.
    """
    import numpy as np

    rng = np.random.default_rng(None if seed is None else [seed, FAULT_STREAM])
    faults: dict[int, dict[int, Strike]] = {}
    every = range(1, max_rounds(scenario.policy, len(scenario.feature)) + 1)
    is_symmetric = topology_of(scenario).is_symmetric
    for entry, fault in enumerate(scenario.fault):
        for index in struck(fault, people, rng) if is_symmetric or by_users(fault) else ():
            rounds = every if fault.round is None else (fault.round,)
            strike = Strike(fault.attack, entry)
            faults.setdefault(index, {}).update(dict.fromkeys(rounds, strike))
    return faults
