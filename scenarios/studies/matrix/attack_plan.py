"""The planned runs of an attack matrix: every attack without and with every defence.

Of an attack A, with the defences D (countermeasures) declared to stop or detect it (`helping`):

    none   the scenario, with A committed, the switches of A turned, and every D off
    D      the same, with that one defence on
    other  the same, with a defence on that is not declared to help and that the scenario has off
    all    everything that has a switch is on

A defence that is not declared to help and that the scenario has on anyway is on in all of these:
its cell equals `none`, and is not played again.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import msgspec

from ....errors import DataError, ParameterError, ScenarioError
from ...attacks.catalogue.attack import OPENED, REPORTS, AttackTraits, Keys
from ...attacks.catalogue.registry import ATTACKS, GUARDS, committed, guarding
from ...attacks.catalogue.registry import helping as helping_attack
from ...lab.validation.load import change, check
from ...programs.registry import answers_in, randomizing
from ...programs.topology import CENTRAL, onions_only, topology_of
from ...schema.model import Scenario
from ...schema.problems import did_you_mean, listed

NONE, ALL_GUARDS = "none", "all"
ASKING = 100  # default number of people in a matrix, if people query `randomness`
RANDOM = "random"  # name of the defence that only runs without a seed have: random secrets


@dataclass(frozen=True, slots=True)
class PlannedAttack:
    """A row of the matrix: an attack in one of its variants.

    Attributes:
        attack: the name of the attack.
        how: the facts about it: the party that commits it, and the data that it reads.
        trial: the entries of [[fault]], from the numbers of people and of shufflers.
    """

    attack: str
    how: AttackTraits
    trial: Callable[[int, int], list[Keys]]

    def faults(self, people: int, shufflers: int) -> list[Keys]:
        """Return the entries of [[fault]], each with the name of its attack."""
        return [{"attack": self.attack, **keys} for keys in self.trial(people, shufflers)]


@cache
def plan_rows(topology: str = CENTRAL.name) -> Mapping[str, PlannedAttack]:
    """Return all rows of matrices by name: each variant of each attack on people's rows."""
    return {
        f"{name}-{variant}" if variant else name: PlannedAttack(name, commitment, entries)
        for name, commitment in committed(topology).items()
        if ATTACKS[name].about != REPORTS
        for variant, entries in commitment.trials.items()
    }


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """A cell of the matrix that is to be played.

    Attributes:
        row: the attack.
        defence: the column.
        scenario: the scenario to be played; None: it cannot be.
        seeded: whether the run uses its seed, which an attacker may know; else system randomness.
        why: the reason why it cannot be played; empty: it can.
    """

    row: str
    defence: str
    scenario: Scenario | None
    seeded: bool = True
    why: str = ""


def drawn(scenario: Scenario, total_people: int, max_people: int | None) -> Scenario:
    """Return the scenario with the people of a matrix, drawn anew for every seed.

    total_people: their number in the scenario. max_people: at most; None: all, or ASKING if people
    query `randomness`, which costs about ten times as much as to send alone.

    Raises:
        ScenarioError: too few people, or people that cannot be drawn so.
    """
    users = max_people or (ASKING if answers_in(scenario) == OPENED else total_people)
    if users >= total_people:
        return scenario
    min_batch = min(scenario.mix.min_batch, users)
    return change(scenario, {"population.users": users, "mix.min_batch": min_batch})


def rows_of(scenario: Scenario) -> Mapping[str, PlannedAttack]:
    """Return the rows of a scenario's matrix: attacks on the data that people submit in it."""
    opens = answers_in(scenario) == OPENED
    rows = plan_rows(topology_of(scenario).name)
    return {
        name: row for name, row in rows.items() if (ATTACKS[row.attack].about == OPENED) == opens
    }


def chosen(names: Sequence[str], valid_names: Sequence[str], subject: str) -> tuple[str, ...]:
    """Return the named rows or defences, in the order of the table; all if no name is given."""
    for name in names:
        if name not in valid_names:
            hint = did_you_mean(name, valid_names)
            raise ParameterError(
                f"{subject}: found {name!r}; accepted are "
                f"{listed(valid_names, len(valid_names))}{hint}"
            )
    return tuple(name for name in valid_names if not names or name in names)


def suited(scenario: Scenario) -> None:
    """Raise DataError or ParameterError if attacks are not measured in this scenario."""
    onions_only(scenario, "the attack matrix")
    if answers_in(scenario) == REPORTS:
        kinds = listed(randomizing())
        raise DataError(
            f"policy.kind = {scenario.policy.kind!r}: attacks are measured against people's own "
            f"values, and not where they add noise to them ({kinds})"
        )


def has(scenario: Scenario, name: str) -> bool:
    """Whether a scenario has a defence on.

    Never for `random`, as every run of a matrix has a seed.
    """
    return name != RANDOM and GUARDS[name].is_on(scenario)


