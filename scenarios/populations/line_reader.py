"""The reader of people from the lines of a text file, or the rows of a sheet.

The modules csvfile.py, excel.py and spreadsheet.py return the lines of their kind of file. The
steps that all kinds share are here: detect the layout in the first lines (layout.py), leave out
totals and notes at the end (footer.py), and check each line.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import dropwhile, islice
from pathlib import Path
from typing import Protocol

from ...errors import DataError
from ..serialization.content import Content
from .file_options import DEFAULT_OPTIONS, FileOptions
from .footer import Skipped, without_footer
from .format_line import Opening
from .layout import Layout, lay_out


@dataclass(frozen=True, slots=True)
class FileHead:
    """The beginning of a file, and a description of its form.

    Attributes:
        opening: the first lines of the table.
        about: the part of the description before the layout.
        more: the part of the description after the layout.
        filled: (index of a column with cells merged downwards, the last line of these cells).
    """

    opening: Opening
    about: str
    more: str = ""
    filled: tuple[tuple[int, int], ...] = ()


class LineForm(Protocol):
    """The interface of a kind of file that consists of lines: text, workbook or spreadsheet."""

    def head(self, content: Content, options: FileOptions) -> FileHead:
        """Return the beginning of a file; `opening.lines` is empty for an empty file."""
        ...

    def lines(self, content: Content, options: FileOptions) -> Iterator[tuple[int, list[str]]]:
        """Yield each line with its number, [] for an empty line."""
        ...

    def check(self, content: Content, names: Mapping[int, str], options: FileOptions) -> None:
        """Raise DataError for a formula without a stored value.

        names: the name of each column to read, by its index.
        """
        ...

    def place(self, path: Path, number: int) -> str:
        """Return the place of a line for messages, as `people.csv:3`."""
        ...

    def ragged(
        self, content: Content, number: int, cells: list[str], layout: Layout, options: FileOptions
    ) -> list[str]:
        """Return a line with too few or too many cells, filled or cut to the width of the layout.

        number: of the line, from 1. Raises DataError if the line lacks a value, or has a value too
        many.
        """
        ...


@dataclass(frozen=True)
class LineReader:
    """A `FileReader` for files that consist of lines.

    Attributes:
        form: the functions for this kind of file.
    """

    form: LineForm

    def layout(self, content: Content, options: FileOptions = DEFAULT_OPTIONS) -> Layout:
        """Return the layout of a file: lines and columns of names and people. Raises DataError."""
        return _layout(self, content, options)

    def header(self, content: Content, options: FileOptions = DEFAULT_OPTIONS) -> tuple[str, ...]:
        """Return the names of the columns. Raises DataError."""
        return self.layout(content, options).names

    def place_of_names(self, content: Content, options: FileOptions = DEFAULT_OPTIONS) -> str:
        """Return the place of the header, for messages."""
        number = _layout(self, content, options).header or 1
        return self.form.place(content.path, number)

    def describe(
        self, content: Content, options: FileOptions = DEFAULT_OPTIONS, left_out: Sequence[str] = ()
    ) -> str:
        """Return the form of the file in words.

        left_out: descriptions of lines below the people that are left out.
        """
        head, layout = self.form.head(content, options), _layout(self, content, options)
        filled = [
            layout.names[layout.places.index(place)]
            for place, last in head.filled
            if place in layout.places and last > layout.preamble_end
        ]
        merged = [f"merged cells filled down in {', '.join(filled)}"] if filled else []
        return ", ".join([head.about, *layout.notes, *merged, *left_out]) + head.more

    def doubts(self, content: Content, options: FileOptions = DEFAULT_OPTIONS) -> tuple[str, ...]:
        """Return warnings about the detected layout."""
        return _layout(self, content, options).warnings

    def rows(
        self,
        content: Content,
        columns: Sequence[str],
        skipped: Skipped,
        options: FileOptions = DEFAULT_OPTIONS,
    ) -> Iterator[Sequence[str]]:
        """Yield these columns of each row as text.

        skipped: receives the lines that are left out. Raises DataError for a line that does not fit
        the header.
        """
        layout = _layout(self, content, options)
        places = [layout.places[layout.names.index(column)] for column in columns]
        all_of_it = places == list(range(layout.width))
        self.form.check(content, dict(zip(places, columns, strict=True)), options)
        width, nameless = layout.width, layout.nameless
        for number, row in self._people(content, options, layout, skipped):
            if len(row) != width:
                if not row:
                    skipped.empty.append(number)
                    continue
                row = self.form.ragged(content, number, row, layout, options)  # noqa: PLW2901
            if nameless:
                self._check_empty(content, number, row, layout)
            yield row if all_of_it else [row[place] for place in places]

    def where(self, content: Content, index: int, options: FileOptions = DEFAULT_OPTIONS) -> str:
        """Return the place of a row in the file, for messages. index: of the row, from 0."""
        people = self._people(content, options, _layout(self, content, options), Skipped())
        full = (number for number, row in people if row)
        return self.form.place(content.path, next(islice(full, index, None)))

    def _people(
        self, content: Content, options: FileOptions, layout: Layout, skipped: Skipped
    ) -> Iterator[tuple[int, list[str]]]:
        """Yield the lines of people with their numbers, without totals and notes at the end.

        layout: the lines and columns of the file. skipped: receives the lines that are left out.
        """
        lines = self.form.lines(content, options)
        below = dropwhile(lambda line: line[0] <= layout.preamble_end, lines)
        word = self.form.head(content, options).opening.word
        if options.last_row is not None:
            return _down_to(below, options.last_row, word, skipped)
        if layout.header is None:
            return below
        return without_footer(below, word, layout.width, skipped)

    def _check_empty(
        self, content: Content, number: int, row: Sequence[str], layout: Layout
    ) -> None:
        """Raise DataError for a filled cell in a column without a name. number: of the line."""
        for place in layout.nameless:
            if row[place].strip():
                last = max(layout.places)
                description = (
                    f"a cell beyond the {last + 1} columns of the header"
                    if place > last
                    else f"a cell in column {place + 1}, which has no name"
                )
                raise DataError(
                    f"{self.form.place(content.path, number)}: {description}: "
                    f"{row[place].strip()[:40]!r}"
                    "; write a name into the header, or take the cell out"
                )


@lru_cache(maxsize=4)
def _layout(reader: LineReader, content: Content, options: FileOptions) -> Layout:
    """Return the layout of a file; empty columns left of the table are left out."""
    opening = reader.form.head(content, options).opening
    lines = opening.lines
    offset = 0
    while all(len(line.cells) > offset + 1 and not line.cells[offset] for line in lines):
        offset += 1
    if not offset or options.header is False:
        return lay_out(content.path, opening, options)
    shifted = [replace(line, cells=line.cells[offset:]) for line in lines]
    across = {number: texts[offset:] for number, texts in opening.across.items()}
    opening = replace(opening, lines=shifted, across=across, offset=offset)
    layout = lay_out(content.path, opening, options)
    return replace(
        layout,
        places=tuple(place + offset for place in layout.places),
        nameless=(*range(offset), *(place + offset for place in layout.nameless)),
        width=layout.width + offset,
    )


def _down_to(
    lines: Iterator[tuple[int, list[str]]], last: int, word: str, skipped: Skipped
) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines down to the line that the user gave as the last line of the table.

    last: its number. word: "line" or "row". skipped: receives a note on the lines left out.
    """
    for line in lines:
        if line[0] > last:
            skipped.notes.append(f"{word}s below {word} {last} left out")
            return
        yield line
