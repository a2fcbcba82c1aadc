"""The reader of SPSS, Stata and SAS files, through the library pyreadstat.

The library is imported only here, when such a file is read. A labelled code is read as its label,
such as `female` for 2. If two codes share a label, or a label looks like another number, the code
follows the label in brackets. Values that the file declares as missing are empty cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...installation import missing
from ...library_warnings import collected
from ...protocol.wire.coarsening import NUMBER
from ..serialization.content import Content
from .file_options import DEFAULT_OPTIONS, FileOptions
from .footer import Skipped
from .frame_file import text_of

KINDS = {  # ending -> the program, and pyreadstat's function
    ".sav": ("SPSS", "read_sav"),
    ".zsav": ("SPSS, compressed", "read_sav"),
    ".dta": ("Stata", "read_dta"),
    ".sas7bdat": ("SAS", "read_sas7bdat"),
    ".xpt": ("SAS transport", "read_xport"),
}
ROWS = 100_000  # rows that are read at a time, to limit memory
ENCRYPTED = b"ENCRYPTEDSAV"


def header(content: Content, options: FileOptions = DEFAULT_OPTIONS) -> tuple[str, ...]:
    """Return the names of the columns of a statistics file (SPSS, Stata or SAS)."""
    return tuple(_described(content, options.encoding).column_names)


def describe(
    content: Content, options: FileOptions = DEFAULT_OPTIONS, left_out: Sequence[str] = ()
) -> str:
    """Return the kind of the file, and its columns with labels or with declared missing values.

    left_out: clauses about omitted lines, which are appended.
    """
    described = _described(content, options.encoding)
    parts = [_kind(content)[0]]
    if labelled := [name for name in described.column_names if _labels(described, name)]:
        parts.append(f"labels in place of codes in {', '.join(labelled)}")
    if declared := [name for name in described.column_names if name in described.missing_ranges]:
        parts.append(f"declared missing values left out in {', '.join(declared)}")
    return ", ".join([*parts, *left_out])


def doubts(content: Content, options: FileOptions = DEFAULT_OPTIONS) -> tuple[str, ...]:  # noqa: ARG001
    """Return (): an SPSS, Stata or SAS file declares its columns, so no column is guessed."""
    return ()


def place_of_names(content: Content, options: FileOptions = DEFAULT_OPTIONS) -> str:  # noqa: ARG001
    """Return the path of the file, which messages name as the place of the column names."""
    return str(content.path)


def rows(
    content: Content,
    columns: Sequence[str],
    skipped: Skipped,  # noqa: ARG001
    options: FileOptions = DEFAULT_OPTIONS,
) -> Iterator[Sequence[str]]:
    """Yield these columns of each row as texts. Every row is read, so `skipped` stays unchanged."""
    described = _described(content, options.encoding)
    labels = [_labels(described, name) for name in columns]
    chosen = list(dict.fromkeys(columns))
    with _opened(content, options.encoding) as read:
        start = 0
        while True:
            block, _ = read(usecols=chosen, row_offset=start, row_limit=ROWS)
            texts = [
                [texts_by_code.get(cell) or text_of(cell) for cell in block[name]]
                for name, texts_by_code in zip(columns, labels, strict=True)
            ]
            yield from zip(*texts, strict=True)
            if len(texts[0]) < ROWS:
                return
            start += ROWS


def where(content: Content, index: int, options: FileOptions = DEFAULT_OPTIONS) -> str:  # noqa: ARG001
    """Return the place of a row (from 0) for messages: file and number."""
    return f"{content.path}: row {index + 1}"


def _kind(content: Content) -> tuple[str, str]:
    """Return the program of a file, and the function of pyreadstat that reads it, by its ending."""
    return KINDS[content.path.suffix.lower()]


@lru_cache(maxsize=2)
def _described(content: Content, encoding: str | None) -> Any:
    """Return pyreadstat's metadata: names, labels and declared missing values of the columns."""
    with _opened(content, encoding) as read:
        return read(metadataonly=True, **_user_missing(content))[1]


def _user_missing(content: Content) -> dict[str, bool]:
    """Return pyreadstat's option to report declared missing values; {} for no SPSS file."""
    return {"user_missing": True} if _kind(content)[1] == "read_sav" else {}


def _labels(described: Any, name: str) -> Mapping[Any, str]:
    """Return the text shown for each labelled code of a column.

    described: pyreadstat's metadata. name: the column.
    """
    labels = {
        code: " ".join(str(label).split())
        for code, label in described.variable_value_labels.get(name, {}).items()
    }
    label_texts = list(labels.values())
    return {
        code: f"{label} ({text_of(code)})"
        if label_texts.count(label) > 1 or (NUMBER.fullmatch(label) and label != text_of(code))
        else label
        for code, label in labels.items()
        if label
    }


@contextmanager
def _opened(content: Content, encoding: str | None) -> Iterator[Any]:
    """Open a private copy of the file, and yield a function that reads it with pyreadstat.

    Raises DataError without pyreadstat, and for an encrypted file.
    """
    program, function = _kind(content)
    try:
        import pyreadstat  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise DataError(missing("data", f"{content.path}: reading {program} files")) from None
    with content.open() as file:
        if ENCRYPTED in file.read(64):
            raise DataError(f"{content.path}: is encrypted with a password; save it without")
    with content.file() as place:

        def read(**options: Any) -> Any:
            """Return the data and metadata of the file; DataError if pyreadstat fails."""
            try:
                with collected():
                    return getattr(pyreadstat, function)(
                        str(place), output_format="dict", encoding=encoding, **options
                    )
            except Exception as bad:
                raise _unreadable(content.path, program, place, bad) from None

        yield read


def _unreadable(path: Path, program: str, place: Path, bad: Exception) -> DataError:
    """Return the error for a file that pyreadstat cannot read.

    place: the path of the private copy, which the message replaces by the file's path.
    """
    why = str(bad).replace(str(place), str(path)).partition("\n")[0]
    return DataError(f"{path}: not a readable file of {program}, or damaged: {why}")
