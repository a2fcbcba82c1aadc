"""The shipped table of trust: attacks that read a person's row, for sets of countermeasures.

tools/make_trust_table.py plays it and writes trust_table.json, from which docs/attacks.md has its
table too. For a scenario the measurement of its guards is cited, with the name of the scenario that
was played. The table lists successes: coalitions that are not in it may succeed by attacks outside
the catalogue.
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
UNCOMPARED_GUARDS = (
    "min_batch",
)  # guards that are not compared, as each scenario has another number

Fit = Literal["same", "fewer"]


class GuardSet(Record, frozen=True, kw_only=True):
    """The measured attacks with one set of guards (countermeasures) on.

    Attributes:
        name: the set, in words.
        scenario: the scenario that was played.
        source: the source of the scenario's people.
        users: the number of people.
        topology: the name of the topology.
        handlers: the parties that handle people's messages.
        public: whether the counts of round 1 are public.
        on: the guards that were on, by name.
        seed, runs: the first seed and the number of runs of each attack.
        tried: the attacks that were played.
        watching: the smallest honest-but-curious coalitions that link a person.
        reading: the result of each attack that read a person's row in some run.
        opens: whether rows were opened that k people share; else a curator counted columns.
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
        """The smallest coalitions known to learn a row; smaller coalitions may exist."""
        return smallest(self.reading, self.watching)

    @property
    def succeeding(self) -> tuple[WorstAttack, ...]:
        """Coalitions of `smallest` that succeed by an attack of the catalogue, not by watching."""
        return tuple(coalition for coalition in self.smallest if not coalition.watching)


class TrustTable(Record, frozen=True, kw_only=True):
    """All measured sets of guards, as this version ships them.

    Attributes:
        schema: the number of this format.
        version: the version of veilmix that wrote it.
        sets: the measurements.
    """

    schema: int = SCHEMA
    version: str
    sets: tuple[GuardSet, ...]


class MeasuredTrust(Record, frozen=True):
    """The measurement that is cited for a scenario.

    Attributes:
        measured: the measurement.
        fit: whether the measured guards are the scenario's, or fewer.
        besides: guards that only the scenario has.
    """

    measured: GuardSet
    fit: Fit
    besides: tuple[str, ...]


@cache
def shipped() -> TrustTable:
    """Return the table that this version ships. StorageError if it is damaged."""
    return read_shipped(FILE, TrustTable, SCHEMA)


def guards_on(scenario: Scenario) -> tuple[str, ...]:
    """Return the guards that a scenario has on, and that are compared."""
    guards = guarding(topology_of(scenario).name)
    left_out = (*UNCOMPARED_GUARDS, RANDOM)
    return tuple(
        name for name, guard in guards.items() if name not in left_out and guard.is_on(scenario)
    )


def measured_trust(
    scenario: Scenario, sets: Sequence[GuardSet] | None = None
) -> MeasuredTrust | None:
    """Return the measurement of a scenario's guards, or of most of them; None without any.

    sets: the measurements to choose from; None: the shipped table.
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
