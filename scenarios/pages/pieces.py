"""What a page is made of, as plain data: the templates know how it looks, and nothing else does.

A figure and a table carry their numbers as CSV, in a `data:` link that needs no script.
"""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ..serialization.csv_text import csv_text

Level = Literal["serious", "warning", "note"]
Cell = str | int | float
LEVELS: tuple[Level, ...] = ("serious", "warning", "note")  # worst first
RELEASED, EXPOSED = "What was released?", "How exposed are people?"  # asked on every page
SHOWN = 25  # rows of a table; all are in its CSV


@dataclass(frozen=True, slots=True)
class Alert:
    """Something a reader must not overlook. rule: which check found it. todo: what to do about it.

    weight: people it is about, or another number by which alerts of a level are ordered.
    """

    level: Level
    rule: str
    title: str
    text: str
    todo: str = ""
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the questions of the verdict, and its answer: a phrase and a sentence."""

    question: str
    short: str
    text: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """Rows of numbers under headings, which a reader may take away as `name`.csv."""

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
class Figure:
    """A picture (SVG, its texts escaped), what it shows, and its numbers."""

    svg: str
    caption: str
    numbers: Numbers
    kind: str = "figure"


@dataclass(frozen=True, slots=True)
class Marked:
    """A cell of a table with a sign beside its text. mark: a class of the style sheet."""

    text: str
    mark: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as it is read. right: columns set flush right. folded: opened by who wants it."""

    caption: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[str | Marked]]
    right: tuple[int, ...] = ()
    numbers: Numbers | None = None
    folded: bool = False
    kind: str = "grid"

    @property
    def shown(self) -> Sequence[Sequence[str | Marked]]:
        """The rows that are on the page."""
        return self.rows if len(self.rows) <= SHOWN + 5 else self.rows[:SHOWN]

    @property
    def hidden(self) -> int:
        """How many are not."""
        return len(self.rows) - len(self.shown)


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph."""

    text: str
    kind: str = "words"


@dataclass(frozen=True, slots=True)
class Listing:
    """A text that is kept as it is, such as a scenario; `file` is what it is called when saved."""

    caption: str
    text: str
    file: str
    kind: str = "listing"

    @property
    def link(self) -> str:
        """A link that holds the text."""
        return data_link(self.text, "text/plain")


@dataclass(frozen=True, slots=True)
class Row:
    """Small figures side by side."""

    figures: tuple[Figure, ...]
    kind: str = "row"


Block = Figure | Grid | Words | Listing | Row


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page. key: its anchor. lead: what it is about, in a sentence or two."""

    key: str
    title: str
    lead: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page. about: facts under the title."""

    title: str
    about: tuple[str, ...]
    alerts: tuple[Alert, ...]
    verdict: tuple[Answer, ...]
    sections: tuple[Section, ...]
    knows: str
    quiet: str = ""


def worst_first(alerts: Sequence[Alert]) -> tuple[Alert, ...]:
    """Order alerts: by level, then the heavier first, then as they were found."""
    return tuple(sorted(alerts, key=lambda alert: (LEVELS.index(alert.level), -alert.weight)))


def slug(text: str) -> str:
    """A name that any file system takes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.") or "data"


def data_link(text: str, kind: str) -> str:
    """A link that holds a text."""
    return f"data:{kind};charset=utf-8;base64,{b64encode(text.encode()).decode()}"
