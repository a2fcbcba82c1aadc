"""People from a file: text, Excel or Parquet, by its ending.

How a file is written is found out unless the user says it, and said in the note of its table. It is
read as a stream, so that its size costs time, not memory; whatever is wrong with it is one
DataError that names file, line and column.
"""

from collections.abc import Callable, Iterator, Sequence
from os.path import isdir
from pathlib import Path
from typing import Protocol

from ...errors import DataError
from ...protocol.schema import MAX_FEATURES, MAX_NAME, is_line
from ..schema.model import Population as Section
from ..schema.problems import did_you_mean
from . import csvfile, excel, parquet
from .decimals import pointed
from .encode import Encoded, Unusable, encode
from .file_options import NOTHING, FileOptions, options_of
from .people import Table

MAX_BYTES = 2 << 30
NAMELESS = "if line 1 names no columns, say --no-header (in a scenario: header = false)"
PACKED = (".gz", ".zip", ".bz2", ".xz", ".zst", ".7z")


class Reader(Protocol):
    """What a module has to offer to read one kind of file. asked: what the user says of it."""

    def header(self, path: Path, asked: FileOptions) -> tuple[str, ...]:
        """Name the columns."""
        ...

    def describe(self, path: Path, asked: FileOptions) -> str:
        """How the file is written, in one line."""
        ...

    def rows(
        self, path: Path, columns: Sequence[str], empty: list[int], asked: FileOptions
    ) -> Iterator[Sequence[str]]:
        """Yield these columns of each row; add the numbers of empty lines to `empty`."""
        ...

    def where(self, path: Path, index: int, asked: FileOptions) -> str:
        """Write where in the file a row (from 0) stands."""
        ...


READERS: dict[str, Reader] = {
    **dict.fromkeys((".csv", ".tsv", ".tab", ".txt"), csvfile),
    **dict.fromkeys((".xlsx", ".xlsm"), excel),
    **dict.fromkeys((".parquet", ".pq"), parquet),
}


def header(path: Path, asked: FileOptions = NOTHING) -> tuple[str, ...]:
    """Name the columns of a file. Raises DataError for one that cannot be used."""
    _usable(path, asked)
    names = READERS[path.suffix.lower()].header(path, asked)
    for place, name in enumerate(names, start=1):
        if not name or len(name.encode()) > MAX_NAME or not is_line(name):
            called = f"is called {name[:40]!r}" if name else "has no name"
            raise DataError(
                f"{path}:1: column {place} {called}; a name of 1 to {MAX_NAME} printable bytes is "
                f"accepted: write one into the file; {NAMELESS}"
            )
        if name in names[: place - 1]:
            raise DataError(
                f"{path}:1: two columns are called {name!r} "
                f"(columns {names.index(name) + 1} and {place}); give each a name of its own"
            )
    return names


def texts(path: Path, asked: FileOptions = NOTHING) -> Iterator[Sequence[str]]:
    """Yield every row of a file as it stands there, all its columns. Raises DataError."""
    names = header(path, asked)
    return READERS[path.suffix.lower()].rows(path, names, [], asked)


def read(
    path: Path,
    chosen: Sequence[tuple[str, str]],
    section: Section,
    progress: Callable[[str], None] = lambda _stage: None,
) -> Table:
    """Read columns of a file, each given as our name for it and its own. Raises DataError.

    The last table is kept: who checks a scenario and then runs it reads the file once.
    """
    asked = options_of(section)
    _usable(path, asked)
    if not 1 <= len(chosen) <= MAX_FEATURES:
        raise DataError(
            f"{path}: {len(chosen)} columns; 1 to {MAX_FEATURES} are accepted: choose some with "
            "--columns (in a scenario: [[feature]] or population.columns)"
        )
    state = path.stat()
    lacking = section.missing, section.missing_texts
    made_of = path, tuple(chosen), lacking, asked, state.st_mtime_ns, state.st_size
    table = _last.get(made_of)
    if table is None:
        table = _read(path, chosen, lacking, asked, progress)
        _last.clear()
        _last[made_of] = table
    return table


_last: dict[object, Table] = {}  # the last table that was read, by all that it is made of


def _read(
    path: Path,
    chosen: Sequence[tuple[str, str]],
    lacking: tuple[str, tuple[str, ...]],
    asked: FileOptions,
    progress: Callable[[str], None],
) -> Table:
    reader = READERS[path.suffix.lower()]
    ours, theirs = zip(*chosen, strict=True)
    empty: list[int] = []
    try:
        rows = reader.rows(path, theirs, empty, asked)
        encoded = encode(rows, ours, *lacking, lambda n: progress(f"reading {path}: {n:,} rows"))
    except Unusable as bad:
        where = reader.where(path, bad.row, asked)
        raise DataError(f"{where}: column {theirs[bad.column]!r}: {bad.why}") from None
    _inhabited(path, encoded)
    skipped = (f"{len(empty):,} empty lines skipped",) if empty else ()
    table = Table(
        name=path.stem,
        columns=ours,
        codes=encoded.codes,
        values=encoded.values,
        note=f"read from {path.name} ({reader.describe(path, asked)})",
        warnings=skipped + encoded.odd,
        origin=encoded.rows,
    )
    return pointed(path, table, asked.decimal, lacking[0])


def _inhabited(path: Path, encoded: Encoded) -> None:
    if len(encoded.codes):
        return
    if encoded.dropped:
        raise DataError(
            f"{path}: every one of its {encoded.dropped:,} rows has an empty cell, so drop-row "
            "leaves nobody; give missing a name instead"
        )
    raise DataError(f"{path}: a header, but no people; one line for each person is needed")


def _usable(path: Path, asked: FileOptions) -> None:
    reader = READERS.get(path.suffix.lower())
    if reader is None and isdir(path):  # noqa: PTH112 - this one takes names of any length
        raise DataError(f"{path}: is a folder; name a file inside it")
    if reader is None:
        unpack = "; unpack it first" if path.suffix.lower() in PACKED else ""
        raise DataError(f"{path}: {', '.join(READERS)} files are accepted{unpack}")
    text = {"separator": asked.separator, "encoding": asked.encoding}
    for key, said in {**text, "sheet": asked.sheet}.items():
        if said is not None and (reader is csvfile) != (key in text):
            raise DataError(f"{path}: {key} = {said!r}, but a {path.suffix} file has no {key}")
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
