"""Records that are written to a file and read back: one frozen struct defines all three forms.

    plain(record)                        its plain data, as JSON holds them
    msgspec.convert(data, TheRecord)     the record, each field of its kind, no other key
    msgspec.json.schema(TheRecord)       the schema of its data

A figure that is derived from other fields and written beside them is a field too, computed where
the record is made; an optional field that is absent is `UNSET`, and then left out.
"""

from typing import Any

import msgspec


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of every record: its fields define the data that are written, read and checked."""


def plain(record: object) -> Any:
    """Return the plain data of a record: dictionaries, lists, numbers, texts."""
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
