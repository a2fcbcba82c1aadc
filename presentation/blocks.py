"""The building blocks of output, as plain data: a terminal and a page show the same blocks.

Lines and tables are in `text_blocks`; this module has the blocks of a page, its sections and its
alerts. The templates of a page can draw each block. A figure and a table carry their numbers as
CSV, in a `data:` link that needs no script.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .text_blocks import Grid, Line, PageNumbers, Score, data_link

Level = Literal["serious", "warning", "note"]
# levels of alerts, the most serious first
LEVELS: tuple[Level, ...] = ("serious", "warning", "note")
# questions that every page of a run answers at its top
RELEASED, EXPOSED = "What was released?", "How exposed are people?"


@dataclass(frozen=True, slots=True)
class Alert:
    """A warning about a result, shown above everything else on a page.

    Attributes:
        level: severity: serious, warning or note.
        rule: key of the check that raised the alert, such as `rare`.
        title: the warning in a few words.
        text: the observation, with its numbers.
        todo: the remedy; may be empty.
        weight: number of people concerned, or another number that orders alerts of a level; the
            largest comes first.
    """

    level: Level
    rule: str
    title: str
    text: str
    todo: str = ""
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class VerdictAnswer:
    """A question that a reader of a page asks first, with its answer, shown at the top of the page.

    Attributes:
        question: the question, such as `How exposed are people?`.
        short: the answer as a phrase.
        text: the answer in a sentence or more, with its numbers.
    """

    question: str
    short: str
    text: str


@dataclass(frozen=True, slots=True)
class PageFigure:
    """A figure of a page: a picture that veilmix draws, with its caption and the numbers behind it.

    Attributes:
        svg: the picture as SVG; all texts in it are escaped.
        caption: the text under the picture.
        numbers: the numbers that the picture shows, as CSV.
        kind: the kind of block, by which a template chooses its markup.
    """

    svg: str
    caption: str
    numbers: PageNumbers
    kind: str = "figure"


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure that another package drew, shown as an image: its SVG is not made part of the page.

    Attributes:
        svg: the picture as SVG, not checked by veilmix.
        caption: the text under the picture, and for screen readers.
        numbers: the numbers behind the picture, as CSV.
        kind: the kind of block, by which a template chooses its markup.
    """

    svg: str
    caption: str
    numbers: PageNumbers
    kind: str = "picture"

    @property
    def link(self) -> str:
        """A `data:` link to the picture: scripts do not run in an SVG that is an image."""
        return data_link(self.svg, "image/svg+xml")


@dataclass(frozen=True, slots=True)
class Listing:
    """A text shown unchanged, such as a scenario file, which the reader of a page can save.

    Attributes:
        caption: the text over the listing.
        text: the text, unchanged.
        file: name of the file under which it is saved.
        kind: the kind of block, by which a template chooses its markup.
    """

    caption: str
    text: str
    file: str
    kind: str = "listing"

    @property
    def link(self) -> str:
        """A `data:` link that holds the text, so that a reader can save it."""
        return data_link(self.text, "text/plain")


@dataclass(frozen=True, slots=True)
class FigureRow:
    """Small figures that stand side by side.

    Attributes:
        figures: the figures, from left to right.
        kind: the kind of block, by which a template chooses its markup.
    """

    figures: tuple[PageFigure, ...]
    kind: str = "row"


Block = Line | Grid | PageFigure | Picture | Listing | FigureRow


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a page: a heading, an introduction and blocks.

    Attributes:
        key: the anchor, for links within the page.
        title: the heading.
        lead: the introduction: the subject and the terms of the section, in a sentence or two.
        blocks: tables, figures and texts, in order.
    """

    key: str
    title: str
    lead: str
    blocks: tuple[Block, ...]


def as_sentences(rows: "Iterable[Score]") -> "Iterator[str]":
    """Yield each row of a table of scores as a sentence, `Name: value (meaning).`, for a page."""
    for name, value, meaning in rows:
        subject = name.removeprefix("... ")
        yield f"{subject[:1].upper()}{subject[1:]}: {value} ({meaning})."


MarkedText = tuple[str, ...]  # parts of a sentence; a part of the class `Marked` is emphasized


@dataclass(frozen=True, slots=True)
class SignedTable:
    """A table on the sheet to sign (`SignSheet`), under a numbered heading.

    Attributes:
        key: the anchor of the table.
        title: the heading.
        headings: headings of the columns.
        rows: the rows; each has as many cells as there are headings, and the first names the row.
        right: indices of the columns that are aligned right.
        note: the text under the table; may be empty.
    """

    key: str
    title: str
    headings: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    right: tuple[int, ...] = ()
    note: MarkedText = ()


@dataclass(frozen=True, slots=True)
class SignSheet:
    """A sheet that a person signs before a table is released: results, remaining risk, signatures.

    Attributes:
        verdict: the result in two or three sentences.
        tables: files, columns, thresholds and questions, in order.
        remains: the remaining risk, in sentences.
        fields: names of the fields for the signer to fill in.
        signers: roles of the signers.
        command: the command that gives the same result again.
        limits: numbers of characters up to which the text fits a sheet of paper at the usual size,
            and at a smaller size; a longer text is printed still smaller.
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
        """The number of characters of all texts, which decides the size of print."""
        texts = [*self.verdict, *self.remains, self.command]
        for table in self.tables:
            texts += [*table.note, *(cell for row in table.rows for cell in row)]
        return sum(map(len, texts))

    @property
    def length(self) -> Literal["", "long", "longest"]:
        """The size of print as a class of the style sheet: usual (""), smaller, or smallest."""
        usual, smaller = self.limits
        return "" if self.signs <= usual else "long" if self.signs <= smaller else "longest"


@dataclass(frozen=True, slots=True)
class Page:
    """The content of a whole page, without markup: report/ writes it as HTML.

    Attributes:
        title: the title of the page.
        about: facts under the title, in phrases.
        alerts: warnings, before the verdict.
        verdict: the first questions of a reader, answered.
        sections: the sections, in order.
        knows: a sentence on the confidential data in the page, so that its owner can choose the
            readers of the page.
        quiet: the text shown if there are no alerts.
        sheet: a sheet to sign, before all further content; None: no such sheet.
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
    """Order alerts by level, serious alerts first, and within a level by falling weight."""
    return tuple(sorted(alerts, key=lambda alert: (LEVELS.index(alert.level), -alert.weight)))
