"""People from a file: text, workbook, Parquet, SPSS, Stata or SAS, chosen by the file's ending.

The form of a file is detected unless the user gives it. The note of the table describes the form. A
file is read once into memory (content.py). Each mistake in a file is a DataError with file, line
and column.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from os.path import isdir
from pathlib import Path
from typing import Protocol

from ...errors import DataError
from ...protocol.wire.lines import is_line
from ...protocol.wire.schema import MAX_FEATURES, MAX_NAME
from ..schema.model import PopulationSection
from ..schema.problems import did_you_mean
from ..serialization.content import Content, content_of
from . import csvfile, excel, parquet, spreadsheet, statfile
from .column_forms import (
    NO,
    YES,
    check_forms,
    expanded_names,
    part_names,
    parts_of,
    reshaped_choices,
)
from .dates import serial_dates
from .decimals import pointed
from .encode import Encoded, Unusable, encode
from .file_options import DEFAULT_OPTIONS, FileOptions
from .footer import Skipped
from .layout import HEADER_ROW_HINT, NO_HEADER
from .line_reader import LineReader
from .people import SourceTable
from .values import composed

PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z")


class FileReader(Protocol):
    """The interface of a module that reads one kind of file.

    content: the bytes of the file. options: the user's options about its form.
    """

    def header(self, content: Content, options: FileOptions) -> tuple[str, ...]:
        """Return the names of the columns."""
        ...

    def describe(self, content: Content, options: FileOptions, left_out: Sequence[str] = ()) -> str:
        """Return the form of the file in words.

        left_out: descriptions of lines below the people that are left out.
        """
        ...

    def doubts(self, content: Content, options: FileOptions) -> tuple[str, ...]:
        """Return warnings about unclear points in the detected form."""
        ...

    def place_of_names(self, content: Content, options: FileOptions) -> str:
        """Return the place of the columns' names in the file, for messages."""
        ...

    def rows(
        self, content: Content, columns: Sequence[str], skipped: Skipped, options: FileOptions
    ) -> Iterator[Sequence[str]]:
        """Yield these columns of each row as text.

        skipped: receives the lines that are left out.
        """
        ...

    def where(self, content: Content, index: int, options: FileOptions) -> str:
        """Return the place of a row in the file, for messages. index: of the row, from 0."""
        ...


