"""Checks of the meaning of a well-formed scenario, such as unknown names and contradictory numbers.

Each check takes the scenario and the facts about its people, and yields the mistakes that it finds.
The table `CHECKS` lists each check with the keys of the scenario file that it reads. If such a key
is already known to be wrong, the check is left out, so that a mistake is reported once.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path as Folder

from msgspec.structs import asdict

from ...attacks.catalogue.guard import value_at
from ...attacks.catalogue.registry import ATTACKS, GUARDS
from ...populations.facts import ScenarioFacts, domains
from ...programs import registry
from ...programs.capabilities import DeeperQueries, ThresholdOpening, WeighedChoice
from ...programs.peers import check as peers_meaning
from ...programs.people_source import SetPopulation
from ...programs.randomized import check as local_meaning
from ...programs.registry import capability, max_rounds, program_of
from ...programs.topology import CENTRAL, PEERS, topology_of
from ...schema.keys import axis_misfit, keys
from ...schema.kinds import SETS, kinds
from ...schema.model import Policy, Scenario
from ...schema.problems import Path, Problem, as_found, did_you_mean, listed, problem, quoted
from .deviations import deviations
from .parties import coalitions, faults
from .peer_faults import faults as peer_faults
from .rows_per_person import several_rows
from .verified_mix import submitted_once, verified

# A number of columns with which every program of adaptive queries has several rounds. It shows
# whether the number of rounds of a program depends on the columns.
SEVERAL_ROUNDS_COLUMNS = 4
# most invented users (Sybils) of an attack; each costs as much computation as a real user
MAX_SYBILS = 100_000

Check = Callable[[Scenario, ScenarioFacts], Iterable[Problem]]
# scenario key -> the values of this key that this version can run
AVAILABLE: dict[str, tuple[object, ...]] = {
    "population.setting": ("fixed", "statistical"),
    "policy.kind": tuple(kinds()),
}
# tables of the scenario file in which a sweep may vary only the seed
FIXED_TABLES = {"expect", "scenario"}
SHUFFLERS = (("mix", "shufflers"),)
PEOPLE = (("population",), ("feature",))
UNREAD = (
    (("keep",), 'only kind = "fixed" reads {key}; kind is {kind}'),
    (ThresholdOpening.keys, 'only kind = "threshold" reads {key}; kind is {kind}'),
    (DeeperQueries.keys, "kind = {kind} has no adaptive queries, so it does not read {key}"),
    (WeighedChoice.keys, "kind = {kind} chooses no columns, so it does not read {key}"),
)  # keys of [policy] -> message if the scenario's release program does not read them


def examine(scenario: Scenario, base: Folder, bad: Sequence[Path]) -> list[Problem]:
    """Return all mistakes in the meaning of a scenario.

    base: the folder of the scenario's file. bad: the paths of keys that are already known to be
    wrong.
    """
    bad = [*bad, *(path[:2] for path in bad if path[:1] + path[2:] == ("fault", "attack"))]
    problems = [*doubles(scenario), *domains(scenario)]
    facts = ScenarioFacts()
    if not _spoilt(PEOPLE, [*bad, *(p.touches for p in problems)]):
        facts, more = registry.facts(scenario, base)
        problems += more
    if not _spoilt(SHUFFLERS, bad):
        facts = replace(facts, shufflers=scenario.mix.shufflers)
    for reads, check in CHECKS:
        if not _spoilt(reads, bad):
            problems += check(scenario, facts)
    return [p for p in problems if not any(p.path[: len(path)] == path for path in bad)]


def _spoilt(reads: Iterable[Path], bad: Iterable[Path]) -> bool:
    """Whether a path that a check reads contains, equals or lies within the path of a wrong key.

    reads: the paths that the check reads. bad: the paths of keys known to be wrong.
    """
    return any(all(a == b for a, b in zip(r, w, strict=False)) for r in reads for w in bad)


def doubles(scenario: Scenario) -> Iterator[Problem]:
    """Yield a mistake for each repeated name of a feature or a coalition."""
    for table in ("feature", "coalition"):
        names = [entry.name for entry in getattr(scenario, table)]
        for i, name in enumerate(names):
            if name in names[:i]:
                first = f"{table}[{names.index(name)}]"
                message = f"{first} is called {quoted(name)} too; give each a name of its own"
                yield problem((table, i, "name"), message)


def lesson(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake for the insecure suite "textbook" outside a lesson.

    A lesson is a scenario that switches a safeguard off on purpose (`mix.lesson`).
    """
    if scenario.mix.suite == "textbook" and not scenario.mix.lesson:
        yield problem(
            ("mix", "suite"),
            '"textbook" encrypts equal values to equal bytes, so an observer finds them by trying; '
            "say lesson = true to show this weakness, or choose sealedbox",
        )


