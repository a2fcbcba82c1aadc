"""The first page of a scored table, to be signed: data, columns, thresholds, questions, risks.

The page is made from the JSON of a score. It fits one sheet of A4, so long lists are cut; the
sections behind it have them in full.
"""

import shlex
from collections.abc import Iterator
from itertools import accumulate
from math import ceil
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ...scenarios.populations.roles import ROLE_LABELS
from ..blocks import MarkedText, SignedTable, SignSheet
from ..presenters.table_score import people_limit
from ..text_blocks import Marked
from . import table_questions, table_thresholds
from .table_facts import below, first_names, known_columns, release_of, target_columns

if TYPE_CHECKING:
    from ...own_data.score_record import ScoredTable

FIELDS = ("Recipient", "Purpose", "Agreement", "Released before")
SIGNERS = ("Name, role (steward)", "Name, role (data protection officer)")
MOST_LINES = 12  # largest number of lines of the table of columns on the sheet
LINE = 40  # characters that fit a line of a cell, in the table of columns
MOST_NAMES = 6  # largest number of column names in a row of the table of columns
MOST_SIGNS = 76  # characters after which a cell of the table of columns is cut
MOST_COMMAND = 200  # characters after which the printed command is cut
LIMITS = (2400, 3000)  # numbers of characters that fit a sheet in usual and in smaller print
CERTIFIES = "This page describes what was measured; it certifies nothing."


def sheet(score: "ScoredTable") -> SignSheet:
    """Return the sheet that is signed before a table is released, from the table's score.

    It has the result, four tables (files, columns, thresholds, attackers' success), the remaining
    risk, fields to fill in, and the command that computed the score.
    """
    return SignSheet(
        tuple(_verdict(score)),
        (
            _files(score),
            _columns(score),
            table_thresholds.threshold_table(score),
            table_questions.plain_table(score),
        ),
        tuple(_remains(score)),
        FIELDS,
        SIGNERS,
        _cut(shlex.join(release_of(score).command), MOST_COMMAND),
        LIMITS,
    )


def _strong(text: str) -> Marked:
    """Return a text to be printed bold; a number and its % sign stay on one line."""
    return Marked(text.replace(" %", "\u00a0%"), "strong")


def _verdict(score: "ScoredTable") -> Iterator[str]:
    """Yield the first sentences of the sheet: released people, exposed people, threshold."""
    release, n, exposed = release_of(score), score.users, below(score)
    smallest, known_names = target_columns(score).smallest_crowd, known_columns(score)
    share = (
        f"share {_names(known_names)}" if known_names else "are all, as no known column is released"
    )
    yield _strong(f"{n:,} of {release.input_people:,} people")
    yield " are in the released table, " if release.file else " were scored, "
    if exposed:
        yield _strong(f"{exposed:,} of them ({percent(exposed / n)})")
        yield f" in crowds smaller than k = {score.k} who {share}; the smallest crowd is "
        yield _strong(f"{smallest:,}")
    else:
        yield "in crowds of at least "
        yield _strong(f"{smallest:,}")
        yield f" who {share}"
    yield ". The threshold that was asked for is "
    yield Marked("met", "good") if exposed <= people_limit(score) else Marked("not met", "bad")
    yield ". "
    if not release.file:
        yield Marked("No table was written by this command.", "bad")
        yield " "
    yield from _inferred(score)


def _inferred(score: "ScoredTable") -> Iterator[str]:
    """Yield the sentence on the sensitive column that is easiest to guess in some crowd."""
    columns = score.sensitive
    if not columns:
        yield Marked("No column is said to be sensitive", "bad")
        yield ": what the people of a crowd have in common was not measured."
        return
    worst = max(columns, key=lambda column: column.largest_share or 0.0)
    share = worst.largest_share
    if share is None:
        return
    yield f"One value of {_name(worst.column)} can hold "
    yield _strong(f"up to {percent(share)} of a crowd")
    targets = [target for target in release_of(score).targets if target.column == worst.column]
    if not targets:
        yield ": "
        yield Marked("no limit was asked", "bad")
    elif table_thresholds.targets_met(score):
        yield ": the limits that were asked are "
        yield Marked("met", "good")
    else:
        yield ": a limit that was asked is "
        yield Marked("not met", "bad")
    yield "."


def _files(score: "ScoredTable") -> SignedTable:
    """Return the table of the input and the released file, with sizes and hashes."""
    release = release_of(score)
    rows: list[tuple[str, ...]] = [
        (
            "input",
            _size(score.data, release.input_rows, release_of(score).input_columns),
            Marked(score.sha256 or "no file", "mono"),
        )
    ]
    if (file := release.file) is None:
        rows.append(("released", Marked("no table was written", "bad"), ""))
    else:
        rows.append(
            (
                "released",
                _size(file.name, file.rows, len(file.columns)),
                Marked(file.sha256, "mono"),
            )
        )
    rows.append(("a person is", _cut(score.person, 60), _person_source(score)))
    return SignedTable("files", "1 What was looked at, what leaves", ("", "what", "SHA-256"), rows)


def _size(name: str, rows: int, columns: int) -> str:
    """Return a file's name with its numbers of rows and columns."""
    return f"{_name(name)}, {plural(rows, 'row')}, {plural(columns, 'column')}"


