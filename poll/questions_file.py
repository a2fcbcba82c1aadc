"""The file of a session's questions, and the writing of changed questions.

A file is replaced only if its bytes are still those that were read. The old file is kept beside the
new one as NAME.bak, NAME.bak2 and so on, so that no comment in it is lost. It is not kept if
`questions_text` would write the same bytes again. Each file is written whole or not at all, and the
copy before the new file: a full disk loses no question.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from os.path import lexists
from pathlib import Path
from typing import Any

from ..errors import StorageError
from ..scenarios.schema.model import Scenario
from ..scenarios.schema.problems import quoted, quoted_key
from ..scenarios.serialization.atomic_file import write_whole
from ..scenarios.serialization.bounded_file import read_bounded
from ..strict_text import from_toml
from .questions import DEMO, LARGEST, NEW, QuestionsTable, parse_questions, scenario_of

HEADING = re.compile(r"\[+(\w+)\]+\s*(?:# (.*))?")
# a key of the template, `key = value  # comment`; a `#` before the key is allowed
ENTRY = re.compile(r"(?:# )?(\w+) = [^#]*(?:# (.*))?")
COLUMN = 24  # column in which comments begin, as in the template
GROUP = 0o077  # permission bits of users other than the owner


@dataclass(frozen=True, slots=True)
class QuestionsFile:
    """A file of questions as it was read, or the package's demo.

    Attributes:
        path: the path of the file; None: the demo.
        folder: the folder in which a new file is written.
        data: the bytes that were read.
        table: the questions that the file holds.
    """

    path: Path | None
    folder: Path
    data: bytes
    table: QuestionsTable

    @classmethod
    def read(cls, path: Path | None) -> "QuestionsFile":
        """Read a file of questions; None: the demo.

        Raises:
            ScenarioError: the file has mistakes; the text has a line for each.
            StorageError: the file cannot be read.
        """
        data = read_bounded(path or DEMO, LARGEST, "file of questions")
        table = parse_questions(data, path or DEMO)
        folder = path.resolve().parent if path else Path.cwd()
        return cls(path and path.resolve(), folder, data, table)

    @property
    def scenario(self) -> Scenario:
        """The scenario that the file of questions describes, without people."""
        return scenario_of(self.table)

    @property
    def tables(self) -> Mapping[str, Any]:
        """The parsed TOML of the file, without defaults."""
        return from_toml(self.data)

    @property
    def is_unchanged(self) -> bool:
        """Whether the file still holds the bytes that were read."""
        return self.path is not None and _has_bytes(self.path, self.data)

    def replace_tables(self, tables: Mapping[str, Any]) -> tuple["QuestionsFile", Path | None]:
        """Write tables in place of the file; return the new file, and the old file's copy if any.

        The path is None if no copy was made, since the old file would be written with the same
        bytes again. StorageError for the demo, and if the file cannot be written; the file is then
        as before.
        """
        if self.path is None:
            raise StorageError("the demo cannot be overwritten; choose the name of a new file")
        private = not self.path.stat().st_mode & GROUP
        copy = self._back_up(self.path, private=private)
        new_file = self._with_tables(self.path, tables)
        write_whole(self.path, new_file.data, force=True, private=private, lasting=True)
        return new_file, copy

    def write_new(self, name: str, tables: Mapping[str, Any]) -> "QuestionsFile":
        """Write tables to a new file in this file's folder; StorageError if the name is taken."""
        new_file = self._with_tables(self.folder / name, tables)
        write_whole(self.folder / name, new_file.data, force=False, lasting=True)
        return new_file

    def _with_tables(self, path: Path, tables: Mapping[str, Any]) -> "QuestionsFile":
        """Return this file as it would be after writing these tables to a path; write no file."""
        data = questions_text(tables).encode()
        return replace(self, path=path, data=data, table=parse_questions(data, path))

    def _back_up(self, path: Path, *, private: bool) -> Path | None:
        """Copy the file to a new name beside it; return the copy's path.

        None, without a copy, if `questions_text` would write the same bytes again: no comment can
        be lost. An existing copy with the same bytes, from an earlier attempt, is enough.

        private: whether only the owner may read the copy.
        """
        if questions_text(self.tables).encode() == self.data:
            return None
        names = (f"{path.name}.bak{number if number > 1 else ''}" for number in count(1))
        copies = map(path.with_name, names)
        copy = next(
            candidate
            for candidate in copies
            if not lexists(candidate) or _has_bytes(candidate, self.data)
        )
        if not copy.exists():
            write_whole(copy, self.data, force=False, private=private, lasting=True)
        return copy


def _has_bytes(path: Path, data: bytes) -> bool:
    """Whether a file can be read and holds exactly these bytes."""
    try:
        return path.is_file() and read_bounded(path, len(data), "copy") == data
    except StorageError:
        return False


def questions_text(tables: Mapping[str, Any]) -> str:
    """Return tables as the text of a file of questions, with the comments of new.toml."""
    head = [line for line in NEW.read_text("utf-8").splitlines()[:2] if line.startswith("#")]
    plain = {key: value for key, value in tables.items() if not _is_table(value)}
    lines = [*head, *_entries("", plain, explained=True)]
    for name, value in tables.items():
        if isinstance(value, dict):
            lines += ["", f"[{name}]", *_entries(name, value, explained=True)]
        elif _is_table(value):
            for place, item in enumerate(value):
                lines += ["", f"[[{name}]]", *_entries(name, item, explained=not place)]
    return "\n".join([*lines, ""])


def _is_table(value: object) -> bool:
    """Whether a TOML value is a table, or a list of tables."""
    return isinstance(value, dict) or (isinstance(value, list) and isinstance(value[0], dict))


def _entries(section: str, table: Mapping[str, Any], *, explained: bool) -> Iterator[str]:
    """Yield the lines `key = value` of a table, with the template's comments if `explained`.

    section: the name of the table in the file; "" for the keys before all tables.
    """
    for key, value in table.items():
        entry, why = f"{quoted_key(key)} = {_text(value)}", _explanations().get((section, key), "")
        yield f"{entry:<{COLUMN - 1}} # {why}" if explained and why else entry


@cache
def _explanations() -> Mapping[tuple[str, str], str]:
    """Return the comments of the template new.toml, by name of the table and key."""
    comments: dict[tuple[str, str], str] = {}
    section = ""
    for line in NEW.read_text("utf-8").splitlines():
        if heading := HEADING.fullmatch(line):
            section = heading[1]
        elif entry := ENTRY.fullmatch(line):
            comments.setdefault((section, entry[1]), entry[2] or "")
    return comments


def _text(value: object) -> str:
    """Return a value in the syntax of TOML."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return quoted(value)
        case list():
            return f"[{', '.join(map(_text, value))}]"
        case dict():
            pairs = (f"{quoted_key(key)} = {_text(item)}" for key, item in value.items())
            return f"{{ {', '.join(pairs)} }}"
        case _:
            return str(value)
