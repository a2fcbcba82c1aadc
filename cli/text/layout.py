"""Print functions for the output of commands: text and tables for people, JSON and CSV.

On a terminal a table is as wide as the terminal. In a pipe or a file it is as wide as it needs to
be, and never cut. Colour is used only on a terminal, and not if NO_COLOR is set.
"""

import re
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from os import PathLike
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import click
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...installation import missing
from ...presentation.text_blocks import Grid, Line, PageNumbers
from ...presentation.wording import escaped
from .capture import current_capture, note_grid, note_line

if TYPE_CHECKING:
    from ...presentation.blocks import Block

PIPED = 100_000  # characters: width of the console in a pipe, so wide that no table is cut
MOST_PIPED = 118  # characters: longest line of words in a pipe
LEAST_FOLDED = 28  # characters: smallest width to which a column of words is wrapped
PART_GAP = re.compile(
    r"(?<=\S) {3}(?=\S)"
)  # three spaces separate parts of a line; a line that is too long is first broken at these gaps
FORMATS = ("table", "json", "csv")

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="Form of the output: a table for people, JSON or CSV for programs.",
)


class PipeConsole(Console):
    """A rich console that raises BrokenPipeError if the program that reads its pipe has ended.

    Rich itself would exit the process with its own code; veilmix chooses the exit code in app.py.
    """

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError for app.py; rich calls this method if the pipe is closed."""
        self.quiet = True
        raise BrokenPipeError


def page(*, err: bool = False) -> PipeConsole:
    """Return a console that prints to stdout, or to stderr.

    Inside `capturing` (capture.py) the console writes to the captured output.

    err: print to stderr.
    """
    if (capture := current_capture()) is not None:
        return PipeConsole(
            file=capture.err if err else capture.out,
            width=PIPED,
            markup=False,
            emoji=False,
            highlight=False,
            color_system=None,
        )
    stream = sys.stderr if err else sys.stdout
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")  # print ? for a letter that the encoding lacks
    width = None if stream.isatty() else PIPED
    return PipeConsole(file=stream, width=width, markup=False, emoji=False, highlight=False)


def say(console: PipeConsole, text: str | Text = "", style: str | None = None) -> None:
    """Print one or more lines.

    A terminal wraps a long line itself. In a pipe or a file the line is broken between words; a
    text without blanks (a path, a name) stays whole. style: colour and weight on a terminal, in the
    words of the library rich.
    """
    note_line(console.file, str(text), style)
    if isinstance(text, str) and not console.is_terminal:
        text = "\n".join(map(broken, text.split("\n")))
    console.print(text, style=style, soft_wrap=True)


def broken(line: str) -> str:
    """Break a line that is too long for a pipe: at gaps of three spaces, or else between words.

    Continuation lines are indented by two more characters.
    """
    if len(line) <= MOST_PIPED:
        return line
    start = line[: len(line) - len(line.lstrip())]
    parts = PART_GAP.split(line.strip())
    if len(parts) > 1:
        continuations = (f"{start}  {part}" for part in parts[1:])
        return "\n".join(map(broken, [start + parts[0], *continuations]))
    return fill(
        line,
        MOST_PIPED,
        subsequent_indent=start + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def saved(console: PipeConsole, folder: str | PathLike[str], picture: str) -> None:
    """Print the folder of saved results, the picture in it, and the next command.

    Without a picture, print how to install the library that draws it. picture: name of the file.
    """
    folder = Path(folder)
    file = folder / picture
    drawn = f"   picture: {file}" if file.is_file() else ""
    say(console, f"\nsaved {folder}/{drawn}   next: veilmix report {folder}")
    if not drawn:
        say(console, missing("report", "a picture"))


def show(console: PipeConsole, blocks: Iterable["Block"]) -> None:
    """Print blocks of lines and tables, one below the other; pictures are left out."""
    for block in blocks:
        if isinstance(block, Line):
            say(console, clean(block.text), style=block.style)
        elif isinstance(block, Grid):
            lay_out(console, block)


def lay_out(console: PipeConsole, grid: Grid) -> None:
    """Print a table without borders; in a pipe the widest column with words is wrapped.

    The table then has lines of at most MOST_PIPED characters, if that is possible.
    """
    note_grid(console.file, grid)
    table = Table(box=None, pad_edge=True, header_style="bold")
    fold = {} if console.is_terminal else _folded(grid)
    for place, heading in enumerate(grid.headings):
        side = "right" if place in grid.right else "left"
        width = fold.get(place)
        table.add_column(heading, justify=side, overflow="fold", width=width)  # type: ignore[arg-type]
    for row in grid.rows:
        table.add_row(*(cell if isinstance(cell, Text) else clean(str(cell)) for cell in row))
    with console.capture() as drawn:
        console.print(table)
    console.file.write("".join(line.rstrip() + "\n" for line in drawn.get().splitlines()))


def _folded(grid: Grid) -> dict[int, int]:
    """Return the index and new width of the column that is wrapped so that a table is not too wide.

    In a pipe or file a line of words has at most MOST_PIPED characters. The widest column with
    words is wrapped. The result is empty if the table fits, or if that column would become too
    narrow.
    """
    texts = [
        [heading, *map(str, column)]
        for heading, column in zip(grid.headings, _columns(grid), strict=True)
    ]
    widths = [max(map(cell_len, column)) for column in texts]
    excess = sum(widths) + 2 * len(widths) - MOST_PIPED
    words = [
        place
        for place, column in enumerate(texts)
        if place not in grid.right and any(" " in text for text in column[1:])
    ]
    if excess <= 0 or not words:
        return {}
    widest = max(words, key=lambda place: widths[place])
    width = widths[widest] - excess
    return {widest: width} if width >= LEAST_FOLDED else {}


def _columns(grid: Grid) -> list[list[object]]:
    """Return the cells of a table column by column."""
    return [[row[place] for row in grid.rows] for place in range(len(grid.headings))]


def write_csv(grid: "Grid | PageNumbers") -> None:
    """Print a table as CSV, headings first."""
    from ...scenarios.serialization.csv_text import csv_text

    write_text(csv_text([grid.headings, *grid.rows]))


def write_json(data: object) -> None:
    """Print records or plain data as JSON; escaped on a terminal that cannot show all letters."""
    from ...scenarios.serialization.json_text import pretty
    from ...scenarios.serialization.record import plain

    write_text(pretty(plain(data), ascii_only=not _takes_unicode()))


def write_text(text: str) -> None:
    """Print text for a program: in UTF-8 in a pipe or a file, regardless of the environment."""
    stream = sys.stdout
    if isinstance(stream, TextIOWrapper) and not stream.isatty():
        stream.reconfigure(encoding="utf-8")
    stream.write(text)


def _takes_unicode() -> bool:
    """Whether stdout can show all letters: it is a pipe or file, or a terminal in UTF-8."""
    stream = sys.stdout
    if isinstance(stream, TextIOWrapper) and not stream.isatty():
        return True
    return (stream.encoding or "ascii").lower().replace("-", "") == "utf8"


def clean(text: str) -> str:
    """Escape the control characters of a text, which a terminal would obey."""
    return escaped(text)
