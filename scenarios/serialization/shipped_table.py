"""Tables that are shipped with the package: each is the JSON of a record with a format number."""

from pathlib import Path
from typing import Protocol, TypeVar

from ...errors import StorageError
from ...strict_text import from_json


class NumberedRecord(Protocol):
    """A record with the number of its format, by which a file of an older format is recognized."""

    @property
    def schema(self) -> int:
        """The number of the record's format."""
        ...


T = TypeVar("T", bound=NumberedRecord)


def read_shipped(path: Path, kind: type[T], schema: int) -> T:
    """Return a shipped table as a record.

    path: the table's JSON file. kind: the class of the record. schema: the format number that this
    version reads. StorageError if the table is damaged, or has another format number.
    """
    try:
        table = from_json(path.read_bytes(), kind)
    except (OSError, ValueError) as bad:
        raise StorageError(f"{path}: {bad}; install veilmix anew") from None
    if table.schema != schema:
        raise StorageError(f"{path}: schema {table.schema}; this version reads {schema}")
    return table
