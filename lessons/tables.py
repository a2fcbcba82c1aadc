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
        key: key of the sentence below it.
    """

    at: Number
    key: str


class SheetTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The table that pupils fill in on the hand-out, with its answers.

    The sentences `lN-row` and `lN-column` of lesson N head it.

    Attributes:
        columns, rows: values of the two heads.
        cells: the answers, a list for each row.
    """

    columns: tuple[Number, ...]
    rows: tuple[Number, ...]
    cells: tuple[tuple[Number, ...], ...]


class Table(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The numbers of a lesson.

    Attributes:
        lesson: number of the lesson.
        source: the runs of veilmix from which the numbers come.
        seeds: seeds of the runs.
        truth: the number that is guessed, or the number of the right answer, from 1.
        range: least and largest truth over all draws, if it varies.
        marks: further numbers on the axis.
        facts: numbers by the placeholder of a sentence.
        sheet: the table of the hand-out, if it has such a table.
        picture: the data of the lesson's own picture.
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
