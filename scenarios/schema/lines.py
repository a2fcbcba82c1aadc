"""The line of a scenario file that holds a key, for error messages.

TOML parsers give no line for a value. The line is found by parsing beginnings of the file: a key
stands on the last line of the shortest beginning that holds it. A beginning that ends inside a list
or a string is completed with closing signs. Bisection finds the shortest beginning, with about
log2(number of lines) parses for a key.
"""

import tomllib
from bisect import bisect_left
from typing import Any

from .problems import Path

# Closing signs that complete a cut text, in which a list or a long string may be open.
CLOSERS = ("", "]", "]]", "]}", "]}]", "]]]", '"""', "'''", '"""]', "''']")


class Locator:
    """A finder of the lines of keys in the text of a valid TOML file."""

    def __init__(self, text: str) -> None:
        """Split the text into lines, to be parsed on demand."""
        self._lines = text.split("\n")
        self._parsed: dict[int, dict[str, Any]] = {0: {}}

    def line(self, path: Path) -> int:
        """Return the line (from 1) of the key at a path; of its table if the key is missing."""
        whole = len(self._lines)
        while path and not _holds(self._beginning(whole), path):
            path = path[:-1]
        if not path:
            return 1
        return 1 + bisect_left(
            range(1, whole + 1), True, key=lambda n: _holds(self._beginning(n), path)
        )

    def _beginning(self, lines: int) -> dict[str, Any]:
        """Return the data of the file's first `lines` lines, or of fewer if they do not parse."""
        line_count = lines
        while lines not in self._parsed:
            # A closing sign is added on a new line, because a comment at the end of the last line
            # would hide it.
            text = "\n".join([*self._lines[:lines], ""])
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
    """Whether parsed data have a value at a path, a sequence of keys and list indices."""
    for part in path:
        match data:
            case dict() if part in data:
                data = data[part]
            case list() if isinstance(part, int) and part < len(data):
                data = data[part]
            case _:
                return False
    return True
