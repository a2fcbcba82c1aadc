"""Reading of files with a limit on their size, for files that other parties made."""

from pathlib import Path

from ...errors import StorageError


def read_bounded(path: Path, max_bytes: int, file_kind: str) -> bytes:
    """Return the bytes of a file of at most `max_bytes` bytes.

    file_kind: the kind of file, for messages.

    Raises:
        StorageError: the file cannot be read, or is longer.
    """
    try:
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror or bad}") from None
    except ValueError as bad:  # the path holds a NUL character, because it came from another file
        raise StorageError(f"{str(path)!r}: cannot be read: {bad}") from None
    if len(data) > max_bytes:
        raise StorageError(f"{path}: larger than {max_bytes:,} bytes, too large for a {file_kind}")
    return data
