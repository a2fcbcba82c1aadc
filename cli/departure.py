"""The end of the process, which has the exit code that was meant, at once.

Solvers are deaf to Ctrl-C. Who stops one goes on without it, and its thread computes until the
process is gone (analysis/composition/worst_search.py). Python ends such threads, while it tidies
up, where they next ask for its lock; in the midst of a solver's C++ that aborts the process, which
then ends with -6, whatever was meant. And where Ctrl-C was pressed while a text was run, as a
dataclass does when it is imported, `python -m` would otherwise end by the signal, as if nobody had
heard it. So the process is gone before Python tidies up: after all that is registered for its end,
and after all that was said has been written. Nor does anybody wait while a large run is taken
apart object by object. Ctrl-C pressed when all is done changes nothing any more.

After Ctrl-C, other threads are not waited for either: one may be at a run that nobody wants any
more, or wait for what a process that was killed will not say.
"""

import atexit
import os
import signal
import sys
from contextlib import suppress

STOPPED = 130  # the exit code of whoever pressed Ctrl-C


class Departure:
    """What the process does last of all: the first to register at its end has its turn last."""

    def __init__(self) -> None:
        self.code: int | None = None  # None: it ends by an exception, which Python reports
        atexit.register(self._leave)

    def of(self, code: int) -> int:
        """Say with which code the process is to end; gives it back."""
        with suppress(ValueError):  # another than the main thread hears no signals
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.code = code
        if code == STOPPED:
            atexit._run_exitfuncs()  # the last of them is `_leave`; Python would wait for threads
        return code

    def _leave(self) -> None:
        if self.code is None:
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # whoever read it has left, or it was closed
                stream.flush()
        os._exit(self.code)
