"""The construction of a scenario's people from the table [population] of the scenario.

It has steps, so that a scenario can be checked before people are drawn. `source_of` reads the
source, unless its people are generated. `offer` returns the source's columns, and `table` the
chosen columns.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from ...errors import DataError
from ...protocol.wire.schema import MAX_FEATURES
from ..schema.model import BUILTIN, PHONES, FeatureSection, PopulationSection
from ..schema.problems import did_you_mean, quoted_key
from . import files
from .coarsening import is_coarser
from .column_forms import doubts, with_parts
from .encode import DROP_ROW
from .file_options import options_of
from .generated import ANTIGENS, blood_types, generate, law_of, laws
from .people import Population, Source, SourceTable, ask
from .persons import name_in_table, owned, single_rows, wanted_columns
from .roles import NEVER, ColumnRole, JudgedColumn, guess_roles
from .rows_per_person import grouped
from .tables import TABLES, ShippedSource

BLOOD, BLOOD_USERS = "blood-type", 30
NOT_ASKED = "is not asked about"
EMPTY = "(missing)"  # value of an empty cell in a column that is read only to identify persons
# source whose people have sets of elements instead of rows (scenarios/populations/sets.py)
SETS = "sets"
# extends the seed, so that these draws differ from other draws with the same seed
STREAM = 0x706F70


@dataclass(frozen=True, slots=True)
class Offer:
    """The columns and the number of people of a source, as far as known before reading it.

    Attributes:
        columns: the names of the columns; None if the scenario may choose any names.
        generated: whether the people are generated, in any number.
        users: default number of people; None: the scenario must give it, or the table has it.
        levels: the number of values of each column, if the generator fixes it.
    """

    columns: tuple[str, ...] | None
    generated: bool
    users: int | None = None
    levels: int | None = None


def population(
    section: PopulationSection,
    features: Sequence[FeatureSection],
    seed: int | None = None,
    base: Path = Path(),
) -> Population:
    """Return the people of a scenario. Raises DataError for data that do not fit it.

    Generated people depend on the seed, and so does a sample (`users`) of a table. A sample keeps
    the table's order.

    features: the requested columns, in order; empty: all. seed: None uses system randomness. base:
    the folder that a file's path starts from.
    """
    rng = np.random.default_rng() if seed is None else np.random.default_rng([seed, STREAM])
    offered = offer(section, base)
    if not offered.generated:
        whole = table(section, features, base)
        for judged in named_identifiers(whole):
            raise DataError(f"{section.source}: feature {judged.column!r}: {unasked(judged)}")
        people = ask(whole, features, section.missing, base)
        if whole.persons is not None and section.rows is not None:
            people = grouped(people, whole.persons, section.rows)
        has_all = section.users in (None, people.n)
        return people if has_all else people.sample(section.users or 0, rng)
    users = section.users or offered.users
    if users is None:
        raise DataError(f"{section.source}: people are generated; say in users how many")
    name = section.source.removeprefix(BUILTIN)
    if name == BLOOD:
        return ask(blood_types(users, rng), features)
    generated = generate(name, features, users, rng)
    return ask(generated, features)


def source_of(section: PopulationSection, base: Path = Path()) -> Source | None:
    """Return the source of a population that can be read; None if its people are generated.

    base: the folder that a file's path starts from. Raises DataError if its file cannot be read.
    """
    name = section.source.removeprefix(BUILTIN)
    if name == section.source:
        return files.source_of(where(section, base), options_of(section))
    return ShippedSource(name) if name in TABLES else None


def offer(section: PopulationSection, base: Path = Path()) -> Offer:
    """Return the columns and the number of people that a source offers.

    base: the folder that a file's path starts from. Raises DataError if there is no such source.
    """
    name = section.source.removeprefix(BUILTIN)
    if section.answered:
        raise DataError(
            f"population.source: found {PHONES!r}: people who answered a poll once, on their own "
            "phones; they cannot be asked again, so read their answers in the poll's run folder"
        )
    if source := source_of(section, base):
        return Offer(source.columns, generated=False)
    if name == BLOOD:
        return Offer(ANTIGENS, generated=True, users=BLOOD_USERS)
    if name in laws():
        return Offer(None, generated=True, levels=law_of(name).levels)
    if name == SETS:
        raise DataError(f'{section.source} holds sets, which only policy.kind = "incidence" counts')
    shipped = (BLOOD, *TABLES, *laws())
    raise DataError(
        f"no population is called {name!r}; shipped are {', '.join(shipped)}"
        f"{did_you_mean(name, shipped)}"
    )


def where(section: PopulationSection, base: Path = Path()) -> Path:
    """Return the path of a population's file. base: the folder that relative paths start from."""
    return base / Path(section.source).expanduser()


