"""The file of a sweep while it is played: repaired at its end, read for finished runs, extended.

A line is written at once and completely, or not at all if the disk is full. If the process was
killed while it wrote a line, the incomplete line is removed before the next is added. Only its
owner may read the file: it holds counts that only the curator saw.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path

from ....errors import NO_ROOM, StorageError
from ....number_text import plural
from .sweep_file import SweepLine, parse, written
from .sweep_plan import SweepJob


class SweepLog:
    """The file of a sweep, open for appending runs.

    path: the path of the file. resume: whether an existing file is continued; else it is refused.
    Raises StorageError if the file cannot be read or written.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        """Open the file, read its finished runs, and remove a line that was cut off."""
        self.path = path
        if os.path.lexists(path) and not resume and path.stat().st_size:
            raise StorageError(
                f"{path}: exists already; --resume goes on with it, --out names another file"
            )
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            self._file = FileIO(
                handle, "r+"
            )  # unbuffered, because a buffer would later write the bytes of a failed write again
        except OSError as bad:
            raise StorageError(f"{path}: cannot be written: {bad.strerror}") from None
        data = self._file.read()
        try:
            lines, rest = parse(data, path)
        except StorageError:
            self._file.close()
            raise
        self._lines_by_name = {line.name: line for line in lines}
        self._file.seek(len(data) - len(rest))
        self._file.truncate()
        if data and not rest and not data.endswith(b"\n"):
            self._add(b"\n")

    def todo(self, jobs: Sequence[SweepJob]) -> tuple[SweepJob, ...]:
        """Return the jobs (runs to be played) that the file lacks; crashed runs are tried again.

        Raises StorageError if the file holds runs of another sweep.
        """
        foreign = (
            sum(line.scenario != jobs[0].mark for line in self._lines_by_name.values())
            if jobs
            else 0
        )
        if foreign:
            raise StorageError(
                f"{self.path}: holds {plural(foreign, 'run')} of another sweep, scenario, data or "
                "mode; name another file with --out"
            )
        names_done = {name for name, line in self._lines_by_name.items() if line.error is None}
        return tuple(job for job in jobs if job.line({}).name not in names_done)

    def stored_lines(self, jobs: Sequence[SweepJob]) -> tuple[SweepLine, ...]:
        """Return the lines that the file has for some jobs (runs), in the order of the jobs."""
        names = (job.line({}).name for job in jobs)
        return tuple(self._lines_by_name[name] for name in names if name in self._lines_by_name)

    def add(self, line: SweepLine) -> None:
        """Append a run's line to the file."""
        # Name and bytes are computed before writing, so that little happens between writing the
        # line and recording it: Ctrl-C in between would lose the record.
        name, data = line.name, written(line)
        self._add(data)
        self._lines_by_name[name] = line

    def close(self) -> None:
        """Close the file, after all added lines have reached the disk."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
        except OSError as bad:
            raise self._failed(bad) from None

    def _add(self, data: bytes) -> None:
        """Append bytes completely; if this fails, cut the file back to its former end.

        Raises StorageError.
        """
        end, bytes_left = self._file.tell(), memoryview(data)
        try:
            while bytes_left:
                bytes_left = bytes_left[self._file.write(bytes_left) :]
        except BaseException as bad:
            with suppress(OSError):
                self._file.truncate(end)
            if isinstance(bad, OSError):
                raise self._failed(bad) from None
            raise

    def _failed(self, bad: OSError) -> StorageError:
        """Return the error for a file that cannot be written, with advice on how to go on."""
        todo = "make room, then" if bad.errno in NO_ROOM else "then"
        return StorageError(
            f"{self.path}: cannot be written: {bad.strerror}; the runs before are kept in it: "
            f"{todo} --resume goes on"
        )
