"""The shipped table of trust: attacks that read a person's row, for sets of countermeasures.

tools/make_trust_table.py plays the attacks and writes trust_table.json, which docs/attacks.md shows
too. For a scenario, veilmix cites the entry with the same countermeasures, and names the scenario
that was played for it. The table lists successful attacks only. Coalitions that are not in it may
succeed by attacks outside the catalogue.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from ...attacks.catalogue.registry import guarding
from ...programs.capability import AnswerKind
from ...programs.registry import answers_in
from ...programs.topology import topology_of
from ...schema.model import Scenario
from ...serialization.record import Record
from ...serialization.shipped_table import read_shipped
from ..matrix.attack_plan import RANDOM
from .cheating_file import unmeasured
from .cheating_result import AttackResult, LinkingCoalition, WorstAttack, smallest

FILE = Path(__file__).parent / "trust_table.json"
SCHEMA = 2
# countermeasures that are not compared: the least batch is a number of people, which differs
# between scenarios
UNCOMPARED_GUARDS = ("min_batch",)

Fit = Literal["same", "fewer"]


class GuardSet(Record, frozen=True, kw_only=True):
    """The measured attacks on a scenario with one set of guards (countermeasures) switched on.

    Attributes:
        name: the set of guards, in words.
        scenario: the scenario that was played.
        source: the source of the scenario's people.
        users: the number of people.
        topology: the name of the topology: central or peers.
        handlers: the parties that handle people's messages.
        public: whether the counts of round 1 are public.
        on: the names of the guards that were on.
        seed, runs: the first seed and the number of runs of each attack.
        tried: the attacks that were played.
        watching: the smallest honest-but-curious coalitions that link a person.
        reading: the result of each attack that read a person's row in at least one run.
        opens: whether only rows that k people share were opened; otherwise a curator counted
            columns.
    """

    name: str
    scenario: str
    source: str
    users: int
    topology: str
    handlers: tuple[str, ...]
    public: bool
    on: tuple[str, ...]
    seed: int
    runs: int
    tried: tuple[str, ...]
    watching: tuple[LinkingCoalition, ...]
    reading: tuple[AttackResult, ...]
    opens: bool = False

    @property
    def smallest(self) -> tuple[WorstAttack, ...]:
        """The smallest coalitions known to learn a row; even smaller coalitions may do so."""
        return smallest(self.reading, self.watching)

    @property
    def succeeding(self) -> tuple[WorstAttack, ...]:
        """The smallest coalitions that learn a row by an attack, not by following the protocol."""
        return tuple(coalition for coalition in self.smallest if not coalition.watching)


class TrustTable(Record, frozen=True, kw_only=True):
    """All measured sets of guards (countermeasures), as this version ships them.

    Attributes:
        schema: the number of this format.
        version: the version of veilmix that wrote it.
        sets: the measurement for each set of guards.
    """

    schema: int = SCHEMA
    version: str
    sets: tuple[GuardSet, ...]


class MeasuredTrust(Record, frozen=True):
    """The measured attacks that are cited for a scenario.

    Attributes:
        measured: the measurement.
        fit: `same` if the guards (countermeasures) of the measurement are the scenario's; `fewer`
            if the scenario has more guards.
        besides: the guards that only the scenario has.
    """

    measured: GuardSet
    fit: Fit
    besides: tuple[str, ...]


@cache
def shipped() -> TrustTable:
    """Return the table that this version ships. StorageError if it is damaged."""
    return read_shipped(FILE, TrustTable, SCHEMA)


def guards_on(scenario: Scenario) -> tuple[str, ...]:
    """Return the guards (countermeasures) of a scenario that are on and are compared."""
    guards = guarding(topology_of(scenario).name)
    left_out = (*UNCOMPARED_GUARDS, RANDOM)
    return tuple(
        name for name, guard in guards.items() if name not in left_out and guard.is_on(scenario)
    )


def measured_trust(
    scenario: Scenario, sets: Sequence[GuardSet] | None = None
) -> MeasuredTrust | None:
    """Return the measured attacks under the guards (countermeasures) closest to the scenario's.

    Only sets of guards that are all on in the scenario are considered. None if no such set was
    measured. sets: the measurements to choose from; None: the shipped table.
    """
    if unmeasured(scenario):
        return None
    topology, on = topology_of(scenario), set(guards_on(scenario))
    opens = answers_in(scenario) is AnswerKind.OPENED
    fitting = [
        guards
        for guards in (shipped().sets if sets is None else sets)
        if (guards.topology, guards.opens) == (topology.name, opens)
        and guards.public == topology.public(scenario.policy)
        and on.issuperset(guards.on)
    ]
    if not fitting:
        return None
    best = max(fitting, key=lambda guards: len(guards.on))
    besides = tuple(sorted(on - set(best.on)))
    return MeasuredTrust(best, "fewer" if besides else "same", besides)