def table(
    section: PopulationSection,
    features: Sequence[FeatureSection],
    base: Path = Path(),
    progress: Callable[[str], None] = lambda _stage: None,
) -> SourceTable:
    """Return the chosen columns of a table, of all its people, under the scenario's names.

    features: the requested columns; empty: all. base: the folder that a file's path starts from.
    progress: receives the stages of reading, as text. Raises DataError if the source is no table.
    """
    source = source_of(section, base)
    if source is None:
        raise DataError(f"{section.source}: its people are generated; a table is accepted")
    read = single_rows(columns_of(source, section, features, progress), section)
    if section.builtin:
        return read
    settled = [feature.name for feature in features if is_coarser(feature)]
    lines = doubts(read, section.sets, settled)
    return changed(read, warnings=(*read.warnings, *lines))


def columns_of(
    source: Source,
    section: PopulationSection,
    features: Sequence[FeatureSection],
    progress: Callable[[str], None] = lambda _stage: None,
) -> SourceTable:
    """Return the chosen columns of a source, of all its people, under the scenario's names.

    If no features are named, direct identifiers are left out, with a warning. The field `judged` of
    the result has the role of each column for an attacker; it is empty for a shipped table.
    """
    choices = choose(section, features, source.columns)
    if section.builtin:
        return source.table(choices, section, progress)
    whole = _judged(_with_persons(source, choices, section, progress), section)
    names = [name for name, _ in choices]
    table = _select_columns(owned(whole, section, section.missing), names)
    return _without_identifiers(table, section, features)


def _with_persons(
    source: Source,
    choices: Sequence[tuple[str, str]],
    section: PopulationSection,
    progress: Callable[[str], None],
) -> SourceTable:
    """Return the chosen columns, and further columns that define a person.

    choices: (name in the scenario, name in the source) of each chosen column. Further columns keep
    the names of the source. An empty cell in a further column does not drop a row.
    """
    source_columns = {source_column for _, source_column in choices}
    names = {ours for ours, _ in choices}
    more = [name for name in wanted_columns(section, source.columns) if name not in source_columns]
    more = [name for name in dict.fromkeys(more) if name not in names][
        : MAX_FEATURES - len(choices)
    ]
    if not more or section.missing != DROP_ROW:
        return source.table([*choices, *((name, name) for name in more)], section, progress)
    table = source.table(
        choices, section, progress
    )  # read separately, because an empty cell in the further columns must not drop a row
    whole = replace(section, missing=EMPTY)
    extra = source.table([(name, name) for name in more], whole, progress)
    rows = slice(None) if table.origin is None else table.origin
    return changed(
        table,
        columns=(*table.columns, *extra.columns),
        codes=np.asfortranarray(np.hstack((table.codes, extra.codes[rows]))),
        values=(*table.values, *extra.values),
    )


