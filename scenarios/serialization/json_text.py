"""Indented JSON for people: a value that fits on a line stays on a line.

Equal data give equal bytes: keys keep their order, floats are written as Python's repr.
"""

import json
from collections.abc import Mapping
from typing import Any

WIDTH = 120  # characters; a shorter list or table stays on one line
_INDENT = "  "


def pretty(value: Any, *, ascii_only: bool = False) -> str:
    """Return plain data as JSON text that ends with a newline.

    ascii_only: whether to escape all characters outside ASCII.
    """
    return _written(value, "", ascii_only) + "\n"


def _written(value: Any, margin: str, ascii_only: bool) -> str:  # noqa: FBT001 - passed on
    """Return a value as JSON text.

    margin: the indentation of the value's line. ascii_only: whether to escape all characters
    outside ASCII.
    """
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
