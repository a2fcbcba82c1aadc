"""A process that ends with the one that started it, however that one ended.

Who is killed tidies nothing up. On Linux the kernel is asked to do it: a process can name a signal
that it is sent when its parent ends, PR_SET_PDEATHSIG of prctl(2). SIGKILL reaches also a process
that is stopped, or that computes in a library and hears nothing.

The kernel means the thread that started the process, so a thread that starts some must last as long
as they are wanted.
"""

import ctypes
import os
import signal
import sys
from functools import cache

PR_SET_PDEATHSIG = 1  # linux/prctl.h


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prepare() -> None:
    """Load what `end_with` needs; a process that is about to fork does it for all its copies."""
    if sys.platform == "linux":
        _libc()


def end_with(parent: int) -> None:
    """Let this process be killed when its parent ends; it ends at once where that has happened."""
    if sys.platform != "linux":
        return
    _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
