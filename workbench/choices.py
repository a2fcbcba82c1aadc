"""The settings that a user chooses in the six steps of the page, as one immutable value.

The steps are file, persons, columns, goal, choices and result. A session file (TOML) holds the
settings, so that the session can be repeated:

    data = "patients.csv"
    sha256 = "..."          of the file's bytes; a replay warns if they differ
    k = 11
    [roles]
    age = "quasi"

A setting that is left out has its default. Names and meanings are those of the options of `veilmix
advise`, `veilmix score` and `veilmix counts`. A name that begins with `score_`, `counts_` or
`advise_` is an option of this command alone.
"""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert, structs, to_builtins

from ..errors import DataError
from ..own_data.read_table import ROLES, Reading
from ..own_data.thresholds import thresholds
from ..scenarios.schema.dump import value
from ..scenarios.schema.problems import quoted
from ..strict_text import Unreadable, from_toml

Share = Annotated[float, Meta(ge=0, le=1)]
Name = Annotated[str, Meta(min_length=1)]
Names = tuple[Name, ...]
Line = Annotated[int, Meta(ge=1, le=1_000_000_000)]
LeastValues = dict[Name, Annotated[float, Meta(ge=1, lt=1e9)]]
Figure = Literal["svg", "png"]
Written = Literal["csv", "xlsx", "parquet"]
Role = Literal["identifier", "text", "quasi", "sensitive", "weight", "other"]


