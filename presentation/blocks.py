"""The building blocks of output, as plain data: a terminal and a page draw the same blocks.

A terminal prints lines and tables (cli/text/layout.py); the templates of a page know all blocks. A
figure and a table carry their numbers as CSV, in a `data:` link that needs no script.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import fill
from typing import Literal

from ..scenarios.serialization.csv_text import csv_text
from .wording import escaped

Level = Literal["serious", "warning", "note"]
Cell = str | int | float
Score = tuple[str, str, str]  # of a table of scores: name, value, meaning
LEVELS: tuple[Level, ...] = ("serious", "warning", "note")  # worst first
RELEASED, EXPOSED = "What was released?", "How exposed are people?"  # asked on every page
VISIBLE_ROWS = 25  # rows of a table; all are in its CSV
WIDTH = 98  # characters of a folded line of words


@dataclass(frozen=True, slots=True)
class Alert:
    """A warning that a reader must not overlook.

    Attributes:
        level: how bad it is.
        rule: the check that found it.
        title: in a few words.
        text: the observation.
        todo: the remedy.
        weight: number of people concerned, or another number by which alerts of a level are
            ordered.
    """

    level: Level
    rule: str
    title: str
    text: str
    todo: str = ""
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class VerdictAnswer:
    """A question of the verdict, and its answer: a phrase and a sentence.

    Attributes:
        question: in a few words.
        short: the phrase.
        text: the sentence.
    """

    question: str
    short: str
    text: str


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
        filled = [["" if cell is None else cell for cell in row] for row in self.rows]
        return csv_text([self.headings, *filled])


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A picture (SVG, its texts escaped), its caption, and its numbers.

    Attributes:
        svg: the picture.
        caption: under it.
        numbers: that it shows.
        kind: which block it is, for the template.
    """

    svg: str
    caption: str
    numbers: PageNumbers
    kind: str = "figure"


@dataclass(frozen=True, slots=True)
class Picture:
    """An SVG of another package, shown as an image: the page accepts no foreign markup.

    Attributes:
        svg: the picture.
        caption: under the picture, and for screen readers.
        numbers: the numbers behind the picture.
        kind: which block it is, for the template.
    """

    svg: str
    caption: str
    numbers: PageNumbers
    kind: str = "picture"

    @property
    def link(self) -> str:
        """A link that holds the picture."""
        return data_link(self.svg, "image/svg+xml")


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


@dataclass(frozen=True, slots=True)
class Listing:
    """A text that is shown unchanged, such as a scenario, with the name of its file.

    Attributes:
        caption: over it.
        text: unchanged.
        file: its name, when it is saved.
        kind: which block it is, for the template.
    """

    caption: str
    text: str
    file: str
    kind: str = "listing"

    @property
    def link(self) -> str:
        """A link that holds the text."""
        return data_link(self.text, "text/plain")


@dataclass(frozen=True, slots=True)
class FigureRow:
    """Small figures side by side.

    Attributes:
        figures: from left to right.
        kind: which block it is, for the template.
    """

    figures: tuple[PageFigure, ...]
    kind: str = "row"


Block = Line | Grid | PageFigure | Picture | Listing | FigureRow


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes:
        key: its anchor.
        title: over it.
        lead: its subject, in a sentence or two.
        blocks: in order.
    """

    key: str
    title: str
    lead: str
    blocks: tuple[Block, ...]


def score_grid(
    rows: "Iterable[Score]", caption: str = "", numbers: PageNumbers | None = None
) -> Grid:
    """Return a table of scores."""
    return Grid(("score", "value", "meaning"), list(rows), (1,), caption, numbers)


def as_sentences(rows: "Iterable[Score]") -> "Iterator[str]":
    """Yield rows of scores as sentences."""
    for name, value, meaning in rows:
        subject = name.removeprefix("... ")
        yield f"{subject[:1].upper()}{subject[1:]}: {value} ({meaning})."


def titled(blocks: "Iterable[Block]") -> "Iterator[Block]":
    """Yield blocks as a terminal shows them: the caption of a table is a line above it."""
    for block in blocks:
        if isinstance(block, Grid):
            yield Line(f"\n{block.caption}")
        yield block


MarkedText = tuple[str, ...]  # parts of a sentence, some of them `Marked`


@dataclass(frozen=True, slots=True)
class SignedTable:
    """A table of the sheet under a heading.

    Attributes:
        key: of its anchor.
        title: the heading.
        headings: of the columns.
        rows: as many cells as there are headings; the first names the row.
        right: columns set flush right.
        note: under the table; may be empty.
    """

    key: str
    title: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    right: tuple[int, ...] = ()
    note: MarkedText = ()


@dataclass(frozen=True, slots=True)
class SignSheet:
    """The sheet.

    Attributes:
        verdict: two sentences or three.
        tables: in order.
        remains: the remaining risk.
        fields: for the signer to fill in.
        signers: roles of the signers.
        command: that gives the same again.
        limits: signs up to which it fits a sheet of paper at its usual size, and a size below;
            a longer text is printed still smaller.
    """

    verdict: MarkedText
    tables: tuple[SignedTable, ...]
    remains: MarkedText
    fields: tuple[str, ...]
    signers: tuple[str, ...]
    command: str
    limits: tuple[int, int]

    @property
    def signs(self) -> int:
        """Its length: signs of all texts."""
        texts = [*self.verdict, *self.remains, self.command]
        for table in self.tables:
            texts += [*table.note, *(cell for row in table.rows for cell in row)]
        return sum(map(len, texts))

    @property
    def length(self) -> Literal["", "long", "longest"]:
        """A class of the style sheet, by which it is printed smaller."""
        usual, smaller = self.limits
        return "" if self.signs <= usual else "long" if self.signs <= smaller else "longest"


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page.

    Attributes:
        title: of the page.
        about: facts under the title.
        alerts: before the verdict.
        verdict: the first questions of a reader, answered.
        sections: in order.
        knows: the readers of the page, in a sentence.
        quiet: the text in place of alerts.
        sheet: a page to sign, before all further content; None: no such page.
    """

    title: str
    about: tuple[str, ...]
    alerts: tuple[Alert, ...]
    verdict: tuple[VerdictAnswer, ...]
    sections: tuple[Section, ...]
    knows: str
    quiet: str = ""
    sheet: SignSheet | None = None


def worst_first(alerts: Sequence[Alert]) -> tuple[Alert, ...]:
    """Order alerts: by level, then the heavier first, then as they were found."""
    return tuple(sorted(alerts, key=lambda alert: (LEVELS.index(alert.level), -alert.weight)))


def slug(text: str) -> str:
    """A name that any file system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "data"


def data_link(text: str, kind: str) -> str:
    """A link that holds a text."""
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode()).decode()}"


def folded(blocks: Iterable[Block], indent: str = "") -> Iterator[Block]:
    """Yield blocks with their lines folded between words. indent: of continuations."""
    for block in blocks:
        if isinstance(block, Line) and block.text:
            text = fill(escaped(block.text), WIDTH, subsequent_indent=indent)
            yield replace(block, text=text)
        else:
            yield block
