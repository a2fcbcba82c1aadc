"""Sparing a large session the collector of cycles, which finds none and looks at everything."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected(many: bool) -> Iterator[None]:  # noqa: FBT001
    """Spare a large session the search for cycles among millions of messages, which have none."""
    if not (many and gc.isenabled()):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
