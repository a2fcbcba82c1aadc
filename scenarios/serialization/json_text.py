"""JSON that a person can read: indented, but a value that fits a line stays on a line.

The same data give the same bytes: keys keep their order, floats are written as Python repeats them.
"""

import json
from collections.abc import Mapping
from typing import Any

WIDTH = 120  # characters to which a list or table may be kept on one line
_INDENT = "  "


def pretty(value: Any, *, ascii_only: bool = False) -> str:
    """Write plain data as JSON, ending with a newline. ascii_only: escape all that is not ASCII."""
    return _written(value, "", ascii_only) + "\n"


def _written(value: Any, margin: str, ascii_only: bool) -> str:  # noqa: FBT001 - passed on
    line = json.dumps(value, ensure_ascii=ascii_only, allow_nan=False)
    nested = isinstance(value, Mapping | list | tuple) and value
    if not nested or (len(margin) + len(line) <= WIDTH and margin):
        return line
    inside = margin + _INDENT
    if isinstance(value, Mapping):
        parts = [
            f"{json.dumps(str(key), ensure_ascii=ascii_only)}: {_written(item, inside, ascii_only)}"
            for key, item in value.items()
        ]
        opening, closing = "{", "}"
    else:
        parts = [_written(item, inside, ascii_only) for item in value]
        opening, closing = "[", "]"
    body = ",\n".join(inside + part for part in parts)
    return f"{opening}\n{body}\n{margin}{closing}"