class UserChoices(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The settings that a user chooses on the page. None or an empty value means the default.

    Attributes:
        data: the path of the file, as on a command line.
        sha256: SHA-256 of the file's bytes when it was opened, in hexadecimal.
        separator, encoding, sheet, header, header_row, last_row, decimal: the form of the file.
        missing_text: texts that mean a missing value.
        columns: the columns to read; None: all.
        sets: columns with several parts in a cell, which are read as sets.
        yes_no: such columns, replaced by a column of yes and no for each part.
        as_number: columns in which equal numbers get one spelling.
        person, each_row, one_row: the definition of a person: by a column, or by each row; and the
            row that is taken of each person.
        roles: column -> its role, for the columns to which the user has given a role.
        keep: columns that are released as they are.
        coarsen: rules that make values coarser before the search.
        threshold: the name of an authority whose threshold is k; None: the user chose k.
        k, max_exposure, suppress, suppress_cells, known, by: the target of the release, as options
            of `veilmix advise`.
        l, entropy_l, t: column -> its target of l-diversity, entropy l-diversity or t-closeness.
        nominal: columns whose values have no order, for t-closeness.
        predict, hierarchy, importance, steps, ledger: settings of the search for coarser values.
        levels: column -> the chosen level of coarser values; None: the search's best choice.
        like: a file with earlier advice, which is applied again; None: a search.
        advise_figure, advise_write: the format of the file with the figure, and with the scenario;
            None: no such file.
        scored: whether the page also shows the score of the file as it is, before the release.
        missing, population_factor, worst_case, unique_size: settings of this score.
        score_figure, score_table, score_counts, score_save: the formats of the files of this score;
            None: no such file.
        score_anyway, score_bom, score_ledger: settings of these files.
        release, control: files that are judged against the open file.
        counts_tables: tables of counts to make: for each its columns, with commas between.
        counts_k: the number of people below which a cell of these tables is small; None: k.
        counts_round, counts_close_empty, counts_least: options of `veilmix counts` for tables.
        counts_outsiders, counts_steps, counts_anyway: further options of `veilmix counts`.
        counts_table: the format of the file with the tables.
        counts_bom: whether this file begins with a byte-order mark.
        dismissed: values that look as if they meant missing, which the user has said they do not.
    """

    data: str = ""
    sha256: str = ""
    separator: Name | None = None
    encoding: Name | None = None
    sheet: Name | None = None
    header: bool | None = None
    header_row: Line | None = None
    last_row: Line | None = None
    decimal: Literal[".", ","] | None = None
    missing_text: tuple[str, ...] = ()
    columns: Names | None = None
    sets: Names = ()
    yes_no: Names = ()
    as_number: Names | None = None
    person: Name | None = None
    each_row: bool = False
    one_row: Name | None = None
    roles: dict[Name, Role] = {}
    keep: Names = ()
    coarsen: Names = ()
    threshold: Name | None = None
    k: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 5
    max_exposure: Share = 0.01
    suppress: Share | None = None
    suppress_cells: Share | None = None
    known: Literal["quasi", "all"] | None = None
    by: Literal["truth", "promise"] = "truth"
    l: LeastValues = {}
    entropy_l: LeastValues = {}
    t: dict[Name, Share] = {}
    nominal: Names = ()
    predict: Name | None = None
    hierarchy: dict[Name, Name] = {}
    importance: dict[Name, Annotated[float, Meta(gt=0, lt=1e9)]] = {}
    steps: Annotated[int, Meta(ge=0, le=1_000_000_000)] | None = None
    ledger: Name | None = None
    levels: dict[Name, Annotated[int, Meta(ge=0, le=1_000)]] | None = None
    like: Name | None = None
    advise_figure: Figure | None = None
    advise_write: Literal["toml"] | None = None
    scored: bool = False
    missing: Literal["category", "wildcard"] = "category"
    population_factor: Annotated[float, Meta(ge=1, lt=1e9)] = 1.0
    worst_case: Annotated[int, Meta(ge=0, le=999_999_999)] | None = None
    unique_size: Annotated[int, Meta(ge=1, le=1_000)] | None = None
    score_figure: Figure | None = None
    score_table: Written | None = None
    score_counts: Written | None = None
    score_save: Literal["json"] | None = None
    score_anyway: bool = False
    score_bom: bool = False
    score_ledger: Name | None = None
    release: Name | None = None
    control: Name | None = None
    counts_tables: Names = ()
    counts_k: Annotated[int, Meta(ge=2, le=1_000_000_000)] | None = None
    counts_round: Annotated[int, Meta(ge=2, le=1_000_000_000)] | None = None
    counts_close_empty: bool = False
    counts_least: Literal["people", "cells"] = "people"
    counts_outsiders: bool = False
    counts_steps: Annotated[int, Meta(ge=1, le=1_000_000_000)] | None = None
    counts_anyway: bool = False
    counts_table: Written = "csv"
    counts_bom: bool = False
    dismissed: tuple[str, ...] = ()

    def changed(self, new_values: dict[str, Any]) -> "UserChoices":
        """Return the settings with some of them replaced; ChoiceError for a wrong value.

        new_values: name -> new value. New roles are merged with the present roles; for a column
        with role None the role is guessed again. If the change affects the search, `levels` becomes
        None (the best choice), as the old levels belong to another search.
        """
        if not isinstance(new_values, dict):
            raise ChoiceError("choices: a JSON object of names and values is accepted", None)
        now = to_builtins(self)
        roles = new_values.get("roles")
        if isinstance(roles, dict):
            merged = {**now["roles"], **roles}
            new_values = {**new_values, "roles": {k: v for k, v in merged.items() if v is not None}}
        if new_values.get("k", now["k"]) != now["k"] and "threshold" not in new_values:
            # a k that the user sets by hand does not come from the authority in `threshold`
            now["threshold"] = None
        if any(
            name not in KEEPING_LEVELS and now.get(name) != new_values[name] for name in new_values
        ):
            now["levels"] = None
        if new_values.get("like", now["like"]) is not None:
            # earlier advice has its own levels, so levels that were chosen by hand do not apply
            new_values = {**new_values, "levels": None}
        changed = _converted({**now, **new_values})
        changed.check()
        return changed

    def check(self) -> None:
        """Raise ChoiceError for an unknown threshold or encoding, or a wrong file name."""
        for name in (*FILE_CHOICES, "score_ledger"):
            if "\0" in (getattr(self, name) or ""):
                raise ChoiceError(f"{name}: the path of a file is accepted", name)
        if self.threshold is not None and self.threshold not in NAMED:
            raise ChoiceError(
                f"threshold: {', '.join(NAMED)} are accepted, found {self.threshold!r}", "threshold"
            )
        if self.encoding is not None and not is_text_encoding(self.encoding):
            raise ChoiceError(
                f"encoding: the name of a text encoding such as utf-8 or cp1252 is accepted, found "
                f"{self.encoding!r}",
                "encoding",
            )

    def reading(self) -> Reading:
        """Return the description by which the table is read from the file: form, columns, roles.

        Raises DataError for a column name with a comma.
        """
        options: dict[str, Any] = {}
        for name in READING:
            choice = getattr(self, name)
            joined = name in ("columns", "as_number") and choice is not None
            options[name] = _joined(name, choice) if joined else choice
        for role in ROLES:
            names = [column for column, chosen_role in self.roles.items() if chosen_role == role]
            options[role] = _joined(role, names) if names else None
        return Reading(**options)

    def session(self) -> str:
        """Return the text of the session file (TOML) with these settings; defaults are left out."""
        plain = structs.asdict(self)
        lines = [
            "# A session of `veilmix open`: `veilmix open --replay THIS_FILE` repeats it.",
            *(
                f"{name} = {value(list(choice) if isinstance(choice, tuple) else choice)}"
                for name, choice in plain.items()
                if not isinstance(choice, dict) and choice != DEFAULTS[name]
            ),
        ]
        for name, choice in plain.items():
            if isinstance(choice, dict) and choice != DEFAULTS[name]:
                lines += ["", f"[{name}]"]
                lines += [f"{quoted(key)} = {value(item)}" for key, item in choice.items()]
        return "\n".join(lines) + "\n"


class ChoiceError(DataError):
    """The error that a setting of the user is not accepted.

    Attributes:
        option: the name of the setting; None: the error is about no single setting.
    """

    def __init__(self, sentence: str, option: str | None) -> None:
        """Keep the message `sentence` and the setting's name `option`; None: no single setting."""
        super().__init__(sentence)
        self.option = option


EXPECTED = re.compile(
    r"Expected `([^`]+)`(?: of length)?(?: ([<>]=?) ([\d.e+-]+))?(?:, got `([^`]+)`)?"
)
SIGNS = {">=": "of at least", "<=": "of at most", ">": "above", "<": "below"}
KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table by columns",
    "null": "nothing",
}
NAMED = tuple(name for name, threshold in thresholds().items() if threshold.k is not None)
DEFAULTS = structs.asdict(UserChoices())
READING = tuple(field.name for field in fields(Reading) if field.name in DEFAULTS)
# Section of the page -> the settings of the command that it runs. Such commands (`veilmix score`
# and `veilmix counts`) are no part of the six steps that lead to a release.
FURTHER: Mapping[str, tuple[str, ...]] = {
    "scored": (
        *("scored", "missing", "population_factor", "worst_case", "unique_size", "score_figure"),
        *("score_table", "score_counts", "score_save", "score_anyway", "score_bom"),
        "score_ledger",
    ),
    "counts": (
        *("counts_tables", "counts_k", "counts_round", "counts_close_empty", "counts_least"),
        *("counts_outsiders", "counts_steps", "counts_anyway", "counts_table", "counts_bom"),
    ),
    "judged": ("release", "control"),
}
# settings that name a file; a browser can upload the file instead
FILE_CHOICES = ("like", "release", "control")
KEEPING_LEVELS = frozenset(
    (
        *("levels", "dismissed", "data", "sha256", "advise_figure", "advise_write"),
        *(name for names in FURTHER.values() for name in names),
    )
)


