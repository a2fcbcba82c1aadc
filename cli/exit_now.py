"""The end of the process: immediate, and with the intended exit code.

Solvers ignore Ctrl-C. A caller that stops a solver goes on without it, and the solver's thread
computes until the process ends (analysis/composition/worst_search.py). Python ends such threads at
shutdown, when they next ask for its lock; inside a solver's C++ this aborts the process with exit
code -6. There is a second problem. If Ctrl-C is pressed while Python executes generated source text
(`dataclasses` does this at import), `python -m` ends by the signal, although the program has
handled it.

Therefore the process ends before Python's shutdown: after all functions registered with `atexit`,
and after all output is flushed. This also saves the time to free a large run object by object.
Ctrl-C after that point has no effect. After Ctrl-C the process does not wait for other threads: a
thread may be in a run that is no longer needed, or wait for a message from a killed process.
"""

import atexit
import os
import signal
import sys
from contextlib import suppress

STOPPED = 130  # exit code after Ctrl-C, as of a shell: 128 + SIGINT


class Departure:
    """The last action of the process: flush all output, and exit with the intended code.

    The action is registered with `atexit` before any other function, because `atexit` calls
    functions in reverse order. So it runs last.

    Attributes:
        code: the exit code; None if the process ends by an exception, which Python reports.
    """

    def __init__(self) -> None:
        self.code: int | None = None  # None: the process ends by an exception, which Python reports
        atexit.register(self._leave)

    def set_code(self, code: int) -> int:
        """Set the exit code of the process, and return it. From here on Ctrl-C is ignored.

        After a Ctrl-C (code 130) the process ends inside this call, without waiting for other
        threads.
        """
        with suppress(ValueError):  # outside the main thread Python refuses a handler
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.code = code
        if code == STOPPED:
            # The last function that `atexit` runs is `_leave`, which ends the process. A return
            # would let Python wait for threads.
            atexit._run_exitfuncs()
        return code

    def _leave(self) -> None:
        """Flush stdout and stderr, and end the process with its exit code.

        Without an exit code the function has no effect, and Python ends the process.
        """
        if self.code is None:
            return
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # the stream is a closed pipe, or was closed
                stream.flush()
        os._exit(self.code)
