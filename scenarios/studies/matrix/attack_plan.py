"""The planned runs of an attack matrix: every attack without and with every defence.

A defence is a countermeasure with a key in the scenario file. Some defences are declared to stop or
detect an attack (`helping`). For each attack, these cells are played:

    none   all declared defences off; the scenario also has the design error that the attack uses
    D      the same, with defence D on: a declared defence, or a defence that the scenario has off
    all    all defences on that the scenario can have; design errors are not allowed

A defence that is not declared for the attack stays on in `none` if the scenario has it on. Its cell
then equals `none`, and is not played again.
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
# Default number of people in a matrix if rows open by a threshold: each person then has to query
# the party `randomness`, which takes long.
ASKING = 100
RANDOM = "random"  # the defence "no known seed": parties draw their secrets from system randomness


@dataclass(frozen=True, slots=True)
class PlannedAttack:
    """A row of the attack matrix: an attack in one of its variants.

    Attributes:
        attack: the name of the attack.
        how: facts about the attack: the party that commits it, and the data that the party reads.
        trial: a function from the numbers of people and of shufflers to the entries of [[fault]] in
            a scenario file, which make parties commit the attack.
    """

    attack: str
    how: AttackTraits
    trial: Callable[[int, int], list[Keys]]

    def faults(self, people: int, shufflers: int) -> list[Keys]:
        """Return the attack's entries of [[fault]] in a scenario file, each with its name.

        people, shufflers: the numbers of users and of shufflers in the scenario.
        """
        return [{"attack": self.attack, **keys} for keys in self.trial(people, shufflers)]


@cache
def plan_rows(topology: str = CENTRAL.name) -> Mapping[str, PlannedAttack]:
    """Return all rows of an attack matrix by name: each variant of each attack in a topology.

    topology: `central` or `peers`. Attacks on noisy reports are left out.
    """
    return {
        f"{name}-{variant}" if variant else name: PlannedAttack(name, commitment, entries)
        for name, commitment in committed(topology).items()
        if ATTACKS[name].about != REPORTS
        for variant, entries in commitment.trials.items()
    }


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """A cell of the attack matrix that has to be played.

    Attributes:
        row: the name of the attack.
        defence: the name of the defence, or the column `none` or `all` of the matrix.
        scenario: the scenario to be played; None: the cell cannot be played.
        seeded: whether the run uses its seed, which an attacker may know; else system randomness.
        why: the reason why the cell cannot be played; empty: it can.
    """

    row: str
    defence: str
    scenario: Scenario | None
    seeded: bool = True
    why: str = ""


def drawn(scenario: Scenario, total_people: int, max_people: int | None) -> Scenario:
    """Return the scenario with fewer people, drawn anew for every seed; or as it is.

    total_people: the number of people in the scenario. max_people: the largest number in the
    matrix; None: all people. If rows open by a threshold, None means `ASKING`. People then query
    the party `randomness`, which costs about ten times as much as only sending.

    Raises:
        ScenarioError: too few people, or a population from which no sample can be drawn.
    """
    users = max_people or (ASKING if answers_in(scenario) == OPENED else total_people)
    if users >= total_people:
        return scenario
    min_batch = min(scenario.mix.min_batch, users)
    return change(scenario, {"population.users": users, "mix.min_batch": min_batch})


def rows_of(scenario: Scenario) -> Mapping[str, PlannedAttack]:
    """Return the rows of a scenario's attack matrix, by name.

    Each row is an attack on the kind of data that people submit in the scenario: rows that open
    only if k people share them, or other rows.
    """
    opens = answers_in(scenario) == OPENED
    rows = plan_rows(topology_of(scenario).name)
    return {
        name: row for name, row in rows.items() if (ATTACKS[row.attack].about == OPENED) == opens
    }


def chosen(names: Sequence[str], valid_names: Sequence[str], subject: str) -> tuple[str, ...]:
    """Return the given names of attacks or defences, in the order of `valid_names`.

    names: the given names; empty: all. subject: the parameter's name, for the error. Raises
    ParameterError for an unknown name.
    """
    for name in names:
        if name not in valid_names:
            hint = did_you_mean(name, valid_names)
            raise ParameterError(
                f"{subject}: found {name!r}; accepted are "
                f"{listed(valid_names, len(valid_names))}{hint}"
            )
    return tuple(name for name in valid_names if not names or name in names)


def suited(scenario: Scenario) -> None:
    """Raise an error if attacks are not measured in this scenario.

    ParameterError for a verified mix; DataError if people add noise to their answers.
    """
    onions_only(scenario, "the attack matrix")
    if answers_in(scenario) == REPORTS:
        kinds = listed(randomizing())
        raise DataError(
            f"policy.kind = {scenario.policy.kind!r}: attacks are measured by the values "
            f"of people that they read, and not if people add noise to their values ({kinds})"
        )


def has(scenario: Scenario, name: str) -> bool:
    """Whether a scenario has a defence on.

    False for `random` (secrets without a known seed), as the runs of a matrix have known seeds.
    """
    return name != RANDOM and GUARDS[name].is_on(scenario)


def takes(scenario: Scenario, name: str) -> bool:
    """Whether a scenario stays valid if a defence is switched on. name: the defence's name."""
    try:
        changed(scenario, _on(scenario, name), ())
    except ScenarioError:
        return False
    return True


