"""Records that are written to a file and read back: a frozen struct defines all three forms.

    plain(record)                        the record as plain data, for JSON
    msgspec.convert(data, TheRecord)     the record from plain data; types and keys are checked
    msgspec.json.schema(TheRecord)       the JSON schema of the plain data

A figure that follows from other fields and is written with them is a field too, computed when the
record is made. An absent optional field has the value `UNSET`, and is not written.
"""

from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base class of records: a record's fields define the data that are written and read."""


def plain(record: object) -> Any:
    """Return a record as plain data: dictionaries, lists, numbers, texts."""
    return _listed(msgspec.to_builtins(record, enc_hook=_number))


def _listed(data: Any) -> Any:
    """Return plain data with lists in place of tuples."""
    if isinstance(data, dict):
        return {key: _listed(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_listed(value) for value in data]
    return data


def _number(value: Any) -> Any:
    """Return a numpy number as Python's own; NotImplementedError for any other object."""
    if hasattr(value, "item"):
        return value.item()
    raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON")
