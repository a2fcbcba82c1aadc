r"""The reading of a user's table as the user describes it: columns, roles, coarser values.

>>> from pathlib import Path
>>> from veilmix.own_data.read_table import Reading, read
>>> _ = Path("people.csv").write_text("age,sex\n31,f\n38,m\n42,f\n")
>>> read(Path("people.csv"), Reading(quasi="age,sex", coarsen=("age.bins.width=10",))).values
(('30 to 39', '40 to 49'), ('f', 'm'))
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import convert
from msgspec.structs import replace

from ..analysis.scoring import TableScore
from ..errors import DataError
from ..scenarios.populations.build import NOT_ASKED, columns_of, source_of
from ..scenarios.populations.column_forms import doubts, with_parts
from ..scenarios.populations.facts import coarser as contradictions
from ..scenarios.populations.file_options import options_of
from ..scenarios.populations.files import FileSource
from ..scenarios.populations.files import source_of as file_source
from ..scenarios.populations.people import Codes, Source, SourceTable, coarse
from ..scenarios.populations.roles import ColumnRole
from ..scenarios.populations.values import UNKNOWN, composed, outlying_numbers
from ..scenarios.schema.model import FeatureSection, PopulationSection
from ..scenarios.schema.problems import did_you_mean, listed, quoted
from ..scenarios.schema.shape import misfit, type_at
from ..strict_text import Unreadable, from_toml
from .export import SUPPRESSED, counts_of, rows_of, write
from .sampling_weights import weight_column, weighted

ROLES = ("identifier", "text", "quasi", "sensitive", "weight", "other")
Names = str | tuple[str, ...]  # names of columns: a text with commas, or separate names


@dataclass(frozen=True, slots=True)
class Reading:
    """The user's description of a table. Lists of columns are names with commas between them.

    Attributes:
        columns: columns to be read; None: all of them.
        separator: one character, `tab` or `space`; None: it is detected.
        encoding: encoding of the text; None: it is detected.
        sheet: name of the sheet of an Excel file; None: the first.
        header: whether the first line names the columns; None: it is detected.
        decimal: the sign before decimals; None: it is detected.
        header_row: number of the line that names the columns; None: it is detected.
        last_row: number of the table's last line; None: it is detected.
        missing_text: texts that mean that a value is missing.
        identifier: direct identifiers: columns that name a person.
        text: columns of free text.
        quasi: quasi-identifiers: columns that an attacker may know of a person.
        sensitive: columns that no attacker should learn.
        weight: a column of sampling weights: the people of a population each row stands
            for.
        other: columns without any of these roles.
        person: the column that identifies persons; a person may have several rows.
        each_row: whether each row is a person, although an identifier occurs several times.
        one_row: the row taken of each person: `first`, `last`, `earliest:COLUMN` or
            `latest:COLUMN`; None: all.
        coarsen: rules, each as in `age.bins.width=10`, or the feature of a scenario.
        sets: columns with several parts in a cell, each as in `symptoms=;`: read as sets.
        yes_no: columns with several parts in a cell, each as in `symptoms=;`: replaced by a
            column of yes and no for each part.
        as_number: columns of numbers; different spellings of a number, such as 7 and 7.0,
            are read as equal.
    """

    columns: Names | None = None
    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    header: bool | None = None
    decimal: str | None = None
    header_row: int | None = None
    last_row: int | None = None
    missing_text: tuple[str, ...] = ()
    identifier: Names | None = None
    text: Names | None = None
    quasi: Names | None = None
    sensitive: Names | None = None
    weight: Names | None = None
    other: Names | None = None
    person: str | None = None
    each_row: bool = False
    one_row: str | None = None
    coarsen: tuple[str | FeatureSection, ...] = ()
    sets: tuple[str, ...] = ()
    yes_no: tuple[str, ...] = ()
    as_number: Names | None = None

    def __post_init__(self) -> None:
        """Write the letters of all texts in Unicode NFC, because the file is read so."""
        for field in fields(self):
            object.__setattr__(self, field.name, _composed(getattr(self, field.name)))

    @property
    def lacking(self) -> tuple[str, ...]:
        """The texts that mean missing, without spaces at both ends, as cells are read."""
        return tuple(text.strip() for text in self.missing_text)

    def roles(self) -> dict[str, str]:
        """Return the role that the user gave to each column; DataError for two roles."""
        roles: dict[str, str] = {}
        for role in ROLES:
            for name in split(getattr(self, role)):
                if roles.setdefault(name, role) != role:
                    raise DataError(
                        f"--{role}: {name} is {roles[name]} too; a column is one thing, so give it "
                        "one role"
                    )
        return roles

    def section(self, path: Path, missing: str = "") -> PopulationSection:
        """Return the description as the section `[population]` of a scenario.

        missing: the value of an empty cell.
        """
        fields: Any = {
            "separator": self.separator,
            "encoding": self.encoding,
            "sheet": self.sheet,
            "header": self.header,
            "decimal": self.decimal,
            "header_row": self.header_row,
            "last_row": self.last_row,
            "missing_texts": self.lacking,
            "roles": self.roles(),
            "person": self.person,
            "each_row": self.each_row,
            "one_row": self.one_row,
            "sets": _signs("sets", self.sets),
            "yes_no": _signs("yes-no", self.yes_no),
            "as_number": tuple(split(self.as_number)),
        }
        return PopulationSection(source=str(path), missing=missing, **fields)


def split(names: Names | None) -> list[str]:
    """Return names of columns from a text with commas, or from a tuple, as a list."""
    if isinstance(names, tuple):
        return list(names)
    return [composed(name.strip()) for name in names.split(",")] if names is not None else []


def _composed(option_value: Any) -> Any:
    """Return an option with its letters in Unicode NFC, except the path of a hierarchy file."""
    if isinstance(option_value, str):
        head, hierarchy, path = option_value.partition(".hierarchy")
        return composed(head) + hierarchy + path
    return tuple(map(_composed, option_value)) if isinstance(option_value, tuple) else option_value


def _signs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Return, by column, the character or text that separates the parts of a cell.

    option: name of the option, for messages. texts: the user's settings, each as in
    `symptoms=;`. DataError for any other form.
    """
    signs: dict[str, str] = {}
    for text in texts:
        name, _, sign = text.rpartition("=")
        if not name or not sign.strip():
            raise DataError(
                f"--{option} {text}: COLUMN=SIGN is accepted, such as symptoms=; if ; separates "
                "the parts of a cell"
            )
        signs[name.strip()] = sign.strip()
    return signs


