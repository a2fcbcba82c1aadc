"""Writing a file whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path

from ..errors import StorageError


def write_whole(path: Path, text: str, *, force: bool, private: bool = False) -> None:
    """Write a text under a temporary name and rename it; StorageError if that cannot be done.

    force: replace a file that is there. private: only its owner may read it.
    """
    if os.path.lexists(path) and not force:
        raise StorageError(f"{path}: is there already; name another file, or say --force")
    if path.is_dir():
        raise StorageError(f"{path}: is a folder; name a file")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        partial = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as out:
                out.write(text)
            partial.chmod(0o600 if private else 0o644)
            partial.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise
    except OSError as bad:
        raise StorageError(f"{path}: cannot be written: {bad.strerror}") from None
