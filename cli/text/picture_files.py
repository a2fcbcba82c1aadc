"""Pictures into a folder: each as PNG and SVG, with its numbers as CSV."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...analysis.figures.registry import Redrawn


def make(folder: Path) -> None:
    """Make the folder, if it is not there. Raises StorageError."""
    from ...errors import StorageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as bad:
        raise StorageError(f"{folder}: cannot be made: {bad.strerror or bad}") from None


def write_file(path: Path, data: bytes) -> Path:
    """Write one file; returns its path. Raises StorageError."""
    from ...errors import StorageError

    try:
        path.write_bytes(data)
    except OSError as bad:
        raise StorageError(f"{path}: cannot be written: {bad.strerror or bad}") from None
    return path


def write(redrawn: "Redrawn", folder: Path) -> list[Path]:
    """Write the pictures and the numbers of a figure; returns the paths."""
    from ...analysis import drawing
    from ...scenarios.serialization.csv_text import csv_text

    picture, written = redrawn.draw(), []
    for ending in drawing.FORMATS:
        written.append(folder / f"{redrawn.name}{ending}")
        drawing.save(picture, written[-1])
    for numbers in redrawn.numbers:
        text = csv_text([numbers.headings, *numbers.rows])
        written.append(write_file(folder / f"{numbers.name}.csv", text.encode()))
    return written
