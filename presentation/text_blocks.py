"""Lines of text and tables: the blocks that a terminal draws, and a page besides others.

A command loads this file before it prints anything, so it imports little. Other blocks: `blocks`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import TypeVar

from .wording import escaped

B = TypeVar("B")  # any block
Cell = str | int | float
Score = tuple[str, str, str]  # of a table of scores: name, value, meaning
VISIBLE_ROWS = 25  # rows of a table; all are in its CSV
WIDTH = 98  # characters of a folded line of words


@dataclass(frozen=True, slots=True)
class PageNumbers:
    """Rows of numbers under headings, which a reader can save as `name`.csv.

    Attributes:
        name: of the file, without its ending.
        headings: of the columns.
        rows: unrounded; None: an empty cell.
    """

    name: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[Cell | None]]

    @property
    def file(self) -> str:
        """The name of the file."""
        return f"{slug(self.name)}.csv"

    @property
    def link(self) -> str:
        """A link that holds the file."""
        return data_link(self.text, "text/csv")

    @property
    def text(self) -> str:
        """The file."""
        from ..scenarios.serialization.csv_text import csv_text

        filled = [["" if cell is None else cell for cell in row] for row in self.rows]
        return csv_text([self.headings, *filled])


class Marked(str):
    """A text with a sign beside it, in a cell of a table or in a sentence.

    Attributes:
        mark: a class of the style sheet.
    """

    __slots__ = ("mark",)
    mark: str

    def __new__(cls, text: str, mark: str) -> "Marked":
        """Return the text with its sign."""
        marked = super().__new__(cls, text)
        marked.mark = mark
        return marked


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: a heading a column, rows of texts or numbers.

    Attributes:
        headings: of the columns.
        rows: as many cells as there are headings.
        right: columns set flush right.
        caption: over it, on a page.
        numbers: the same, unrounded; None: there is no CSV.
        folded: closed until the reader of a page opens it.
        kind: which block it is, for the template.
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
        """The rows that are on the page."""
        return self.rows if len(self.rows) <= VISIBLE_ROWS + 5 else self.rows[:VISIBLE_ROWS]

    @property
    def hidden(self) -> int:
        """The number of rows that are not shown."""
        return len(self.rows) - len(self.visible_rows)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text in a terminal, a paragraph on a page.

    Attributes:
        text: without its end.
        style: how a terminal shows it, such as `dim` or `bold red`.
        kind: which block it is, for the template.
    """

    text: str = ""
    style: str | None = None
    kind: str = "words"


def score_grid(
    rows: "Iterable[Score]", caption: str = "", numbers: PageNumbers | None = None
) -> Grid:
    """Return a table of scores."""
    return Grid(("score", "value", "meaning"), list(rows), (1,), caption, numbers)


def titled(blocks: Iterable[B]) -> Iterator[B | Line]:
    """Yield blocks as a terminal shows them: the caption of a table is a line above it."""
    for block in blocks:
        if isinstance(block, Grid):
            yield Line(f"\n{block.caption}")
        yield block


def slug(text: str) -> str:
    """A name that any file system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "data"


def data_link(text: str, kind: str) -> str:
    """A link that holds a text."""
    from base64 import b64encode

    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode()).decode()}"


def folded(blocks: Iterable[B], indent: str = "") -> Iterator[B | Line]:
    """Yield blocks with their lines folded between words. indent: of continuations."""
    for block in blocks:
        if isinstance(block, Line) and block.text:
            text = fill(escaped(block.text), WIDTH, subsequent_indent=indent)
            yield replace(block, text=text)
        else:
            yield block
