"""Which runs an attack matrix is made of: every attack without and with every defence.

Of an attack A, with the defences D that ATTACKS says stop or detect it:

    none   the scenario, with A committed, the switches of A turned, and every D off
    D      the same, with that one defence on
    other  the same, with a defence on that is not said to help and that the scenario has off
    all    everything that has a switch is on

A defence that is not said to help and that the scenario has on anyway is on in all of these: its
cell is that of `none`, and is not played again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from ...errors import DataError, ParameterError, ScenarioError
from ...protocol import parties
from ..attacks.catalogue import ATTACKS, DEFENCES
from ..attacks.setup import FLAWS
from ..programs.peers.check import central_only
from ..schema.kinds import RANDOMIZED
from ..schema.model import Scenario
from ..schema.problems import did_you_mean, listed
from ..validation.load import check

NONE, ALL = "none", "all"
RANDOM = "random"  # the defence whose switch is the seed of the run
COLLUDE = "collude"
TARGET = parties.user(0)
LESSONS = (
    *("mix.order", "mix.pad", "mix.salt", "mix.suite", "defence.promise"),
    *(f"defence.{key}" for key in FLAWS),
)

Keys = dict[str, Any]


def _some(people: int) -> int:
    """A tenth of the people, at least one: how many an attack strikes that strikes several."""
    return max(1, people // 10)


@dataclass(frozen=True, slots=True)
class Row:
    """One attack as it is committed. faults: the entries of [[fault]] for so many people, mixes."""

    attack: str
    faults: Callable[[int, int], list[Keys]]


def _users(attack: str, **keys: Any) -> Row:
    return Row(attack, lambda n, _: [{"attack": attack, "users": _some(n), **keys}])


def _mix(attack: str, *, last: bool = False, every: bool = False) -> Row:
    """The first or the last shuffler strikes some messages, or people, of round 1 or of every."""

    def faults(n: int, mixes: int) -> list[Keys]:
        by = parties.shuffler(mixes if last else 1)
        rounds = {} if every else {"round": 1}
        return [{"attack": attack, "by": by, "users": _some(n), **rounds}]

    return Row(attack, faults)


def _aimed(attack: str, **keys: Any) -> Row:
    return Row(attack, lambda _n, _m: [{"attack": attack, "target": TARGET, **keys}])


def _plain(attack: str) -> Row:
    return Row(attack, lambda _n, _m: [{"attack": attack}])


def _forward(_n: int, mixes: int) -> list[Keys]:
    return [{"attack": "forward", "by": parties.shuffler(hop + 1)} for hop in range(mixes)]


def _dropout(_n: int, _mixes: int) -> list[Keys]:
    return [{"attack": "absent", "by": TARGET, "round": 2}, {"attack": "dropout"}]


ROWS: Mapping[str, Row] = {
    "absent": Row("absent", lambda _n, _m: [{"attack": "absent", "by": TARGET, "round": 2}]),
    "late": _users("late", round=1),
    "malformed": _users("malformed", round=1),
    "duplicate": _users("duplicate", round=1),
    "poison": _users("poison"),
    "stuff": _users("stuff", round=1),
    "drop": _mix("drop", last=True),
    "drop-people": _mix("drop-people", every=True),
    "substitute": _mix("substitute"),
    "copy": _mix("copy"),
    "copy-last": _mix("copy", last=True),
    "tag": _mix("tag"),
    "forward": Row("forward", _forward),
    "replay": _aimed("replay", into="round"),
    "replay-next": _aimed("replay", into="next"),
    "replay-session": _aimed("replay", into="session"),
    "block": _users("block", round=2),
    "isolate": Row(
        "isolate", lambda n, _: [{"attack": "isolate", "target": TARGET, "users": max(n - 1, 1)}]
    ),
    "flood": Row("flood", lambda n, _: [{"attack": "flood", "users": 3 * n}]),
    "delay": _aimed("delay"),
    "lie": _plain("lie"),
    "equivocate": _aimed("equivocate"),
    "rerun": _aimed("rerun"),
    "overlap": _plain("overlap"),
    COLLUDE: Row(COLLUDE, lambda _n, _m: []),
    "dropout": Row("dropout", _dropout),
    **{
        name: _plain(name)
        for name in (
            "order", "size", "dictionary", "bundle", "one-salt", "one-key", "predictable",
        )
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trial:
    """One cell that is played. scenario: what is played, or None and `why` it cannot be.

    seeded: whether who looks on knows the seed of its randomness.
    """

    row: str
    defence: str
    scenario: Scenario | None
    seeded: bool = True
    why: str = ""


def chosen(names: Sequence[str], known: Sequence[str], what: str) -> tuple[str, ...]:
    """The rows or defences that are asked for, in the order of the table; all if none is named."""
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known)
            raise ParameterError(
                f"{what}: found {name!r}; accepted are {listed(known, len(known))}{hint}"
            )
    return tuple(name for name in known if not names or name in names)


def suited(scenario: Scenario) -> None:
    """DataError or ParameterError if what attacks achieve is not measured in this scenario."""
    central_only(scenario, "the matrix of attacks")
    if scenario.policy.kind in RANDOMIZED:
        kinds = listed(RANDOMIZED)
        raise DataError(
            f"policy.kind = {scenario.policy.kind!r}: attacks are measured against people's own "
            f"values, and not where they add noise to them ({kinds})"
        )


def value(scenario: Scenario, key: str) -> object:
    """What a scenario says at a dotted key."""
    table, _, inner = key.partition(".")
    return getattr(getattr(scenario, table), inner)


def has(scenario: Scenario, name: str) -> bool:
    """Whether a scenario has a defence on. Every run of a matrix has a seed."""
    one = DEFENCES[name]
    return name != RANDOM and value(scenario, one.key) != one.off


def _on(scenario: Scenario, name: str) -> Keys:
    """The keys that switch a defence on: as the scenario has it, if it does."""
    one = DEFENCES[name]
    if name == RANDOM or has(scenario, name):
        return {}
    return {one.key: one.on, **one.needs}


def _off(name: str) -> Keys:
    one = DEFENCES[name]
    if name == RANDOM:
        return {}
    return {one.key: one.off, **({"mix.lesson": True} if one.key in LESSONS else {})}


def changed(scenario: Scenario, keys: Mapping[str, object], faults: Sequence[Keys]) -> Scenario:
    """The scenario with these keys, and these faults alone; ScenarioError if there is none such."""
    data = msgspec.to_builtins(scenario)
    for key, what in keys.items():
        table, _, inner = key.partition(".")
        data[table][inner] = what
    data["fault"], data["expect"], data["sweep"] = list(faults), {}, {}
    data["coalition"] = []  # they may name a shuffler that an attack does without
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def helping(row: str) -> tuple[str, ...]:
    """The defences that are said to stop or to detect the attack of a row."""
    return ATTACKS[ROWS[row].attack].stopped_by


def bare(row: str) -> Keys:
    """The keys of a row's runs without any defence that helps."""
    switches = {k: v for k, v in ATTACKS[ROWS[row].attack].switches.items() if k != "scenario.seed"}
    for name in helping(row):
        switches.update(_off(name))
    if row == "delay":  # everybody else's messages are held back in round 1: nobody left between
        switches.update(_off("dropout"))
    return switches


