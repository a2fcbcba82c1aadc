"""Progress on stderr of work that has stages but no known length."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .text.capture import current_capture
from .text.layout import clean, page
from .text.pace import Pace


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a stage on a terminal; elsewhere it prints a stage when due."""
    if (capture := current_capture()) is not None:
        yield capture.progress
        return
    console = page(err=True)
    if not console.is_terminal:
        yield Pace().print_due
        return
    with console.status("") as status:
        yield lambda stage: status.update(clean(stage))
