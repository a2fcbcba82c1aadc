"""What is being done, on stderr, while it is done: for work that has stages but no length."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .text.layout import clean, page


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Give a function that shows the name of a stage; on a terminal only, and wiped at the end."""
    console = page(err=True)
    if not console.is_terminal:
        yield lambda _stage: None
        return
    with console.status("") as status:
        yield lambda stage: status.update(clean(stage))
