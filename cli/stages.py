"""Progress of long work on stderr: the name of the current stage, as the length is unknown."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .text.capture import current_capture
from .text.layout import clean, page
from .text.pace import Pace


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Yield a function that receives the name of each stage of some work, and shows it on stderr.

    A terminal shows the current stage. A pipe gets a line from time to time (text/pace.py). If the
    output of this thread is captured, the capture receives the stages.
    """
    if (capture := current_capture()) is not None:
        yield capture.progress
        return
    console = page(err=True)
    if not console.is_terminal:
        yield Pace().print_due
        return
    with console.status("") as status:
        yield lambda stage: status.update(clean(stage))
