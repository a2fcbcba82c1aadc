"""The table of a lesson: the numbers on its pages, as `tools/make_lessons.py` writes them."""

from functools import cache
from pathlib import Path

from msgspec import Struct

from ..strict_text import from_json

FOLDER = Path(__file__).parent / "tables"
Number = int | float


class AxisMark(Struct, frozen=True, forbid_unknown_fields=True):
    """A labelled number on the axis of a guess, such as a bound.

    Attributes:
        at: the number.
        key: key of the sentence that labels the number.
    """

    at: Number
    key: str


class SheetTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The table that pupils fill in on the hand-out, with its answers.

    The sentences `lN-row` and `lN-column` of lesson N are its headings.

    Attributes:
        columns, rows: the numbers that head its columns and its rows.
        cells: the answers, a list for each row.
    """

    columns: tuple[Number, ...]
    rows: tuple[Number, ...]
    cells: tuple[tuple[Number, ...], ...]


class Table(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The numbers of a lesson.

    Attributes:
        lesson: number of the lesson.
        source: the runs of veilmix from which the numbers come, in words.
        seeds: seeds of the runs.
        truth: the number that pupils guess; or the number of the right answer, from 1.
        range: least and largest true number over all random draws, if it varies.
        marks: further labelled numbers on the axis.
        facts: placeholder in a sentence -> the number to fill in.
        sheet: the table that pupils fill in on the hand-out, if there is such a table.
        picture: the data of the picture that pupils drag.
    """

    lesson: int
    source: str
    seeds: tuple[int, ...]
    truth: Number
    range: tuple[Number, Number] | None = None
    marks: tuple[AxisMark, ...] = ()
    facts: dict[str, Number]
    sheet: SheetTable | None = None
    picture: dict[str, object]


@cache
def table_of(number: int) -> Table:
    """Return the table of the lesson with this number; FileNotFoundError without a file."""
    return from_json((FOLDER / f"lesson_{number}.json").read_bytes(), Table)
