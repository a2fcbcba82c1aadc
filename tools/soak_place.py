"""A place of a soak: the process of a command, in which a planned fault comes at a counted event.

Called in a copy of the soak's process, before the command (`strike`). Time is the soak's, as in the
tests (tests/kits/driven_place.py). A full disk is the system's own refusal (RLIMIT_FSIZE) of a
write beyond a size. A kill is SIGKILL, by the process itself.
"""

import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from soak_plan import Fault
from veilmix.cli.commands import answer, serve  # noqa: F401 - loads what copies need
from veilmix.machines import gauge, journal, saved_posts
from veilmix.scenarios.deployment import place as _place  # noqa: F401 - the same

STRUCK = "struck"  # file: a line for each fault that came
CLOCK = "{}.clock"  # file: seconds by which the machine of a place is ahead of this one


class Striker:
    """Counts the events of a place, and brings its fault at the planned one."""

    def __init__(self, place: str, fault: Fault | None) -> None:
        self._place, self._fault = place, fault
        self._count = 0
        self._ahead = 0.0
        with suppress(FileNotFoundError):
            self._ahead = float(Path(CLOCK.format(place)).read_text())
        self._real = time.time

    def time(self) -> float:
        """Seconds of the clock of this place's machine, which a fault has set."""
        return self._real() + self._ahead

    def count(self, event: str, call: Callable[[], Any], file: Path | None = None) -> Any:
        """Do what an event is, with the fault if this is the planned one. file: that it writes."""
        fault = self._fault
        if fault is None or fault.event != event:
            return call()
        self._count += 1
        last = fault.number + (fault.times if fault.kind == "full" else 1)
        if not fault.number <= self._count < last:
            return call()
        self._tell(fault)
        if fault.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault.kind == "clock":
            self._ahead += fault.amount
            Path(CLOCK.format(self._place)).write_text(f"{self._ahead}")
        if fault.kind == "full" and file is not None:
            with full(file, fault.amount):
                return call()
        result = call()
        if fault.kind == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    def _tell(self, fault: Fault) -> None:
        with Path(STRUCK).open("a") as struck:
            struck.write(f"{self._place} {fault.kind} {fault.event} {fault.number}\n")


@contextmanager
def full(file: Path, room: int) -> Any:
    """Leave room for so many bytes in a file and those beside it, and for no more."""
    beside = file.with_name(file.name + "-wal")
    size = max((path.stat().st_size for path in (file, beside) if path.exists()), default=0)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def strike(place: str, fault: Fault | None) -> None:
    """Have a planned fault come in this process; None: only a clock that an earlier one has set."""
    striker = Striker(place, fault)
    time.time = striker.time
    own = journal.Journal
    for name, event in (
        *(("fact", "fact"), ("write", "write"), ("acknowledge", "acknowledge")),
        ("erase", "erase"),
    ):
        _count_method(own, name, event, striker, lambda it: it.path)
    _count_method(saved_posts.SavedPosts, "add", "save", striker, lambda it: it.path)
    _count_method(gauge.Gauge, "entry", "entry", striker, lambda _: None)
    _count_function(journal, "_delete", "delete", striker)
    _count_function(os, "fsync", "overwrite", striker)
    _count_function(serve, "conclude", "release", striker)


def _count_method(
    owner: Any, name: str, event: str, striker: Striker, path: Callable[[Any], Path | None]
) -> None:
    call = getattr(owner, name)

    def counted(self: Any, *given: Any) -> Any:
        return striker.count(event, lambda: call(self, *given), path(self))

    setattr(owner, name, counted)


def _count_function(owner: Any, name: str, event: str, striker: Striker) -> None:
    call = getattr(owner, name)
    setattr(owner, name, lambda *given: striker.count(event, lambda: call(*given)))
