"""Progress of long work on stderr without a bar: in a pipe, a file or a log of CI.

The first line comes after 5 seconds, and then a line at most every 10: short work prints no line.
Lines end with a newline, so that a log keeps them; they are no part of the output on stdout.
"""

import sys
from collections.abc import Callable
from time import monotonic

import click

from .layout import clean

FIRST_DELAY, EVERY = 5.0, 10.0  # seconds before the first line, and between later lines


class Pace:
    """A printer that prints the newest line if a line is due.

    Attributes:
        due: the time of the next line, in seconds of the clock.
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
    """Return a function that prints the number of units done, and their total.

    On a terminal a line is overwritten at every tenth unit; elsewhere lines are added when they are
    due. form: the form of the output; a terminal shows progress with tables only. unit: its plural,
    such as "runs".
    """
    terminal, pace = sys.stderr.isatty(), Pace()

    def print_count(completed: int, total: int) -> None:
        line = f"played {completed:,} of {total:,} {unit}"
        if not terminal:
            pace.print_due(line)
        elif form == "table" and (completed % 10 == 0 or completed == total):
            click.echo(line + ("\n" if completed == total else "\r"), nl=False, err=True)

    return print_count