def _person_source(score: "ScoredTable") -> str:
    """Return in words why rows are taken to belong to one person: an option, or a guess."""
    if release_of(score).person_said:
        return "said by an option"
    return "no option says so; no identifier was found to repeat"


def _columns(score: "ScoredTable") -> SignedTable:
    """Return the table of all input columns; columns with equal role and treatment share a row."""
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for name, *cells in measures(score):
        grouped.setdefault((cells[0], cells[1], cells[2]), []).append(name)
    rows = [
        (_cut(first_names(names, MOST_NAMES), MOST_SIGNS), is_, _cut(measure, MOST_SIGNS), source)
        for (is_, measure, source), names in grouped.items()
    ]
    lines = list(accumulate(ceil(max(map(len, row)) / LINE) for row in rows))
    if lines[-1] > MOST_LINES:
        fitting_rows = sum(line < MOST_LINES for line in lines)
        omitted_count = sum(len(names) for names in [*grouped.values()][fitting_rows:])
        rows = [*rows[:fitting_rows], (f"{omitted_count} more columns (under Data)", "", "", "")]
    title = f"2 The columns, all {release_of(score).input_columns}, and what was done"
    headings = ("column", "is", "what was done", "said by")
    return SignedTable("columns", title, headings, rows, note=tuple(_rows_left_out(score)))


def measures(score: "ScoredTable") -> Iterator[tuple[str, str, str, str]]:
    """Yield each column of the input: name, role, measure taken, and source of the role.

    A measure is the treatment of a column, such as `left out` or a generalization.
    """
    coarser = dict(line.split(": ", 1) for line in score.coarser if ": " in line)
    known_names = set(known_columns(score))
    for role in score.roles:
        name = role.column
        measure = "left out" if role.left_out else coarser.get(name, "as it is")
        if not role.left_out and name not in known_names:
            measure += "; not counted as known"
        yield name, ROLE_LABELS[role.role], measure, "option" if role.said else "guessed"
    for name in release_of(score).not_read:
        yield name, "not looked at", "left out", "--columns"


def _rows_left_out(score: "ScoredTable") -> MarkedText:
    """Return the sentence on rows or single cells that were suppressed to reach the thresholds."""
    suppressed_rows, cells = release_of(score).left_out, release_of(score).cells
    if cells and cells.cells:
        suppressed_text = f"{cells.cells:,} single cells suppressed"
        where = f" (*), of {cells.of:,}, in {cells.rows:,} rows. No row was left out."
        return _strong(suppressed_text), where
    if suppressed_rows is None:
        return ("No row was left out.",)
    share = percent(suppressed_rows.people / release_of(score).input_people)
    why = (
        f" (of {share} of the people): those in crowds that miss a threshold. "
        f"{suppressed_rows.missing:,} "
        "have an empty or unknown cell in a column that others may know."
    )
    return _strong(f"{suppressed_rows.rows:,} rows left out"), why


def _remains(score: "ScoredTable") -> Iterator[str]:
    """Yield the sentences on the remaining risk, such as the number of unique people."""
    k, joint, part = score.k, score.joint, target_columns(score)
    if unique_people := part.curve.people_below(2):
        yield Marked(f"{plural(unique_people, 'person', 'people')} alone in a crowd of one", "bad")
        yield f": whoever knows {_names(known_columns(score))} names them with certainty. "
    if part is not joint:
        yield "Whoever also knows the other released columns finds "
        yield _strong(f"{plural(joint.curve.people_below(2), 'person', 'people')} alone")
        yield f" ({joint.people_below_k:,} in crowds smaller than {k}). "
    for column in score.sensitive[:2]:
        if certain := column.certain:
            yield Marked(f"l = 1: of {certain:,} people", "bad")
            yield f" all in their crowd have the same {_name(column.column)}. "
        elif column.largest_share is not None:
            yield (
                f"In some crowd, {_name(column.column)} is guessed rightly "
                f"{100 * column.largest_share:.0f} times of 100. "
            )
    suppressed_rows = release_of(score).left_out
    if suppressed_rows and suppressed_rows.missing:
        yield "People with empty cells are left out more often: tell those who compute rates. "
    if score.rows > score.users:
        yield (
            "A person is as exposed as its worst row; an attacker who knows several of its rows "
            "may tell more. "
        )
    yield CERTIFIES


def _name(text: str) -> str:
    """Return the name of a column or file, cut to 40 characters."""
    return _cut(text, 40)


def _names(names: list[str]) -> str:
    """Return column names as an enumeration; of more than 5, the first 4 and the number left."""
    short_names = [_cut(name, 24) for name in names]
    if len(short_names) > 5:
        return f"{', '.join(short_names[:4])} and {len(short_names) - 4} more columns"
    return (
        ", ".join(short_names[:-1]) + f" and {short_names[-1]}"
        if len(short_names) > 1
        else "".join(short_names)
    )


def _cut(text: str, max_length: int) -> str:
    """Return a text cut to `max_length` characters, with an ellipsis if it is cut."""
    return text if len(text) <= max_length else text[: max_length - 1] + "\u2026"
