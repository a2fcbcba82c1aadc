"""The attacks of the catalogue that read somebody's row, for sets of guards: a shipped table.

tools/make_trust_table.py plays it and writes trust_table.json, from which docs/attacks.md has its
table too. A scenario is told what was measured of its guards, on the scenario named there. The
table lists successes: coalitions that are not in it may succeed by attacks outside the catalogue.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from ..catalogue.registry import guarding
from ..programs.registry import program_of
from ..programs.topology import topology_of
from ..schema.model import Scenario
from ..serialization.record import Record
from ..serialization.shipped_table import read_shipped
from .attack_plan import RANDOM
from .cheating_file import unmeasured
from .cheating_result import AttackResult, CheatingStudy, LinkingCoalition, WorstAttack, smallest

FILE = Path(__file__).parent / "trust_table.json"
SCHEMA = 2
ALIKE = ("min_batch",)  # guards that make no difference here: their number is another everywhere

Fit = Literal["same", "fewer"]


class GuardSet(Record, frozen=True, kw_only=True):
    """What was measured with one set of guards.

    Attributes:
        name: the set, in words.
        scenario: what it was measured on.
        source: its people.
        users: how many.
        topology: who carries messages.
        handlers: the parties.
        public: whether the counts of round 1 are.
        on: the guards that were on, by name.
        seed, runs: of each attack.
        tried: the attacks that were played.
        watching: the smallest coalitions that link somebody though they keep to the rules.
        reading: what each attack achieved that read somebody's row in some run.
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
        """The coalitions that were found to learn a row, and no part of them; others may too."""
        return smallest(self.reading, self.watching)

    @property
    def succeeding(self) -> tuple[WorstAttack, ...]:
        """Those of `smallest` for which an attack of the catalogue succeeds, not watching."""
        return tuple(coalition for coalition in self.smallest if not coalition.watching)


class TrustTable(Record, frozen=True, kw_only=True):
    """All sets of guards that were measured, by this version.

    Attributes:
        schema: the number of this format.
        version: of veilmix.
        sets: one after the other.
    """

    schema: int = SCHEMA
    version: str
    sets: tuple[GuardSet, ...]


class MeasuredTrust(Record, frozen=True):
    """What is told of a scenario.

    Attributes:
        measured: what is told.
        fit: the very guards, or fewer.
        besides: what it has more.
    """

    measured: GuardSet
    fit: Fit
    besides: tuple[str, ...]


@cache
def shipped() -> TrustTable:
    """The table of this version. StorageError if it is damaged."""
    return read_shipped(FILE, TrustTable, SCHEMA)


def guards_on(scenario: Scenario) -> tuple[str, ...]:
    """The guards that a scenario has on, but for those that make no difference here."""
    there = guarding(topology_of(scenario).name)
    left_out = (*ALIKE, RANDOM)
    return tuple(
        name for name, guard in there.items() if name not in left_out and guard.is_on(scenario)
    )


def measured_trust(
    scenario: Scenario, sets: Sequence[GuardSet] | None = None
) -> MeasuredTrust | None:
    """What was measured of a scenario's guards, or of the most of them; None if nothing was.

    sets: that were measured; None: those that are shipped.
    """
    if unmeasured(scenario):
        return None
    topology, on = topology_of(scenario), set(guards_on(scenario))
    opens = program_of(scenario).opens
    fitting = [
        guards
        for guards in (shipped().sets if sets is None else sets)
        if (guards.topology, guards.opens) == (topology.name, opens)
        and guards.public == topology.public(scenario)
        and on.issuperset(guards.on)
    ]
    if not fitting:
        return None
    best = max(fitting, key=lambda guards: len(guards.on))
    besides = tuple(sorted(on - set(best.on)))
    return MeasuredTrust(best, "fewer" if besides else "same", besides)


def guard_set(name: str, scenario: Scenario, study: CheatingStudy) -> GuardSet:
    """A line of the table, from what was measured."""
    topology = topology_of(scenario)
    return GuardSet(
        name=name,
        scenario=study.scenario,
        source=str(scenario.population.source),
        users=study.users,
        topology=topology.name,
        handlers=study.handlers,
        public=topology.public(scenario),
        on=guards_on(scenario),
        seed=study.seed,
        runs=study.runs,
        tried=tuple(attempt.attack for attempt in study.attempts),
        watching=study.watching,
        reading=tuple(coalition for coalition in study.attacks if coalition.read),
        opens=program_of(scenario).opens,
    )
