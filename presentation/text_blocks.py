"""Lines of text and tables: the blocks of output that a terminal and a page both show.

Every command loads this module before it prints, so the module imports little. Blocks that only a
page shows are in `blocks`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import TypeVar

from .wording import escaped

B = TypeVar("B")  # any type of block
Cell = str | int | float
Score = tuple[str, str, str]  # name, value and meaning in a table of scores
# rows that a page shows of a table with over 5 rows more; its CSV file has all rows
VISIBLE_ROWS = 25
WIDTH = 98  # characters of a line of text in a terminal


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """The numbers behind a figure or table, which the reader of a page can save as a CSV file.

    Attributes:
        name: name of the file, without its ending.
        headings: headings of the columns.
        rows: a row of cells for each record, unrounded; None: an empty cell.
    """

    name: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell | None]]

    @property
    def file(self) -> str:
        """The name of the CSV file, safe for every file system."""
        return f"{slug(self.name)}.csv"

    @property
    def link(self) -> str:
        """A `data:` link that holds the CSV file, so that a page needs no second file."""
        return data_link(self.text, "text/csv")

    @property
    def text(self) -> str:
        """The content of the CSV file."""
        from ..scenarios.serialization.csv_text import csv_text

        filled = [["" if cell is None else cell for cell in row] for row in self.rows]
        return csv_text([self.headings, *filled])


class Marked(str):
    """A text with a judgement such as `good` or `bad`; a page shows it as a sign and a colour.

    A terminal prints the text alone.

    Attributes:
        mark: the judgement, as a class of the style sheet.
    """

    __slots__ = ("mark",)
    mark: str

    def __new__(cls, text: str, mark: str) -> "Marked":
        """Return the text with a mark: a class of the style sheet, such as `good` or `bad`."""
        marked = super().__new__(cls, text)
        marked.mark = mark
        return marked


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of output: headings, and rows of texts or numbers.

    Attributes:
        headings: headings of the columns.
        rows: the rows; each has as many cells as there are headings.
        right: indices of the columns that are aligned right.
        caption: the text over the table on a page.
        numbers: the same table, unrounded, as CSV; None: no CSV is offered.
        folded: whether the table is closed until the reader of a page opens it.
        kind: the kind of block, by which a template chooses its markup.
    """

    headings: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    right: tuple[int, ...] = ()
    caption: str = ""
    numbers: PageNumbers | None = None
    folded: bool = False
    kind: str = "grid"

    @property
    def visible_rows(self) -> Sequence[Sequence[object]]:
        """The rows that a page shows: all, or the first `VISIBLE_ROWS` of a long table.

        A table is long if it has over 5 rows more than that. The CSV file has all rows.
        """
        return self.rows if len(self.rows) <= VISIBLE_ROWS + 5 else self.rows[:VISIBLE_ROWS]

    @property
    def hidden(self) -> int:
        """The number of rows that a page does not show."""
        return len(self.rows) - len(self.visible_rows)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text in a terminal, and a paragraph on a page.

    Attributes:
        text: the text, without a line end.
        style: the style in a terminal, such as `dim` or `bold red`; a page ignores it.
        kind: the kind of block, by which a template chooses its markup.
    """

    text: str = ""
    style: str | None = None
    kind: str = "words"


def score_grid(
    rows: "Iterable[Score]", caption: str = "", numbers: PageNumbers | None = None
) -> Grid:
    """Return a table of scores, each with its name, value and meaning.

    caption: the text over the table. numbers: the same table, unrounded, as CSV; None: no CSV.
    """
    return Grid(("score", "value", "meaning"), list(rows), (1,), caption, numbers)


def titled(blocks: Iterable[B]) -> Iterator[B | Line]:
    """Yield blocks for a terminal, with a line for the caption before each table."""
    for block in blocks:
        if isinstance(block, Grid):
            yield Line(f"\n{block.caption}")
        yield block


def slug(text: str) -> str:
    """Turn a text into a file name that every file system accepts."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "data"


def data_link(text: str, kind: str) -> str:
    """Return a `data:` link that holds a text. kind: its media type, such as `text/csv`."""
    from base64 import b64encode

    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode()).decode()}"


def folded(blocks: Iterable[B], indent: str = "") -> Iterator[B | Line]:
    """Yield blocks with long lines broken between words at `WIDTH` characters.

    indent: put before each continuation of a broken line.
    """
    for block in blocks:
        if isinstance(block, Line) and block.text:
            text = fill(escaped(block.text), WIDTH, subsequent_indent=indent)
            yield replace(block, text=text)
        else:
            yield block
