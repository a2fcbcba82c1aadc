"""Draw a checkout as a house: files in their rooms, imports as arrows, and count what is wrong.

    python tools/draw_house.py house.svg [ROOT]

A square is a file, as large as its text; a box is a room, on the floor above all that it
imports; an arrow leads from a room to one that it imports, as thick as there are imports. Red are
files that import each other in a circle, and arrows that lead up or sideways. Printed are files,
imports, arrows between rooms, circles, and the largest room. ROOT is any checkout (this one, if
not said), so that two can be looked at side by side.
"""

import argparse
import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import sqrt
from pathlib import Path
from typing import NamedTuple

OUTSIDE = {"tests", "docs", "benchmarks", "notebooks", "tools", "build", "requirements"}
SQUARE, STEP = 9, 11  # pixels of the largest file, and from one to the next
WIDE = 12  # files in a row
GAP, FLOOR = 26, 74  # pixels between rooms, and between floors
Graph = Mapping[str, set[str]]


class Box(NamedTuple):
    """Where a room is drawn, in pixels.

    Attributes:
        x: of its left side.
        y: of its top, from that of the picture.
        wide: to its right side.
        high: to its bottom.
    """

    x: float
    y: float
    wide: float
    high: float


def sources(root: Path) -> dict[str, Path]:
    """Give every file of the package by its dotted name; a door has the name of its room."""
    paths = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] not in OUTSIDE and not any(part.startswith(".") for part in parts):
            names = parts[:-1] if path.name == "__init__.py" else (*parts[:-1], path.stem)
            paths[".".join(names)] = path
    return paths


