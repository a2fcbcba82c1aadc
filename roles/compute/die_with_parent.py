"""A process that ends with its parent process, however the parent ended.

A killed parent cannot clean up. On Linux the kernel does it: a process can name a signal that it
receives when its parent ends, PR_SET_PDEATHSIG of prctl(2). SIGKILL reaches also a process that is
stopped, or that computes in a library and handles no signal.

For the kernel the parent is the thread that started the process. So a thread that starts processes
must last as long as the processes are needed.
"""

import ctypes
import os
import signal
import sys
from functools import cache

PR_SET_PDEATHSIG = 1  # number of the option, from linux/prctl.h


@cache
def _libc() -> ctypes.CDLL:
    """Load the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def prepare() -> None:
    """Load the C library that `end_with` needs; called before a fork, once for all copies."""
    if sys.platform == "linux":
        _libc()


def end_with(parent: int) -> None:
    """Let the kernel kill this process with its parent; exit at once if the parent has ended."""
    if sys.platform != "linux":
        return
    _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