def trials(
    scenario: Scenario, rows: Sequence[str], defences: Sequence[str], people: int
) -> Iterator[Trial]:
    """Every cell that has to be played, row by row. people: how many take part."""
    for row in rows:
        keys = bare(row)
        yield _trial(scenario, row, NONE, keys, people)
        for name in defences:
            if name in helping(row) or not (has(scenario, name) or name == RANDOM):
                yield _trial(scenario, row, name, _with(scenario, keys, (name,)), people)
        yield _trial(scenario, row, ALL, _with(scenario, keys, tuple(DEFENCES)), people)


def _with(scenario: Scenario, keys: Keys, names: Sequence[str]) -> Keys:
    """The keys of a row with some defences switched on again."""
    found = dict(keys)
    for name in names:
        one = DEFENCES[name]
        if name == RANDOM:
            continue
        own = value(scenario, one.key)
        found[one.key] = own if own != one.off else one.on
        found.update(one.needs)
    if names == tuple(DEFENCES):
        found.pop("mix.lesson", None)
    return found


def _trial(scenario: Scenario, row: str, defence: str, keys: Keys, people: int) -> Trial:
    mixes = keys.get("mix.shufflers", scenario.mix.shufflers)
    try:
        made = changed(scenario, keys, ROWS[row].faults(people, mixes))
    except ScenarioError as wrong:
        return Trial(row, defence, None, why=wrong.problems[0])
    helped = RANDOM in helping(row) and defence in (RANDOM, ALL)
    return Trial(row, defence, made, seeded=not helped)


def pair(scenario: Scenario, name: str) -> tuple[Scenario, Scenario]:
    """An honest scenario without and with a defence; equal where it is a matter of the seed."""
    return changed(scenario, _off(name), ()), changed(scenario, _on(scenario, name), ())
