"""A pause of Python's garbage collector while many messages are in memory, for speed."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

PAUSE_LIMIT = (
    # people; above this number, Python's repeated searches for garbage among their messages take
    # too long
    10_000
)


@contextmanager
def uncollected(people: int | None = None) -> Iterator[None]:
    """Context manager: pause Python's search for cyclic garbage while a block holds many messages.

    Messages have no reference cycles, so the search would only cost time. people: the number of
    senders; no pause if they are few. None: pause in any case.
    """
    if not gc.isenabled() or (people is not None and people <= PAUSE_LIMIT):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        # move all objects out of the generations, because the next search would visit all new ones
        gc.freeze()
        gc.unfreeze()  # put all objects into the oldest generation, which is rarely searched
        gc.enable()
