"""Advice on a table as a scenario file, short enough for people to read and change."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from ..number_text import percent
from ..scenarios.populations.person_rows import max_different_rows
from ..scenarios.populations.roles import NEVER
from ..scenarios.schema.dump import value
from ..scenarios.schema.model import MAX_ROWS
from ..scenarios.schema.problems import quoted
from .advise import Advised
from .read_table import Reading

ODD = re.compile(r"[^A-Za-z0-9._-]")


def scenario_text(advised: Advised, source: Path, reading: Reading, folder: Path) -> str:
    """Return the text of a scenario with the advised columns as features.

    reading: how the table is read. folder: the folder in which the scenario file will lie.
    """
    return "\n".join(_lines(advised, source, reading, folder)) + "\n"


def check_counted(advised: Advised) -> None:
    """Raise DataError for advice that a scenario cannot express.

    A run collects every released column from every person, so a scenario has no suppressed
    rows or cells, and no column outside its counts.
    """
    if advised.suppressed:
        raise DataError(
            f"--write: {advised.suppressed:,} rows are suppressed; a run requests the row of every "
            "person: leave --suppress out"
        )
    if advised.cells is not None and advised.cells.suppressed:
        raise DataError(
            f"--write: {advised.cells.suppressed:,} single cells are suppressed, which a scenario "
            "cannot express: in a run people answer before their rows are compared. Write the "
            "table (--table FILE), or leave --suppress-cells out"
        )
    if advised.rest is not None:
        raise DataError(
            f"--write: {', '.join(advised.rest.columns)}: released as it is and not searched; a "
            "run counts every column that it releases: say --known all, and keep none"
        )


def _lines(advised: Advised, source: Path, options: Reading, folder: Path) -> Iterator[str]:
    """Yield the lines of a scenario with the advised columns as features.

    source: the file of the table. options: how the table is read. folder: the scenario's
    folder.
    """
    best, n = advised.best, advised.n
    kept_names = [
        column.ladder.column
        for column, level in zip(advised.columns, best.levels, strict=True)
        if column.steps[level] is not None
    ]
    yield (
        f"# Advised for k = {advised.k}: {percent(best.people / n)} of {n:,} people would be in a "
        "smaller crowd."
    )
    yield "[scenario]"
    yield f"name = {quoted(_name(source))}"
    yield ""
    yield "[population]"
    yield f"source = {quoted(_relative(source, folder))}"
    for key, text in _reading(advised, options):
        yield f"{key} = {value(text)}"
    for column, level in zip(advised.columns, best.levels, strict=True):
        keys = column.steps[level]
        if keys is None:
            yield ""
            yield f"# {column.ladder.column} is not asked: with it, more would be exposed or lost"
            continue
        yield ""
        yield "[[feature]]"
        yield f"name = {quoted(column.ladder.column)}"
        for key, item in keys.items():
            yield f"{key} = {value(_placed(key, item, folder))}"
    yield ""
    yield "[policy]"
    yield f"k = {advised.k}"
    yield f"max_exposure = {advised.max_exposure}"
    if advised.cost.promised <= advised.people_limit:
        yield "# The counts of single columns prove it: the curator need not see the table."
    else:
        share = percent(advised.cost.promised / n)
        yield f"# True of this table; by the counts of single columns it could be {share}. So the"
        yield "# columns are fixed here by whoever has the table, and the run checks them."
        yield 'kind = "fixed"'
        yield f"keep = {value(kept_names)}"
    yield ""
    yield "[expect]"
    yield f"true_exposure_at_most = {advised.max_exposure}"


def _reading(advised: Advised, options: Reading) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of `[population]` that describe how the file is read.

    options: the description of the file by the user.
    """
    # Only settings of the user are written; the scenario detects the other settings as advise did.
    for key in ("separator", "encoding", "sheet", "header", "decimal", "header_row", "last_row"):
        if getattr(options, key) is not None:
            yield key, getattr(options, key)
    for key in ("person", "one_row"):
        if getattr(options, key) is not None:
            yield key, getattr(options, key)
    if (rows := ballots(advised)) is not None:
        yield "rows", rows
    if options.each_row:
        yield "each_row", True
    section = options.section(Path())
    if options.lacking:
        yield "missing_texts", list(options.lacking)
    for key, setting in (("sets", section.sets), ("yes_no", section.yes_no)):
        if setting:
            yield key, setting
    if section.as_number:
        yield "as_number", list(section.as_number)
    roles = {judged.column: str(judged.role) for judged in advised.table.judged}
    yield "roles", {name: role for name, role in roles.items() if role in NEVER}


def ballots(advised: Advised) -> int | None:
    """Return the number of ballots that each person needs in a session of the advised table.

    It is the largest number of different rows of a person, at least 2; None if each person
    has one row.

    Raises:
        DataError: a person has more different rows than a session takes.
    """
    persons = advised.table.persons
    if persons is None:
        return None
    texts = advised.coarse().values()
    codes = [np.unique(column, return_inverse=True)[1] for column in texts]
    needed = max_different_rows(persons, np.array(codes).T) if codes else 1
    if needed > MAX_ROWS:
        raise DataError(
            f"--write: a person has {needed:,} different rows as advised; a session takes at most "
            f"{MAX_ROWS:,}: take one row of each (--one-row first, last, earliest:COLUMN or "
            "latest:COLUMN)"
        )
    return max(2, needed)


def _placed(key: str, item: Any, folder: Path) -> Any:
    """Return a scenario key's value, with the path of a hierarchy made relative to the folder."""
    return _relative(Path(item), folder) if key == "hierarchy" else item


def _relative(path: Path, folder: Path) -> str:
    """Return a path relative to the folder, or absolute if it is outside the folder."""
    try:
        return str(path.absolute().relative_to(folder.absolute()))
    except ValueError:
        return str(path.absolute())


def _name(source: Path) -> str:
    """Return the name of a scenario from the file of the table: up to 64 accepted characters."""
    name = ODD.sub("-", source.stem).lstrip("._-")
    return (name or "table")[:64]