def read(
    path: Path,
    reading: Reading,
    missing: str = "",
    progress: Callable[[str], None] = lambda _stage: None,
) -> SourceTable:
    """Return the table in a file as the user's description says, without direct identifiers.

    The table's `judged` lists every column with its role, also the columns that are left
    out. missing: the value of an empty cell. progress: is called with the name of each
    stage.
    """
    progress(f"reading {path}")
    section = reading.section(path, missing)
    source = source_of(section) if section.builtin else file_source(path, options_of(section))
    if source is None:
        raise DataError(
            f"{path}: no shipped table has this name (generated people are no table); the path "
            "of a file, or the name of a shipped table, is accepted"
        )
    names = source.columns
    names_used = _column_names(path, names, reading.columns, section.yes_no)
    pairs = [*with_parts(section.roles, section.yes_no, names)]
    _check_names(path, names, [name for _, name in pairs])
    weight = weight_column(reading.weight)
    names_used = [*names_used, *([weight] if weight and weight not in names_used else [])]
    roles = {name: section.roles[source_name] for source_name, name in pairs if name in names_used}
    # so the column of weights is read, although it is not scored
    roles |= {weight: "other"} if weight else {}
    section = replace(section, columns={name: name for name in names_used}, roles=roles)
    whole = columns_of(source, section, (), progress)
    unread = [judged.column for judged in whole.judged if judged.column not in whole.columns]
    features = coarsenings(reading.coarsen, whole.columns, unread)
    whole = without_suppressed(whole)
    coarser = coarse(whole, features, missing) if features else whole
    coarser = weighted(coarser, weight) if weight else coarser
    if coarser.n < 2:
        raise DataError(
            f"{path}: the table has only one person, {coarser.note}; at least two people are "
            "needed, because a single person has no crowd"
        )
    # A column that no feature of a scenario uses gives a warning. Drop it, because the user of a
    # table has no scenario, and the output shows each column's role.
    warnings = [text for text in coarser.warnings if NOT_ASKED not in text]
    return replaced(coarser, warnings=(*warnings, *_header_doubts(source, section)))


