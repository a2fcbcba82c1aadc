"""The keys of a scenario that hold one plain value, by their dotted paths.

    policy.k            of a table there is one of
    fault[0].share      of an entry of a list of tables, counted from 0

Lists and tables themselves have no such path.
"""

import re

from msgspec import inspect

from .model import Scenario
from .problems import Path
from .shape import entries, settings, type_at

_KEY = re.compile(r"(\w+)(?:\[(\d+)\])?\.(\w+)")


def keys(scenario: Scenario) -> tuple[str, ...]:
    """Name every key of this scenario that holds one plain value."""
    listed = (
        f"{table}[{i}].{key}"
        for table, key in entries()
        for i in range(len(getattr(scenario, table)))
    )
    return (*settings(), *listed)


def place(key: str) -> Path | None:
    """Take a dotted path apart; None where it is none."""
    matched = _KEY.fullmatch(key)
    if matched is None:
        return None
    table, index, inner = matched.groups()
    return (table, inner) if index is None else (table, int(index), inner)


def type_of(key: str) -> inspect.Type | None:
    """Return the type of what stands at a dotted path, None where there is no such key."""
    parts = place(key)
    return type_at(parts) if parts else None
