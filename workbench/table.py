"""The opened file and its table, before roles, persons and goal are known."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

import numpy as np

from ..own_data.read_table import Reading, SuspectValue, read, suspect_values
from ..protocol.wire.coarsening import NUMBER
from ..scenarios.populations import csvfile, excel
from ..scenarios.populations.column_forms import doubts
from ..scenarios.populations.dialect import NAMES, dialect_of
from ..scenarios.populations.encodings import encoding_label
from ..scenarios.populations.file_options import options_of
from ..scenarios.populations.files import READERS, FileSource, source_of
from ..scenarios.populations.line_reader import LineReader
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.persons import RepeatedPersonsError
from ..scenarios.populations.roles import JudgedColumn, guess_roles
from ..scenarios.populations.values import DATE
from .choices import UserChoices

MISSING = "(missing)"  # stands for the value of an empty cell, as in `veilmix advise`
PREVIEW = 8  # number of rows in the preview
RAW = 10  # number of first lines of a text file that the page shows
WIDEST = 400  # largest number of shown characters of a line or a cell; longer texts are cut
FORM = (
    *("separator", "encoding", "sheet", "header", "header_row", "last_row", "decimal"),
    "missing_text",
    *("sets", "yes_no", "as_number"),
)
Progress = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class OpenedFile:
    """A file as it was read, with all columns.

    Attributes:
        source: the bytes of the file and their form, such as separator and encoding.
        whole: the table of all columns, without a decision on persons or roles.
        preview: the first rows, as texts.
        lines: the first lines of a text file, unchanged; () for other files.
        header_line: the number of the line with the column names, from 1; None: no such line.
        detected_options: name of an option -> its detected value, such as the separator.
        sheets: the names of the sheets of a workbook.
    """

    source: FileSource
    whole: SourceTable
    preview: tuple[tuple[str, ...], ...]
    lines: tuple[str, ...]
    header_line: int | None
    detected_options: Mapping[str, str]
    sheets: tuple[str, ...]

    def roles(self, choices: UserChoices) -> tuple[JudgedColumn, ...]:
        """Return the role of each column of the file: stated by the user, else guessed."""
        chosen_roles: dict[str, str] = dict(choices.roles)
        if choices.person in self.whole.columns:
            chosen_roles[str(choices.person)] = "identifier"
        stated_roles = {
            name: role for name, role in chosen_roles.items() if name in self.whole.columns
        }
        rows = len(self.whole.codes)
        return guess_roles(self.whole.columns, self.whole.values, rows, stated_roles, MISSING)

    @cached_property
    def column_doubts(self) -> tuple[str, ...]:
        """The warnings about columns that look like sets, or like numbers of two spellings."""
        return tuple(doubts(self.whole, dict(self.source.options.sets)))

    @cached_property
    def suspects(self) -> tuple[SuspectValue, ...]:
        """The values that often mean a missing value, such as -99, with their columns."""
        return tuple(suspect_values(self.whole, (MISSING,)))

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The names of the columns of numbers or dates, by which rows can be ordered."""
        columns = zip(self.whole.columns, self.whole.values, strict=True)
        return tuple(
            name for name, texts in columns if is_ordered([t for t in texts if t != MISSING])
        )

    def different(self, name: str) -> int:
        """Return the number of different values of a column; missing cells are no value."""
        return sum(text != MISSING for text in self.whole.values[self.whole.columns.index(name)])

    def lacking(self, name: str) -> int:
        """Return the number of missing cells of a column."""
        j = self.whole.columns.index(name)
        texts = self.whole.values[j]
        if MISSING not in texts:
            return 0
        return int(np.count_nonzero(self.whole.codes[:, j] == texts.index(MISSING)))

    def frequent(self, name: str, max_values: int = 3) -> list[str]:
        """Return the most frequent values of a column, at most `max_values`."""
        j = self.whole.columns.index(name)
        texts = self.whole.values[j]
        counts = Counter(dict(enumerate(np.bincount(self.whole.codes[:, j]).tolist())))
        frequent_texts = (texts[code] for code, _ in counts.most_common(max_values + 1))
        return [text[:WIDEST] for text in frequent_texts if text != MISSING][:max_values]


def is_ordered(texts: list[str]) -> bool:
    """Whether all values of a column are numbers or dates, so that rows can be ordered by them."""
    fits = (
        NUMBER.fullmatch(text) is not None or DATE.fullmatch(text) is not None for text in texts
    )
    return bool(texts) and all(fits)


def open_file(path: Path, choices: UserChoices, progress: Progress) -> OpenedFile:
    """Return a file as it was read, with all columns; DataError if it cannot be read."""
    reading = choices.reading()
    form = Reading(**{name: getattr(reading, name) for name in FORM})
    section = form.section(path, MISSING)
    source = source_of(path, options_of(section))
    whole = source.table([(name, name) for name in source.columns], section, progress)
    rows = tuple(
        tuple(str(cell)[:WIDEST] for cell in row) for row in islice(source.rows(), PREVIEW)
    )
    lines, header_line, detected_options = _lines(source)
    content = source.content
    is_workbook = READERS[content.path.suffix.lower()] is excel.READER
    sheets = excel.sheet_names(content) if is_workbook else ()
    if sheets:
        detected_options["sheet"] = sheets[0]
    return OpenedFile(source, whole, rows, lines, header_line, detected_options, sheets)


def _lines(source: FileSource) -> tuple[tuple[str, ...], int | None, dict[str, str]]:
    """Return the first lines of a text file, its header line, and its detected options.

    The header line is the number, from 1, of the line with the column names; None: no such line.
    The options are the separator, the encoding and the header, each with its detected value in
    words.
    """
    reader, options = READERS[source.content.path.suffix.lower()], source.options
    if not isinstance(reader, LineReader):
        return (), 1, {}
    header_line = reader.layout(source.content, options).header
    if reader is not csvfile.READER:
        return (), header_line, {}
    dialect = dialect_of(source.content, options)
    with source.content.text(dialect.encoding, errors="replace") as text:
        lines = tuple(line.rstrip("\r\n")[:WIDEST] for line in islice(text, RAW))
    detected_options = {
        "separator": NAMES.get(dialect.separator, dialect.separator),
        "encoding": encoding_label(dialect.encoding),
        "header": f"line {header_line}" if header_line else "no line",
    }
    return lines, header_line, detected_options


def read_table(
    path: Path, choices: UserChoices, progress: Progress
) -> SourceTable | RepeatedPersonsError:
    """Read the table as the user's settings say; return the table.

    If the user has to define a person first, the error that says so is returned, not raised. Raises
    DataError for every other reason.
    """
    try:
        return read(path, choices.reading(), MISSING, progress)
    except RepeatedPersonsError as repeated:
        return repeated