def without_suppressed(table: SourceTable) -> SourceTable:
    """Return a table without suppressed rows, which have * in every quasi-identifier.

    Such rows are removed because they would form an equivalence class of people with
    different values.
    """
    roles = {judged.column: judged.role for judged in table.judged}
    marked = [
        table.codes[:, j] == values.index(SUPPRESSED)
        for j, values in enumerate(table.values)
        if SUPPRESSED in values and roles.get(table.columns[j]) is ColumnRole.QUASI
    ]
    quasi = sum(role is ColumnRole.QUASI for name, role in roles.items() if name in table.columns)
    if not marked or len(marked) < quasi:
        return table
    kept_rows = np.flatnonzero(~np.logical_and.reduce(marked))
    suppressed = len(table.codes) - len(kept_rows)
    if not len(kept_rows):
        raise DataError(
            f"{table.called}: all {suppressed:,} rows are suppressed, no person is left"
        )
    persons = None
    if table.persons is not None:
        persons = np.unique(table.persons[kept_rows], return_inverse=True)[1].astype(np.int32)
    note = (
        f"{suppressed:,} suppressed ({SUPPRESSED} in every quasi-identifier), "
        f"{len(kept_rows):,} released"
    )
    return replaced(
        table,
        codes=np.asfortranarray(table.codes[kept_rows]),
        origin=kept_rows.astype(np.int32) if table.origin is None else table.origin[kept_rows],
        persons=persons,
        note=f"{table.note}; {note}" if suppressed else table.note,
    )


def finer(path: Path, reading: Reading, missing: str = "") -> SourceTable:
    """Return the table in a file as described, without the rules that make columns coarser.

    missing: the value of an empty cell.
    """
    return read(path, replaced(reading, coarsen=()), missing)


def released_features(reading: Reading, columns: Sequence[str]) -> list[FeatureSection]:
    """Return each column as a feature of a scenario, with its rules of generalization, if any.

    reading: the user's description, with the rules. columns: names of the released columns.
    """
    rules = {feature.name: feature for feature in coarsenings(reading.coarsen, columns)}
    return [rules.get(name, FeatureSection(name=name)) for name in columns]


def check_target(score: TableScore, reading: Reading, output_path: Path | None) -> None:
    """Raise DataError if a table is to be written although too many people are below k.

    People below k are in equivalence classes smaller than k: of the quasi-identifiers if the
    user gave columns a role, else of all columns. output_path: the file to write; None: no
    file, and no check.
    """
    scored = score.joint if known_is_all(reading) or score.quasi is None else score.quasi
    below = scored.crowds.users_below(score.k)
    if output_path is not None and below > score.people_limit:
        raise DataError(
            f"{output_path}: not written: {below:,} people are below k = {score.k} in "
            f"{scored.name}, at "
            f"most {score.people_limit:,} may be; veilmix advise makes the table coarser, and "
            "--anyway "
            "writes it as it is"
        )


