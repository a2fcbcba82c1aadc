"""The facilities of operating systems that veilmix uses and not every system has.

Each constant says whether this system has a facility. The constants are computed when this file is
first imported, from the features of Python on this system. Code reads a constant as in
`systems.FORKS`. For `veilmix doctor`, `FACILITIES` says in words how veilmix works without each
facility. Linux has all of them (docs/adr/0078).
"""

import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

LINUX = sys.platform == "linux"
FORKS = LINUX and hasattr(os, "fork")  # on macOS, system libraries do not work in a forked process
LOCKS = any(find_spec(module) is not None for module in ("fcntl", "msvcrt"))
MEMORY_FILES = hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir()
MEMORY_FOLDER = Path("/dev/shm").is_dir()  # noqa: S108 - only looked for
POSITIONAL_READS = hasattr(os, "pread")
OWNER_MODES = os.name == "posix"  # on other systems the mode 0600 of a file does not protect it
FOLDER_SYNC = os.name == "posix"  # on other systems a folder cannot be opened to sync it
AFFINITY = hasattr(os, "sched_getaffinity")


@dataclass(frozen=True, slots=True)
class Facility:
    """A facility of an operating system, as `veilmix doctor` prints it.

    Attributes:
        name: the name of the facility, in words.
        is_available: whether this system has it.
        without: the behaviour of veilmix on a system without the facility.
    """

    name: str
    is_available: bool
    without: str


FACILITIES = (
    Facility(
        "copies of a process",
        FORKS,
        "one process: long lists are sealed in threads; `run --processes` is refused",
    ),
    Facility(
        "processes that end with their parent",
        LINUX,
        "a worker whose parent was killed ends when it next runs Python code",
    ),
    Facility(
        "notice of a stopped process", FORKS, "a worker process that was stopped is waited for"
    ),
    Facility("locks on files", LOCKS, "`run --ledger` is refused"),
    Facility(
        "files in memory",
        MEMORY_FILES,
        "the key of a TLS connection lies in a temporary file while it is loaded",
    ),
    Facility("folders in memory", MEMORY_FOLDER, "`--durable tmpfs` is refused"),
    Facility("reads at a position", POSITIONAL_READS, "batches of any size stay in memory"),
    Facility(
        "files for their owner alone",
        OWNER_MODES,
        "keys, ledgers and pages are as private as their folder: keep them in one of your own",
    ),
    Facility(
        "folders written to the disk at once",
        FOLDER_SYNC,
        "after a loss of power a file that was just saved may be missing",
    ),
    Facility("processors of one process", AFFINITY, "all processors of the machine are counted"),
    Facility(
        "limits on unanswered connections",
        LINUX,
        "`poll --others` notices a lost computer when the system itself gives the connection up",
    ),
)
