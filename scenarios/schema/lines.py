"""The line of a scenario file at which a key stands.

TOML parsers give no line for a value. But a key stands on the last line of the shortest beginning
of the file that already holds it; a beginning that ends inside a list or a string is completed
with its closing sign. The shortest beginning is found by bisection: a key costs log2(lines) parses.
"""

import tomllib
from bisect import bisect_left
from typing import Any

from .problems import Path

# What may be open at the end of a line: a list (in a list, in a table), a long string (in a list).
CLOSERS = ("", "]", "]]", "]}", "]}]", "]]]", '"""', "'''", '"""]', "''']")


class Locator:
    """A finder of lines in one file that is valid TOML."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._parsed: dict[int, dict[str, Any]] = {0: {}}

    def line(self, path: Path) -> int:
        """Return the line (from 1) of a key, or of the table that it is missing from."""
        whole = len(self._lines)
        while path and not _holds(self._beginning(whole), path):
            path = path[:-1]
        if not path:
            return 1
        return 1 + bisect_left(
            range(1, whole + 1), True, key=lambda n: _holds(self._beginning(n), path)
        )

    def _beginning(self, lines: int) -> dict[str, Any]:
        """Parse the first lines; if that fails, one line less."""
        line_count = lines
        while lines not in self._parsed:
            text = "\n".join([*self._lines[:lines], ""])  # a comment must not hide the closer
            for closer in CLOSERS:
                try:
                    self._parsed[lines] = tomllib.loads(text + closer)
                except tomllib.TOMLDecodeError:
                    continue
                break
            else:
                lines -= 1
        return self._parsed.setdefault(line_count, self._parsed[lines])


def _holds(data: Any, path: Path) -> bool:
    for part in path:
        match data:
            case dict() if part in data:
                data = data[part]
            case list() if isinstance(part, int) and part < len(data):
                data = data[part]
            case _:
                return False
    return True
