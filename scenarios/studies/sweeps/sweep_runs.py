"""The runs of a sweep, from memory or from a file, with their tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from ....errors import StorageError
from ....number_text import plural
from .sweep_file import Point, SweepLine, Value, grouped, parse
from .sweep_scores import SweepFrames, sweep_frames


@dataclass(frozen=True, slots=True)
class SweptRuns:
    """The runs of a sweep, as `veilmix.sweep` returns them.

    Attributes:
        lines: the runs that did not crash, as lines of a sweep's file.
        failed: the runs that crashed.
    """

    lines: tuple[SweepLine, ...]
    failed: tuple[SweepLine, ...]

    @property
    def axes(self) -> dict[str, tuple[Value, ...]]:
        """The swept scenario keys, each with its values in ascending order."""
        values_by_key: dict[str, dict[Value, None]] = {}
        for line in self.lines:
            for key, value in line.key.items():
                values_by_key.setdefault(key, {})[value] = None
        return {key: tuple(_sorted(values)) for key, values in values_by_key.items()}

    def groups(self) -> dict[Point, list[SweepLine]]:
        """Return the runs, grouped by their swept keys and values."""
        return grouped(self.lines)

    @property
    def frames(self) -> SweepFrames:
        """The sweep as tables: a row per run, and each score's mean for each swept combination."""
        return sweep_frames(self.lines, tuple(self.axes))

    def __repr__(self) -> str:
        """Return a line with the swept keys and the number of runs."""
        axes = " x ".join(self.axes) or "one point"
        return f"<{type(self).__name__}: {axes}, {plural(len(self.lines), 'run')}>"


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(SweptRuns):
    """The runs of a sweep, read from its file.

    Attributes:
        path: the path of the file.
        cut: the number of lines left out because they were cut off: 0 or 1.
    """

    path: Path
    cut: int


def _sorted(values: Sequence[Value] | Mapping[Value, None]) -> list[Value]:
    """Return the values of a swept key in order: numbers by size, other values as text."""
    numbers = all(isinstance(value, int | float) for value in values)
    return sorted(values, key=float if numbers else str)


def read_sweep(path: str | PathLike[str]) -> Sweep:
    """Return a sweep from its file.

    Raises StorageError, with file and line, for text that is no line of a sweep.
    """
    path = Path(path)
    try:
        data = Path(path).read_bytes()
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror}") from None
    lines, rest = parse(data, path)
    good = tuple(line for line in lines if line.error is None)
    if not good:
        raise StorageError(f"{path}: holds no complete run of a sweep")
    failed = tuple(line for line in lines if line.error is not None)
    return Sweep(good, failed, path=path, cut=bool(rest))