def known_is_all(reading: Reading) -> bool:
    """Whether an attacker may know all columns.

    True if the user gave no column the role quasi, sensitive or other.
    """
    return not (reading.quasi or reading.sensitive or reading.other)


def _header_doubts(source: Source, section: PopulationSection) -> list[str]:
    """Return a warning if line 1 contradicts the user's option --header or --no-header.

    For example, the user says --no-header, but line 1 looks like names of columns.
    """
    if section.header is None or not isinstance(source, FileSource):
        return []
    plain = replace(section, sets={}, yes_no={}, as_number=())
    stated_source, found_out = (
        FileSource(source.content, options_of(replace(plain, header=header)))
        for header in (section.header, None)
    )
    if stated_source.columns == found_out.columns:
        return []
    if section.header:
        return ["line 1 is read as names, as you said; it looks like a person: --no-header"]
    return ["line 1 is read as a person, as you said; it looks like names of columns: --header"]


def coarsenings(
    coarsen_rules: Sequence[str | FeatureSection],
    columns: Sequence[str],
    identifiers: Sequence[str] = (),
) -> list[FeatureSection]:
    """Return a feature (a column with rules of generalization) for each column that rules name.

    coarsen_rules: texts such as `age.bins.width=10`; a feature of a scenario is returned as
    it is. columns: the columns of the table. identifiers: direct identifiers, which are
    columns of the file but not of the table.
    """
    rules: dict[str, dict[str, Any]] = {}
    features = [feature for feature in coarsen_rules if isinstance(feature, FeatureSection)]
    for text in coarsen_rules:
        if isinstance(text, FeatureSection):
            continue
        rule = _rule(text, [*columns, *identifiers])
        for name, keys in rule.items():
            if name in identifiers:
                raise DataError(
                    f"--coarsen {text}: {name!r} is left out as a direct identifier; if it is "
                    f"none, say --quasi {name}"
                )
            if name not in columns:
                hint = did_you_mean(name, columns)
                raise DataError(f"--coarsen {text}: no column {name!r}; {listed(columns)}{hint}")
            if not isinstance(keys, dict):
                raise DataError(
                    f"--coarsen {text}: COLUMN.RULE=VALUE is accepted, such as age.bins.width=10"
                )
            rules.setdefault(name, {}).update(keys)
    for name, keys in rules.items():
        grammar = type_at(("feature", 0))
        wrong = misfit({"name": name, **keys}, grammar) if grammar else None
        if wrong:
            raise DataError(f"--coarsen {name}: {wrong}")
        feature = convert({"name": name, **keys}, FeatureSection)
        problems = [contradiction.message for contradiction in contradictions((), feature)]
        if problems:
            raise DataError(f"--coarsen {name}: {problems[0]}")
        features.append(feature)
    return features


def _rule(text: str, columns: Sequence[str]) -> dict[str, Any]:
    """Return the rule of generalization that a text such as `age.bins.width=10` states.

    The result is a mapping as of TOML. The column and the value after `=` need no quotes.
    columns: the accepted names.
    """
    matching_names = [name for name in columns if text.startswith(f"{name}.")]
    if matching_names:  # TOML needs quotes around names with characters except A-Z, 0-9, - and _
        name = max(matching_names, key=len)
        text = quoted(name) + text[len(name) :]
    key, _, value = text.partition("=")
    for form in (text, f'{key} = "{value}"'):
        try:
            return from_toml(form)
        except Unreadable:
            continue
    raise DataError(f"--coarsen {text}: COLUMN.RULE=VALUE is accepted, such as age.bins.width=10")


def _check_names(
    path: Path, names: Sequence[str], names_given: Sequence[str] | dict[str, Any]
) -> None:
    """Raise DataError for a name that is no column of the file."""
    for name in names_given:
        if name not in names:
            raise DataError(
                f"{path}: no column is called {name!r}; it has {listed(names)}"
                f"{did_you_mean(name, names)}"
            )


