"""The parts of the page's state on the file, on persons, and on columns."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import VeilmixError
from ..own_data.judges import exposed_people
from ..scenarios.populations import csvfile, excel
from ..scenarios.populations.files import READERS
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.persons import RepeatedPersonsError
from ..scenarios.populations.roles import NEVER, ROLE_LABELS, ColumnRole
from ..scenarios.serialization.content import content_of
from .choices import UserChoices
from .table import RAW, WIDEST, OpenedFile, Progress
from .wording import PageVoice, Text, english

MOST_CANDIDATES = 12


def file_part(
    opened: OpenedFile, table: SourceTable | None, choices: UserChoices, voice: PageVoice
) -> dict[str, Any]:
    """Return the part of the page's state on the file.

    opened: the file with all columns. table: the table as the settings say; None: the user has not
    defined a person yet.
    """
    content, whole = opened.source.content, opened.whole
    rows, columns = len(whole.codes), len(whole.columns)
    shape = voice.say("said-shape", rows=rows, columns=columns)
    current_table = table or whole
    return {
        "name": content.path.name,
        "path": choices.data,
        "size": voice.plain(_size(content.size)),
        "rows": rows,
        "shape": shape,
        "summary": shape["text"],
        "note": english(whole.note),
        "preview": {
            "names": list(whole.columns),
            "rows": [list(row) for row in opened.preview],
            "named_in": opened.header_line,
        },
        "lines": list(opened.lines),
        "doubts": list(_doubts(opened, choices)),
        "warnings": [
            *([] if choices.sha256 in ("", content.sha256) else [voice.say("said-other-file")]),
            *map(english, current_table.warnings),
            *map(english, opened.column_doubts),
        ],
        "found": dict(opened.detected_options),
        "sheets": list(opened.sheets) or None,
        "sha256": content.sha256,
    }


def unread_part(path: Path, choices: UserChoices, progress: Progress) -> dict[str, Any]:
    """Return the part of the page's state on a file that cannot be read as a table.

    The part has the file's name, the first lines of a text file, and the names of a workbook's
    sheets, if these can be read.
    """
    progress("reading the first lines")
    kind, lines, sheets = READERS.get(path.suffix.lower()), list[str](), list[str]()
    with suppress(OSError, ValueError, LookupError, VeilmixError):
        content = content_of(path)
        if kind is csvfile.READER:
            with content.text(choices.encoding or "utf-8", errors="replace") as text:
                lines = [line.rstrip("\r\n")[:WIDEST] for line in islice(text, RAW)]
        if kind is excel.READER:
            sheets = list(excel.sheet_names(content))
    return {
        "name": path.name,
        "path": choices.data,
        "lines": lines,
        "sheets": sheets or None,
        "found": {},
        "sha256": "",
    }


def _doubts(opened: OpenedFile, choices: UserChoices) -> Iterator[dict[str, Any]]:
    """Yield values that often mean missing, as questions to the user.

    Each question has its text, and the settings that the answers yes and no make.
    """
    for suspect in opened.suspects:
        key = f"{suspect.column}={suspect.text}"
        if key not in choices.dismissed:
            yield {
                "text": english(str(suspect)),
                "yes": {"missing_text": [*choices.missing_text, suspect.text]},
                "no": {"dismissed": [*choices.dismissed, key]},
            }


def _size(size: int) -> str:
    """Return a number of bytes as text, with a unit."""
    for unit, bytes_of in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= bytes_of:
            return f"{size / bytes_of:.1f} {unit}"
    return f"{size} bytes"


def persons_part(
    opened: OpenedFile,
    table: SourceTable | RepeatedPersonsError,
    choices: UserChoices,
    voice: PageVoice,
) -> dict[str, Any]:
    """Return the part of the page's state on persons: which rows belong to one person.

    table: the table, or the error that the user has to define a person; then the status of the part
    is `blocked`.
    """
    repeated = table if isinstance(table, RepeatedPersonsError) else None
    rows = len(opened.whole.codes)
    candidates = list(_candidates(opened, choices))
    column = choices.person or (repeated.column if repeated else None)
    if column is None and candidates:
        column = candidates[0]["column"]
    by_row = choices.person is None and (choices.each_row or repeated is None)
    ways: list[dict[str, Any]] = [
        {
            "set": {"person": None, "each_row": True, "one_row": None},
            "chosen": by_row,
            "people": rows,
            "headline": voice.say("said-people", n=rows),
            "text": voice.say("said-each-row"),
            "exposed": None,
        }
    ]
    if column in opened.whole.columns and column is not None:
        people = opened.different(column)
        ways.append(
            {
                "set": {"person": column, "each_row": False},
                "chosen": choices.person == column,
                "people": people,
                "headline": voice.say("said-people", n=people),
                "text": voice.say("said-each-value", column=column),
                "exposed": None,
            }
        )
    part: dict[str, Any] = {
        "status": "blocked" if repeated else "ready",
        "rows": rows,
        "column": repeated.column if repeated else None,
        "ways": ways,
        "candidates": candidates,
        "one_row": _rules(opened, voice),
    }
    if not isinstance(table, RepeatedPersonsError):
        chosen_way = next((way for way in ways if way["chosen"]), None)
        if chosen_way is not None:
            below, _ = exposed_people(table, choices.k)
            chosen_way["exposed"] = below_text(voice, below, table.n, choices.k)
            chosen_way["people"] = table.n
            chosen_way["headline"] = voice.say("said-people", n=table.n)
        part["sentence"] = english(f"a person is {table.person}")
        part["summary"] = voice.say("said-people", n=table.n)["text"]
    else:
        part["sentence"] = english(
            str(table).replace(str(opened.source.content.path), choices.data)
        )
        part["summary"] = ""
    return part


def below_text(voice: PageVoice, below: int, n: int, k: int) -> Text:
    """Return the sentence on the share of people in an equivalence class smaller than k.

    below: the number of people in such a class. n: the number of all people.
    """
    return voice.say("said-below", share=voice.share(below, n), k=k)


def _candidates(opened: OpenedFile, choices: UserChoices) -> Iterator[dict[str, Any]]:
    """Yield the columns that may identify persons: identifiers first."""
    roles = {judged.column: judged.role for judged in opened.roles(choices)}
    names = sorted(
        opened.whole.columns,
        key=lambda name: (roles[name] is not ColumnRole.IDENTIFIER, -opened.different(name)),
    )
    rows = len(opened.whole.codes)
    for name in names[:MOST_CANDIDATES]:
        people = opened.different(name)
        text = f"{name}: {people:,} different values in {rows:,} rows"
        yield {"column": name, "people": people, "text": english(text)}


def _rules(opened: OpenedFile, voice: PageVoice) -> list[list[Any]]:
    """Return the rules by which the page takes one row of each person, or all rows.

    Each entry is the value of the setting, such as `latest:COLUMN`, and its label.
    """
    rules: list[list[Any]] = [
        [None, voice.say("said-all-rows")["text"]],
        ["first", voice.say("said-first-row")["text"]],
        ["last", voice.say("said-last-row")["text"]],
    ]
    for name in opened.ordered:
        rules += [
            [f"earliest:{name}", voice.say("said-earliest", column=name)["text"]],
            [f"latest:{name}", voice.say("said-latest", column=name)["text"]],
        ]
    return rules


def columns_part(
    opened: OpenedFile, table: SourceTable, choices: UserChoices, voice: PageVoice
) -> dict[str, Any]:
    """Return the part of the page's state on columns: the role of each column."""
    judged = opened.roles(choices)
    never = sum(column.role in NEVER for column in judged)
    counts = {role: sum(column.role is role for column in judged) for role in ColumnRole}
    return {
        "columns": [
            {
                "name": column.column,
                "role": str(column.role),
                "said": column.column in choices.roles,
                "reason": english(column.reason),
                "like": ", ".join(opened.frequent(column.column)),
                "different": voice.plain(voice.count(opened.different(column.column))),
                "missing": voice.plain(voice.count(opened.lacking(column.column))),
                "released": column.column in table.columns,
            }
            for column in judged
        ],
        "roles": [[str(role), ROLE_LABELS[role]] for role in ColumnRole],
        "never": voice.say("said-never", n=never),
        "all_said": all(column.column in choices.roles for column in judged),
        "summary": voice.say(
            "said-roles", known=counts[ColumnRole.QUASI], sensitive=counts[ColumnRole.SENSITIVE]
        )["text"],
    }
