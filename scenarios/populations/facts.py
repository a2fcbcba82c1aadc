"""What is known of the people of a scenario, and every way its features contradict them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path as Folder

from ...errors import DataError, ParameterError
from ...protocol.schema import MAX_FEATURES
from ...protocol.schema import Feature as Column
from ..schema.model import Feature, Scenario
from ..schema.problems import Problem, did_you_mean, listed, problem, quoted
from .build import Offer, known, named_identifiers, offer, table, unasked
from .coarser import KEYS, ONE_OF, is_coarser
from .generated import LEVELS, NAMES, PRESENCE
from .people import Table, misfit, say
from .samples import wanted

USERS = ("population", "users")


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a scenario before it is played.

    None is what is not known, because what says so is itself wrong.

    Attributes:
        people: how many take part.
        features: the columns asked about.
        shufflers: how many.
        asked: the people of the smaller round: fewer than all in the statistical setting only.
        sizes: values in the domain of each feature.
    """

    people: int | None = None
    features: tuple[str, ...] | None = None
    shufflers: int | None = None
    asked: int | None = None
    sizes: tuple[int, ...] | None = None


def domains(scenario: Scenario) -> Iterator[Problem]:
    """Report features that no data could satisfy."""
    if len(scenario.feature) > MAX_FEATURES:
        yield problem(
            ("feature",),
            f"{len(scenario.feature)} features; at most {MAX_FEATURES} are accepted",
        )
    for i, feature in enumerate(scenario.feature):
        yield from _domain(("feature", i), feature)


def _domain(path: tuple[str | int, ...], feature: Feature) -> Iterator[Problem]:
    kinds = {
        "values": feature.values is not None,
        "levels": feature.levels is not None,
        "open": feature.open,
    }
    if sum(kinds.values()) > 1:
        both = [key for key, said in kinds.items() if said]
        yield problem((*path, both[1]), f"{' and '.join(both)} exclude each other; choose one")
    if feature.width is not None and not feature.open:
        yield problem(
            (*path, "width"),
            "only an open domain has a width: a public one is as wide as its longest value; "
            "write open = true or leave width out",
        )
    yield from coarser(path, feature)
    for j, value in enumerate(feature.values or ()):
        if value in (feature.values or ())[:j]:
            yield problem(
                (*path, "values", j), f"{value!r} occurs twice; each value needs one name"
            )
    yield from _text((*path, "name"), feature.name)
    for j, value in enumerate(feature.values or ()):
        yield from _text((*path, "values", j), value)


def coarser(path: tuple[str | int, ...], feature: Feature) -> Iterator[Problem]:
    """Report coarser values that contradict each other."""
    both = [key for key in ONE_OF if getattr(feature, key) is not None]
    if len(both) > 1:
        yield problem((*path, both[1]), f"{' and '.join(both)} exclude each other; choose one")
    if feature.bins is not None:
        kinds = ("edges", "width", "quantiles")
        named = [key for key in kinds if getattr(feature.bins, key) is not None]
        if len(named) != 1:
            told = " and ".join(named) or "none"
            yield problem((*path, "bins"), f"found {told}; one of {', '.join(kinds)} is accepted")
        edges = feature.bins.edges or ()
        if any(b <= a for a, b in pairwise(edges)):
            yield problem((*path, "bins"), "edges ascend, none twice")
    if (feature.level is None) != (feature.hierarchy is None):
        yield problem(
            (*path, "hierarchy" if feature.level is None else "level"),
            "hierarchy names a file, and level (from 1) which of its columns is said; give both",
        )
    if feature.day_first is not None and feature.date is None:
        yield problem((*path, "day_first"), "only date reads it; leave it out")
    merged = [value for group in (feature.merge or {}).values() for value in group]
    for value in sorted({label for label in merged if merged.count(label) > 1}):
        yield problem((*path, "merge"), f"{value!r} is in two groups; each value is in one")


def _text(path: tuple[str | int, ...], text: str) -> Iterator[Problem]:
    """Ask the protocol whether it can carry a name or a value."""
    try:
        Column(text, (text,)) if path[-1] == "name" else Column("x", (text,))
    except ParameterError as refused:
        message = str(refused).removeprefix("feature name: ").removeprefix("feature 'x': value: ")
        yield problem(path, message)


def people(scenario: Scenario, base: Folder) -> tuple[Facts, list[Problem]]:
    """Look at the source: what it has, and what the scenario asks of it in vain."""
    asked = tuple(feature.name for feature in scenario.feature) or None
    try:
        what = offer(scenario.population, base)
        problems = [*_columns(scenario, what), *_levels(scenario, what)]
        if what.generated:
            names = asked or what.columns or NAMES
            facts = replace(_facts(scenario, what.users, names), sizes=_made(scenario, what, names))
            return facts, [*problems, *_generated(scenario, what)]
        if problems:
            return Facts(None, asked), problems
        whole = table(scenario.population, scenario.feature, base)
    except DataError as bad:
        return Facts(None, asked), [problem(("population", "source"), str(bad))]
    said, problems = _said(scenario, whole, base)
    problems += _contradictions(scenario, whole, said)
    sizes = _held(scenario, whole, said)
    facts = replace(_facts(scenario, len(whole.codes), whole.columns), sizes=sizes)
    if (facts.people or 0) > len(whole.codes):
        says = f"{whole.name} has only {len(whole.codes):,} people to draw from"
        problems.append(problem(USERS, f"found {facts.people:,}; {says}"))
        return Facts(None, whole.columns), problems
    return facts, problems