def takes(scenario: Scenario, name: str) -> bool:
    """Whether a scenario can have a defence on."""
    try:
        changed(scenario, _on(scenario, name), ())
    except ScenarioError:
        return False
    return True


def spares(scenario: Scenario, name: str) -> bool:
    """Whether a scenario is valid without a defence: some programs accept no design errors."""
    try:
        changed(scenario, _off(name), ())
    except ScenarioError:
        return False
    return True


def _on(scenario: Scenario, name: str) -> Keys:
    """Return the keys that switch a defence on; empty if it is on already, or has no key."""
    guard = GUARDS[name]
    if name == RANDOM or has(scenario, name):
        return {}
    return {guard.key: guard.on, **guard.needs}


def _off(name: str) -> Keys:
    """Return the keys that switch a defence off; empty if it has no key."""
    guard = GUARDS[name]
    if name == RANDOM:
        return {}
    return {guard.key: guard.off, **({"mix.lesson": True} if guard.lesson else {})}


def changed(scenario: Scenario, keys: Mapping[str, object], faults: Sequence[Keys]) -> Scenario:
    """Return the scenario with these keys and only these faults; ScenarioError if invalid."""
    data = msgspec.to_builtins(scenario)
    for key, setting in keys.items():
        table, _, inner = key.partition(".")
        data[table][inner] = setting
    data["fault"], data["expect"], data["sweep"] = list(faults), {}, {}
    data["deviation"] = []
    data["coalition"] = []  # a coalition may name a shuffler that this run lacks
    scenario_made = msgspec.convert(data, Scenario)
    check(scenario_made)
    return scenario_made


def mark_of(scenario: Scenario) -> str:
    """Return a hash that identifies a scenario: its people, parties and guards, without a seed."""
    plain = changed(scenario, {"scenario.seed": None, "scenario.repeat": 1}, ())
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def helping(row: str, topology: str = CENTRAL.name) -> tuple[str, ...]:
    """Return the defences declared to stop or to detect the attack of a row."""
    return helping_attack(plan_rows(topology)[row].attack, topology)


def bare(row: str, topology: str = CENTRAL.name) -> Keys:
    """Return the scenario keys that switch off every defence against the attack of a row."""
    commitment = plan_rows(topology)[row].how
    switches = {k: v for k, v in commitment.switches.items() if k != "scenario.seed"}
    for name in (*helping(row, topology), *commitment.without):
        switches.update(_off(name))
    return switches


def trials(
    scenario: Scenario, rows: Sequence[str], defences: Sequence[str], people: int
) -> Iterator[PlannedTrial]:
    """Yield every cell that has to be played, row by row. people: their number."""
    topology = topology_of(scenario).name
    all_guards = tuple(name for name in guarding(topology) if takes(scenario, name))
    for row in rows:
        keys, helps = bare(row, topology), helping(row, topology)
        yield _trial(scenario, row, NONE, keys, people)
        for name in defences:
            if name in helps or not (has(scenario, name) or name == RANDOM):
                yield _trial(scenario, row, name, _with(scenario, keys, (name,)), people)
        yield _trial(
            scenario, row, ALL_GUARDS, _with(scenario, keys, all_guards, lesson=False), people
        )


def _with(scenario: Scenario, keys: Keys, names: Sequence[str], *, lesson: bool = True) -> Keys:
    """Return the keys of a matrix row's scenario, with some defences switched on again.

    lesson: whether design errors are allowed. Of several defences, a defence that needs more
    shufflers
    than the scenario has stays off.
    """
    settings = dict(keys)
    shufflers = settings.get("mix.shufflers", scenario.mix.shufflers)
    for name in names:
        guard = GUARDS[name]
        if name == RANDOM or (len(names) > 1 and guard.shufflers > shufflers):
            continue
        setting = guard.value(scenario)
        settings[guard.key] = setting if setting != guard.off else guard.on
        settings.update(guard.needs)
    if not lesson:
        settings.pop("mix.lesson", None)
    return settings


def _trial(scenario: Scenario, row: str, defence: str, keys: Keys, people: int) -> PlannedTrial:
    """Return the cell of a row and a defence; without a scenario if the keys are not valid."""
    topology = topology_of(scenario).name
    mixes = keys.get("mix.shufflers", scenario.mix.shufflers)
    try:
        scenario_made = changed(scenario, keys, plan_rows(topology)[row].faults(people, mixes))
    except ScenarioError as wrong:
        return PlannedTrial(row, defence, None, why=wrong.problems[0])
    helped = RANDOM in helping(row, topology) and defence in (RANDOM, ALL_GUARDS)
    return PlannedTrial(row, defence, scenario_made, seeded=not helped)


def pair(scenario: Scenario, name: str) -> tuple[Scenario, Scenario]:
    """Return an honest scenario without and with a defence; equal if the seed is its switch."""
    return changed(scenario, _off(name), ()), changed(scenario, _on(scenario, name), ())