def spares(scenario: Scenario, name: str) -> bool:
    """Whether a scenario stays valid if a defence is switched off.

    Some release programs accept no design errors.
    """
    try:
        changed(scenario, _off(name), ())
    except ScenarioError:
        return False
    return True


def _on(scenario: Scenario, name: str) -> Keys:
    """Return the scenario keys, with values, that switch a defence on; empty if it is on.

    name: the defence's name.
    """
    guard = GUARDS[name]
    if name == RANDOM or has(scenario, name):
        return {}
    return {guard.key: guard.on, **guard.needs}


def _off(name: str) -> Keys:
    """Return the scenario keys, with values, that switch a defence off; empty if it has no key.

    name: the defence's name.
    """
    guard = GUARDS[name]
    if name == RANDOM:
        return {}
    return {guard.key: guard.off, **({"mix.lesson": True} if guard.lesson else {})}


def changed(scenario: Scenario, keys: Mapping[str, object], faults: Sequence[Keys]) -> Scenario:
    """Return the scenario with some keys changed and only the given faults.

    keys: dotted keys of a scenario file, with new values. faults: entries of [[fault]].
    Raises ScenarioError for an invalid scenario.
    """
    data = msgspec.to_builtins(scenario)
    for key, setting in keys.items():
        table, _, inner = key.partition(".")
        data[table][inner] = setting
    data["fault"], data["expect"], data["sweep"] = list(faults), {}, {}
    data["deviation"] = []
    # coalitions are left out: one of them may name a shuffler that the changed scenario lacks
    data["coalition"] = []
    scenario_made = msgspec.convert(data, Scenario)
    check(scenario_made)
    return scenario_made


def mark_of(scenario: Scenario) -> str:
    """Return a hash that identifies a scenario: its people, parties and countermeasures.

    The seed and the number of repetitions are left out.
    """
    plain = changed(scenario, {"scenario.seed": None, "scenario.repeat": 1}, ())
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()


def helping(row: str, topology: str = CENTRAL.name) -> tuple[str, ...]:
    """Return the names of the defences declared to stop or detect an attack.

    row: the attack's name in the matrix. topology: `central` or `peers`.
    """
    return helping_attack(plan_rows(topology)[row].attack, topology)


def bare(row: str, topology: str = CENTRAL.name) -> Keys:
    """Return the scenario keys that leave an attack without any defence against it.

    The keys make the design error that the attack needs, and switch off the defences declared
    against the attack.

    row: the attack's name in the matrix. topology: `central` or `peers`.
    """
    commitment = plan_rows(topology)[row].how
    switches = {k: v for k, v in commitment.switches.items() if k != "scenario.seed"}
    for name in (*helping(row, topology), *commitment.without):
        switches.update(_off(name))
    return switches


def trials(
    scenario: Scenario, rows: Sequence[str], defences: Sequence[str], people: int
) -> Iterator[PlannedTrial]:
    """Yield every cell of the attack matrix that has to be played, attack by attack.

    rows: names of attacks. defences: names of defences. people: the number of users.
    """
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
    """Return the scenario keys of an attack's cell, with some defences switched on again.

    Args:
        scenario: the scenario under attack.
        keys: the keys that leave the attack without defence.
        names: names of the defences to switch on. If there are several, a defence that needs more
            shufflers than the scenario has stays off.
        lesson: whether the key that permits design errors is kept.
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
    """Return the cell of an attack and a defence; its scenario is None if the keys are not valid.

    row: the attack's name. keys: the scenario keys of the cell. people: the number of users.
    """
    topology = topology_of(scenario).name
    mixes = keys.get("mix.shufflers", scenario.mix.shufflers)
    try:
        scenario_made = changed(scenario, keys, plan_rows(topology)[row].faults(people, mixes))
    except ScenarioError as wrong:
        return PlannedTrial(row, defence, None, why=wrong.problems[0])
    helped = RANDOM in helping(row, topology) and defence in (RANDOM, ALL_GUARDS)
    return PlannedTrial(row, defence, scenario_made, seeded=not helped)


def pair(scenario: Scenario, name: str) -> tuple[Scenario, Scenario]:
    """Return the scenario without faults, first without and then with a defence, to compare costs.

    Both scenarios are equal for the defence `random` (no known seed), because no setting of a
    scenario switches it.
    """
    return changed(scenario, _off(name), ()), changed(scenario, _on(scenario, name), ())
