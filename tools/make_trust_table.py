"""Write the table of successes of the catalogue's attacks: the shipped one, and docs/attacks.md.

python tools/make_trust_table.py            play all sets of guards and write
python tools/make_trust_table.py NAME ...   play these sets alone; the others stay
python tools/make_trust_table.py --attacks=ROW,ROW ...   play these attacks alone, in all sets or
                                                         in those named; the others stay
python tools/make_trust_table.py --page     write the page again from what is shipped
python tools/make_trust_table.py --check    exit 1 if page or table is another than what is played
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from generated import DOCS, filled, write_or_check, written_table
from msgspec.structs import replace
from veilmix import __version__
from veilmix.number_text import plural, seeds
from veilmix.presentation.presenters.cheating import rate
from veilmix.roles.compute.executors import processes
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.capabilities import ThresholdOpening
from veilmix.scenarios.programs.registry import program_of
from veilmix.scenarios.programs.topology import topology_of
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.serialization.json_text import pretty
from veilmix.scenarios.serialization.record import plain
from veilmix.scenarios.studies.cheating.cheating_result import (
    AttackResult,
    CheatingStudy,
    WorstAttack,
    detection_text,
    name_members,
)
from veilmix.scenarios.studies.cheating.coalition_study import begin, study
from veilmix.scenarios.studies.cheating.trust_table import (
    FILE,
    GuardSet,
    TrustTable,
    guards_on,
    shipped,
)
from veilmix.scenarios.studies.matrix.attack_plan import changed

PAGE = DOCS / "attacks.md"
PEOPLE, SEED, RUNS = 40, 7, 10
ALWAYS, NEVER = "10 of 10 (69 to 100 %)", "never"
ATTACKS = "--attacks="
HEADINGS = ("countermeasures", "marginals secret", "marginals public")
BASE = {
    "population.source": "builtin:titanic",
    "population.users": PEOPLE,
    "mix.shufflers": 2,
    "policy.max_exposure": 0.3,
    "defence.union": False,
}
UNLISTED = {"defence.registered": False}
NONE = {
    **UNLISTED,
    "defence.sums": False,
    "defence.promise": False,
    "defence.burn": False,
    "defence.compare": False,
    "defence.signed": False,
    "defence.min_dropout": 1,
    "mix.lesson": True,
}
MORE = {
    "defence.registered": True,
    "defence.balance": True,
    "defence.receipts": 0.05,
    "defence.union": True,
}
TOKENS = {"defence.registered": True, "defence.tokens": True}
CHALLENGE = {"defence.registered": True, "defence.challenge": True}
AUDIT = {"defence.registered": True, "defence.audit": True}
ALL = {**MORE, **TOKENS, **CHALLENGE, **AUDIT}
PUBLIC = {"policy.publish_marginals": True}
CENTRAL: Mapping[str, Mapping[str, object]] = {
    "none that a file can leave out": NONE,
    "none, marginals public": {**PUBLIC, **NONE},
    "those that are on where nothing is said": {},
    "these, marginals public": PUBLIC,
    "all of these but `registered`": UNLISTED,
    "all of these but `registered`, marginals public": {**PUBLIC, **UNLISTED},
    "`registered`, `balance`, `receipts` of 5 %, `union` besides": MORE,
    "all of these, `recompute`, marginals public": {**PUBLIC, "defence.recompute": True, **MORE},
    "`registered` and `tokens`, and those that are on": TOKENS,
    "these, with tokens, marginals public": {**PUBLIC, **TOKENS},
    "one shuffler, those that are on": {"mix.shufflers": 1},
    "one shuffler, marginals public": {"mix.shufflers": 1, **PUBLIC},
    "all of these but `challenge`": {**MORE, **TOKENS},
    "all but `challenge`, marginals public": {
        **PUBLIC,
        "defence.recompute": True,
        **MORE,
        **TOKENS,
    },
    "`registered` and `challenge`, and those that are on": CHALLENGE,
    "these, with `challenge`, marginals public": {**PUBLIC, **CHALLENGE},
    "`registered` and `audit`, and those that are on": AUDIT,
    "these, with `audit`, marginals public": {**PUBLIC, **AUDIT},
    "all but `audit`": {**MORE, **TOKENS, **CHALLENGE},
    "all but `audit`, marginals public": {
        **PUBLIC,
        "defence.recompute": True,
        **MORE,
        **TOKENS,
        **CHALLENGE,
    },
    "all that there are": ALL,
    "all that there are, marginals public": {**PUBLIC, "defence.recompute": True, **ALL},
}
SETS: Mapping[str, tuple[str, Mapping[str, object]]] = {
    **{name: ("attack-overlap", {**BASE, **keys}) for name, keys in CENTRAL.items()},
    "rows that five people open, those that are on": (
        "attack-try-rows",
        {"population.users": PEOPLE},
    ),
    "among peers, those that are on": ("village", {}),
    "among peers, no blanks, paths of one": ("village", {"mix.path": 1, "mix.cover": 0}),
    "among 150 peers, three questions": ("peers-titanic", {}),
}  # name -> the scenario that it is measured on, and what is changed in it
FURTHER = "further"
PAIRS: Mapping[str, tuple[str, str]] = {
    "all left out that a file can leave out": (
        "none that a file can leave out",
        "none, marginals public",
    ),
    "defaults": ("those that are on where nothing is said", "these, marginals public"),
    "defaults without `registered`": (
        "all of these but `registered`",
        "all of these but `registered`, marginals public",
    ),
    f"defaults, {FURTHER}": (
        "`registered`, `balance`, `receipts` of 5 %, `union` besides",
        "all of these, `recompute`, marginals public",
    ),
    f"defaults, {FURTHER}, `tokens`": (
        "all of these but `challenge`",
        "all but `challenge`, marginals public",
    ),
    f"defaults, {FURTHER}, `tokens`, `challenge`": (
        "all but `audit`",
        "all but `audit`, marginals public",
    ),
    f"defaults, {FURTHER}, `tokens`, `challenge`, `audit`": (
        "all that there are",
        "all that there are, marginals public",
    ),
    "defaults, `tokens`": (
        "`registered` and `tokens`, and those that are on",
        "these, with tokens, marginals public",
    ),
    "defaults, `challenge`": (
        "`registered` and `challenge`, and those that are on",
        "these, with `challenge`, marginals public",
    ),
    "defaults, `audit`": (
        "`registered` and `audit`, and those that are on",
        "these, with `audit`, marginals public",
    ),
    "defaults, one shuffler": ("one shuffler, those that are on", "one shuffler, marginals public"),
    "`threshold`, k = 5, defaults": ("rows that five people open, those that are on", ""),
    "peers, defaults": ("", "among peers, those that are on"),
    "peers, no blanks, paths of one": ("", "among peers, no blanks, paths of one"),
    "150 peers, three questions": ("", "among 150 peers, three questions"),
}  # a row of the page -> its sets with secret and with public marginals; empty: not played


def guard_set(name: str, scenario: Scenario, study: CheatingStudy) -> GuardSet:
    """Return a line of the table, from a study."""
    topology = topology_of(scenario)
    return GuardSet(
        name=name,
        scenario=study.scenario,
        source=str(scenario.population.source),
        users=study.users,
        topology=topology.name,
        handlers=study.handlers,
        public=topology.public(scenario.policy),
        on=guards_on(scenario),
        seed=study.seed,
        runs=study.runs,
        tried=tuple(attempt.attack for attempt in study.attempts),
        watching=study.watching,
        reading=tuple(coalition for coalition in study.attacks if coalition.read),
        opens=program_of(scenario).capability(ThresholdOpening) is not None,
    )


def scenario(name: str) -> Scenario:
    """The scenario with one set of guards."""
    base, keys = SETS[name]
    return changed(load(base), keys, ())


def measured(name: str, runs: int = RUNS, executor: Executor | None = None) -> GuardSet:
    """Play one set of guards."""
    made = scenario(name)
    return guard_set(name, made, study(made, begin(made, SEED, runs), executor=executor))


def renewed(there: GuardSet, attacks: Sequence[str], executor: Executor | None = None) -> GuardSet:
    """Play some attacks with one set of guards; what the others read stays."""
    made = scenario(there.name)
    begun = begin(made, SEED, RUNS)
    tried = tuple(attempt.attack for attempt in begun.attempts)
    some = tuple(attempt for attempt in begun.attempts if attempt.attack in attacks)
    played = study(made, replace(begun, attempts=some), executor=executor)
    stay = [one for one in there.reading if one.attack not in attacks]
    reading = {one.attack: one for one in (*stay, *played.attacks) if one.read}
    kept = tuple(reading[attack] for attack in tried if attack in reading)
    return replace(there, tried=tried, reading=kept)


def rows(sets: Sequence[GuardSet]) -> Iterator[tuple[str, ...]]:
    """Yield each success, of coalitions without a part that succeeds."""
    for guards in sets:
        for place, coalition in enumerate(guards.succeeding):
            if worst := coalition.worst:
                yield ("" if place else guards.name, *_success(coalition, worst))


def _success(coalition: WorstAttack, worst: AttackResult) -> tuple[str, ...]:
    often, ends = rate(worst)
    members = name_members((coalition.parties, coalition.friends))
    return members, f"`{worst.attack}`", f"{often} ({ends})", detection_text(worst)


def lines(sets: Sequence[GuardSet]) -> Iterator[tuple[str, ...]]:
    """Yield the lines of the page: sets of guards with secret and with public marginals.

    Sets in which the same coalitions succeed share a line.
    """
    played = {guards.name: guards for guards in sets}
    labels: dict[tuple[str, ...], list[str]] = {}
    for label, names in PAIRS.items():
        cells = tuple(_successes(played[name]) if name in played else "-" for name in names)
        labels.setdefault(cells, []).append(label)
    for (hidden, public), equal in labels.items():
        same = hidden == public and public != "none"
        yield "; or ".join(equal), hidden, "the same" if same else public


def _successes(guards: GuardSet) -> str:
    """Return the coalitions that read a row, each with its attack, as a cell."""
    told = []
    for _, members, attack, read, noticed in rows([guards]):
        often = "" if read == ALWAYS else f", {read}"
        told.append(f"{members} {attack}{often}{'' if noticed == NEVER else f' ({noticed})'}")
    return "; ".join(told) or "none"


def written(sets: Sequence[GuardSet]) -> str:
    """The table in Markdown, with what was played."""
    table = written_table(HEADINGS, lines(sets))
    where = dict.fromkeys(
        f"{guards.scenario}, {guards.users} people of {guards.source.removeprefix('builtin:')}"
        for guards in sets
    )
    return (
        f"{table}\nRead in {ALWAYS} runs, and never noticed, where nothing else is said. Measured "
        f"on: {'; '.join(where)}; two shufflers where nothing else is said. "
        f"{seeds(SEED, RUNS).capitalize()}: {plural(RUNS, 'run')} of each attack; 95 % intervals.\n"
    )


def page(table: TrustTable) -> str:
    """The page as it is to be."""
    return filled(PAGE.read_text("utf-8"), {"succeeding": written(table.sets)})


def main(arguments: list[str]) -> int:
    """Write table and page, or say that they are out of date."""
    named = [argument for argument in arguments if not argument.startswith("-")]
    given = [argument for argument in arguments if argument.startswith(ATTACKS)]
    attacks = [row for argument in given for row in argument.removeprefix(ATTACKS).split(",")]
    table = shipped() if FILE.is_file() else TrustTable(version=__version__, sets=())
    if "--page" not in arguments:
        sets = {guards.name: guards for guards in table.sets}
        with processes(2) as pool:
            for name in named or SETS:
                if attacks:
                    sets[name] = renewed(sets[name], attacks, pool)
                else:
                    sets[name] = measured(name, RUNS, pool)
                table = _ordered(sets)
                if "--check" not in arguments:
                    write_or_check([], _files(table))  # what is played is kept if it is stopped
    return write_or_check(arguments, _files(table))


def _ordered(sets: Mapping[str, GuardSet]) -> TrustTable:
    """Those that there are, in the order of the page."""
    return TrustTable(version=__version__, sets=tuple(sets[name] for name in SETS if name in sets))


def _files(table: TrustTable) -> dict[Path, str]:
    return {FILE: pretty(plain(table)), PAGE: page(table)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
