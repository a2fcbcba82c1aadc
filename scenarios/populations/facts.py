"""The facts about the people of a scenario, and the mistakes in its features."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path as Folder

from ...errors import DataError
from ...protocol.wire.lines import line_fault
from ...protocol.wire.schema import MAX_FEATURES, MAX_NAME, MAX_WIDTH
from ..schema.model import FeatureSection, Scenario
from ..schema.problems import Problem, did_you_mean, listed, problem, quoted
from .build import Offer, columns_by_name, named_identifiers, offer, table, unasked
from .coarsening import KEYS, ONE_OF, is_coarser
from .generated import LEVELS, NAMES, PRESENCE
from .people import SourceTable, ask, misfit, say
from .person_rows import max_different_rows
from .rows_per_person import too_many
from .samples import round_sizes

USERS = ("population", "users")


@dataclass(frozen=True, slots=True)
class ScenarioFacts:
    """The facts about a scenario's people that are known before a run, for checks of its file.

    None: unknown, because the key that states the fact is itself wrong.

    Attributes:
        people: number of participants.
        features: the names of the requested columns.
        shufflers: number of shufflers.
        min_round_people: number of people in the round with fewer people. It is below `people` only
            if the two rounds ask different people (`setting = "statistical"`).
        sizes: number of possible values of each feature.
    """

    people: int | None = None
    features: tuple[str, ...] | None = None
    shufflers: int | None = None
    min_round_people: int | None = None
    sizes: tuple[int, ...] | None = None


def domains(scenario: Scenario) -> Iterator[Problem]:
    """Yield the mistakes in features that are mistakes for any data."""
    if len(scenario.feature) > MAX_FEATURES:
        yield problem(
            ("feature",),
            f"{len(scenario.feature)} features; at most {MAX_FEATURES} are accepted",
        )
    for i, feature in enumerate(scenario.feature):
        yield from _domain(("feature", i), feature)


def _domain(path: tuple[str | int, ...], feature: FeatureSection) -> Iterator[Problem]:
    """Yield the mistakes in a feature's domain (its possible values) and name.

    path: the path of the feature in the file.
    """
    kinds = {
        "values": feature.values is not None,
        "levels": feature.levels is not None,
        "open": feature.open,
    }
    if sum(kinds.values()) > 1:
        keys_given = [key for key, setting in kinds.items() if setting]
        yield problem(
            (*path, keys_given[1]), f"{' and '.join(keys_given)} exclude each other; choose one"
        )
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


def coarser(path: tuple[str | int, ...], feature: FeatureSection) -> Iterator[Problem]:
    """Yield the contradictions among a feature's rules that generalize values.

    path: the path of the feature in the file.
    """
    keys_given = [key for key in ONE_OF if getattr(feature, key) is not None]
    if len(keys_given) > 1:
        yield problem(
            (*path, keys_given[1]), f"{' and '.join(keys_given)} exclude each other; choose one"
        )
    if feature.bins is not None:
        kinds = ("edges", "width", "quantiles")
        bin_keys = [key for key in kinds if getattr(feature.bins, key) is not None]
        if len(bin_keys) != 1:
            keys_text = " and ".join(bin_keys) or "none"
            yield problem(
                (*path, "bins"), f"found {keys_text}; one of {', '.join(kinds)} is accepted"
            )
        edges = feature.bins.edges or ()
        if any(b <= a for a, b in pairwise(edges)):
            yield problem((*path, "bins"), "edges must ascend, and each occurs once")
    if (feature.level is None) != (feature.hierarchy is None):
        yield problem(
            (*path, "hierarchy" if feature.level is None else "level"),
            "hierarchy names a file, and level (from 1) the column of it to use; give both",
        )
    if feature.day_first is not None and feature.date is None:
        yield problem((*path, "day_first"), "only the rule `date` reads day_first; leave it out")
    merged = [value for group in (feature.merge or {}).values() for value in group]
    for value in sorted({label for label in merged if merged.count(label) > 1}):
        yield problem((*path, "merge"), f"{value!r} is in two groups; each value is in one")


def _text(path: tuple[str | int, ...], text: str) -> Iterator[Problem]:
    """Yield a mistake if the protocol cannot transmit a name or a value.

    path: the key of the text in the file.
    """
    if message := line_fault(text, MAX_NAME if path[-1] == "name" else MAX_WIDTH):
        yield problem(path, message)


def people(scenario: Scenario, base: Folder) -> tuple[ScenarioFacts, list[Problem]]:
    """Return the facts about a scenario's people, and the requests that its source cannot meet.

    base: the folder that a file's path starts from.
    """
    names_given = tuple(feature.name for feature in scenario.feature) or None
    try:
        offered = offer(scenario.population, base)
        problems = [*_columns(scenario, offered), *_levels(scenario, offered)]
        if offered.generated:
            names = names_given or offered.columns or NAMES
            facts = replace(
                _facts(scenario, offered.users, names),
                sizes=_generated_sizes(scenario, offered, names),
            )
            return facts, [*problems, *_generated(scenario, offered)]
        if problems:
            return ScenarioFacts(None, names_given), problems
        whole = table(scenario.population, scenario.feature, base)
    except DataError as bad:
        return ScenarioFacts(None, names_given), [problem(("population", "source"), str(bad))]
    texts_by_column, problems = _coarse_texts(scenario, whole, base)
    problems += _contradictions(scenario, whole, texts_by_column)
    sizes = _table_sizes(scenario, whole, texts_by_column)
    problems += _several(scenario, whole, base) if not problems else ()
    facts = replace(_facts(scenario, whole.n, whole.columns), sizes=sizes)
    if (facts.people or 0) > whole.n:
        shortage = f"{whole.name} has only {whole.n:,} people to draw from"
        problems.append(problem(USERS, f"found {facts.people:,}; {shortage}"))
        return ScenarioFacts(None, whole.columns), problems
    return facts, problems


def _several(scenario: Scenario, whole: SourceTable, base: Folder) -> Iterator[Problem]:
    """Yield a mistake if a person has more different rows than ballots (`population.rows`).

    whole: the table of people. base: the folder of hierarchy files.
    """
    section = scenario.population
    if whole.persons is None or section.rows is None:
        return
    codes = ask(whole, scenario.feature, section.missing, base).codes
    if (needed := max_different_rows(whole.persons, codes)) > section.rows:
        yield problem(("population", "rows"), too_many(whole.name, needed, section.rows))


def _facts(scenario: Scenario, available: int | None, features: tuple[str, ...]) -> ScenarioFacts:
    """Return the facts about the number of participants, in all and in the smaller round.

    available: the number of people in the source; None: any number. features: the requested
    columns.
    """
    section = scenario.population
    if section.setting == "fixed":
        people = section.users or available
        return ScenarioFacts(people, features, min_round_people=people)
    if section.users is None and available is None:
        return ScenarioFacts(None, features)
    first, second = round_sizes(section, available)
    return ScenarioFacts(first + second, features, min_round_people=min(first, second))


def _generated_sizes(scenario: Scenario, offered: Offer, names: tuple[str, ...]) -> tuple[int, ...]:
    """Return the number of values of each feature of generated people.

    offered: the columns and values that the generator offers. names: the features.
    """
    if offered.columns is not None:
        return (len(PRESENCE),) * len(names)
    features = scenario.feature or tuple(FeatureSection(name=name) for name in names)
    return tuple(
        len(feature.values or ()) or feature.levels or offered.levels or LEVELS
        for feature in features
    )


def _coarse_texts(
    scenario: Scenario, whole: SourceTable, base: Folder
) -> tuple[dict[str, tuple[str, ...]], list[Problem]]:
    """Return the possible values of each feature after generalization, and the mistakes found.

    whole: the table of people. base: the folder of hierarchy files.
    """
    texts_by_column, problems = dict(zip(whole.columns, whole.values, strict=True)), []
    for i, feature in enumerate(scenario.feature):
        try:
            texts_by_column[feature.name] = say(
                whole, feature, scenario.population.missing, base
            ).texts
        except DataError as bad:
            key = next(key for key in KEYS if getattr(feature, key) is not None)
            problems.append(problem(("feature", i, key), str(bad)))
    return texts_by_column, problems


def _table_sizes(
    scenario: Scenario, whole: SourceTable, texts_by_column: Mapping[str, Sequence[str]]
) -> tuple[int, ...]:
    """Return the number of values of each feature of a table: listed values, else occurring values.

    texts_by_column: the occurring values of each column, after generalization.
    """
    value_counts = {feature.name: len(feature.values or ()) for feature in scenario.feature}
    return tuple(value_counts.get(name) or len(texts_by_column[name]) for name in whole.columns)


def _columns(scenario: Scenario, offered: Offer) -> Iterator[Problem]:
    """Yield a mistake for each column that the scenario names, but the source does not have.

    offered: the columns of the source.
    """
    section = scenario.population
    if offered.generated and section.columns:
        yield problem(
            ("population", "columns"),
            "generated people have no columns to rename; name them in [[feature]]",
        )
    if offered.columns is None:
        return
    has = f"{section.source} has {listed(offered.columns)}"
    for ours, source_column in () if offered.generated else section.columns.items():
        if source_column not in offered.columns:
            hint = did_you_mean(source_column, offered.columns)
            message = f"no column is called {quoted(source_column)}; {has}{hint}"
            yield problem(("population", "columns", ours), message)
    names = columns_by_name(section, offered.columns)
    for name in section.roles:
        if name not in names:
            message = f"no column is called {quoted(name)}; {has}{did_you_mean(name, names)}"
            yield problem(("population", "roles", name), message)
    for i, feature in enumerate(scenario.feature):
        if feature.name not in names:
            message = f"no column is called {quoted(feature.name)}; {has}"
            yield problem(("feature", i, "name"), message + did_you_mean(feature.name, names))


def _levels(scenario: Scenario, offered: Offer) -> Iterator[Problem]:
    """Yield a mistake for each key `levels` if the source determines the values itself."""
    if offered.generated and offered.columns is None:
        return
    for i, feature in enumerate(scenario.feature):
        if feature.levels is not None:
            yield problem(
                ("feature", i, "levels"),
                f"{scenario.population.source} has values of its own; leave levels out",
            )


def _generated(scenario: Scenario, offered: Offer) -> Iterator[Problem]:
    """Yield the mistakes in features of generated people.

    offered: the columns and values that the generator offers.
    """
    section = scenario.population
    for i, feature in enumerate(scenario.feature):
        if is_coarser(feature):
            reason = (
                f"{section.source} generates people with few values; rules for coarser values "
                "need a table"
            )
            yield problem(("feature", i), reason)
    if section.users is None and offered.users is None:
        yield problem(USERS, f"missing; {section.source} is generated, so say how many people")
    for i, feature in enumerate(scenario.feature):
        count = len(feature.values) if feature.values else feature.levels
        if offered.columns is not None:
            wrong = misfit(feature, PRESENCE)
        elif offered.levels not in (None, count or offered.levels):
            key = "values" if feature.values else "levels"
            wrong = key, f"found {count}; {section.source} has {offered.levels} values a column"
        else:
            wrong = None
        if wrong:
            yield problem(("feature", i, wrong[0]), wrong[1])


def _contradictions(
    scenario: Scenario, whole: SourceTable, texts_by_column: Mapping[str, Sequence[str]]
) -> Iterator[Problem]:
    """Yield a mistake for each feature that contradicts the data of a table.

    whole: the table. texts_by_column: the occurring values of each column, after generalization.
    """
    if not scenario.feature:
        for name, values in zip(whole.columns, whole.values, strict=True):
            wrong = misfit(FeatureSection(name=name), values)
            if wrong:
                yield problem(("population", "source"), f"column {name!r}: {wrong[1]}")
    identifiers = {judged.column: judged for judged in named_identifiers(whole)}
    for i, feature in enumerate(scenario.feature):
        if feature.name in identifiers:
            reason = unasked(identifiers[feature.name])
            yield problem(("feature", i, "name"), f"{quoted(feature.name)} is {reason}")
            continue
        wrong = misfit(feature, texts_by_column[feature.name])
        if wrong:
            yield problem(("feature", i, wrong[0]), wrong[1])
