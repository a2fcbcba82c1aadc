"""The person of each row of a file, and the choice of a row for each person.

Each row is a person if no identifier repeats. If an identifier repeats, the user has to define a
person: by a column, or as each row. There is no default, because a wrong guess makes every score
look safer than it is.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError
from ...protocol.wire.coarsening import NUMBER
from ..schema.model import PopulationSection
from ..schema.problems import did_you_mean, listed, quoted
from .dates import in_time
from .people import Codes, SourceTable
from .person_rows import max_different_rows
from .roles import FEWEST, ColumnRole, may_be_shared, says_who
from .values import UNKNOWN

RULE = re.compile("first|last|(earliest|latest):.+")
# A column of names or addresses repeats persons if it has this number of rows per different text.
# Fewer rows prove no repetition, because two people may share a name.
OFTEN = 2


class RepeatedPersonsError(DataError):
    """The error that an identifier repeats, and the user did not define a person.

    Attributes:
        column: the identifier that repeats.
        rows: number of rows of the table.
        persons: number of different values of the column.
    """

    def __init__(self, where: str, column: str, rows: int, persons: int) -> None:
        """Compose the message, which asks for the definition of a person.

        where: the table, for the message. Other arguments as in the class.
        """
        super().__init__(
            f"{where}: {rows:,} rows, but {persons:,} different values of the identifier "
            f"{column!r}: what is a person? If each value of {column!r} is one, say --person "
            f"{column}; if each row is one, say --each-row (in a scenario, in [population]: "
            f"person = {quoted(column)}, or each_row = true)"
        )
        self.column, self.rows, self.persons = column, rows, persons


def wanted_columns(section: PopulationSection, columns: Sequence[str]) -> list[str]:
    """Return the columns of a source that are read to define a person.

    columns: all columns of the source. Raises DataError for an unknown column, or rules that
    contradict each other.
    """
    if section.rows is not None and (section.person is None or section.one_row is not None):
        raise DataError(
            f"{section.source}: rows = {section.rows} takes several rows of each person; say "
            "person = COLUMN too, and leave one_row out"
        )
    if section.person is None:
        if section.one_row is not None:
            raise DataError(
                f"{section.source}: one_row = {quoted(section.one_row)} takes a row of each "
                "person; say person = COLUMN too (--person COLUMN)"
            )
        return [] if section.each_row else [name for name in columns if says_who(name)]
    if section.each_row:
        raise DataError(
            f"{section.source}: person = {quoted(section.person)} and each_row = true exclude each "
            "other; choose one"
        )
    _, _, by = _rule(section).partition(":")
    names = [section.person, *([by] if by else [])]
    for name in names:
        if name not in columns:
            raise DataError(
                f"{section.source}: no column is called {name!r}; it has {listed(columns)}"
                f"{did_you_mean(name, columns)}"
            )
    return names


def _rule(section: PopulationSection) -> str:
    """Return the user's rule that selects a row of each person, such as `latest:date`.

    "" if all rows are used. Raises DataError for an unknown rule.
    """
    rule = section.one_row or ""
    if rule and not RULE.fullmatch(rule):
        raise DataError(
            f"{section.source}: one_row = {quoted(rule)} (--one-row); first, last, earliest:COLUMN "
            "and latest:COLUMN are accepted"
        )
    return rule


def name_in_table(section: PopulationSection, column: str) -> str:
    """Return the scenario's name for a column of the source. column: the source's name."""
    return next(
        (ours for ours, source_column in section.columns.items() if source_column == column), column
    )


def owned(whole: SourceTable, section: PopulationSection, missing: str) -> SourceTable:
    """Return a table with the person of each row, or with one row for each person.

    whole: the table, with the columns that define a person, and with the role of each column in its
    field `judged`. missing: the value of an empty cell. Raises DataError if an identifier repeats
    without a definition of a person.
    """
    if section.person is None:
        if not section.each_row:
            _refuse_repeats(whole, section, missing)
            return whole
        return replace(whole, person="each row, as you said")
    persons = _persons(whole, section, missing)
    if section.one_row is not None:
        return _one_row(whole, persons, section, missing)
    people, person = int(persons.max()) + 1, f"each value of {section.person}"
    if people == len(persons) and section.rows is None:
        return replace(whole, person=f"{person}, in one row each")
    persons_text = f"{person}: {people:,} people in {len(persons):,} rows"
    return replace(whole, persons=persons, person=persons_text)


def single_rows(table: SourceTable, section: PopulationSection) -> SourceTable:
    """Return the table if each person has one row, or if the scenario accepts several (`rows`).

    Raises DataError for any other table.
    """
    if table.persons is None or section.rows is not None:
        return table
    people, rows = int(table.persons.max()) + 1, len(table.persons)
    needed = max_different_rows(table.persons, table.codes)
    raise DataError(
        f"{section.source}: {rows:,} rows of {people:,} persons, up to {needed:,} different rows "
        f"each; say rows = {needed} in [population], by which each person submits {needed:,} "
        'ballots to a question, or take one row of each: one_row = "first", "last", '
        '"earliest:COLUMN" or "latest:COLUMN"'
    )


def _refuse_repeats(whole: SourceTable, section: PopulationSection, missing: str) -> None:
    """Raise RepeatedPersonsError if an identifier repeats. missing: the value of an empty cell."""
    keys, unshared = list[RepeatedPersonsError](), list[RepeatedPersonsError]()
    a_key = False
    for judged in whole.judged:
        if judged.role is not ColumnRole.IDENTIFIER:
            continue
        j, shared = whole.columns.index(judged.column), may_be_shared(judged.column)
        a_key |= not shared
        rows, persons = _value_counts(whole, j, missing)
        is_repeated = OFTEN * persons <= rows if shared else persons < rows
        if persons >= FEWEST and is_repeated:
            repeated = RepeatedPersonsError(section.source, judged.column, rows, persons)
            (unshared if shared else keys).append(repeated)
    repeated_columns = keys or ([] if a_key else unshared)
    # if several identifiers repeat, such as person and visit, the error names the coarsest
    if repeated_columns:
        raise min(repeated_columns, key=lambda repeated: repeated.persons)


def _value_counts(whole: SourceTable, j: int, missing: str) -> tuple[int, int]:
    """Return the number of rows with a value in column j, and the number of different values.

    missing: the value of an empty cell.
    """
    people = np.bincount(whole.codes[:, j], minlength=len(whole.values[j]))
    texts = zip(whole.values[j], people, strict=True)
    people_counts = [
        people_of_value for text, people_of_value in texts if not _lacks(text, missing)
    ]
    return int(sum(people_counts)), int(np.count_nonzero(people_counts))


def _lacks(text: str, missing: str) -> bool:
    """Whether a cell is empty, or has a word that stands for a missing value."""
    return text == missing or text.casefold() in UNKNOWN


def _persons(whole: SourceTable, section: PopulationSection, missing: str) -> Codes:
    """Return the person of each row, numbered 0, 1, ...; DataError if a row's person is unknown.

    missing: the value of an empty cell.
    """
    j = whole.columns.index(name_in_table(section, str(section.person)))
    texts, codes = whole.values[j], whole.codes[:, j]
    lacking = np.flatnonzero(np.array([_lacks(text, missing) for text in texts])[codes])
    if lacking.size:
        first = lacking[0] if whole.origin is None else whole.origin[lacking[0]]
        place = getattr(whole.source, "where", lambda row: f"row {row + 1}")(int(first))
        raise DataError(
            f"{place}: column {section.person!r} is empty in {lacking.size:,} rows; each row needs "
            "its person: fill it in, or leave these rows out of the file"
        )
    _, persons = np.unique(codes, return_inverse=True)
    return persons.astype(np.int32)


def _one_row(
    whole: SourceTable, persons: Codes, section: PopulationSection, missing: str
) -> SourceTable:
    """Return the table with one row of each person, in the order of the source.

    persons: the person of each row. missing: the value of an empty cell.
    """
    rule, _, by = _rule(section).partition(":")
    if by:
        order = _ordered(whole, section, by, missing, last=rule == "latest")
    else:
        order = np.arange(len(persons))[:: -1 if rule == "last" else 1]
    _, first = np.unique(persons[order], return_index=True)
    rows = np.sort(order[first])
    people, row_rule = len(rows), f"{rule} {by}".strip()
    return replace(
        whole,
        codes=np.asfortranarray(whole.codes[rows]),
        origin=rows.astype(np.int32) if whole.origin is None else whole.origin[rows],
        person=f"each value of {section.person}, by the {row_rule} of its rows",
        warnings=(*whole.warnings, f"{len(persons) - people:,} rows left out: one for each person"),
    )


def _ordered(
    whole: SourceTable, section: PopulationSection, by: str, missing: str, *, last: bool
) -> NDArray[np.intp]:
    """Return the indices of the rows, sorted by a column of dates or numbers.

    Rows with equal values keep the order of the source, and rows with an empty cell come last.

    by: the column. missing: the value of an empty cell. last: whether to sort in descending order.
    """
    j = whole.columns.index(name_in_table(section, by))
    texts = [text for text in whole.values[j] if not _lacks(text, missing)]
    if all(map(NUMBER.fullmatch, texts)):
        places = {text: float(text) for text in texts}
    else:
        times = in_time(texts, f"{section.source}: column {by!r}")
        ranks = {key: float(rank) for rank, key in enumerate(sorted(set(times.values())))}
        places = {text: ranks[key] for text, key in times.items()}
    # descending order by negated keys: reversing would put empty cells first
    sign = -1.0 if last else 1.0
    keys = [np.inf if _lacks(text, missing) else sign * places[text] for text in whole.values[j]]
    return np.argsort(np.array(keys)[whole.codes[:, j]], kind="stable")
