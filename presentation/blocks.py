"""The building blocks of output, as plain data: a terminal and a page draw the same blocks.

Lines and tables are in `text_blocks`; here are the blocks of a page, its sections and alerts. The
templates of a page know all blocks. A figure and a table carry their numbers as CSV, in a `data:`
link that needs no script.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .text_blocks import Grid, Line, PageNumbers, Score, data_link

Level = Literal["serious", "warning", "note"]
LEVELS: tuple[Level, ...] = ("serious", "warning", "note")  # worst first
RELEASED, EXPOSED = "What was released?", "How exposed are people?"  # asked on every page


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


def as_sentences(rows: "Iterable[Score]") -> "Iterator[str]":
    """Yield rows of scores as sentences."""
    for name, value, meaning in rows:
        subject = name.removeprefix("... ")
        yield f"{subject[:1].upper()}{subject[1:]}: {value} ({meaning})."


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
