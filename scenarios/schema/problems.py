"""A mistake in a scenario file: its key, the value found, and the values accepted.

The key is given by a path, a tuple of keys and of list indices from 0. Messages write a path as
`coalition[1].parties[1]`.
"""

import difflib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil, log10

Path = tuple[str | int, ...]

# bits; a message only describes larger numbers, because Python refuses to print very long ones
LONG = 256
MAX_LISTED = 12  # largest number of names that a message lists before "..."
_BARE = re.compile(r"[A-Za-z0-9_-]+")  # keys that need no quotes in TOML
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake in a scenario file.

    Attributes:
        path: the path of the key that is wrong: keys and list indices.
        message: the value found, and the values accepted.
        touches: the path of the value that the mistake makes unusable; later checks skip this
            value.
    """

    path: Path
    message: str
    touches: Path

    def line(self, file: str = "", number: int = 0) -> str:
        """Return the mistake as text, `file:line: path: message`; `file:line: ` is optional.

        number: the line; 0: unknown.
        """
        where = (f"{file}:{number}: " if number else f"{file}: ") if file else ""
        return f"{where}{dotted(self.path)}: {self.message}"


def problem(path: Path, message: str, touches: Path | None = None) -> Problem:
    """Return a problem at a path, with its message for the user.

    touches: the path of the value that later checks skip; None: the same path.
    """
    return Problem(path, message, path if touches is None else touches)


def dotted(path: Path) -> str:
    """Return a path as TOML text, as in `coalition[1].parties[1]`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{quoted_key(part)}" for part in path]
    return "".join(parts).removeprefix(".")


def quoted_key(key: str) -> str:
    """Return a key of TOML, in quotes if it needs them."""
    return key if _BARE.fullmatch(key) else quoted(key)


def quoted(text: str) -> str:
    """Return text as a basic string of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else _escape(c) for c in escaped) + '"'


def _escape(character: str) -> str:
    """Return a character as an escape sequence of TOML."""
    code = ord(character)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"


def as_found(value: object) -> str:
    """Return the text of a value from a file, for an error message that begins with "found"."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value if len(value) <= 60 else value[:57] + "...")
        case int() if value.bit_length() > LONG:
            return f"a whole number of some {ceil(value.bit_length() * log10(2)):,} digits"
        case int() | float():
            return str(value)
        case dict():
            return "a table"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case _:
            return f"{value} (a date or time)"


def closest_name(name: object, accepted: Iterable[str]) -> str | None:
    """Return the accepted name that is most similar to this name; None if no name is similar.

    A key without its table stands for the first accepted key with this ending: `k` is policy.k. A
    name that differs only in a number is never returned: shuffler-4 is not a misspelt shuffler-3.
    """
    if not isinstance(name, str):
        return None
    accepted = list(accepted)
    ends = [
        candidate
        for candidate in accepted
        if candidate.rpartition(".")[1:] == (".", name.casefold())
    ]
    if ends:
        return ends[0]
    folded = {candidate.casefold(): candidate for candidate in reversed(accepted)}
    for near in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.6):
        if near == name.casefold() or _NUMBER.sub("", near) != _NUMBER.sub("", name.casefold()):
            return folded[near]
    return None


def did_you_mean(name: object, accepted: Iterable[str]) -> str:
    """Return ` (did you mean `x`?)`; empty if no accepted name is close."""
    near = closest_name(name, accepted)
    return f" (did you mean `{near}`?)" if near is not None else ""


def listed(names: Collection[str], limit: int = MAX_LISTED) -> str:
    """Return names joined by commas; if more than `limit`, the first `limit` and the number."""
    if len(names) <= limit:
        return ", ".join(names)
    return f"{', '.join(list(names)[:limit])}, ... ({len(names):,} in all)"
