"""Temporary files, and the error of a system that refuses them.

A temporary file lies in the folder that TMPDIR names, else in the system's folder for temporary
files. If this folder is full, or this user may not write to it, StorageError names the folder and
the remedy. This file imports only the package's errors, so any package may use it.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import StorageError


@contextmanager
def set_aside(content: str) -> Iterator[None]:
    """Turn every OSError in the `with` block into a StorageError that names the content.

    content: the data that are put into a temporary file, in words, for the message.
    """
    try:
        yield
    except OSError as bad:
        raise StorageError(
            f"{content} cannot be put into {_folder()}: {bad.strerror or bad}; make room there, or "
            "name another folder: TMPDIR=FOLDER"
        ) from None


@contextmanager
def private_folder(content: str) -> Iterator[Path]:
    """Yield an empty temporary folder for this process's user alone, and remove it at the end.

    content: the data that the folder will hold, in words, for messages.

    Raises:
        StorageError: the folder cannot be made.
    """
    with set_aside(content):
        folder = tempfile.TemporaryDirectory(prefix="veilmix-", ignore_cleanup_errors=True)
    with folder as name:
        yield Path(name)


def _folder() -> str:
    """Return the folder of temporary files as text for messages."""
    try:
        return tempfile.gettempdir()
    except OSError:  # neither TMPDIR, nor the system's folders, nor the current folder is usable
        return "a temporary file"