READERS: dict[str, FileReader] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), csvfile.READER),
    **dict.fromkeys((".xlsx", ".xlsm"), excel.READER),
    **dict.fromkeys(spreadsheet.KINDS, spreadsheet.READER),
    **dict.fromkeys(statfile.KINDS, statfile),
    **dict.fromkeys((".parquet", ".pq"), parquet),
}


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file of people, read once into memory: a `Source`.

    Attributes:
        content: the bytes of the file.
        options: the user's options about the form of the file.
    """

    content: Content
    options: FileOptions

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns after reshaping at the user's request. Raises DataError.

        Reshaping (column_forms.py) can replace a column by several yes-no columns.
        """
        return _asked_columns(self)

    @property
    def file_columns(self) -> tuple[str, ...]:
        """The names of the columns in the file. Raises DataError."""
        return _columns(self)

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes of the file, in hexadecimal."""
        return self.content.sha256

    def rows(self) -> Iterator[Sequence[str]]:
        """Yield every row with all columns, as text. Raises DataError."""
        names = _columns(self)
        rows = self._reader.rows(self.content, self._written(names), Skipped(), self.options)
        cells = ([composed(cell) for cell in row] for row in rows)
        if not self.options.yes_no:
            return cells
        signs = dict(self.options.yes_no)
        return (
            [
                cell
                for name, text in zip(names, row, strict=True)
                for cell in _cells(text, signs.get(name), _parts(self).get(name, ()))
            ]
            for row in cells
        )

    def where(self, index: int) -> str:
        """Return the place of a row in the file, for messages. index: of the row, from 0."""
        return self._reader.where(self.content, index, self.options)

    def table(
        self,
        chosen: Sequence[tuple[str, str]],
        section: PopulationSection,
        progress: Callable[[str], None] = lambda _stage: None,
    ) -> SourceTable:
        """Return the chosen columns as integer codes. Raises DataError.

        The last table is kept, so that a check and a later run encode the file once.

        Args:
            chosen: (name in the scenario, name in the file) of each column.
            section: the scenario's table [population].
            progress: receives the stage of reading, as text.
        """
        if not 1 <= len(chosen) <= MAX_FEATURES:
            raise DataError(
                f"{self.content.path}: {len(chosen)} columns; 1 to {MAX_FEATURES} are accepted: "
                "choose some with --columns (in a scenario: [[feature]] or population.columns)"
            )
        lacking = section.missing, section.missing_texts
        memory_key = self, self.content.path.name, tuple(chosen), lacking
        table = _last.get(memory_key)
        if table is None:
            table = self._encoded(chosen, lacking, progress)
            _last.clear()
            _last[memory_key] = table
        return table

    @property
    def _reader(self) -> FileReader:
        """The module that reads files with this ending."""
        return READERS[self.content.path.suffix.lower()]

    def _written(self, names: Sequence[str]) -> list[str]:
        """Return the names of columns in the file's own spelling.

        The file may write a letter and its accent as two characters; `names` has them in form NFC.
        """
        return [_spelled(self)[name] for name in names]

    def _encoded(
        self,
        choices: Sequence[tuple[str, str]],
        lacking: tuple[str, tuple[str, ...]],
        progress: Callable[[str], None],
    ) -> SourceTable:
        """Return the chosen columns as integer codes, reshaped if the user requests it.

        choices: (name in the scenario, name in the file) of each column. lacking: the value of an
        empty cell, and texts that mean the same as an empty cell. progress: receives the stage of
        reading.
        """
        if self.options.yes_no or self.options.sets or self.options.as_number:
            read = partial(self._as_written, lacking=lacking, progress=progress)
            return reshaped_choices(choices, self.options, _columns(self), lacking[0], read)
        return self._as_written(choices, lacking, progress)

    def _as_written(
        self,
        choices: Sequence[tuple[str, str]],
        lacking: tuple[str, tuple[str, ...]],
        progress: Callable[[str], None],
    ) -> SourceTable:
        """Return the chosen columns of the file as integer codes, without reshaping.

        choices: (name in the scenario, name in the file) of each column. lacking: the value of an
        empty cell, and texts that mean the same as an empty cell. progress: receives the stage of
        reading.
        """
        path, (ours, source_columns) = self.content.path, zip(*choices, strict=True)
        skipped = Skipped()
        try:
            written = self._written(source_columns)
            rows = self._reader.rows(self.content, written, skipped, self.options)
            encoded = encode(
                rows, ours, *lacking, lambda n: progress(f"reading {path}: {n:,} rows")
            )
        except Unusable as bad:
            raise DataError(
                f"{self.where(bad.row)}: column {source_columns[bad.column]!r}: {bad.why}"
            ) from None
        _inhabited(path, encoded)
        empty = (f"{len(skipped.empty):,} empty lines skipped",) if skipped.empty else ()
        days = serial_dates(
            source_columns,
            [[text for text in texts if text != lacking[0]] for texts in encoded.values],
        )
        doubts = self._reader.doubts(self.content, self.options)
        form = self._reader.describe(self.content, self.options, skipped.notes)
        table = SourceTable(
            name=path.stem,
            columns=ours,
            codes=encoded.codes,
            values=encoded.values,
            note=f"read from {path.name} ({form})",
            warnings=(*empty, *doubts, *skipped.warnings, *days, *encoded.odd),
            origin=encoded.rows,
            source=self,
        )
        return pointed(path, table, self.options.decimal, lacking[0])


# arguments of the last reading -> its table, to save a second reading
_last: dict[object, SourceTable] = {}


def source_of(path: Path, options: FileOptions = DEFAULT_OPTIONS) -> FileSource:
    """Return a file as a source of people. Raises DataError for an unusable file.

    options: the user's options about the form of the file.
    """
    _check_kind(path, options)
    try:
        return FileSource(content_of(path), options)
    except IsADirectoryError:
        raise DataError(f"{path}: is a folder; name a file inside it") from None
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file{_neighbour(path)}") from None
    except OSError as bad:
        raise DataError(f"{path}: cannot be read: {bad}") from None
    # raised for a name with a null byte; its text differs between Python versions
    except ValueError:
        raise DataError(f"{path}: cannot be read: no file can have this name") from None


def _columns(source: FileSource) -> tuple[str, ...]:
    """Return the names of the file's columns in Unicode form NFC, so that equal names match."""
    return tuple(_spelled(source))


