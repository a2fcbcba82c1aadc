"""The record of a table's release: the written file, how it was made, and the user's targets."""

from hashlib import sha256
from pathlib import Path

from ..errors import StorageError
from ..scenarios.serialization.record import Record


class ReleasedFile(Record, frozen=True):
    """The file that is released.

    Attributes:
        name: name of the file, without its folder.
        sha256: digest of the written bytes, in hexadecimal.
        rows: number of rows of people.
        columns: names of the file's columns, in order.
    """

    name: str
    sha256: str
    rows: int
    columns: tuple[str, ...]


class SensitiveTarget(Record, frozen=True):
    """A target that the user set for a sensitive column.

    Attributes:
        column: name of the column.
        measure: `l`, `entropy-l` or `t`.
        asked: the limit that the measure must reach: at least for `l` and `entropy-l`, at
            most for `t`.
    """

    column: str
    measure: str
    asked: float


class NamedThreshold(Record, frozen=True):
    """The authority, such as a regulator, from which the threshold k comes.

    Attributes:
        name: name of the option.
        authority: the name of the authority, and the largest probability of naming a person
            that it accepts, in words.
        source: the document that states the threshold.
    """

    name: str
    authority: str
    source: str


class RowsLeftOut(Record, frozen=True):
    """The numbers of suppressed rows: rows of the input that are not in the release.

    Attributes:
        rows: number of suppressed rows.
        people: number of people of the input that have no row in the release.
        missing: number of suppressed rows with an empty cell in a column that may become
            coarser.
    """

    rows: int
    people: int
    missing: int


class CellsLeftOut(Record, frozen=True):
    """The numbers of single cells that are suppressed in the release.

    Attributes:
        cells: number of suppressed cells.
        rows: number of rows with such a cell.
        of: number of all cells of columns that may become coarser and are not dropped.
    """

    cells: int
    rows: int
    of: int


class TableRelease(Record, frozen=True):
    """The release of a table: its command, its input, and the file that was written.

    Attributes:
        command: the command and its options as they were given; files without their
            folders, and merged values left out.
        input_rows: rows of the input file.
        input_people: people of the input file.
        input_columns: columns of the input file.
        not_read: columns of the input that the command leaves out, in the file's order.
        known: whether attackers may know the `quasi`-identifiers or `all` columns.
        person_said: whether an option defines a person.
        file: the file that was written; None: no file.
        threshold: the threshold of an authority; None: the publisher chose k.
        targets: targets of sensitive columns.
        left_out: rows that are not in the release; None: all rows are.
        anyway: whether the file was written although the table misses its target.
        cells: suppressed cells; None: no cell may be suppressed.
    """

    command: tuple[str, ...]
    input_rows: int
    input_people: int
    input_columns: int
    not_read: tuple[str, ...]
    known: str
    person_said: bool
    file: ReleasedFile | None = None
    threshold: NamedThreshold | None = None
    targets: tuple[SensitiveTarget, ...] = ()
    left_out: RowsLeftOut | None = None
    anyway: bool = False
    cells: CellsLeftOut | None = None


def released_file(path: Path, rows: int, columns: tuple[str, ...]) -> ReleasedFile:
    """Return the record of a file that was written. Raises StorageError if it cannot be read."""
    try:
        digest = sha256(path.read_bytes()).hexdigest()
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read again: {bad.strerror or bad}") from None
    return ReleasedFile(path.name, digest, rows, columns)