def defended(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield countermeasures that only a lesson may switch off, or that lack their requirements.

    A lesson is a scenario that switches a safeguard off on purpose (`mix.lesson`).
    """
    for guard in GUARDS.values():
        path = tuple(guard.key.split("."))
        if guard.unguarded and not guard.is_on(scenario) and not scenario.mix.lesson:
            yield problem(path, guard.unguarded)
        for requirement in guard.wanted if guard.is_on(scenario) else ():
            if value_at(scenario, requirement.key) != requirement.value:
                yield problem(path, requirement.message)
        if guard.is_on(scenario) and scenario.mix.shufflers < guard.shufflers:
            shortage = f"{guard.shufflers} shufflers are needed; there is {scenario.mix.shufflers}"
            yield problem(path, shortage)


def batch(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake if the minimum batch is larger than the number of people in a round."""
    min_batch = scenario.mix.min_batch
    if facts.min_round_people is not None and min_batch > facts.min_round_people:
        yield problem(
            ("mix", "min_batch"),
            f"min_batch = {min_batch} is larger than the {facts.min_round_people:,} people taking "
            "part, so every "
            "round would be burned; lower min_batch or raise population.users",
        )


def crowd(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake if k is larger than the number of people, so that any release is unsafe."""
    k, policy = scenario.policy.k, scenario.policy
    if (
        facts.min_round_people is None
        or not capability(scenario, WeighedChoice)
        or policy.max_exposure >= 1
    ):
        return
    if k > facts.min_round_people:
        yield problem(
            ("policy", "k"),
            f"k = {k} is larger than the {facts.min_round_people:,} people taking part, so nothing "
            "can ever "
            "be released; lower k or raise population.users",
        )


def flooded(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake for each attack with more invented users (Sybils) than MAX_SYBILS."""
    for place, fault in enumerate(scenario.fault):
        if ATTACKS[fault.attack].sybils and (fault.users or 0) > MAX_SYBILS:
            message = f"found {fault.users:,}; {fault.attack} brings at most {MAX_SYBILS:,}"
            yield problem(("fault", place, "users"), message)


def choice(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield keys of [policy] that the release program ignores, and contradictory columns."""
    policy, usual = scenario.policy, Policy()
    # An ignored limit would seem to be enforced, so a key that the release program does not read is
    # refused.
    keys_read = {key for part in program_of(scenario).capabilities for key in part.keys}
    for keys_of_kind, message in UNREAD:
        for key in keys_of_kind:
            if key not in keys_read and getattr(policy, key) != getattr(usual, key):
                yield problem(("policy", key), message.format(key=key, kind=quoted(policy.kind)))
    for i, name in enumerate(policy.forbidden):
        if name in policy.required:
            message = f"{quoted(name)} is required too; leave it out of one list"
            yield problem(("policy", "forbidden", i), message)


def setting(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake if `round2_users` is given although the same people answer in both rounds."""
    population = scenario.population
    if population.setting == "fixed" and population.round2_users is not None:
        message = 'only setting = "statistical" asks other people in round 2; leave it out'
        yield problem(("population", "round2_users"), message)


def suited(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Return the mistakes that the scenario's release program finds in the scenario."""
    return program_of(scenario).check(scenario, facts)


def rounds(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake for each fault in a round that does not exist."""
    limit = max_rounds(scenario.policy, len(facts.features or ()))
    if facts.features is None and limit != max_rounds(scenario.policy, SEVERAL_ROUNDS_COLUMNS):
        # without the features, which are unknown here, the number of rounds cannot be computed
        return
    for i, fault in enumerate(scenario.fault):
        if fault.round is not None and fault.round > limit:
            message = f"found {fault.round}; kind = {quoted(scenario.policy.kind)} has "
            round_text = "one round" if limit == 1 else f"{limit} rounds at most"
            yield problem(("fault", i, "round"), message + round_text)


def names(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake for each unknown or repeated feature in a key that lists features."""
    for table, key in (
        ("policy", "prefer"),
        ("policy", "required"),
        ("policy", "forbidden"),
        ("policy", "keep"),
        ("policy", "weights"),
        ("attacker", "knows"),
        ("expect", "kept"),
        ("expect", "suppressed"),
    ):
        named = getattr(getattr(scenario, table), key) or ()
        for i, name in enumerate(named):
            path: Path = (table, key, name if isinstance(named, dict) else i)
            if facts.features is not None and name not in facts.features:
                hint = did_you_mean(name, facts.features)
                message = f"no feature is called {quoted(name)}; this scenario asks about "
                yield problem(path, message + listed(facts.features) + hint)
            elif name in list(named)[:i]:
                yield problem(path, f"{quoted(name)} occurs twice; once is enough")


def sets(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield keys that only a policy for sets reads, and keys that such a policy does not read.

    A policy for sets (`incidence`) asks owners for sets of elements, and has no features.
    """
    kind = scenario.policy.kind
    if capability(scenario, SetPopulation):
        if scenario.feature:
            message = f'kind = "{kind}" asks owners for their sets; leave [[feature]] out'
            yield problem(("feature",), message)
        if scenario.attacker.knows:
            message = f'kind = "{kind}" has no features; leave knows out'
            yield problem(("attacker", "knows"), message)
        return
    for key, usual in (("owners", ()), ("positions", None), ("method", "em"), ("beta", 0.1)):
        if getattr(scenario.incidence, key) != usual:
            message = f'only policy.kind = "{SETS}" reads {key}; kind is {quoted(kind)}'
            yield problem(("incidence", key), message)


def expected(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the lines of [expect], the expected results, that no run can satisfy."""
    expect = scenario.expect
    both = [name for name in expect.kept or () if name in (expect.suppressed or ())]
    if both:
        message = f"{listed(both)} cannot be kept and suppressed in one release"
        yield problem(("expect", "suppressed"), message)
    min_kept, features = expect.kept_at_least, facts.features
    if min_kept is not None and features is not None and min_kept > len(features):
        message = (
            f"found {min_kept} columns; the scenario has only {len(features)} features to keep"
        )
        yield problem(("expect", "kept_at_least"), message)


def swept(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the keys of [sweep] that a sweep cannot vary, and values that a key cannot take."""
    can = sweepable(scenario)
    for key, values in scenario.sweep.items():
        if key not in can:
            message = f"there is no such key to sweep{did_you_mean(key, can)}"
            more = "" if message.endswith(")") else f"; accepted are {listed(can, 40)}"
            yield problem(("sweep", key), message + more)
            continue
        for i, value in enumerate(values):
            if wrong := axis_misfit(key, value):
                yield problem(("sweep", key, i), f"{key}: {wrong}")
            elif value not in AVAILABLE.get(key, (value,)):
                message = f"{key} = {as_found(value)} is not available in this version; {runs(key)}"
                yield problem(("sweep", key, i), message)


def sweepable(scenario: Scenario) -> tuple[str, ...]:
    """Return the keys that a sweep may change, as dotted paths."""
    return tuple(
        key
        for key in keys(scenario)
        if key == "scenario.seed" or key.partition(".")[0] not in FIXED_TABLES
    )


def unavailable(scenario: Scenario) -> Iterator[Problem]:
    """Yield a mistake for every key with a value that this version of veilmix cannot run."""
    for name in AVAILABLE:
        table, key = name.split(".")
        part = getattr(scenario, table)
        if not isinstance(part, tuple):
            yield from _unavailable_value((table, key), name, asdict(part)[key])
        else:
            for i, entry in enumerate(part):
                yield from _unavailable_value((table, i, key), name, asdict(entry)[key])


def _unavailable_value(path: tuple[str | int, ...], name: str, value: object) -> Iterator[Problem]:
    """Yield a mistake if a key's value is not available in this version.

    path: the place of the key in the file. name: the key, such as `policy.kind`.
    """
    accepted = AVAILABLE[name]
    if value not in accepted:
        yield problem(path, f"{as_found(value)} is not available in this version; {runs(name)}")


def runs(name: str) -> str:
    """Return a clause: the values of a key that this version runs.

    name: the key, such as `policy.kind`.
    """
    words = [value if isinstance(value, str) else as_found(value) for value in AVAILABLE[name]]
    return f"it runs {listed(words)}"


def _among(checks: Mapping[str, Check]) -> Check:
    """Return a check that runs the check for the scenario's topology (central parties or peers).

    checks: topology -> check; a topology without a check has no mistakes.
    """

    def checked(scenario: Scenario, facts: ScenarioFacts) -> Iterable[Problem]:
        """Return the mistakes by the check for the scenario's topology."""
        check = checks.get(topology_of(scenario).name)
        return check(scenario, facts) if check else ()

    return checked


CHECKS: tuple[tuple[tuple[Path, ...], Check], ...] = (
    ((("mix", "suite"), ("mix", "lesson")), lesson),
    ((("mix", "lesson"), ("mix", "salt"), ("defence",)), defended),
    ((("mix", "min_batch"),), batch),
    ((("policy", "k"), ("policy", "kind")), crowd),
    ((("policy", "kind"), ("policy", "keep")), choice),
    ((("population", "setting"), ("policy", "rule")), setting),
    ((("policy",), ("population", "setting")), suited),
    ((("feature",),), names),
    ((("policy", "kind"), *PEOPLE), rounds),
    ((), coalitions),
    ((), _among({CENTRAL.name: faults})),
    ((("fault",),), flooded),
    ((("deviation",), ("fault",)), deviations),
    ((("local",), ("policy", "kind")), local_meaning.needed),
    ((("policy", "kind"), ("feature",)), local_meaning.coarser),
    ((("local",), *PEOPLE), local_meaning.budget),
    ((("local",),), local_meaning.run_limits),
    ((("local",), ("policy", "kind"), ("fault",), *PEOPLE), local_meaning.sampled),
    ((("local",), ("policy", "kind"), *PEOPLE), local_meaning.relied_on),
    ((("local",), ("policy", "kind"), *PEOPLE), local_meaning.reportable),
    ((("local",), ("mix",), ("fault",), *PEOPLE), local_meaning.crowd),
    ((("policy", "kind"), ("population", "setting")), local_meaning.one_round),
    ((("policy", "kind"), ("expect",)), local_meaning.pointless),
    ((("policy", "kind"), ("population",), ("incidence",)), sets),
    (
        (("mix",), ("policy", "kind"), ("population", "setting")),
        _among({PEERS.name: peers_meaning.fits}),
    ),
    ((("mix",), *PEOPLE), _among({PEERS.name: peers_meaning.paths})),
    ((("mix",),), _among({PEERS.name: peer_faults})),
    ((("mix",), ("expect",), ("defence",)), _among({PEERS.name: peers_meaning.unread})),
    ((("expect",),), expected),
    ((), lambda scenario, _: unavailable(scenario)),
    ((("mix",), ("policy", "kind"), ("defence",), ("fault",)), verified),
    ((("mix",), ("policy", "kind"), ("population", "setting"), ("fault",)), submitted_once),
    ((), several_rows),
    ((), swept),
)