@lru_cache(maxsize=2)
def _spelled(source: FileSource) -> dict[str, str]:
    """Return a mapping from each column's name (form NFC) to its spelling in the file.

    Raises DataError for names that cannot be used.
    """
    path = source.content.path
    reader = READERS[path.suffix.lower()]
    written = reader.header(source.content, source.options)
    names = [composed(name) for name in written]
    _check_names(lambda: reader.place_of_names(source.content, source.options), names)
    check_forms(path, names, source.options)
    return dict(zip(names, written, strict=True))


def _asked_columns(source: FileSource) -> tuple[str, ...]:
    """Return the names of the columns after reshaping, where a column may become several."""
    names = _columns(source)
    if not source.options.yes_no:
        return names
    column_names = expanded_names(names, _parts(source))
    _check_names(lambda: str(source.content.path), column_names)
    return column_names


@lru_cache(maxsize=2)
def _parts(source: FileSource) -> dict[str, tuple[str, ...]]:
    """Return, for each column to be replaced by yes-no columns, the different answers in its cells.

    A cell holds several answers with a sign between them; each answer becomes a column.
    """
    plain = FileSource(source.content, replace(source.options, sets=(), yes_no=(), as_number=()))
    parts = {}
    for name, sign in source.options.yes_no:
        table = plain.table([(name, name)], PopulationSection(source="", missing=""))
        parts[name] = part_names(source.content.path, name, sign, table.values[0])
    return parts


def _cells(text: str, sign: str | None, parts: Sequence[str]) -> Iterator[str]:
    """Yield a cell, or for a column of several answers a cell "yes" or "no" for each answer.

    sign: stands between two answers; None: the column is not replaced. parts: all answers.
    """
    if sign is None:
        yield text
    else:
        cell_parts = parts_of(text, sign)
        yield from (YES if part in cell_parts else NO for part in parts)


def _check_names(where: Callable[[], str], names: Sequence[str]) -> None:
    """Raise DataError for a column without a usable name, or two columns of the same name.

    where: returns the place of the names in the file.
    """
    for place, name in enumerate(names, start=1):
        if not name or len(name.encode()) > MAX_NAME or not is_line(name):
            text = f"is called {name[:40]!r}" if name else "has no name"
            raise DataError(
                f"{where()}: column {place} {text}; a name of 1 to {MAX_NAME} printable bytes is "
                f"accepted: write one into the file; {HEADER_ROW_HINT}; {NO_HEADER}"
            )
        if name in names[: place - 1]:
            raise DataError(
                f"{where()}: two columns are called {name!r} "
                f"(columns {names.index(name) + 1} and {place}); give each a name of its own; "
                f"{HEADER_ROW_HINT}"
            )


def _inhabited(path: Path, encoded: Encoded) -> None:
    """Raise DataError if the file has no people."""
    if len(encoded.codes):
        return
    if encoded.dropped:
        raise DataError(
            f"{path}: every one of its {encoded.dropped:,} rows has an empty cell, so drop-row "
            "leaves no people; set missing to a name for empty cells instead"
        )
    raise DataError(f"{path}: a header, but no people; one line for each person is needed")


def _check_kind(path: Path, options: FileOptions) -> None:
    """Raise DataError for an unknown ending, or an option that this kind of file lacks."""
    reader = READERS.get(path.suffix.lower())
    if reader is None and isdir(path):  # noqa: PTH112 - Path.is_dir fails for very long names
        raise DataError(f"{path}: is a folder; name a file inside it")
    if reader is None:
        unpack = "; unpack it first" if path.suffix.lower() in PACKED else ""
        raise DataError(f"{path}: {', '.join(READERS)} files are accepted{unpack}")
    keys = ("encoding",) if reader is statfile else ()
    if isinstance(reader, LineReader):
        form_keys = ("separator", "encoding") if reader is csvfile.READER else ("sheet",)
        keys = (*form_keys, "header", "header_row", "last_row")
    for key in ("separator", "encoding", "sheet", "header", "header_row", "last_row"):
        setting = getattr(options, key)
        if setting is not None and key not in keys:
            raise DataError(f"{path}: {key} = {setting!r}, but a {path.suffix} file has no {key}")


def _neighbour(path: Path) -> str:
    """Return ` (did you mean ...?)` with a similar file of the same folder, or an empty text."""
    if not path.parent.is_dir():
        return ""
    tables = [
        sibling.name for sibling in path.parent.iterdir() if sibling.suffix.lower() in READERS
    ]
    return did_you_mean(path.name, sorted(tables))
