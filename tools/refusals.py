"""Which refusals of a room no row of its `guards.toml` speaks of: `python tools/refusals.py`.

A refusal is a `raise` of what another party is told, or hears: `Refused`, `RoundBurned`,
`VerificationError`. A row speaks of it where its text meets the `if` or `except` that it stands in,
or, where it stands in none, the three lines before it. Prints file, line and the line itself; exit
code 1 if there are any.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mutants

NAMES = {"Refused", "RoundBurned", "VerificationError", "OtherView"}
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
            if isinstance(node, ast.Raise) and _called(node) in NAMES:
                branch = isinstance(outer, ast.If | ast.ExceptHandler)
                first = getattr(outer, "lineno", 1) if branch else node.lineno - LINES
                yield Refusal(name, node.lineno, first, node.end_lineno or node.lineno)


def _called(node: ast.Raise) -> str:
    """The name of what is raised."""
    what = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return what.id if isinstance(what, ast.Name) else ""


def unlisted(root: Path = mutants.ROOT) -> list[Refusal]:
    """The refusals of all rooms that no row speaks of."""
    rows = list(mutants.guards(root))
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
        for room in mutants.ROOMS
        for refusal in refusals(root, room)
        if not _met(refusal, spoken.get(refusal.path, ()))
    ]


def _met(refusal: Refusal, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= refusal.last and last >= refusal.first for first, last in spans)


def main() -> int:
    """Print those that are not listed."""
    missing = unlisted()
    for refusal in missing:
        line = (mutants.ROOT / refusal.path).read_text("utf-8").splitlines()[refusal.line - 1]
        print(f"{refusal.path}:{refusal.line}: {line.strip()}")
    print(f"{len(missing)} refusals without a row")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
