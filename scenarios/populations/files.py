"""People from a file, CSV or Parquet by its ending. Nothing about it is guessed.

A file is read as a stream, so that its size costs time, not memory; whatever is wrong with it is
one DataError that names file, line and column.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from ...errors import DataError
from ...protocol.schema import MAX_FEATURES, MAX_NAME
from ..schema.model import Population as Section
from ..schema.problems import did_you_mean
from . import csvfile, parquet
from .encode import Encoded, Unusable, encode
from .people import Table

MAX_BYTES = 2 << 30


class Reader(Protocol):
    """What a module has to offer to read one kind of file."""

    def header(self, path: Path) -> tuple[str, ...]:
        """Name the columns."""
        ...

    def rows(self, path: Path, columns: Sequence[str], empty: list[int]) -> Iterator[Sequence[str]]:
        """Yield these columns of each row; add the numbers of empty lines to `empty`."""
        ...

    def where(self, path: Path, index: int) -> str:
        """Write where in the file a row (from 0) stands."""
        ...


READERS: dict[str, Reader] = {".csv": csvfile, ".parquet": parquet, ".pq": parquet}


def header(path: Path) -> tuple[str, ...]:
    """Name the columns of a file. Raises DataError for one that cannot be used."""
    _usable(path)
    names = READERS[path.suffix.lower()].header(path)
    for place, name in enumerate(names, start=1):
        if not name or len(name.encode()) > MAX_NAME or not name.isprintable():
            raise DataError(
                f"{path}:1: column {place} is called {name[:40]!r}; a name of 1 to {MAX_NAME} "
                "printable bytes is accepted"
            )
        if name in names[: place - 1]:
            raise DataError(
                f"{path}:1: two columns are called {name!r} "
                f"(columns {names.index(name) + 1} and {place}); give each a name of its own"
            )
    return names


def texts(path: Path) -> Iterator[Sequence[str]]:
    """Yield every row of a file as it stands there, all its columns. Raises DataError."""
    names = header(path)
    return READERS[path.suffix.lower()].rows(path, names, [])


def read(path: Path, chosen: Sequence[tuple[str, str]], section: Section) -> Table:
    """Read columns of a file, each given as our name for it and its own. Raises DataError.

    The last table is kept: who checks a scenario and then runs it reads the file once.
    """
    _usable(path)
    if not 1 <= len(chosen) <= MAX_FEATURES:
        raise DataError(
            f"{path}: {len(chosen)} columns; 1 to {MAX_FEATURES} are accepted: choose some with "
            "[[feature]] or population.columns"
        )
    state = path.stat()
    return _read(path, tuple(chosen), section.missing, (state.st_mtime_ns, state.st_size))


@lru_cache(maxsize=1)
def _read(
    path: Path, chosen: tuple[tuple[str, str], ...], missing: str, _state: tuple[int, int]
) -> Table:
    reader = READERS[path.suffix.lower()]
    ours, theirs = zip(*chosen, strict=True)
    empty: list[int] = []
    try:
        encoded = encode(reader.rows(path, theirs, empty), ours, missing)
    except Unusable as bad:
        where = reader.where(path, bad.row)
        raise DataError(f"{where}: column {theirs[bad.column]!r}: {bad.why}") from None
    _inhabited(path, encoded)
    skipped = (f"{len(empty):,} empty lines skipped",) if empty else ()
    return Table(
        name=path.stem,
        columns=ours,
        codes=encoded.codes,
        values=encoded.values,
        note=f"read from {path.name}",
        warnings=skipped + encoded.odd,
        origin=encoded.rows,
    )


def _inhabited(path: Path, encoded: Encoded) -> None:
    if len(encoded.codes):
        return
    if encoded.dropped:
        raise DataError(
            f"{path}: every one of its {encoded.dropped:,} rows has an empty cell, so drop-row "
            "leaves nobody; give missing a name instead"
        )
    raise DataError(f"{path}: a header, but no people; one line for each person is needed")


def _usable(path: Path) -> None:
    if path.suffix.lower() not in READERS:
        raise DataError(f"{path}: {', '.join(READERS)} files are accepted")
    try:
        with path.open("rb"):
            size = path.stat().st_size
    except IsADirectoryError:
        raise DataError(f"{path}: is a folder; name a file inside it") from None
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file{_neighbour(path)}") from None
    except (OSError, ValueError) as bad:
        raise DataError(f"{path}: cannot be read: {bad}") from None
    if size > MAX_BYTES:
        raise DataError(
            f"{path}: {size:,} bytes; at most {MAX_BYTES:,} are accepted: take a sample first"
        )


def _neighbour(path: Path) -> str:
    """Suggest a file of the same folder."""
    if not path.parent.is_dir():
        return ""
    tables = [near.name for near in path.parent.iterdir() if near.suffix.lower() in READERS]
    return did_you_mean(path.name, sorted(tables))