def _judged(whole: SourceTable, section: PopulationSection) -> SourceTable:
    """Return the table with the role of each column for an attacker, such as quasi-identifier.

    The column that defines a person is an identifier. The user's roles overrule guessed roles.
    """
    roles = {
        name: section.roles[key]
        for key, name in with_parts(section.roles, section.yes_no, whole.columns)
    }
    if section.person is not None:
        roles[name_in_table(section, section.person)] = "identifier"
    missing = EMPTY if section.missing == DROP_ROW else section.missing
    judged = guess_roles(whole.columns, whole.values, len(whole.codes), roles, missing)
    return changed(whole, judged=judged)


def _select_columns(whole: SourceTable, names: Sequence[str]) -> SourceTable:
    """Return the requested columns; roles of other columns are kept only if the user gave them.

    whole: the table with all columns. names: the requested columns.
    """
    places = [whole.columns.index(name) for name in names]
    judged = [column for column in whole.judged if column.column in names or column.is_stated]
    return changed(
        whole,
        columns=tuple(names),
        codes=whole.codes if len(places) == whole.codes.shape[1] else whole.codes[:, places],
        values=tuple(whole.values[place] for place in places),
        judged=tuple(judged),
    )


def _without_identifiers(
    whole: SourceTable, section: PopulationSection, features: Sequence[FeatureSection]
) -> SourceTable:
    """Return the table without direct identifiers, free text and sampling weights.

    If features name columns, the table stays unchanged.
    """
    out = [judged for judged in whole.judged if judged.role in NEVER]
    out = [judged for judged in out if judged.column in whole.columns]
    if features or not out:
        return whole
    if len(out) == len(whole.columns):
        raise DataError(
            f"{section.source}: every column is a direct identifier ({out[0].column}: "
            f"{out[0].reason}); if one is not, say so: {_as_quasi(out[0])}"
        )
    left_out = {judged.column for judged in out}
    places = [j for j, name in enumerate(whole.columns) if name not in left_out]
    notes = (f"column {judged.column!r} {NOT_ASKED}: {unasked(judged)}" for judged in out)
    return changed(
        whole,
        columns=tuple(whole.columns[j] for j in places),
        codes=whole.codes[:, places],
        values=tuple(whole.values[j] for j in places),
        warnings=(*whole.warnings, *notes),
    )


def named_identifiers(whole: SourceTable) -> list[JudgedColumn]:
    """Return the columns of a table that must never be released.

    These columns are direct identifiers, free text and sampling weights.
    """
    return [
        judged for judged in whole.judged if judged.role in NEVER and judged.column in whole.columns
    ]


def unasked(judged: JudgedColumn) -> str:
    """Return the reason why a column is left out, and the setting that includes the column."""
    more = "" if judged.is_stated else f"; if not, say {_as_quasi(judged)}"
    article = "" if judged.role is ColumnRole.TEXT else "a "
    return f"{article}{judged.label} ({judged.reason}){more}"


def _as_quasi(judged: JudgedColumn) -> str:
    """Return the TOML setting that declares a column a quasi-identifier, so that it is used."""
    return f'roles = {{ {quoted_key(judged.column)} = "quasi" }}'


def columns_by_name(section: PopulationSection, columns: Sequence[str]) -> dict[str, str]:
    """Return a mapping from every accepted feature name to its column in the source.

    columns: all columns of the source.
    """
    renamed = set(section.columns.values())
    return section.columns | {name: name for name in columns if name not in renamed}


def choose(
    section: PopulationSection, features: Sequence[FeatureSection], columns: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the chosen columns as pairs (name in the scenario, name in the source).

    Chosen are the features' columns; without features the columns renamed in the scenario; without
    these all columns. Raises DataError for an unknown column.
    """
    names = columns_by_name(section, columns)
    names_in_use = [feature.name for feature in features] or list(section.columns or names)
    for name in names_in_use:
        if names.get(name) not in columns:
            raise DataError(
                f"{section.source}: no column is called {names.get(name, name)!r}; it has "
                f"{', '.join(columns)}{did_you_mean(name, columns)}"
            )
    return [(name, names[name]) for name in names_in_use]