def imported(name: str, path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports by relative imports, wherever in it."""
    here = name.split(".") if name else []
    if path.name != "__init__.py":
        here = here[:-1]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1]
            below = node.module.split(".") if node.module else []
            yield from (".".join([*base, *below, alias.name]) for alias in node.names)


def arrows(files: Mapping[str, Path]) -> dict[str, set[str]]:
    """Return the files that each file imports; a door that offers rooms when asked imports none."""
    graph = {}
    for name, path in files.items():
        is_lazy = not name or "deferred_rooms(" in path.read_text("utf-8").partition("def ")[0]
        wanted = iter(()) if is_lazy else imported(name, path)
        targets = {target if target in files else target.rpartition(".")[0] for target in wanted}
        graph[name] = {target for target in targets if target in files} - {name, ""}
    return graph


def circles(graph: Graph) -> list[set[str]]:
    """Give the sets of files each of which imports, by way of others, each other (Tarjan)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[set[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        stack.append(name)
        for after in graph[name]:
            if after not in number:
                visit(after)
            if after in stack:
                lowest[name] = min(lowest[name], lowest[after])
        if lowest[name] == number[name]:
            at = stack.index(name)
            if len(stack) - at > 1:
                cycles.append(set(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in number:
            visit(name)
    return cycles


def room(name: str, files: Mapping[str, Path]) -> str:
    """Give the room of a file: its folder, at most two deep; a file beside rooms is in the hall."""
    parts = name.split(".") if files[name].name == "__init__.py" else name.split(".")[:-1]
    return ".".join(parts[:2]) or "(root)"


def floors(between: Mapping[tuple[str, str], int], rooms: list[str]) -> dict[str, int]:
    """Give each room the floor above all that it imports; what a circle needs stays where it is."""
    level = dict.fromkeys(rooms, 0)
    for _ in rooms:
        for upper, lower in between:
            if level[upper] <= level[lower] < len(rooms) and (lower, upper) not in between:
                level[upper] = level[lower] + 1
    order = sorted(set(level.values()))
    return {name: order.index(at) for name, at in level.items()}


def placed(inside: Mapping[str, list[str]], level: Mapping[str, int]) -> dict[str, Box]:
    """Give each room its place: a row a floor, the highest at the top, each row in the middle."""
    rows, top = list[tuple[float, dict[str, Box]]](), 20.0
    for floor in range(max(level.values()), -1, -1):
        left, tall, row = 0.0, 0.0, dict[str, Box]()
        for name in sorted(file for file in inside if level[file] == floor):
            many = len(inside[name])
            wide = max(min(many, WIDE) * STEP, 7 * len(name))
            high = -(-many // WIDE) * STEP + 16
            row[name] = Box(left, top, wide, high)
            left, tall = left + wide + GAP, max(tall, high)
        rows.append((left - GAP, row))
        top += tall + FLOOR
    widest = max(width for width, _ in rows)
    return {
        name: box._replace(x=box.x + 20 + (widest - width) / 2)
        for width, row in rows
        for name, box in row.items()
    }


def arrow(upper: str, lower: str, many: int, ends: tuple[Box, Box], *, wrong: bool) -> str:
    """Draw one arrow between rooms."""
    above, below = ends
    x, y = above.x + above.wide / 2, above.y if wrong else above.y + above.high
    u, v = below.x + below.wide / 2, below.y
    colour, opacity = ("#c00", 0.8) if wrong else ("#357", 0.28)
    middle = (y + v) / 2
    return (
        f'<path d="M{x:.0f} {y:.0f} C{x:.0f} {middle:.0f} {u:.0f} {middle:.0f} {u:.0f} {v:.0f}" '
        f'fill="none" stroke="{colour}" stroke-opacity="{opacity}" '
        f'stroke-width="{0.6 + sqrt(many) / 3:.1f}">'
        f"<title>{escape(upper)} imports {escape(lower)}: {many}</title></path>"
    )


def drawn_room(name: str, box: Box, squares: list[tuple[str, float]], red: set[str]) -> str:
    """Draw a room with its files, each with its side in pixels."""
    shown = [
        (
            f'<rect x="{box.x - 5:.1f}" y="{box.y - 3:.1f}" width="{box.wide + 10}" '
            f'height="{box.high + 4}" rx="3" fill="#fff" stroke="#888"/>'
            f'<text x="{box.x:.1f}" y="{box.y + 9:.1f}">{escape(name)}</text>'
        )
    ]
    for i, (file, side) in enumerate(squares):
        x, y = box.x + i % WIDE * STEP, box.y + 14 + i // WIDE * STEP
        shown.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{side:.1f}" height="{side:.1f}" '
            f'fill="{"#c00" if file in red else "#357"}"><title>{escape(file)}</title></rect>'
        )
    return "".join(shown)


def drawing(root: Path) -> tuple[str, str]:
    """Give the picture and the line of counts."""
    files = sources(root)
    graph, sizes = arrows(files), {name: len(path.read_bytes()) for name, path in files.items()}
    loops, largest = circles(graph), max(sizes.values())
    red = set[str]().union(*loops)
    inside = defaultdict[str, list[str]](list)
    for name in sorted(files, key=lambda file: -sizes[file]):
        inside[room(name, files)].append(name)
    rooms = [(room(name, files), room(other, files)) for name in graph for other in graph[name]]
    between = Counter(pair for pair in rooms if pair[0] != pair[1])
    level = floors(between, list(inside))
    wrong = {pair for pair in between if level[pair[0]] <= level[pair[1]]}
    boxes = placed(inside, level)
    shown = [
        arrow(*pair, many, (boxes[pair[0]], boxes[pair[1]]), wrong=pair in wrong)
        for pair, many in sorted(between.items())
    ]
    for name, box in boxes.items():
        squares = [(file, max(2.0, SQUARE * sqrt(sizes[file] / largest))) for file in inside[name]]
        shown.append(drawn_room(name, box, squares, red))
    width = max(box.x + box.wide for box in boxes.values()) + 20
    height = max(box.y + box.high for box in boxes.values()) + 20
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        'font-family="sans-serif" font-size="11">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(shown) + "\n</svg>\n"
    )
    most = max(inside, key=lambda file: len(inside[file]))
    return picture, (
        f"{len(files)} files in {len(inside)} rooms, {sum(map(len, graph.values()))} imports; "
        f"{len(between)} arrows between rooms, {len(wrong)} of them up or sideways; "
        f"{len(loops)} circles of {len(red)} files; "
        f"the largest room is {most} with {len(inside[most])} files"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the picture and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, help="the picture, .svg")
    parser.add_argument("root", type=Path, nargs="?", default=Path(__file__).parent.parent)
    asked = parser.parse_args(arguments)
    picture, counts = drawing(asked.root)
    asked.out.write_text(picture, "utf-8")
    print(counts)


if __name__ == "__main__":
    main()
