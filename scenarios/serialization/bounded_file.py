"""Reading of files with a limit of their size."""

from pathlib import Path

from ...errors import StorageError


def read_bounded(path: Path, most: int, what: str) -> bytes:
    """Return the bytes of a file of at most `most` bytes.

    The last argument names the kind of the file, for messages.

    Raises:
        StorageError: the file cannot be read, or is longer.
    """
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror or bad}") from None
    except ValueError as bad:  # a path with a NUL in it, which another file names
        raise StorageError(f"{str(path)!r}: cannot be read: {bad}") from None
    if len(data) > most:
        raise StorageError(f"{path}: larger than {most:,} bytes, so no {what}")
    return data
