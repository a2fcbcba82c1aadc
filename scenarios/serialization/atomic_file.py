"""Atomic writing: a file is written completely, or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path

from ... import systems
from ...errors import NO_ROOM, StorageError

PAGE = "<!doctype html>"  # first bytes of an older page of veilmix; other files are not overwritten


def write_whole(
    path: str | os.PathLike[str],
    content: str | bytes,
    *,
    force: bool,
    private: bool = False,
    lasting: bool = False,
) -> None:
    """Write a file under a temporary name and rename it, so that it is never incomplete.

    force: whether to replace an existing file. private: whether only the owner may read the file.
    lasting: whether to return only when the file would survive a loss of power. Raises StorageError
    if the file cannot be written.
    """
    path = Path(path)
    if os.path.lexists(path) and not force:
        raise StorageError(f"{path}: is there already; name another file, or use --force")
    if path.is_dir():
        raise StorageError(f"{path}: is a folder; name a file")
    # devices and pipes are refused, because the new file would replace the device
    if path.exists() and not path.is_file():
        raise StorageError(f"{path}: is a device or a pipe; name a file")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        partial = Path(name)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(content.encode() if isinstance(content, str) else content)
                if lasting:
                    out.flush()
                    os.fsync(out.fileno())
            partial.chmod(0o600 if private else 0o644)
            partial.replace(path)
            if lasting:
                sync_folder(path.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                partial.unlink()
            raise
    except OSError as bad:
        todo = "make room, or name" if bad.errno in NO_ROOM else "name"
        raise StorageError(
            f"{path}: cannot be written: {bad.strerror or bad}; {todo} another file"
        ) from None


def same_file(path: Path, second: Path) -> bool:
    """Whether two paths name the same existing file."""
    try:
        return path.samefile(second)
    except (OSError, ValueError):
        return False


def check_not_input(data: Path, *written: Path | None) -> None:
    """Raise StorageError if an output file is also the input file.

    data: the input file. written: the output files; None: no file.
    """
    for file in written:
        if file is not None and same_file(file, data):
            raise StorageError(f"{file}: is the table that is read; name another file")


def sync_folder(folder: Path) -> None:
    """Write a folder's list of files to the disk, if the operating system can do that (systems.py).

    OSError if the disk refuses it.
    """
    if not systems.FOLDER_SYNC:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_page(path: str | os.PathLike[str], page: str) -> None:
    """Write an HTML page with access for its owner only, over an older page.

    Raises StorageError if another kind of file has this path, or the page cannot be written.
    """
    path = Path(path)
    if path.is_file():
        try:
            with path.open("rb") as older:
                ours = older.read(len(PAGE)).lower() == PAGE.encode()
        except OSError as bad:
            raise StorageError(f"{path}: cannot be read: {bad.strerror or bad}") from None
        if not ours:
            raise StorageError(
                f"{path}: there is a file of another kind; name another file with --out"
            )
    write_whole(path, page, force=True, private=True)
