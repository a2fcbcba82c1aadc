"""From what a scenario says about its people to the people themselves.

Steps, so that a scenario can be judged before anybody is drawn: `source_of` reads the source, if
its people exist already, `offer` says which columns it has, `table` gives the chosen ones.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ...errors import DataError
from ..schema.model import BUILTIN, PHONES, Feature
from ..schema.model import Population as Section
from ..schema.problems import did_you_mean, quoted_key
from . import files
from .file_options import options_of
from .generated import ANTIGENS, blood_types, generate, law_of, laws
from .people import Population, Source, Table, ask
from .roles import JudgedColumn, Role, guess_roles
from .tables import TABLES, ShippedSource

BLOOD, BLOOD_USERS = "blood-type", 30
NOT_ASKED = "is not asked about"
SETS = "sets"  # of owners, who are no people: see scenarios/populations/sets.py
STREAM = 0x706F70  # keeps the seed's other uses apart from this one


@dataclass(frozen=True, slots=True)
class Offer:
    """What a source has.

    Attributes:
        columns: their names, None if any name will do.
        generated: people are made, as many as wanted; `users` is their number if nobody says (None:
            it must be said).
        users: people there are, if nobody says; None: that must be said, or the table tells.
        levels: see Generator.
    """

    columns: tuple[str, ...] | None
    generated: bool
    users: int | None = None
    levels: int | None = None


def population(
    section: Section, features: Sequence[Feature], seed: int | None = None, base: Path = Path()
) -> Population:
    """Build the people of a scenario. Raises DataError for data that do not fit it.

    features: the columns asked about, in order; none: all. seed: None is the system's randomness.
    base: the folder that a file's path starts from. Generated people differ with the seed, and so
    does a sample (`users`) of a table; they keep the table's order.
    """
    rng = np.random.default_rng() if seed is None else np.random.default_rng([seed, STREAM])
    what = offer(section, base)
    if not what.generated:
        whole = table(section, features, base)
        for judged in named_identifiers(whole):
            raise DataError(f"{section.source}: feature {judged.column!r}: {unasked(judged)}")
        people = ask(whole, features, section.missing, base)
        everybody = section.users in (None, people.n)
        return people if everybody else people.sample(section.users or 0, rng)
    users = section.users or what.users
    if users is None:
        raise DataError(f"{section.source}: people are generated; say in users how many")
    name = section.source.removeprefix(BUILTIN)
    if name == BLOOD:
        return ask(blood_types(users, rng), features)
    made = generate(name, features, users, rng)
    return ask(made, features)


def source_of(section: Section, base: Path = Path()) -> Source | None:
    """Read the source of a population that exists; None: its people are made. Raises DataError."""
    name = section.source.removeprefix(BUILTIN)
    if name == section.source:
        return files.source_of(where(section, base), options_of(section))
    return ShippedSource(name) if name in TABLES else None


def offer(section: Section, base: Path = Path()) -> Offer:
    """Say what a source has, without its people. Raises DataError if there is no such source."""
    name = section.source.removeprefix(BUILTIN)
    if section.answered:
        raise DataError(
            f"population.source: found {PHONES!r}: people who answered on phones of their own, "
            "once; they cannot be asked again, so that nothing but their run folder tells of them"
        )
    if source := source_of(section, base):
        return Offer(source.columns, generated=False)
    if name == BLOOD:
        return Offer(ANTIGENS, generated=True, users=BLOOD_USERS)
    if name in laws():
        return Offer(None, generated=True, levels=law_of(name).levels)
    if name == SETS:
        raise DataError(f'{section.source} holds sets, which only policy.kind = "incidence" counts')
    there = (BLOOD, *TABLES, *laws())
    raise DataError(
        f"no population is called {name!r}; shipped are {', '.join(there)}"
        f"{did_you_mean(name, there)}"
    )


def where(section: Section, base: Path = Path()) -> Path:
    """Return the path of a population that is a file."""
    return base / Path(section.source).expanduser()


def table(
    section: Section,
    features: Sequence[Feature],
    base: Path = Path(),
    progress: Callable[[str], None] = lambda _stage: None,
) -> Table:
    """Return the chosen columns of a source that is a table, everybody in it, under our names."""
    source = source_of(section, base)
    if source is None:
        raise DataError(f"{section.source}: its people are generated; a table is accepted")
    return columns_of(source, section, features, progress)


def columns_of(
    source: Source,
    section: Section,
    features: Sequence[Feature],
    progress: Callable[[str], None] = lambda _stage: None,
) -> Table:
    """Return the chosen columns of a source, everybody in it, under our names.

    Of a file, or where the user gives roles, what each column is stands in `judged`; if no features
    are named, direct identifiers are left out, and a warning says so.
    """
    chosen = choose(section, features, source.columns)
    whole = source.table(chosen, section, progress)
    if section.builtin:
        return whole
    return _without_identifiers(_judged(whole, section), section, features)


def _judged(whole: Table, section: Section) -> Table:
    judged = guess_roles(
        whole.columns, whole.values, len(whole.codes), section.roles, section.missing
    )
    return replace(whole, judged=judged)


def _without_identifiers(whole: Table, section: Section, features: Sequence[Feature]) -> Table:
    """Leave out what nobody may be asked about, unless features name their columns."""
    out = [judged for judged in whole.judged if judged.role is Role.IDENTIFIER]
    if features or not out:
        return whole
    if len(out) == len(whole.columns):
        raise DataError(
            f"{section.source}: every column is a direct identifier ({out[0].column}: "
            f"{out[0].reason}); if one is not, say so: {_as_quasi(out[0])}"
        )
    gone = {judged.column for judged in out}
    places = [j for j, name in enumerate(whole.columns) if name not in gone]
    said = (f"column {judged.column!r} {NOT_ASKED}: {unasked(judged)}" for judged in out)
    return replace(
        whole,
        columns=tuple(whole.columns[j] for j in places),
        codes=whole.codes[:, places],
        values=tuple(whole.values[j] for j in places),
        warnings=(*whole.warnings, *said),
    )


def named_identifiers(whole: Table) -> list[JudgedColumn]:
    """The direct identifiers that are among the columns of a table."""
    return [
        judged
        for judged in whole.judged
        if judged.role is Role.IDENTIFIER and judged.column in whole.columns
    ]


def unasked(judged: JudgedColumn) -> str:
    """Why a column is not asked about, and how to say that it may be."""
    more = "" if judged.said else f"; if not, say {_as_quasi(judged)}"
    return f"a direct identifier ({judged.reason}){more}"


def _as_quasi(judged: JudgedColumn) -> str:
    """How to say that a column is no direct identifier."""
    return f'roles = {{ {quoted_key(judged.column)} = "quasi" }}'


def known(section: Section, columns: Sequence[str]) -> dict[str, str]:
    """Return every name a feature may have, with the column of the source that it stands for."""
    renamed = set(section.columns.values())
    return section.columns | {name: name for name in columns if name not in renamed}


def choose(
    section: Section, features: Sequence[Feature], columns: Sequence[str]
) -> list[tuple[str, str]]:
    """Choose columns, as (our name, theirs): the features', else the renamed ones, else all."""
    names = known(section, columns)
    wanted = [feature.name for feature in features] or list(section.columns or names)
    for name in wanted:
        if names.get(name) not in columns:
            raise DataError(
                f"{section.source}: no column is called {names.get(name, name)!r}; it has "
                f"{', '.join(columns)}{did_you_mean(name, columns)}"
            )
    return [(name, names[name]) for name in wanted]
