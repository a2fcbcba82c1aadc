"""The lock file of a ledger: of two simultaneous runs, the second waits for the first.

A run locks `.NAME.lock` in the folder of the ledger NAME: with flock(2), or on Windows the first
byte of the file with `msvcrt.locking`. The system ends either lock with the process that holds it,
even if the process was killed. The lock file is never removed. Otherwise two runs could lock two
different files of the same name (docs/adr/0078).
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .... import systems
from ....errors import StorageError

STEP = 0.05  # seconds between two attempts to take the lock


@contextmanager
def locked(path: Path, patience: float) -> Iterator[None]:
    """Hold the lock on a ledger for this block.

    Raises StorageError if another run holds it for longer than `patience` seconds, or if this
    system or disk cannot lock files.
    """
    if not systems.LOCKS:
        raise StorageError(
            f"{path}: this system cannot lock files, so two runs could use the ledger at a time; "
            "leave out --ledger, or use a system that can"
        )
    lock = path.with_name(f".{path.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as bad:
        raise StorageError(f"{lock}: cannot be written: {bad.strerror}") from None
    try:
        _wait(handle, path, patience)
        try:
            yield
        finally:
            _release(handle)
    finally:
        os.close(handle)


def _wait(handle: int, path: Path, patience: float) -> None:
    """Take the lock as soon as no other process has it.

    handle: the open lock file. path: the ledger, for messages. Raises StorageError after `patience`
    seconds.
    """
    until = time.monotonic() + patience
    try:
        while not _lock(handle):
            if time.monotonic() >= until:
                raise StorageError(
                    f"{path}: another run has locked it for more than {patience:g} seconds; wait "
                    "until that has ended"
                )
            time.sleep(STEP)
    except OSError as bad:
        raise StorageError(
            f"{path}: cannot be locked: {bad.strerror}; keep the ledger on a disk of this computer"
        ) from None


def _lock(handle: int) -> bool:
    """Lock an open file, unless another process or handle has locked it. Returns whether it did."""
    try:
        if sys.platform == "win32":
            import msvcrt

            # msvcrt locks from the file's current position on, so the position must be 0
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    # errors for a lock that is held: EWOULDBLOCK of flock, EACCES of msvcrt
    except (BlockingIOError, PermissionError):
        return False
    return True


def _release(handle: int) -> None:
    """On Windows, unlock the file at once, because closing it may unlock it later.

    On other systems, closing the file unlocks it.
    """
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
