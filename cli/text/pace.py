"""Progress of long work on stderr without a bar: in a pipe, a file or a log of CI.

The first line comes after 5 seconds, and then at most a line every 10 seconds, so that short work
prints no line. Lines end with a newline, so that a log keeps them. No line is written to stdout.
"""

import sys
from collections.abc import Callable
from time import monotonic

import click

from .layout import clean

FIRST_DELAY, EVERY = 5.0, 10.0  # seconds before the first line, and between later lines


class Pace:
    """A printer of progress lines that prints a line only if enough time has passed.

    Attributes:
        due: the earliest time of the next line, in seconds of the clock.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Start the wait before the first line. clock: returns the time in seconds."""
        self._clock = clock
        self.due = clock() + FIRST_DELAY

    def print_due(self, line: str) -> None:
        """Print a line on stderr, if enough time has passed since the last printed line."""
        now = self._clock()
        if now >= self.due:
            self.due = now + EVERY
            click.echo(clean(line), err=True)


def counter(form: str, unit: str) -> Callable[[int, int], None]:
    """Return a function that prints progress: the number of units done, and their total.

    On a terminal a line is overwritten at every tenth unit. In a pipe or file a line is added from
    time to time. form: the form of the output; a terminal shows progress with tables only. unit:
    the name of the units in the plural, such as "runs".
    """
    terminal, pace = sys.stderr.isatty(), Pace()

    def print_count(completed: int, total: int) -> None:
        """Print the progress of the work on stderr, if a line is due: units done, of all units."""
        line = f"played {completed:,} of {total:,} {unit}"
        if not terminal:
            pace.print_due(line)
        elif form == "table" and (completed % 10 == 0 or completed == total):
            click.echo(line + ("\n" if completed == total else "\r"), nl=False, err=True)

    return print_count
