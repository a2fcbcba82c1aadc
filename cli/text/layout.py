"""Where output goes: text and tables for people, JSON and CSV for programs.

On a terminal a table is as wide as the terminal; in a pipe or a file it is as wide as it needs to
be, and never cut. Colour only on a terminal, and not where NO_COLOR is set.
"""

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from textwrap import fill
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ...scenarios.wording import many, percent

__all__ = [
    "FORMATS",
    "Grid",
    "Page",
    "clean",
    "format_option",
    "lay_out",
    "many",
    "page",
    "percent",
    "say",
    "write_csv",
    "write_json",
]

PIPED = 100_000  # characters: no table is wider
MOST_PIPED = 118  # characters of a line of words in a pipe
FORMATS = ("table", "json", "csv")

format_option = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="table",
    show_default=True,
    help="For people, or for programs.",
)


class Page(Console):
    """A console that says by an exception that its reader has left."""

    def on_broken_pipe(self) -> None:
        """Let app.py end the process."""
        self.quiet = True
        raise BrokenPipeError


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: a heading a column, rows of text or numbers. `right`: columns flush right."""

    headings: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    right: tuple[int, ...] = ()


def page(*, err: bool = False) -> Page:
    """Give the console for stdout, or stderr."""
    stream = sys.stderr if err else sys.stdout
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(errors="replace")  # where there is no sign for a letter, show ?
    width = None if stream.isatty() else PIPED
    return Page(file=stream, width=width, markup=False, emoji=False, highlight=False)


def say(console: Page, text: str | Text = "", style: str | None = None) -> None:
    """Print a line, or several.

    What does not fit is left to the terminal to wrap; in a pipe or a file, which cannot, a line is
    broken between words, and what has none stays whole (a path, a name).
    """
    if isinstance(text, str) and not console.is_terminal:
        text = "\n".join(map(broken, text.split("\n")))
    console.print(text, style=style, soft_wrap=True)


def broken(line: str) -> str:
    """Break a line between words into lines that fit; those after the first are indented by two."""
    if len(line) <= MOST_PIPED:
        return line
    start = line[: len(line) - len(line.lstrip())]
    return fill(
        line,
        MOST_PIPED,
        subsequent_indent=start + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def lay_out(console: Page, grid: Grid) -> None:
    """Print a table without borders."""
    table = Table(box=None, pad_edge=True, header_style="bold")
    for place, heading in enumerate(grid.headings):
        side = "right" if place in grid.right else "left"
        table.add_column(heading, justify=side, overflow="fold")  # type: ignore[arg-type]
    for row in grid.rows:
        table.add_row(*(cell if isinstance(cell, Text) else clean(str(cell)) for cell in row))
    with console.capture() as drawn:
        console.print(table)
    console.file.write("".join(line.rstrip() + "\n" for line in drawn.get().splitlines()))


def write_csv(grid: Grid) -> None:
    """Print a table as CSV, headings first."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(grid.headings)
    writer.writerows(grid.rows)


def write_json(data: Any) -> None:
    """Print plain data as JSON; escaped where stdout cannot take all of Unicode."""
    from ...scenarios.serialization.json_text import pretty

    unicode = (sys.stdout.encoding or "ascii").lower().replace("-", "") == "utf8"
    sys.stdout.write(pretty(data, ascii_only=not unicode))


def clean(text: str) -> str:
    """Take out what a terminal would obey instead of showing."""
    return "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
