"""Files of a figure: its picture as PNG and SVG, and its numbers as CSV, in a folder."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...analysis.figures import Redrawn


def make(folder: str | PathLike[str]) -> None:
    """Create a folder, if it is missing. Raises StorageError."""
    folder = Path(folder)
    from ...errors import StorageError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as bad:
        raise StorageError(f"{folder}: cannot be made: {bad.strerror or bad}") from None


def write_file(path: str | PathLike[str], data: bytes) -> Path:
    """Write a file, replacing an older file; return its path. Raises StorageError."""
    path = Path(path)
    from ...scenarios.serialization.atomic_file import write_whole

    write_whole(path, data, force=True)
    return path


def write(redrawn: "Redrawn", folder: str | PathLike[str]) -> list[Path]:
    """Write the pictures and the numbers of a figure to a folder; return the paths."""
    folder = Path(folder)
    return [write_file(folder / name, data) for name, data in files_of(redrawn).items()]


def files_of(redrawn: "Redrawn") -> dict[str, bytes]:
    """Return the pictures and the numbers of a figure, as file name -> content."""
    from ...analysis import drawing
    from ...scenarios.serialization.csv_text import csv_text

    picture = redrawn.draw()
    files = {f"{redrawn.name}{end}": drawing.rendered(picture, end) for end in drawing.FORMATS}
    for numbers in redrawn.numbers:
        files[f"{numbers.name}.csv"] = csv_text([numbers.headings, *numbers.rows]).encode()
    return files
