"""The writer of a scenario as a TOML file with all its keys, defaults included.

It handles only the forms that scenario files use: tables of plain values, lists and small tables,
and lists of tables. Reading the written text gives the same scenario again.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from .model import Scenario
from .problems import as_found, quoted, quoted_key


def dump(scenario: Scenario) -> str:
    """Return a scenario as TOML text. A key without a value (None) is left out."""
    lines: list[str] = []
    for table, part in asdict(scenario).items():
        for header, entries in _tables(table, part):
            lines += ["", header, *_entries(entries)]
    return "\n".join([*lines[1:], ""])


def _tables(table: str, part: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the header and the entries of each TOML table for a field of `Scenario`.

    table: the field's name. part: the field's value, which is a table or a list of tables. Empty
    tables are left out.
    """
    if isinstance(part, tuple):
        for entry in part:
            yield f"[[{table}]]", asdict(entry)
        return
    entries = part if isinstance(part, dict) else asdict(part)
    if any(item is not None for item in entries.values()):
        yield f"[{table}]", entries


def _entries(entries: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line `key = value` for each key with a value."""
    for key, item in entries.items():
        if item is not None:
            yield f"{quoted_key(key)} = {value(item)}"


def value(data: Any) -> str:
    """Return a value as TOML text."""
    match data:
        case str():
            return quoted(data)
        case list() | tuple():
            return f"[{', '.join(map(value, data))}]"
        case Struct():
            return value({key: entry for key, entry in asdict(data).items() if entry is not None})
        case dict():
            inside = ", ".join(f"{quoted_key(key)} = {value(item)}" for key, item in data.items())
            return f"{{ {inside} }}" if inside else "{}"
        case _:
            return as_found(data)
