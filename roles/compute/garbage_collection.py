"""A pause of Python's garbage collector while many messages are in memory, for speed."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

PAUSE_LIMIT = (
    10_000  # people; above this number, repeated searches through their messages cost too much
)


@contextmanager
def uncollected(people: int | None = None) -> Iterator[None]:
    """Pause the search for cycles while a block holds many messages, which have no cycles.

    people: the number of senders; no pause if they are few. None: they are many.
    """
    if not gc.isenabled() or (people is not None and people <= PAUSE_LIMIT):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # new objects are young: the next search would visit all of them again
        gc.unfreeze()  # now they are old, like other long-lived objects
        gc.enable()