def _column_names(
    path: Path, names: Sequence[str], columns: Names | None, yes_no: Collection[str]
) -> list[str]:
    """Return the names of the columns to read, with a column for each part of a yes-no column.

    columns: the user's choice; None: all. yes_no: columns with several parts in a cell,
    such as `fever; cough`; each part becomes a column of yes and no. DataError for unknown
    or repeated names.
    """
    if columns is None:
        return list(names)
    names_used = [name for _, name in with_parts(split(columns), yes_no, names)]
    _check_names(path, names, names_used)
    if len(set(names_used)) < len(names_used):
        raise DataError(f"--columns: found {', '.join(names_used)}; each column once is accepted")
    return names_used


def write_out(
    table: SourceTable, output_path: Path | None, counts: Path | None, *, bom: bool
) -> Iterator[str]:
    """Write the table and its counts to the given files; yield a line about each file.

    output_path: for the rows of all people. counts: for the different rows, each with its number of
    people. None: no such file. bom: whether a CSV file begins with a byte-order mark, for Excel.
    """
    if output_path is not None:
        write(output_path, table.columns, rows_of(table), bom=bom)
        order = "" if table.persons is None else ", in an order that tells no persons apart"
        yield f"written   {output_path}: everybody's rows, {len(table.columns)} columns{order}"
    if counts is not None:
        headings, lines = counts_of(table)
        write(counts, headings, lines, bom=bom)
        yield f"written   {counts}: {len(lines):,} different rows and their people"


def suspects(table: SourceTable, texts: Sequence[str]) -> list[str]:
    """Return a sentence about each value that often means missing, and about other doubts.

    texts: the texts that mean missing by the user's options.
    """
    sets = dict(table.source.options.sets) if isinstance(table.source, FileSource) else ()
    lines = [
        f'{suspect}; if it means missing, say --missing-text "{suspect.text}"'
        for suspect in suspect_values(table, texts)
    ]
    return [*lines, *doubts(table, sets)]


@dataclass(frozen=True, slots=True)
class SuspectValue:
    """A value of a column that often means missing, such as "n/a", but is read as a value.

    Attributes:
        column: the column with the value.
        text: the value.
        cells: number of cells with the value.
    """

    column: str
    text: str
    cells: int

    def __str__(self) -> str:
        """Return a sentence that the value is read as a value, though it often means missing."""
        return (
            f"column {self.column!r}: {self.text!r} in {self.cells:,} cells is read as a value "
            "like any other"
        )


def suspect_values(table: SourceTable, texts: Sequence[str]) -> Iterator[SuspectValue]:
    """Yield the values that often mean missing, but are read as values.

    texts: the texts that mean missing by the user's options.
    """
    for j, values in enumerate(table.values):
        odd = outlying_numbers([text for text in values if text not in texts])
        for code, text in enumerate(values):
            if (text.casefold() in UNKNOWN or text in odd) and text not in texts:
                cells = int(np.count_nonzero(table.codes[:, j] == code))
                if cells:  # 0 cells: only rows that are left out of the table have the value
                    yield SuspectValue(table.columns[j], text, cells)


def missing_codes(table: SourceTable, texts: Sequence[str]) -> tuple[Codes, list[int | None]]:
    """Return a table's codes, with one code for all missing texts of a column, and that code.

    texts: the texts that mean missing, besides the empty text. The second value is, by
    column, the code of missing values; None: no value is missing.
    """
    unknown_texts = {"", *texts}
    codes, codes_of_missing = table.codes, list[int | None]()
    for j, values in enumerate(table.values):
        lacking = [code for code, text in enumerate(values) if text in unknown_texts]
        codes_of_missing.append(lacking[0] if lacking else None)
        if len(lacking) > 1:
            codes = codes.copy() if codes is table.codes else codes
            codes[np.isin(codes[:, j], lacking), j] = lacking[0]
    return codes, codes_of_missing
