"""Sparing many messages the collector of cycles, which finds none and looks at everything."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

MANY = 10_000  # people; above, what a session holds of each is too much to be looked at again


@contextmanager
def uncollected(people: int | None = None) -> Iterator[None]:
    """Spare what holds many messages the search for cycles among them, which have none.

    people: who sent them; where they are few nothing is spared. None: they are many.
    """
    if not gc.isenabled() or (people is not None and people <= MANY):
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # what has come is young: the next search would look at all of it once more
        gc.unfreeze()  # and now it is old, as what lives long is
        gc.enable()
