"""Captured output of a command: the lines and tables of a thread are kept, not printed.

While the block of `capturing` runs, the functions `page`, `say` and `lay_out` of layout.py write to
a `Capture`. The names of the stages of the work go to a function of the caller.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from io import StringIO

from ...presentation.text_blocks import Grid, Line


class Capture:
    """The output of one command, kept instead of printed.

    progress: receives the stages of the work.

    Attributes:
        out, err: the texts on stdout and stderr, as a pipe would receive them.
        printed: lines and tables of stdout, in their order.
        messages: lines of stderr, not wrapped.
        progress: the function that receives the stages of the work.
    """

    def __init__(self, progress: Callable[[str], None]) -> None:
        """Start with empty output. progress: receives lines about the progress of a command."""
        self.out, self.err = StringIO(), StringIO()
        self.printed: list[Line | Grid] = []
        self.messages: list[str] = []
        self.progress = progress

    def note(self, file: object, block: Line | Grid) -> None:
        """Keep a printed block: a line or table of stdout, or a line of stderr.

        file: the stream of the block, `out` or `err`.
        """
        if file is self.out:
            self.printed.append(block)
        elif file is self.err and not isinstance(block, Grid):
            self.messages.append(block.text)


_CURRENT: ContextVar[Capture | None] = ContextVar("capture", default=None)


def current_capture() -> Capture | None:
    """Return the capture of this thread; None outside of `capturing`."""
    return _CURRENT.get()


def note_line(file: object, text: str, style: str | None) -> None:
    """Keep a printed line, if the output of this thread is captured."""
    if (capture := _CURRENT.get()) is not None:
        capture.note(file, Line(text, style))


def note_grid(file: object, grid: Grid) -> None:
    """Keep a printed table, if the output of this thread is captured."""
    if (capture := _CURRENT.get()) is not None:
        capture.note(file, grid)


@contextmanager
def capturing(progress: Callable[[str], None]) -> Iterator[Capture]:
    """Capture the output of this thread in the block. progress: receives names of stages."""
    capture = Capture(progress)
    token = _CURRENT.set(capture)
    try:
        yield capture
    finally:
        _CURRENT.reset(token)
