"""The file of a sweep while it is played: mended at its end, read for what is done, added to.

A line is written at once and whole; what a kill leaves of the last one is cut away before the
next is added. Only its owner may read it: it holds counts that none but the curator saw.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from ...errors import StorageError
from ..wording import many
from .sweep_file import Line, parse, written
from .sweep_plan import Job


class Log:
    """A file of runs, open to be added to. Raises StorageError where that cannot be."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path = path
        if os.path.lexists(path) and not resume and path.stat().st_size:
            raise StorageError(
                f"{path}: is there already; --resume goes on with it, --out names another file"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            self._file: BinaryIO = os.fdopen(handle, "r+b")
        except OSError as bad:
            raise StorageError(f"{path}: cannot be written: {bad.strerror}") from None
        data = self._file.read()
        try:
            lines, rest = parse(data, path)
        except StorageError:
            self._file.close()
            raise
        self._found = {line.name: line for line in lines}
        self._file.seek(len(data) - len(rest))
        self._file.truncate()
        if data and not rest and not data.endswith(b"\n"):
            self._add(b"\n")

    def todo(self, jobs: Sequence[Job]) -> tuple[Job, ...]:
        """The jobs that the file has not; crashed ones are tried again.

        StorageError if it holds runs of something else.
        """
        other = sum(line.scenario != jobs[0].mark for line in self._found.values()) if jobs else 0
        if other:
            raise StorageError(
                f"{self.path}: {many(other, 'run')} of another sweep, scenario, data or mode in "
                "it; name another file with --out"
            )
        done = {name for name, line in self._found.items() if line.error is None}
        return tuple(job for job in jobs if job.line({}).name not in done)

    def of(self, jobs: Sequence[Job]) -> tuple[Line, ...]:
        """The lines of these jobs that the file has, in their order."""
        names = (job.line({}).name for job in jobs)
        return tuple(self._found[name] for name in names if name in self._found)

    def add(self, line: Line) -> None:
        """Add a run."""
        self._add(written(line))
        self._found[line.name] = line

    def close(self) -> None:
        """Close the file; what was added is on the disk."""
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        except OSError as bad:
            raise self._failed(bad) from None

    def _add(self, data: bytes) -> None:
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as bad:
            raise self._failed(bad) from None

    def _failed(self, bad: OSError) -> StorageError:
        return StorageError(
            f"{self.path}: cannot be written: {bad.strerror}; what is whole in it is kept, and "
            "--resume goes on"
        )