def _facts(scenario: Scenario, available: int | None, features: tuple[str, ...]) -> Facts:
    """Say who takes part, in all and in the smaller round."""
    section = scenario.population
    if section.setting == "fixed":
        people = section.users or available
        return Facts(people, features, asked=people)
    if section.users is None and available is None:
        return Facts(None, features)
    first, second = wanted(section, available)
    return Facts(first + second, features, asked=min(first, second))


def _made(scenario: Scenario, what: Offer, names: tuple[str, ...]) -> tuple[int, ...]:
    """How many values each feature of generated people has."""
    if what.columns is not None:
        return (len(PRESENCE),) * len(names)
    features = scenario.feature or tuple(Feature(name=name) for name in names)
    return tuple(
        len(feature.values or ()) or feature.levels or what.levels or LEVELS for feature in features
    )


def _said(
    scenario: Scenario, whole: Table, base: Folder
) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """What people can say of each feature, after it was made coarser, and what cannot be."""
    said, problems = dict(zip(whole.columns, whole.values, strict=True)), []
    for i, feature in enumerate(scenario.feature):
        try:
            said[feature.name] = say(whole, feature, scenario.population.missing, base).texts
        except DataError as bad:
            key = next(key for key in KEYS if getattr(feature, key) is not None)
            problems.append(problem(("feature", i, key), str(bad)))
    return said, problems


def _held(scenario: Scenario, whole: Table, said: Mapping[str, Sequence[str]]) -> tuple[int, ...]:
    """How many values each feature of a table has: those it lists, or those that are said."""
    named = {feature.name: len(feature.values or ()) for feature in scenario.feature}
    return tuple(named.get(name) or len(said[name]) for name in whole.columns)


def _columns(scenario: Scenario, what: Offer) -> Iterator[Problem]:
    """Report columns that the source does not have."""
    section = scenario.population
    if what.generated and section.columns:
        yield problem(
            ("population", "columns"),
            "generated people have no columns to rename; name them in [[feature]]",
        )
    if what.columns is None:
        return
    has = f"{section.source} has {listed(what.columns)}"
    for ours, theirs in () if what.generated else section.columns.items():
        if theirs not in what.columns:
            hint = did_you_mean(theirs, what.columns)
            message = f"no column is called {quoted(theirs)}; {has}{hint}"
            yield problem(("population", "columns", ours), message)
    names = known(section, what.columns)
    for name in section.roles:
        if name not in names:
            message = f"no column is called {quoted(name)}; {has}{did_you_mean(name, names)}"
            yield problem(("population", "roles", name), message)
    for i, feature in enumerate(scenario.feature):
        if feature.name not in names:
            message = f"no column is called {quoted(feature.name)}; {has}"
            yield problem(("feature", i, "name"), message + did_you_mean(feature.name, names))


def _levels(scenario: Scenario, what: Offer) -> Iterator[Problem]:
    """Report levels where the source has values of its own."""
    if what.generated and what.columns is None:
        return
    for i, feature in enumerate(scenario.feature):
        if feature.levels is not None:
            yield problem(
                ("feature", i, "levels"),
                f"{scenario.population.source} has values of its own; leave levels out",
            )


def _generated(scenario: Scenario, what: Offer) -> Iterator[Problem]:
    section = scenario.population
    for i, feature in enumerate(scenario.feature):
        if is_coarser(feature):
            says = f"{section.source} makes people of few values; coarser ones are for a table's"
            yield problem(("feature", i), says)
    if section.users is None and what.users is None:
        yield problem(USERS, f"missing; {section.source} is generated, so say how many people")
    for i, feature in enumerate(scenario.feature):
        count = len(feature.values) if feature.values else feature.levels
        if what.columns is not None:
            wrong = misfit(feature, PRESENCE)
        elif what.levels not in (None, count or what.levels):
            key = "values" if feature.values else "levels"
            wrong = key, f"found {count}; {section.source} has {what.levels} values a column"
        else:
            wrong = None
        if wrong:
            yield problem(("feature", i, wrong[0]), wrong[1])


def _contradictions(
    scenario: Scenario, whole: Table, said: Mapping[str, Sequence[str]]
) -> Iterator[Problem]:
    """Report features that the data of a table contradict."""
    if not scenario.feature:
        for name, values in zip(whole.columns, whole.values, strict=True):
            wrong = misfit(Feature(name=name), values)
            if wrong:
                yield problem(("population", "source"), f"column {name!r}: {wrong[1]}")
    identifiers = {judged.column: judged for judged in named_identifiers(whole)}
    for i, feature in enumerate(scenario.feature):
        if feature.name in identifiers:
            why = unasked(identifiers[feature.name])
            yield problem(("feature", i, "name"), f"{quoted(feature.name)} is {why}")
            continue
        wrong = misfit(feature, said[feature.name])
        if wrong:
            yield problem(("feature", i, wrong[0]), wrong[1])
