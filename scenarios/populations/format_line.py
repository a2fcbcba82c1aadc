"""The first lines of a table's file, from which the layout is detected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class OpeningLine:
    """A line of a file, or a row of a sheet, with at least one filled cell.

    Attributes:
        number: the number of the line, from 1.
        cells: the texts of the cells, without the spaces around them.
    """

    number: int
    cells: tuple[str, ...]

    @property
    def full(self) -> int:
        """The number of filled cells."""
        return sum(map(bool, self.cells))


@dataclass(frozen=True, slots=True)
class Opening:
    """The first lines of a file, with facts about their form.

    Attributes:
        word: the word for a line in messages: `line` of a text, `row` of a sheet.
        lines: the lines that are not empty.
        marked: whether the first cell of each line is quoted, as R quotes the names of rows.
        across: line number -> its cells, with merged cells filled to the right.
        doubts: warnings about the separator.
        offset: number of empty columns before the first filled cell of these lines.
    """

    word: str
    lines: Sequence[OpeningLine]
    marked: bool = False
    across: Mapping[int, Sequence[str]] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    offset: int = 0
