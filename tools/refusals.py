"""Refusals of a room that no row of its `guards.toml` is about: `python tools/refusals.py`.

A refusal is a `raise` of an error that another party is told, or hears (NAMES), or a `return` of an
answer of HTTP that refuses (REFUSING). A row is about it if its text meets the `if` or `except`
that it stands in, or, if it stands in none, the three lines before it. Prints file, line and the
line itself; exit code 1 if there are any.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from guard_table import ROOMS, ROOT, guards

NAMES = {"Refused", "RoundBurned", "VerificationError", "OtherView", "Unwelcome"}
NAMES |= {"RemoteProtocolError"}
REFUSING = {400, 403, 408, 409, 413, 421, 422, 429, 503}  # not 404, 405 and 500: no guard says so
NO_GUARDS = {"faults"}  # parties that misbehave
LINES = 3  # before a refusal that stands in no branch


@dataclass(frozen=True, slots=True)
class Refusal:
    """One `raise`: in which file of the checkout, on which line, and what it and its branch span.

    Attributes:
        path: from the root.
        line: from 1.
        first, last: lines, from 1, that a row's text has to meet.
    """

    path: Path
    line: int
    first: int
    last: int


def refusals(root: Path, room: str) -> Iterator[Refusal]:
    """Yield the refusals of a room, file by file."""
    for path in sorted((root / room).rglob("*.py")):
        if NO_GUARDS.isdisjoint(path.relative_to(root).parts):
            yield from _in_file(path, path.relative_to(root))


def _in_file(path: Path, name: Path) -> Iterator[Refusal]:
    tree = ast.parse(path.read_text("utf-8"))
    for outer in ast.walk(tree):
        for node in ast.iter_child_nodes(outer):
            if _refuses(node):
                branch = isinstance(outer, ast.If | ast.ExceptHandler)
                first = getattr(outer, "lineno", 1) if branch else node.lineno - LINES
                yield Refusal(name, node.lineno, first, node.end_lineno or node.lineno)


def _refuses(node: ast.AST) -> bool:
    """Whether a statement refuses."""
    match node:
        case ast.Raise(exc=ast.Call(func=error) | (ast.Name() as error)):
            return ast.unparse(error).rpartition(".")[2] in NAMES
        case ast.Return(
            value=ast.Call(func=ast.Name(id="HttpResponse"), args=[ast.Constant(status), *_])
        ):
            return status in REFUSING
        case _:
            return False


def unlisted(root: Path = ROOT) -> list[Refusal]:
    """Return the refusals of all rooms that no row is about."""
    rows = list(guards(root))
    spoken: dict[Path, list[tuple[int, int]]] = {}
    for row in rows:
        source = (root / row.path).read_text("utf-8")
        at = source.find(row.text)
        if at >= 0:
            first = source.count("\n", 0, at) + 1
            span = first, first + row.text.count("\n")
            spoken.setdefault(row.path, []).append(span)
    return [
        refusal
        for room in ROOMS
        for refusal in refusals(root, room)
        if not _met(refusal, spoken.get(refusal.path, ()))
    ]


def _met(refusal: Refusal, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= refusal.last and last >= refusal.first for first, last in spans)


def main() -> int:
    """Print the refusals without a row."""
    missing = unlisted()
    for refusal in missing:
        line = (ROOT / refusal.path).read_text("utf-8").splitlines()[refusal.line - 1]
        print(f"{refusal.path}:{refusal.line}: {line.strip()}")
    print(f"{len(missing)} refusals without a row")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
