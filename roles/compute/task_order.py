"""The order in which tasks run, drawn from a seed.

Trio runs the ready tasks in a random order, so that no program depends on the order by accident. A
race between two messages then ends differently from run to run. Trio has no public setting for that
order, but two private settings, which trio's own tests use. The first is a flag: trio then sorts
ready tasks by age before it shuffles them. The second is the generator of the shuffle. This module
sets both for the time of a run. If a version of trio lacks them, the order stays random, and
tests/roles/compute/test_task_order.py fails.

Several runs may go on in threads of one process. Each draws from its own generator; the flag is set
as long as one of them has a seed.
"""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from trio._core import _run

FLAG, GENERATOR = "_ALLOW_DETERMINISTIC_SCHEDULING", "_r"


class _ByThread(random.Random):
    """A random generator for trio that is seeded separately in each thread.

    A thread without a seed draws from trio's own generator.
    """

    def __init__(self, plain: random.Random) -> None:
        """Keep trio's generator for threads without a seed."""
        self.plain = plain
        self.thread_local = threading.local()
        super().__init__()

    @property
    def _thread_random(self) -> random.Random:
        """Return the generator of this thread."""
        return getattr(self.thread_local, "generator", self.plain)

    def random(self) -> float:
        """Draw a float from 0 to 1 from this thread's generator."""
        return self._thread_random.random()

    def getrandbits(self, k: int, /) -> int:
        """Draw an integer of k random bits from this thread's generator."""
        return self._thread_random.getrandbits(k)


class _Settings:
    """The switch of trio's two private settings, counted over all runs with a seed."""

    def __init__(self) -> None:
        """Start without runs that have a seed."""
        self._lock = threading.Lock()
        self._runs = 0
        self._previous_flag = False

    def enter(self, plain: random.Random) -> _ByThread:
        """Begin a run with a seed; return the generator, which draws separately in each thread."""
        with self._lock:
            if not isinstance(plain, _ByThread):
                plain = _ByThread(plain)
                setattr(_run, GENERATOR, plain)
            if not self._runs:
                self._previous_flag = getattr(_run, FLAG)
                setattr(_run, FLAG, True)
            self._runs += 1
        return plain

    def leave(self) -> None:
        """End a run; after the last run, restore the flag."""
        with self._lock:
            self._runs -= 1
            if not self._runs:
                setattr(_run, FLAG, self._previous_flag)


_settings = _Settings()


@contextmanager
def task_order(seed: int | None) -> Iterator[None]:
    """Context manager: run tasks of this thread in an order drawn from a seed; None: trio's own."""
    plain = getattr(_run, GENERATOR, None)
    if seed is None or not isinstance(plain, random.Random) or not hasattr(_run, FLAG):
        yield
        return
    generator = _settings.enter(plain)
    generator.thread_local.generator = random.Random(seed)  # noqa: S311 - an order is no secret
    try:
        yield
    finally:
        del generator.thread_local.generator
        _settings.leave()