def read_session(text: str | bytes, name: str) -> UserChoices:
    """Return the settings in a session file; DataError if it is no session file.

    text: the content of the file. name: its name, for errors.
    """
    try:
        choices = from_toml(text, UserChoices)
        choices.check()
    except Unreadable as bad:
        raise DataError(f"{name}:{bad.line}: no session of `veilmix open`: {bad.why}") from None
    except ChoiceError as bad:
        raise DataError(f"{name}: no session of `veilmix open`: {bad}") from None
    return choices


def is_text_encoding(name: str) -> bool:
    """Whether Python has a text encoding of this name."""
    try:
        b"a".decode(name)
    # UTF-16, for example, needs more bytes than this one, so decoding fails; UTF-16 is a text
    # encoding.
    except UnicodeError:
        return True
    except (LookupError, ValueError):
        return False
    return True


def _converted(plain: dict[str, Any]) -> UserChoices:
    """Return settings from plain values; ChoiceError, in plain words, for a wrong value."""
    try:
        return convert(plain, UserChoices)
    except ValidationError as wrong:
        text = str(wrong)
        why, _, place = text.partition(" - at `$.")
        option = place.rstrip("`").partition(".")[0].partition("[")[0] or None
        named = f"{place.rstrip('`')}: " if place else ""
        raise ChoiceError(named + _plain(why), option) from None


def _plain(why: str) -> str:
    """Return a validation error of msgspec (the decoding library) in plain words.

    why: the text of the error, without the place of the value.
    """
    match = EXPECTED.fullmatch(why)
    if match is None:
        return f"{why[:1].lower()}{why[1:]}"
    kinds, sign, limit, actual_kind = match.groups()
    words = " or ".join(KINDS.get(kind, kind) for kind in kinds.split(" | "))
    beyond = f" {SIGNS[sign]} {float(limit):g}" if sign else ""
    actual_text = f", found {KINDS.get(actual_kind, actual_kind)}" if actual_kind else ""
    return f"{words}{beyond} is accepted{actual_text}"


def _joined(option: str, names: Any) -> str:
    """Return column names with commas between; ChoiceError if a name has a comma itself.

    option: the setting with these names, for the error.
    """
    for name in names:
        if "," in name:
            raise ChoiceError(
                f"column {name!r}: a column with a comma in its name cannot be named in a list; "
                "rename it in the file",
                option if option in DEFAULTS else "roles",
            )
    return ",".join(names)
